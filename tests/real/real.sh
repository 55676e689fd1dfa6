#!/bin/bash
# SPDX-License-Identifier: MIT
# A real program, built by a script of the directory STINT_TARGETS into STINT_TARGETS_BUILT (default: a
# directory of the build), plain and instrumented: its output under stint must be the plain one's, and
# the counts of its first process those of the independent counter.
# usage: real.sh COUNTER LIBSTINT PYTHON NAME SCALE [--totals]
set -euo pipefail
counter=$1 stint=$2 python=$3 name=$4 scale=$5 totals=${6-}
[ -n "${STINT_TARGETS-}" ] || { echo "real: STINT_TARGETS names no directory of target scripts"; exit 77; }
here=$(dirname "$(realpath "$0")")
built=${STINT_TARGETS_BUILT:-$PWD/real}/$name
[ -x "$built/run" ] || bash "$STINT_TARGETS/$name.sh" "$built"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/store"
cd "$built"
export SCALE=$scale
run() { # VARIANT PREFIX OUTPUT: standard output, times cut off
  RUN=$2 ./run "$1" >"$3" 2>"$3.err" || echo "status $?" >>"$3"
}
run plain "" "$work/plain"
run instr "env COUNT_OUT=$work/count LD_PRELOAD=$counter" "$work/counted"
run instr "env STINT_OUT=$work/%n.json XDG_RUNTIME_DIR=$work/store LD_PRELOAD=$stint" "$work/under"
cmp "$work/plain" "$work/under" || { diff "$work/plain" "$work/under" | head -10; exit 1; }
! grep -h '^stint:' "$work/under.err" || exit 1
[ -z "$(ls -A "$work/store")" ] || { echo "stores left: $(ls "$work/store")"; exit 1; }
exec "$python" "$here/match.py" $totals "$work"
