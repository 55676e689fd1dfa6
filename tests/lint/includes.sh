#!/bin/bash
# SPDX-License-Identifier: MIT
# The arrows of the house, from the sources: who includes whose header, as src/rooms.txt allows, and within the
# command as tools/stint/rooms.txt does.
# usage: includes.sh SOURCE_ROOT
set -euo pipefail
export LC_ALL=C
root=$1 bad=0
cd "$root"
declare -A may=()
while IFS=: read -r room uses; do
  may[$room]=" $uses "
done < <(grep -v '^#' src/rooms.txt | grep .)
declare -A stint=()
while IFS=: read -r folder uses; do
  stint[$folder]=" $uses "
  [ -d "tools/stint/$folder" ] || { echo "includes: tools/stint/$folder is in rooms.txt but no folder"; bad=1; }
done < <(grep -v '^#' tools/stint/rooms.txt | grep .)
for folder in "${!stint[@]}"; do
  for use in ${stint[$folder]}; do echo "$folder $use"; done
done | tsort >/dev/null || { echo "includes: tools/stint/rooms.txt has a circle"; bad=1; }

# FILE FOLDER: may a source of the command include a header of that folder? What stands in none may include all.
may_within() {
  local from=${1#tools/stint/}
  case $from in */*) from=${from%%/*} ;; *) return 0 ;; esac
  [ "$from" = "$2" ] || [[ ${stint[$from]-} == *" $2 "* ]]
}

check() { # ROOM FILE INCLUDED
  case $3 in
  config.h) return 0 ;;
  ../* | */../*) echo "$2: climbs out by \"$3\""; bad=1; return ;;
  esac
  local to=${3%%/*}
  if [ -f "src/$3" ]; then
    [ "$to" = "$1" ] || [[ ${may[$1]} == *" $to "* ]] || { echo "$2: $1 may not include \"$3\""; bad=1; }
  elif [ "$1" = tools ] && [ -n "${stint[$to]-}" ] && [ -f "tools/stint/$3" ]; then
    may_within "$2" "$to" || { echo "$2: the folder may not include \"$3\""; bad=1; }
  else
    echo "$2: \"$3\" is no room's header: write \"room/file.h\""; bad=1
  fi
}

files=0
while IFS=: read -r file line; do
  case $file in src/*) room=${file#src/} room=${room%%/*} ;; *) room=tools ;; esac
  included=${line#*\"} included=${included%%\"*}
  [[ $file == tools/demo/* ]] || check "$room" "$file" "$included"
  files=$((files + 1))
done < <(grep -rE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' src tools | sort)
[ $files -gt 0 ] || { echo "includes: found none to check"; bad=1; }

# room headers in angle brackets would escape the check above
! grep -rnE --include='*.[ch]' "#[[:space:]]*include[[:space:]]*<($(cd src && ls -d */ | tr -d / | paste -sd'|'))/" src tools || bad=1
exit $bad
