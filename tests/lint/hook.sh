#!/bin/bash
# SPDX-License-Identifier: MIT
# The hooks as the machine runs them (x86-64): no call but to a slow path, no locked instruction, no vector
# register, no division, a small frame; and what a signal handler of the same thread may also update is
# updated by one instruction.
# usage: hook.sh SOURCE_ROOT BUILD_ROOT
set -euo pipefail
export LC_ALL=C
root=$1 build=$2 bad=0
[ "$(uname -m)" = x86_64 ] || { echo "hook: x86-64 only"; exit 77; }
fail() { echo "hook: $*"; bad=1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# where the counters of a node are, from the layout itself
cat >"$work/offsets.c" <<'C'
#include "store/layout.h"
#include <stdio.h>
int main(void)
{
    printf("%#zx %#zx\n", offsetof(struct store_node, count), offsetof(struct store_node, total_ticks));
}
C
cc -w -D_GNU_SOURCE -include stddef.h -I"$root/src" -o "$work/offsets" "$work/offsets.c"
read -r count total < <("$work/offsets")

body() { # FUNCTION: its instructions, without the part that the compiler put away as cold
  objdump -d --no-show-raw-insn --disassemble="$1" "$build/src/libstint.so" |
    awk -v f="<$1>:" '$0 ~ /^[0-9a-f]+ </ { on = index($0, f) } on && /^ / { sub(/^[^:]*:[ \t]*/, ""); print }'
}

# the hooks and the one step that the enter hook sets aside: a table look-up, as fast as the rest
for hook in __cyg_profile_func_enter __cyg_profile_func_exit enter_probing \
  scope_enter enter_scope_probing scope_exit exit_long_scope scope_record scope_count; do
  body $hook >"$work/$hook"
  [ "$(wc -l <"$work/$hook")" -ge 10 ] || fail "$hook has no body"
  while read -r line; do
    case $line in
    call*"<slow_"*">"* | j*"<slow_"*">"* | j*"<enter_probing>"* | j*"<$hook+"* | j*"<$hook.cold"*) ;;
    j*"<enter_scope_probing>"* | *"<exit_long_scope>"* | *"<record_slowly"*) ;;
    call*) fail "$hook: $line" ;;
    j*"<"*) fail "$hook leaves by: $line" ;;
    esac
  done < <(grep -E '^(call|j)' "$work/$hook")
  ! grep -nE '^(lock|rep|xchg .*\(|cmpxchg|div|idiv|mfence|cpuid)|%(x|y|z)mm|%st' "$work/$hook" || fail "$hook: see above"
  frame=$(sed -nE 's/^sub +\$(0x[0-9a-f]+),%rsp.*/\1/p' "$work/$hook" | head -1)
  [ $((${frame:-0})) -le 128 ] || fail "$hook uses $frame bytes of stack"
done

# where the stack stands there is compared with where it stands in the others
for hook in __cyg_profile_func_enter scope_enter; do
  ! grep -E '^(push|sub .*,%rsp)' "$work/$hook" || fail "$hook moves the stack"
done

memory='\(%[a-z0-9]+(,%[a-z0-9]+(,[1248])?)?\)$'
for exit in __cyg_profile_func_exit scope_exit exit_long_scope scope_record scope_count; do
  updates() { grep -cE "$1" "$work/$exit" || true; }
  [ "$(updates "^(addq +\\\$0x1|incq +|add +\\\$0x1),?$count$memory|^incq +$count$memory")" -ge 1 ] ||
    fail "$exit: the count of a node is not updated by one instruction"
  [ "$(updates "^add[q]? +%[a-z0-9]+,$total$memory")" -ge 1 ] ||
    fail "$exit: the total of a node is not updated by one instruction"
  [ $exit = scope_count ] || # which has none
    [ "$(updates '^(addq +\$0x1,|incq +)(\(%[a-z0-9]+\)|[-0-9a-fx]*\(%[a-z0-9]+,%[a-z0-9]+,8\))$')" -ge 1 ] ||
    fail "$exit: the histogram is not updated by one instruction"
  ! grep -E "^mov +%[a-z0-9]+,($count|$total)\(%(r[a-z0-9]+)\)$" "$work/$exit" ||
    fail "$exit: a plain store to where a node's counters are: see above"
done
for exit in scope_exit exit_long_scope scope_record; do
  grep -qE '^xadd ' "$work/$exit" || fail "$exit: a sample's place is not claimed by one instruction"
done
exit $bad
