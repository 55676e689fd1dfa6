#!/bin/bash
# SPDX-License-Identifier: MIT
# What the two shared objects show to a process, and what they bring with them.
# usage: exports.sh SOURCE_ROOT BUILD_ROOT
set -euo pipefail
export LC_ALL=C
root=$1 build=$2 bad=0
fail() { echo "exports: $*"; bad=1; }
names() { nm -D --defined-only -P "$1" | awk '{ print $1 }' | sort; }
map() { sed -n '/global:/,/local:/p' "$1" | sed 's/#.*//; s/[;]//g' | tr -s ' \t' '\n' | grep -vE '^(global:|local:|)$' | sort; }
needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
flag() { [[ $(readelf -dW "$1") == *"$2"* ]] || fail "$(basename "$1") lacks $2"; }

so=$build/src/libstint.so report=$build/src/libstint-report.so
[[ $(map "$root/src/stint.map") != *[*?[]* ]] || fail "stint.map has a glob among its exports"
[ "$(head -1 "$root/src/stint.map")" = "{" ] || fail "stint.map names its node: nothing would be interposed"
difference=$(diff <(map "$root/src/stint.map") <(names "$so")) || fail "libstint.so (>) is not stint.map (<):
$difference"
[ "$(names "$report")" = stint_report_table ] || fail "libstint-report.so exports $(names "$report" | tr '\n' ' ')"
for lib in $(needed "$so"); do
  case $lib in libc.so.6 | ld-linux-*.so.*) ;; *) fail "libstint.so brings $lib into every target" ;; esac
done
for lib in "$so" "$report"; do
  [[ $(readelf -VW "$lib") != *"Version definition"* ]] || fail "$(basename "$lib") defines versions"
  flag "$lib" NODELETE
  flag "$lib" NOW
  [[ $(readelf -dW "$lib") != *TEXTREL* ]] || fail "$(basename "$lib") has text relocations"
done
flag "$so" STATIC_TLS
[[ $(nm -D "$so") != *__tls_get_addr* ]] || fail "libstint.so calls __tls_get_addr, which may allocate"
exit $bad
