#!/bin/sh
# SPDX-License-Identifier: MIT
# fetch.sh NPM SOURCES DIR: the libraries that the lock file names into DIR/node_modules, unless they
# are there. Nothing of theirs is run.
set -eu
npm=$1 sources=$2 dir=$3
mkdir -p "$dir"
if [ -d "$dir/node_modules" ] && cmp -s "$sources/package-lock.json" "$dir/package-lock.json"; then
  exit 0
fi
rm -rf "$dir/node_modules" "$dir/package-lock.json"
cp "$sources/package.json" "$dir"
cp "$sources/package-lock.json" "$dir/lock.new"
cd "$dir"
mv lock.new package-lock.json
"$npm" ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000 >npm.log 2>&1 || {
  tail -n 3 npm.log >&2
  rm -rf node_modules package-lock.json
  exit 1
}
