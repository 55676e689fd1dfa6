#!/bin/bash
# SPDX-License-Identifier: MIT
# How long things may be: a source file 500 lines, a header 300, a function 50, a room 12 modules.
# usage: limits.sh SOURCE_ROOT
set -euo pipefail
export LC_ALL=C
cd "$1"
command -v ctags >/dev/null || { echo "limits: ctags is missing"; exit 77; }
bad=0 files=()
while IFS= read -r file; do files+=("$file"); done < <(find include src tools tests -name '*.[ch]' -o -name '*.cc' | sort)
for file in "${files[@]}"; do
  lines=$(wc -l <"$file")
  case $file in *.h) most=300 ;; *) most=500 ;; esac
  [ "$lines" -le $most ] || { echo "limits: $file has $lines lines, at most $most"; bad=1; }
done
long=$(ctags --languages=C,C++ --map-C=+.h --kinds-C=f --kinds-C++=f --fields=+ne -f - "${files[@]}" |
  awk -F'\t' '{ l = e = 0
    for (i = 4; i <= NF; i++) { if ($i ~ /^line:/) l = substr($i, 6); if ($i ~ /^end:/) e = substr($i, 5) }
    seen++
    if (e - l + 1 > 50) printf "limits: %s: %s has %d lines, at most 50\n", $2, $1, e - l + 1 }
    END { if (!seen) print "limits: ctags saw no function" }')
[ -z "$long" ] || { echo "$long"; bad=1; }
for room in src/*/; do
  modules=$(find "$room" -maxdepth 1 -name '*.c' | sed 's/_\(x86_64\|aarch64\)\.c$/.c/' | sort -u | wc -l)
  [ "$modules" -le 12 ] || { echo "limits: $room has $modules modules, at most 12"; bad=1; }
done
exit $bad
