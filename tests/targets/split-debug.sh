#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds a stripped program whose symbols lie in a file of their own: found by name beside it (.debug/), or
# by build-id below OUTPUT.debug-root, as distributions lay it out below /usr/lib/debug.
# usage: split-debug.sh debuglink|build-id-file OUTPUT SOURCE
set -euo pipefail
way=$1 output=$2 source=$3
flags=(-D_GNU_SOURCE -w -g -O2 -finstrument-functions)
if [ "$way" = debuglink ]; then
  gcc "${flags[@]}" -Wl,--build-id=none "$source" -o "$output.full"
  mkdir -p "$(dirname "$output")/.debug"
  debug=$(dirname "$output")/.debug/$(basename "$output").debug
  objcopy --only-keep-debug "$output.full" "$debug"
  objcopy --strip-all --add-gnu-debuglink="$debug" "$output.full" "$output"
else
  gcc "${flags[@]}" -Wl,--build-id=sha1 -DDIFFERENT "$source" -o "$output.full"
  id=$(readelf -nW "$output.full" | sed -n 's/.*Build ID: //p')
  mkdir -p "$output.debug-root/.build-id/${id:0:2}"
  objcopy --only-keep-debug "$output.full" "$output.debug-root/.build-id/${id:0:2}/${id:2}.debug"
  objcopy --strip-all "$output.full" "$output"
fi
rm -f "$output.full"
