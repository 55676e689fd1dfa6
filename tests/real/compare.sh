#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a command once under the counter and once under stint and compares the counts.
# usage: compare.sh COUNTER LIBSTINT PYTHON [--totals] COMMAND...
set -euo pipefail
counter=$1 stint=$2 python=$3
shift 3
options=()
if [ "$1" = --totals ]; then options=("$1"); shift; fi
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/store"
env COUNT_OUT="$work/count" LD_PRELOAD="$counter" "$@" >"$work/1" || true
env STINT_OUT="$work/report.json" XDG_RUNTIME_DIR="$work/store" LD_PRELOAD="$stint" "$@" >"$work/2" || true
counts=("$work"/count.*)
[ ${#counts[@]} = 1 ] && [ -f "${counts[0]}" ] || { echo "not one process counted: ${counts[*]}"; exit 1; }
"$python" "$here/compare.py" "${options[@]}" "${counts[0]}" "$work/report.json"
