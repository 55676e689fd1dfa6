#!/bin/bash
# SPDX-License-Identifier: MIT
# The README's first commands are true: the bare preload is run as it stands there, from a folder whose `build` is
# this build; the other must be a verb of tools/dev. What its table shows must be columns of stint's.
# usage: readme.sh SOURCE_ROOT BUILD_ROOT
set -euo pipefail
root=$1 build=$2
fail() { echo "readme: $*"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$build" "$work/build"
commands=$(sed -n '/^```sh$/,/^```$/p;/^## /q' "$root/README.md" | sed '/^```/,$!d;/^```sh$/d;/^```$/q')
commands=$(grep -v '^```' <<<"$commands" | head -2)
[ "$(wc -l <<<"$commands")" = 2 ] || fail "its first block is not two commands"
demo=$(head -1 <<<"$commands") bare=$(tail -1 <<<"$commands")
[[ $demo == "tools/dev demo" ]] || fail "its first command is $demo"
grep -q '^  demo ' <<<"$("$root/tools/dev" 2>&1 || true)" || fail "tools/dev has no demo"
(cd "$work" && export STINT_STORE=. && bash -c "$bare") >"$work/out"
grep -q '^demo: ' "$work/out" || fail "the second command's program said nothing"
[ -s "$work/profiling_results.json" ] || fail "the second command left no report"
"$build/tools/stint/stint" report -n 0 "$work/profiling_results.json" >"$work/table"
titles=$(grep -m1 'Total .*Module' "$root/README.md" | xargs)
[ "$titles" = "$(grep -m1 'Total .*Module' "$work/table" | xargs)" ] || fail "its table has other columns"
for name in $(sed -n '/Total .*Module/,/⋮/p' "$root/README.md" | awk '$NF == "demo" { print $(NF - 1) }'); do
  grep -qw "$name" "$work/table" || fail "$name is in its table, but not in the report"
done
