#!/bin/bash
# SPDX-License-Identifier: MIT
# Every module has its unit test and every unit test its module. hook, interpose and api are tested from
# outside (tests/e2e), tools by tests/cli; what else has none stands in mirror.txt with its reason.
# usage: mirror.sh SOURCE_ROOT
set -euo pipefail
cd "$1"
bad=0
declare -A excused=()
while read -r module reason; do
  [ -n "$reason" ] || { echo "mirror: $module is excused without a reason"; bad=1; }
  [ -f "src/$module.c" ] || { echo "mirror: $module is excused but is no module"; bad=1; }
  excused[$module]=1
done < <(grep -v '^#' tests/lint/mirror.txt | grep .)
for file in src/*/*.c; do
  module=${file#src/} module=${module%.c} room=${module%/*}
  case $room in hook | interpose | api) continue ;; esac
  test=tests/unit/$room/test-${module#*/}.c
  if [ -f "$test" ]; then
    [ -z "${excused[$module]-}" ] || { echo "mirror: $module is excused but has a test"; bad=1; }
    grep -q "'$module'" tests/unit/meson.build || { echo "mirror: $test is not built"; bad=1; }
  else
    [ -n "${excused[$module]-}" ] || { echo "mirror: src/$module.c has no $test"; bad=1; }
  fi
done
for test in tests/unit/*/test-*.c; do
  module=${test#tests/unit/} module=${module%.c} module=${module/test-/}
  [ -f "src/$module.c" ] || [ -f "src/$module.h" ] || { echo "mirror: $test tests no module"; bad=1; }
done
exit $bad
