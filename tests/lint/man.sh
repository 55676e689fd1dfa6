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

main=$root/tools/stint/man/stint.1
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
for file in "$root"/tools/stint/man/stint-*.1; do
  verb=${file##*/stint-} verb=${verb%.1} verbs=$((verbs + 1))
  options=$("$stint" "$verb" --help 2>&1 | grep -oE '(^|[[:space:],])(--[a-z][a-z-]+|-[a-zA-Z])' | tr -d ' \t,' | sort -u) || true
  for option in $options; do
    plain "$file" | grep -- "$option" >/dev/null || fail "stint $verb $option is not in its page"
  done
done
for verb in $("$stint" --help 2>&1 | sed -nE 's/^ +stint ([a-z]+)( .*|$)/\1/p' | sort -u); do
  [ -f "$root/tools/stint/man/stint-$verb.1" ] || fail "stint $verb has no page"
done
[ $verbs -ge 3 ] || fail "only $verbs pages of verbs"
# what the public header declares is in stint.3, and the other way round; a trailing _ says that a name is none's business
header=$root/include/stint/stint.h page=$root/tools/stint/man/stint.3
declared=$(grep -oE '^STINT_CALL_ .*\(' "$header" | grep -oE 'stint_[a-z_]*[a-z]\(' | tr -d '('; grep -oE '^ *#define STINT_[A-Z_]*[A-Z]\(' "$header" | grep -oE 'STINT_[A-Z_]*[A-Z]')
[ "$(wc -w <<<"$declared")" -ge 20 ] || fail "stint.h declares only $(wc -w <<<"$declared") names"
for name in $declared; do
  plain "$page" | grep -w -- "$name" >/dev/null || fail "$name is not in stint.3"
done
for name in $(plain "$page" | grep -oE 'stint_[a-z_]*[a-z]\(' | tr -d '(' | sort -u); do
  grep -qx "$name" <<<"$declared" || fail "stint.3 speaks of $name, which the header does not have"
done
if command -v man >/dev/null; then
  for file in "$root"/tools/stint/man/*.[1-9]; do
    warnings=$(man --warnings -E UTF-8 -l -Tutf8 -Z "$file" 2>&1 >/dev/null) || true
    [ -z "$warnings" ] || fail "$(basename "$file"): $warnings"
  done
fi
exit $bad
