#!/bin/bash
# SPDX-License-Identifier: MIT
# A real program, built plain and instrumented by a script NAME.sh of the directory REAL_TARGETS (into
# REAL_TARGETS_BUILT/NAME, default below the working directory): its output under stint must be the plain one's,
# and the counts of every process and thread those of the independent counter.
# usage: real.sh COUNTER LIBSTINT PYTHON NAME SCALE [--two-runs]
set -euo pipefail
counter=$(realpath "$1") stint=$(realpath "$2") python=$3 name=$4 scale=$5 runs=${6-}
[ -n "${REAL_TARGETS-}" ] || { echo "real: REAL_TARGETS names no directory of target scripts"; exit 77; }
here=$(dirname "$(realpath "$0")")
built=${REAL_TARGETS_BUILT:-$PWD/real}/$name
[ -x "$built/run" ] || bash "$REAL_TARGETS/$name.sh" "$built"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/store"
cd "$built"
export SCALE=$scale
run() { # VARIANT PREFIX OUTPUT: standard output, times cut off
  RUN=$2 ./run "$1" >"$3" 2>"$3.err" || echo "status $?" >>"$3"
}
stint_env="STINT_OUT=$work/%n.%p.json XDG_RUNTIME_DIR=$work/store"
run plain "" "$work/plain"
if [ -n "$runs" ]; then
  run instr "env COUNT_OUT=$work/count LD_PRELOAD=$counter" "$work/counted"
  run instr "env $stint_env LD_PRELOAD=$stint" "$work/under"
else
  run instr "env COUNT_OUT=$work/count $stint_env LD_PRELOAD=$counter:$stint" "$work/under"
fi
cmp -s "$work/plain" "$work/under" || { diff "$work/plain" "$work/under" | head -10; exit 1; }
! grep -h '^stint:' "$work/under.err" || exit 1
[ -z "$(ls -A "$work/store")" ] || { echo "stores left: $(ls "$work/store")"; exit 1; }
"$python" "$here/compare.py" $runs "$work"
