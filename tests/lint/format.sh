#!/bin/bash
# SPDX-License-Identifier: MIT
# Every C and C++ file stands as .clang-format has it and begins with its licence line.
# usage: format.sh SOURCE_ROOT
set -euo pipefail
cd "$1"
command -v clang-format >/dev/null || { echo "format: clang-format is missing"; exit 77; }
bad=0
# clang-format itself fails where it finds something, hence the || true
places=$(find include src tools tests -name '*.[ch]' -o -name '*.cc' | sort | xargs -r clang-format --dry-run -Werror 2>&1 |
  grep -E 'error:' | cut -d: -f1 | sort | uniq -c | awk '{ print "format: " $2 " (" $1 " places)" }') || true
[ -z "$places" ] || { echo "$places"; bad=1; }
while IFS= read -r file; do
  head -2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || { echo "format: $file has no licence line"; bad=1; }
done < <(find include src tools tests -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.py')
exit $bad
