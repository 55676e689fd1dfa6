#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds names.c with symbols that no assembler would take: renamed in the object file.
# usage: names.sh OUTPUT SOURCE
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
long=$(printf 'x%.0s' {1..10000})
gcc -D_GNU_SOURCE -w -O2 -g -finstrument-functions -c -o "$work/plain.o" "$2"
objcopy --redefine-sym quoted='quo"ted\back' --redefine-sym controls=$'tab\tbell\a\x1f' \
  --redefine-sym not_utf8=$'latin-\xfc-end' --redefine-sym cpp=_ZN5World6updateEf \
  --redefine-sym rust_legacy=_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE \
  --redefine-sym rust_v0=_RNvCs6kBvkZrnvVq_7mycrate3foo --redefine-sym clone_part=split.part.0 \
  --redefine-sym clone_const=fixed.constprop.0 --redefine-sym very_long="_Z10000${long}v" "$work/plain.o" "$work/named.o"
gcc -o "$1" "$work/named.o"
