#!/bin/bash
# SPDX-License-Identifier: MIT
# The arrows of the house, from the binaries: a room's undefined symbols may be defined only in rooms that
# src/rooms.txt lets it use; the table itself has no circle and names every folder.
# usage: rooms.sh SOURCE_ROOT BUILD_ROOT
set -euo pipefail
export LC_ALL=C
root=$1 build=$2 bad=0
fail() { echo "rooms: $*"; bad=1; }

declare -A may=() owner=() own=() libs=()
while IFS=: read -r room uses; do
  may[$room]=" $uses "
done < <(grep -v '^#' "$root/src/rooms.txt" | grep .)

# the table: known rooms, no circle (tsort complains of one), a folder each
for room in "${!may[@]}"; do
  for use in ${may[$room]}; do
    [ -n "${may[$use]+x}" ] || fail "$room uses $use, which is no room"
  done
  [ "$room" = tools ] || [ -d "$root/src/$room" ] || fail "$room has no folder"
done
for folder in "$root"/src/*/; do
  folder=$(basename "$folder")
  [ -n "${may[$folder]+x}" ] || fail "src/$folder is not in rooms.txt"
done
for room in "${!may[@]}"; do
  for use in ${may[$room]}; do echo "$room $use"; done
done | tsort >/dev/null 2>"${TMPDIR:-/tmp}/rooms.$$" || fail "circle: $(tr '\n' ' ' <"${TMPDIR:-/tmp}/rooms.$$")"
rm -f "${TMPDIR:-/tmp}/rooms.$$"

for lib in "$build"/src/*/libroom-*.a; do
  room=${lib##*/libroom-} room=${room%.a}
  libs[$room]=$lib
  # two products may each have a room with a function of one name: a room's own comes first
  while read -r symbol; do own[$room $symbol]=1 owner[$symbol]+=" $room"; done < <(nm -g --defined-only -P "$lib" 2>/dev/null |
    awk 'NF >= 2 && $2 != "U" { print $1 }')
done
[ ${#libs[@]} -ge 8 ] || fail "only ${#libs[@]} room libraries in $build: build first"

for room in "${!libs[@]}"; do
  [ -n "${may[$room]+x}" ] || { fail "library of unknown room $room"; continue; }
  while read -r symbol; do
    [ -n "${owner[$symbol]-}" ] && [ -z "${own[$room $symbol]-}" ] || continue
    # a name of libc that stint puts its own before: imports.txt says who may call it all the same
    ! grep -qxF "$room $symbol" "$root/tests/lint/imports.txt" || continue
    allowed=
    for from in ${owner[$symbol]}; do
      if [[ ${may[$room]} == *" $from "* ]]; then allowed=1; fi
    done
    [ -n "$allowed" ] || fail "$room uses $symbol of${owner[$symbol]}"
  done < <(nm -u -P "${libs[$room]}" 2>/dev/null | awk 'NF >= 2 { print $1 }' | sort -u)
done
exit $bad
