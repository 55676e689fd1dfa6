#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# cmocka writes a skipped case as "not ok N # SKIP", which readers of TAP take for a failure: here it
# becomes "ok N # SKIP". What a program leaves behind, since a case failed or it was ended, goes with
# the directory that it is given for its files; stores of what it runs lie there too, unless it says
# otherwise.   tap.sh PROGRAM [ARGUMENT…]
set -o pipefail
work=$(mktemp -d) || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 143' HUP INT TERM
chmod 755 "$work" && mkdir -m 700 "$work/run" || exit 1
export TMPDIR=$work XDG_RUNTIME_DIR=$work/run
"$@" | sed -u 's/^not ok \([0-9]* # SKIP\)/ok \1/'
