#!/bin/bash
# SPDX-License-Identifier: MIT
# The counts of a program built with -fno-inline against callgrind's, which knows nothing of hooks: the two
# runs are of the same binary, so each function that the report names must have as many calls.
# usage: callgrind.sh LIBSTINT PYTHON PROGRAM [ARGUMENT...]
set -euo pipefail
stint=$1 python=$2
shift 2
command -v valgrind >/dev/null || { echo "callgrind: valgrind is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/store"
valgrind -q --tool=callgrind --callgrind-out-file="$work/callgrind" --compress-strings=no --compress-pos=no "$@" >"$work/1"
env STINT_OUT="$work/report.json" XDG_RUNTIME_DIR="$work/store" LD_PRELOAD="$stint" "$@" >"$work/2"
cmp "$work/1" "$work/2"
"$python" - "$work/callgrind" "$work/report.json" <<'P'
import collections, json, re, sys
counted, called = collections.Counter(), None
for line in open(sys.argv[1]):
    match = re.match(r"cfn=(.*)$", line)
    if match:
        called = match.group(1)
        continue
    match = re.match(r"calls=(\d+)", line)
    if match:
        counted[re.sub(r"'\d+$", "", called)] += int(match.group(1))
report = json.load(open(sys.argv[2]))
bad = 0
for function in report["functions"]:
    name, count = function["name"], function["Count"]
    if counted[name] != count:
        print(f"{name}: callgrind {counted[name]}, reported {count}")
        bad = 1
if not report["functions"]:
    bad = 1
sys.exit(bad)
P
