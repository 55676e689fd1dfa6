#!/bin/bash
# SPDX-License-Identifier: MIT
# The public header stands alone in C99, C11, C17 and C++11 to C++20, without a warning, by gcc and by clang.
# usage: headers.sh SOURCE_ROOT
set -euo pipefail
cd "$1"
bad=0 tried=0
check() { # COMPILER STANDARD FILE
  local more=-Wstrict-prototypes
  case $2 in c++*) more='-Wold-style-cast -Wzero-as-null-pointer-constant' ;; c99) more+=' -Wdeclaration-after-statement' ;; esac
  command -v "$1" >/dev/null || return 0
  tried=$((tried + 1))
  "$1" -std="$2" -Iinclude -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
    -Wsign-conversion -Wundef -Wredundant-decls -Wcast-qual $more -Werror -fsyntax-only "$3" ||
    { echo "headers: $1 -std=$2 refuses $3"; bad=1; }
}
for std in c99 c11 c17; do for cc in gcc clang; do check $cc $std tests/lint/headers.c; done; done
for std in c++11 c++17 c++20; do for cc in g++ clang++; do check $cc $std tests/lint/headers.cc; done; done
[ $tried -ge 6 ] || { echo "headers: only $tried compilers"; bad=1; }
exit $bad
