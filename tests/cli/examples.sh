#!/bin/bash
# SPDX-License-Identifier: MIT
# The examples of stint.3 compile in every language that the header promises, run the same with stint and without, and what
# they say of themselves is in their reports.
# usage: examples.sh SOURCE_ROOT BUILD_ROOT
set -euo pipefail
root=$1 build=$2 compiled=0
fail() { echo "examples: $*"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# the text between .EX and .EE after each mark, as a reader of the page sees it
awk '/^\.\\" example: / { file = $3 } /^\.EE/ { file = open = "" } open { print > file } /^\.EX/ && file { open = 1 }' "$root/tools/stint/man/stint.3"
sed -i 's/\\e/\\/g; s/\\-/-/g; s/\\&//g' ./*.c ./*.cc

check() { # FILE COMPILER STANDARD
  command -v "$2" >/dev/null || return 0
  "$2" -std="$3" -O2 -I"$root/include" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "$1" -o program || fail "$2 -std=$3 refuses $1"
  ./program >plain || fail "$1 fails without stint"
  rm -f ./*.json
  STINT_OUT=$work/report.json STINT_STORE=$work LD_PRELOAD=$build/src/libstint.so ./program >under || fail "$1 fails under stint"
  cmp plain under || fail "$1 says something else under stint"
  python3 "expect-$1.py" || fail "$1, built by $2 -std=$3: see above"
  compiled=$((compiled + 1))
}

cat >expect-frames.c.py <<'P'
import json
report = json.load(open("report.json"))
counts = {name: what["Count"] for name, what in report["categories"].items()}
assert counts == {"Chunk_Build": 540, "Chunk_Mesh": 360, "Frame_Total": 60}, counts
faces = report["counters"]["Chunk_Faces"]
assert (faces["Count"], faces["Sum"]) == (360, 60 * 6 * (1 + 2 + 4 + 5 + 7 + 8)), faces
built = report["values"]["Chunks_Built"]
assert (built["Count"], built["unit"], built["Max"]) == (60, "chunks", 360), built
assert report["frames"]["Frame_Total"]["Count"] == 60
assert [thread["name"] for thread in report["threads"]] == ["Main loop"]
P
cat >expect-scopes.cc.py <<'P'
import json
for name in "report.json", "so-far.json":
    report = json.load(open(name))
    counts = {name: what["Count"] for name, what in report["categories"].items()}
    assert counts == {"Request_0": 5, "Request_1": 5, "Query": 10, "Waited": 9}, counts
    assert report["counters"]["Errors"]["Sum"] == 1
P
for std in c99 c11 c17; do for cc in gcc clang; do check frames.c $cc $std; done; done
for std in c++11 c++17 c++20; do for cxx in g++ clang++; do check scopes.cc $cxx $std; done; done
[ $compiled -ge 6 ] || fail "only $compiled programs"
