#!/bin/bash
# SPDX-License-Identifier: MIT
# The public header finds stint in every kind of module, whatever compiler and linker made it; without stint, and in a static
# executable, nothing happens. Each module works 3 rounds in C and 4 in C++; its counts are read from the report.
# usage: binding.sh SOURCE_ROOT BUILD_ROOT
set -uo pipefail
root=$1 build=$2 bad=0 cases=0 skipped=
src=$root/tests/e2e/binding
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "binding: $*"; bad=1; }

cat >check.py <<'P'
import json, sys
report, modules = json.load(open(sys.argv[1])), float(sys.argv[2])
found = {name: what["Count"] for name, what in report["categories"].items()}
rounds = report.get("counters", {}).get("Binding_Rounds", {})
got = (found.get("Binding_Work"), rounds.get("Count"), rounds.get("Sum"), found.get("Binding_Duration"))
want = tuple(modules * n for n in (7, 7, 14, 3))
sys.exit(0 if got == want else f"got {got}, not {want}")
P

# run NAME MODULES COMMAND…: plain, then under stint; what is said must be the same, the counts those of so many modules.
run() {
  local name=$1 modules=$2
  shift 2
  cases=$((cases + 1))
  rm -f out.json
  "$@" >plain 2>&1 || { fail "$name: plain: exit $? $(cat plain)"; return; }
  STINT_OUT=$work/out.json STINT_STORE=$work LD_PRELOAD=$build/src/libstint.so "$@" >under 2>&1 || fail "$name: exit $? under stint: $(cat under)"
  cmp -s plain under || fail "$name: says $(cat under) under stint, $(cat plain) without"
  if [ "$modules" = 0 ]; then
    [ ! -e out.json ] || fail "$name: a report of nothing"
  elif [ ! -e out.json ]; then
    fail "$name: no report"
  else
    python3 check.py out.json "$modules" || fail "$name: see above"
  fi
}

# compile CC CXX DIR FLAG…: the two halves of a module's work.
compile() {
  local cc=$1 cxx=$2 dir=$3
  shift 3
  mkdir -p "$dir"
  "$cc" -I"$root/include" "$@" -c "$src/work.c" -o "$dir/work_c.o" && "$cxx" -I"$root/include" "$@" -c "$src/work.cc" -o "$dir/work_cc.o"
}

# try CC CXX LINKER FLAGS: all kinds of modules.
try() {
  local cc=$1 cxx=$2 ld=-fuse-ld=$3 flags=$4 name="$1 $3 $4" kind
  local link=("$ld" -Wl,--gc-sections)
  local plain=("$cc" "$ld" "$src/main.c" -o)
  # shellcheck disable=SC2086
  {
    compile "$cc" "$cxx" pic $flags -fPIC &&
      "$cxx" $flags -shared -fPIC pic/*.o "${link[@]}" -o plugin.so &&
      "$cxx" $flags -shared -fPIC pic/*.o "${link[@]}" -Wl,-soname,libwork.so -o libwork.so &&
      "${plain[@]}" host &&
      "$cc" "$ld" -DOWN_WORK "$src/main.c" libwork.so -Wl,-rpath,"$work" -o linked || { fail "$name: does not build"; return; }
    run "$name plugin" 1 ./host ./plugin.so
    run "$name library" 1 ./linked
    for kind in '-fPIE -pie' '-fno-pie -no-pie'; do
      compile "$cc" "$cxx" exe $flags ${kind% *} &&
        "$cc" $flags ${kind% *} -DOWN_WORK -c "$src/main.c" -o main.o &&
        "$cxx" $flags ${kind#* } exe/*.o main.o "${link[@]}" -o program || { fail "$name $kind: does not build"; continue; }
      run "$name $kind" 1 ./program
      run "$name $kind and a plugin" 2 ./program ./plugin.so
    done
  }
}

for linker in bfd gold lld; do
  if ! command -v "ld.$linker" >/dev/null; then skipped+=" $linker"; continue; fi
  for compilers in 'gcc g++' 'clang clang++'; do
    read -r cc cxx <<<"$compilers"
    command -v "$cxx" >/dev/null || { skipped+=" $cxx"; continue; }
    try "$cc" "$cxx" $linker '-O2 -ffunction-sections -fdata-sections -fvisibility=hidden'
    try "$cc" "$cxx" $linker '-O0'
  done
done

# once each: link-time optimisation, a static executable, before main and after it
lto() { # CC CXX LINKER FLAGS
  command -v "ld.$3" >/dev/null && command -v "$2" >/dev/null || { skipped+=" $2 with $3"; return 0; }
  # shellcheck disable=SC2086
  compile "$1" "$2" lto -O2 -flto ${4% *} && "$1" -O2 -flto ${4% *} -DOWN_WORK -c "$src/main.c" -o main.o &&
    "$2" -O2 -flto ${4#* } -fuse-ld="$3" lto/*.o main.o -o program || { fail "$1 $3 -flto $4: does not build"; return; }
  run "$1 $3 -flto $4" 1 ./program
}
for kind in '-fPIE -pie' '-fno-pie -no-pie'; do
  lto gcc g++ bfd "$kind"
  lto clang clang++ lld "$kind"
done
compile gcc g++ static -O2 && gcc -DOWN_WORK -DSTATIC -c "$src/main.c" -o main.o && g++ -static static/*.o main.o -o program &&
  run 'a static executable' 0 ./program || fail 'a static executable does not build'
compile gcc g++ exe -O2 -fPIE && gcc -O2 -fPIE -DOWN_WORK -c "$src/main.c" -o main.o && gcc -O2 -fPIE -c "$src/early.c" -o early.o &&
  g++ -pie exe/*.o main.o early.o -o program || fail 'what works before main does not build'
cat >check.py <<'P'
import json, sys
count = json.load(open(sys.argv[1]))["categories"]["Binding_Work"]["Count"]
sys.exit(0 if count == 3 + 7 + 3 else f"{count} of 3 before main, 7 in it, 3 after it")
P
run 'before main and after it' 1 ./program
[ -z "$skipped" ] || echo "binding: not there:$skipped"
[ $cases -ge 20 ] || fail "only $cases cases"
echo "binding: $cases cases"
exit $bad
