#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# completion.sh STINT: each shell that is here is asked for completions as at a prompt. TAP.
set -u
stint=$(readlink -f "$1") number=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" && : >a-report.json
for shell in bash zsh fish; do "$stint" completion $shell >$shell.completion || exit 1; done

check() { # NAME GOT WANTED…: each wanted word is a line of what was got
  local name=$1 got=$2 word
  shift 2
  number=$((number + 1))
  for word; do
    grep -qxF -- "$word" <<<"$got" && continue
    failed=1
    printf 'not ok %d - %s\n# no %s in: %s\n' $number "$name" "$word" "$(tr '\n' ' ' <<<"$got")"
    return
  done
  echo "ok $number - $name"
}
skip() { number=$((number + 1)); echo "ok $number - $1 # SKIP $2 is not installed"; }

in_bash() { # the words of a line, the last one unfinished
  bash -c 'source bash.completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stint; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
in_fish() { fish --no-config -c 'source fish.completion; complete -C "$argv[1]"' "$1" | cut -f1; }
# zsh's own completion wants a terminal; what it is told is seen without one.
in_zsh() {
  zsh -f -c '
    _describe() { print -rl -- "${(@P)2%%:*}" }
    _arguments() { print -rl -- "$@" | sed -E "s/^\\([^)]*\\)//; s/[+=-]*\\[.*//" }
    _command_names() {}
    words=("$@") CURRENT=$#
    source ./zsh.completion' - "$@"
}

verbs=$("$stint" --help | sed -n 's/^  stint \([a-z]*\).*/\1/p')
echo "1..19"
check 'bash completes verbs' "$(in_bash stint '')" $verbs
check 'bash completes options and settings' "$(in_bash stint run --max-)" --max-nodes --max-depth
check 'bash completes what a setting takes' "$(in_bash stint run --clock '')" auto tsc monotonic
check 'bash completes the columns of a table' "$(in_bash stint report --sort p)" p50 p99 p99.9
check 'bash completes formats after a letter' "$(in_bash stint export -f c)" chrome callgrind csv
check 'bash completes colours' "$(in_bash stint report --color = '')" auto always never
check 'bash completes what a switch takes' "$(in_bash stint run --follow = '')" 0 1
check 'bash completes shells and no files' "$(in_bash stint completion '' | tr '\n' ' ')" 'bash zsh fish '
check 'bash completes files' "$(in_bash stint report a-)" a-report.json
check 'bash completes commands to run' "$(in_bash stint run basenam)" basename
if command -v zsh >/dev/null; then
  check 'zsh completes verbs' "$(in_zsh stint '')" $verbs
  check 'zsh completes options and settings' "$(in_zsh stint run --)" --max-nodes --out
  check 'zsh completes letters' "$(in_zsh stint report -)" -s --sort -n --rows
  check 'zsh completes shells and no files' "$(in_zsh stint completion '' | grep -v -e --help -e -h)" '1:word:(bash zsh fish)'
else
  for name in verbs 'options and settings' letters 'shells and no files'; do skip "zsh completes $name" zsh; done
fi
if command -v fish >/dev/null; then
  check 'fish completes verbs' "$(in_fish 'stint ')" $verbs
  check 'fish completes options and settings' "$(in_fish 'stint run --max-')" --max-nodes --max-depth
  check 'fish completes what a setting takes' "$(in_fish 'stint run --clock ')" auto tsc monotonic
  check 'fish completes what a switch takes' "$(in_fish 'stint run --follow=')" --follow=0 --follow=1
  check 'fish completes shells and no files' "$(in_fish 'stint completion ' | sort | tr '\n' ' ')" 'bash fish zsh '
else
  for name in verbs 'options and settings' 'what a setting takes' 'what a switch takes' 'shells and no files'; do skip "fish completes $name" fish; done
fi
exit $failed
