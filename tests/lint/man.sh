#!/bin/bash
# SPDX-License-Identifier: MIT
# Every verb has its page, every option is in the page of its verb, every variable in stint.1, each
# page formats without a warning.
# usage: man.sh SOURCE_ROOT BUILD_ROOT
set -euo pipefail
export LC_ALL=C
root=$1 build=$2 bad=0
fail() { echo "man: $*"; bad=1; }
stint=$build/tools/stint/stint
plain() { sed -e 's/\\-/-/g' -e 's/\\&//g' -e 's/\\f[A-Z]//g' "$1"; }

main=$root/tools/stint/stint.1
[ -f "$main" ] || { fail "stint.1 is missing"; exit 1; }
variables=$(sed -nE 's/.*"(STINT_[A-Z_]+)".*/\1/p' "$root/src/settings/settings.c" | sort -u)
[ "$(wc -w <<<"$variables")" -ge 10 ] || fail "settings.c names only $(wc -w <<<"$variables") variables"
for variable in $variables; do
  plain "$main" | grep -w -- "$variable" >/dev/null || fail "$variable is not in stint.1"
done
# and no page speaks of a variable that is gone
for variable in $(plain "$main" | grep -oE 'STINT_[A-Z_]+' | sort -u); do
  grep -qrw -- "$variable" "$root/src" "$root/tools" --include='*.[ch]' || fail "stint.1 speaks of $variable, which nothing reads"
done
verbs=0
for file in "$root"/tools/stint/stint-*.1; do
  verb=${file##*/stint-} verb=${verb%.1} verbs=$((verbs + 1))
  options=$("$stint" "$verb" --help 2>&1 | grep -oE '(^|[[:space:],])(--[a-z][a-z-]+|-[a-zA-Z])' | tr -d ' \t,' | sort -u) || true
  for option in $options; do
    plain "$file" | grep -- "$option" >/dev/null || fail "stint $verb $option is not in its page"
  done
done
for verb in $("$stint" --help 2>&1 | sed -nE 's/^ +stint ([a-z]+)( .*|$)/\1/p' | sort -u); do
  [ -f "$root/tools/stint/stint-$verb.1" ] || fail "stint $verb has no page"
done
[ $verbs -ge 3 ] || fail "only $verbs pages of verbs"
if command -v man >/dev/null; then
  for file in "$root"/tools/stint/*.[1-9]; do
    warnings=$(man --warnings -E UTF-8 -l -Tutf8 -Z "$file" 2>&1 >/dev/null) || true
    [ -z "$warnings" ] || fail "$(basename "$file"): $warnings"
  done
fi
exit $bad
