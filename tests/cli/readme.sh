#!/bin/bash
# SPDX-License-Identifier: MIT
# The README's first commands are true: they are verbs of tools/dev; the bare preload is run as it stands there, from a
# folder whose `build` is this build. What its table shows must be columns of stint's.
# The program that marks its code is built and run by the commands below it, and its table has the README's rows. What
# looks at reports and compares them is run on that program's. Files that are shown are there.
# usage: readme.sh SOURCE_ROOT BUILD_ROOT
set -euo pipefail
root=$1 build=$2
fail() { echo "readme: $*"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$build" "$work/build"
block() { # NUMBER: the lines of the README's shell block of that number
  awk -v wanted="$1" '/^```sh$/ { n++; inside = 1; next } /^```/ { inside = 0 } inside && n == wanted' "$root/README.md"
}
[ "$(block 1)" = $'tools/dev demo\ntools/dev test' ] || fail "its first block is not the two commands"
for verb in demo test; do
  grep -q "^  $verb " <<<"$("$root/tools/dev" 2>&1 || true)" || fail "tools/dev has no $verb"
done
bare=$(block 2)
(cd "$work" && export STINT_STORE=. && bash -c "$bare") >"$work/out"
grep -q '^demo: ' "$work/out" || fail "the second command's program said nothing"
[ -s "$work/profiling_results.json" ] || fail "the second command left no report"
"$build/tools/stint/stint" report -n 0 "$work/profiling_results.json" >"$work/table"
titles=$(grep -m1 'Total .*Module' "$root/README.md" | xargs)
[ "$titles" = "$(grep -m1 'Total .*Module' "$work/table" | xargs)" ] || fail "its table has other columns"
for name in $(sed -n '/Total .*Module/,/^```/p' "$root/README.md" | awk '$NF == "demo" { print $(NF - 1) }'); do
  grep -qw "$name" "$work/table" || fail "$name is in its table, but not in the report"
done

# mark your code: the one block of C, and the commands that follow it
ln -s "$root/include" "$work/include"
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$root/README.md" >"$work/game.c"
grep -q STINT_MEASURE "$work/game.c" || fail "its block of C is missing"
(cd "$work" && export STINT_STORE=. && bash -ec "$(block 4)") >"$work/marked" 2>&1 || fail "the marked program: $(cat "$work/marked")"
rows() { # FILE: what that program's table names
  sed -n '/^game, pid/,/^stint: report/p' "$1" | awk '$NF == "(category)" { print $(NF - 1) } $NF == "Items_Drawn"' | grep -o '[A-Z][A-Za-z_]*$' | sort
}
[ "$(rows "$root/README.md" | wc -l)" -ge 4 ] || fail "its table of the marked program is missing"
[ "$(rows "$root/README.md")" = "$(rows "$work/marked")" ] || fail "the marked program's table has other rows: $(cat "$work/marked")"

# look, compare, hand on: two reports a side of that program, which are the same and so past no gate
looks=$(block 5) made=all.json\ app.html
if ! "$build/tools/stint/stint" export -f html -o "$work/app.html" "$work/profiling_results.json" 2>/dev/null; then
  looks=$(grep -v 'export -f html' <<<"$looks") made=all.json # built without npm
fi
rm -f "$work/app.html"
(cd "$work" && for name in old1 old2 new1 new2; do cp profiling_results.json $name.json; done)
(cd "$work" && PATH=$build/tools/stint:$PATH bash -ec "$looks") >"$work/looked" 2>&1 || fail "its commands on reports: $(cat "$work/looked")"
[ "$(block 5 | grep -c '^stint ')" -ge 5 ] || fail "its block of commands on reports is another"
grep -q '^Frame_Total: 100 frames' "$work/looked" || fail "no frames: $(cat "$work/looked")"
for file in $made; do
  [ -s "$work/$file" ] || fail "no $file was made"
done
for picture in $(grep -o '](\S*\.png)' "$root/README.md" | tr -d '()]'); do
  [ -s "$root/$picture" ] || fail "there is no $picture"
done
