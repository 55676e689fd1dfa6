#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds the objects that the tests of this room read, and what an independent reader finds in them.
# usage: objects.sh SAMPLE_C EXPECTED_PY OUT STAMP COMPILER…
set -euo pipefail
sample=$(realpath "$1") expected=$(realpath "$2") out=$(realpath -m "$3") stamp=$(realpath -m "$4")
shift 4
rm -rf "$out"
mkdir -p "$out"
cd "$out"
objcopy=${OBJCOPY:-objcopy} readelf=${READELF:-readelf}
build() { "$@" -x c "$sample" -x none; }
build "$@" -O1 -g -fPIE -pie -Wl,--build-id -o pie
build "$@" -O1 -g -fno-pie -no-pie -Wl,--build-id -o fixed
build "$@" -O1 -g -fPIC -shared -Wl,--build-id -o shared.so
build "$@" -O1 -g -fPIE -pie -Wl,--build-id=none -o anonymous
list() { python3 "$expected" "$readelf" "$1" "$2" >"$3"; }
for name in pie fixed shared.so anonymous; do list $name 1000000 $name.expected; done
cp "$("$@" -print-file-name=libc.so.6)" libc.so
list libc.so 500 libc.so.expected

# Each kind of debug file in a directory of its own, beside a stripped object that lacks .symtab.
split() { # DIRECTORY OBJECT DEBUG_FILE…
  local to=$1 object=$2
  mkdir -p "$to/bin" "$(dirname "$3")"
  "$objcopy" --only-keep-debug "$object" "$3"
  "$objcopy" --strip-all "$object" "$to/bin/app"
}
split by-id pie by-id/none.debug
id=$("$readelf" -n pie | sed -n 's/.*Build ID: //p')
mkdir -p "by-id/root/.build-id/${id:0:2}"
mv by-id/none.debug "by-id/root/.build-id/${id:0:2}/${id:2}.debug"
link() { "$objcopy" --add-gnu-debuglink="$2" "$1"; }
for object in pie anonymous; do
  split beside-$object $object beside-$object/bin/app.debug
  link beside-$object/bin/app beside-$object/bin/app.debug
  split below-$object $object below-$object/bin/.debug/app.debug
  link below-$object/bin/app below-$object/bin/.debug/app.debug
  split root-$object $object "root-$object/root$out/root-$object/bin/app.debug"
  link root-$object/bin/app "root-$object/root$out/root-$object/bin/app.debug"
done
split damaged anonymous damaged/bin/app.debug
link damaged/bin/app damaged/bin/app.debug
printf x >>damaged/bin/app.debug # the CRC no longer fits
split foreign pie foreign/bin/app.debug
link foreign/bin/app foreign/bin/app.debug
"$objcopy" --only-keep-debug fixed foreign/bin/app.debug # another build-id
split itself pie itself/bin/spare
mv itself/bin/spare itself/bin/app.debug
link itself/bin/app itself/bin/app.debug
rm itself/bin/app.debug
ln itself/bin/app itself/bin/app.debug # the link leads back to the object
split none pie none/spare
rm none/spare
touch "$stamp"
