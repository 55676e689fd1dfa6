#!/bin/bash
# SPDX-License-Identifier: MIT
# What each room that runs inside a target takes from outside the house: exactly the list imports.txt,
# and never what allocates, prints, exits or looks symbols up, except where that is the room's work.
# usage: imports.sh SOURCE_ROOT BUILD_ROOT    (imports.sh --list …: prints what the list should be)
set -euo pipefail
export LC_ALL=C
list=
if [ "$1" = --list ]; then list=1; shift; fi
root=$1 build=$2 bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Pure functions over bytes may come and go: compilers put some in and take some out.
free='mem(cpy|set|move|cmp|chr|rchr|mem)|bcmp|str(n?len|n?cmp|r?chr|str|c?spn|pbrk)|_GLOBAL_OFFSET_TABLE_'
banned='(m|c|re)alloc|free|(posix_)?memalign|aligned_alloc|strdup|.*printf.*|f?puts|f?putc|f?write|fopen|fclose|exit|_exit|abort|__assert_fail|dlsym|dlvsym|dlopen|dlclose|dladdr1?|dl_iterate_phdr|getenv|setlocale|localeconv|strto.*|ato[il].*|__tls_get_addr|pthread_mutex.*|sem_.*'
# the rooms whose work it is
allowed() { # ROOM SYMBOL
  case $1:$2 in
  real:dlsym | real:dlvsym) return 0 ;;           # the table of next functions
  report:*json* | json:*json* | companion:*json*) return 0 ;;   # jansson by its own names
  esac
  # life opens the companion and learns what is loaded: the one other place where the loader is asked
  [[ $1 == life && $2 =~ ^(dlopen|dlsym|dladdr1?|dl_iterate_phdr)$ ]]
}

cat "$build"/src/*/libroom-*.a >/dev/null
for lib in "$build"/src/*/libroom-*.a; do nm -g --defined-only -P "$lib" 2>/dev/null; done |
  awk 'NF >= 2 { print $1 }' | sort -u >"$work/defined"
# what is interposed is libc's for all other rooms
nm -g --defined-only -P "$build"/src/interpose/libroom-interpose.a 2>/dev/null | awk 'NF >= 2 { print $1 }' |
  sort -u | comm -12 - <(sed -n '/global:/,/local:/p' "$root/src/stint.map" | tr -d ' ;' | sort -u) >"$work/interposed"
comm -23 "$work/defined" "$work/interposed" >"$work/ours"

for lib in "$build"/src/*/libroom-*.a; do
  room=${lib##*/libroom-} room=${room%.a}
  nm -u -P "$lib" 2>/dev/null | awk 'NF >= 2 { print $1 }' | sort -u | comm -23 - "$work/ours" |
    grep -vxE "$free" | sed "s/^/$room /" || true
done | sort >"$work/found"
[ -s "$work/found" ] || { echo "imports: no library imports anything: build first"; exit 1; }
if [ -n "$list" ]; then cat "$work/found"; exit; fi

while read -r room symbol; do
  if [[ $symbol =~ ^($banned)$ ]] && ! allowed "$room" "$symbol"; then
    echo "imports: $room takes $symbol, which has no place in a target"; bad=1
  fi
done <"$work/found"
grep -v '^#' "$root/tests/lint/imports.txt" | grep . | sort >"$work/listed" || true
while read -r line; do echo "imports: $line is not in imports.txt"; bad=1; done < <(comm -23 "$work/found" "$work/listed")
while read -r line; do echo "imports: $line is in imports.txt but not needed"; bad=1; done < <(comm -13 "$work/found" "$work/listed")
exit $bad
