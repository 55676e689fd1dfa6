#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a command once, under the counter and stint together, and compares what they counted.
# usage: compare.sh COUNTER LIBSTINT PYTHON COMMAND...
set -euo pipefail
counter=$(realpath "$1") stint=$(realpath "$2") python=$3
shift 3
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/store"
cd "$work"
env COUNT_OUT="$work/count" STINT_OUT="$work/report.json" XDG_RUNTIME_DIR="$work/store" \
  LD_PRELOAD="$counter:$stint" "$@" >"$work/1" || true
"$python" "$here/compare.py" "$work"
