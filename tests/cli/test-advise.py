#!/usr/bin/python3
# SPDX-License-Identifier: MIT
#
# `stint advise`: a program is built, recorded, built again as it was told, and recorded again; what
# is gone is what was said, with gcc by its list, with both compilers by the attribute.
import json, os, shutil, subprocess
import generate
from generate import report, write
from tap import run, main

source = os.path.join(os.path.dirname(os.path.abspath(generate.__file__)), "advised.cc")
SMALL = {"c_tiny", "get", "ns::plain(int, int)", "ns::Pair<int, long>::first(int)", "ns::Number::Number(int)",
         "ns::Number::operator<(ns::Number const&) const", "ns::Number::operator bool() const", "int ns::twice<int>(int)",
         "(anonymous namespace)::hidden(int)", "main::{lambda(int)#1}::operator()(int) const"}
SLOW = {"main", "get_all", "ns::heavy(int)", "ns::Pair<int, long>::last(long)", "ns::Number::sum(int)"}
UNLISTED = {"get", "main::{lambda(int)#1}::operator()(int) const"}


def recorded(command, name, of=None):
    """The names of the functions that the program, built by this line of shell, calls."""
    subprocess.run(["/bin/sh", "-ec", f"{command} '{of or source}' -o {name}"], check=True, capture_output=True, text=True)
    os.makedirs("store", exist_ok=True)
    env = {key: value for key, value in os.environ.items() if not key.startswith("STINT_")}
    env.update(LD_PRELOAD=os.environ["STINT_LIBRARY"], STINT_OUT=name + ".json", STINT_STORE="store")
    subprocess.run(["./" + name], env=env, check=False)
    return {entry["name"] for entry in json.load(open(name + ".json"))["functions"]}


def gcc_loses_what_the_list_says_and_nothing_else():
    before = recorded("g++ -O0 -finstrument-functions", "one")
    assert before == SMALL | SLOW, before ^ (SMALL | SLOW)
    told = json.loads(run("advise", "--json", "--cost=1e6", "one.json").stdout)
    assert {f["name"] for f in told["functions"]} == SMALL
    assert {f["name"] for f in told["functions"] if not f["gcc_pattern"]} == UNLISTED
    flag = run("advise", "--flag", "--cost=1e6", "one.json").stdout.strip()
    after = recorded(f"g++ -O0 -finstrument-functions {flag}", "two")
    assert before - after == SMALL - UNLISTED, (before - after) ^ (SMALL - UNLISTED)
    assert after == SLOW | UNLISTED
    text = run("advise", "--cost=1e6", "one.json").stdout
    assert "  " + flag + "\n" in text and "  get (would also take get_all)\n" in text
    assert json.loads(run("advise", "--json", "--cost=1e6", "two.json").stdout)["gcc"] is None
    assert run("advise", "--flag", "--cost=1e6", "two.json").stdout == ""


def what_the_librarys_headers_define_is_left_out_as_told():
    open("lib.cc", "w").write("#include <vector>\nstatic int own(int x) { return x; }\nint main() { std::vector<int> v;\n"
                              "for (int i = 0; i < 1000; i++) v.push_back(own(i)); return v.empty(); }\n")
    before = recorded("g++ -O0 -finstrument-functions", "lib", "lib.cc")
    assert any(name.startswith("std::vector<") for name in before), before
    told = run("advise", "--cost=1e6", "lib.json").stdout
    assert " of the C++ library: " in told and "std::" not in told[told.index("\nclang has no"):]
    flag = next(line for line in told.splitlines() if line.startswith("  -finstrument-functions-exclude-file-list="))
    after = recorded(f"g++ -O0 -finstrument-functions {flag}", "less", "lib.cc")
    assert after == {"main", "own(int)"}, after
    assert "C++ library" not in run("advise", "--cost=1e6", "less.json").stdout


def what_a_part_of_a_name_would_take_is_found_among_many():
    """Names of two letters, parts of one another all over, against Python's own `in`."""
    import random
    random.seed(3)
    names = sorted({"".join(random.choice("ab_") for _ in range(random.randint(1, 8))) for _ in range(700)})
    cheap = set(random.sample(names, 400))
    document = report([dict(generate.function(i, name, [5 if name in cheap else 5000] * 100), Count=100)
                       for i, name in enumerate(names)])
    document["overhead"] = {"calls": 100 * len(names), "per_call_ns": 25.0, "total_ms": 1.0}
    write("parts.json", document)
    told = json.loads(run("advise", "--json", "--all", "parts.json").stdout)
    assert {f["name"] for f in told["functions"]} == cheap
    alone = {name for name in cheap if not any(name in other for other in set(names) - cheap)}
    assert 20 < len(alone) < 380, len(alone)
    assert {f["name"] for f in told["functions"] if f["gcc_pattern"]} == alone
    listed = {name for name in alone if not any(other in name for other in alone - {name})}
    flag = run("advise", "--flag", "--all", "parts.json").stdout.strip().partition("=")[2].strip("'")
    assert sorted(flag.split(",")) == sorted(listed), set(flag.split(",")) ^ listed


def names_that_gcc_prints_otherwise_are_shortened_or_left():
    """A comma is escaped, default template arguments are not asked for; on real names, by compiling."""
    program = """#include <vector>
template <class A, class B> __attribute__((noinline)) int both(A a, B b) { return (int)(a + b); }
template <class T> struct Bag { std::vector<T> v; __attribute__((noinline)) int count(int x) { return x; } };
__attribute__((noinline)) int other(int x) { return x; }
int main() { Bag<std::vector<int>> bag; int t = 0;
  for (int i = 0; i < 2000; i++) t += both<int, long>(i, 2) + bag.count(i) + other(i); return t == 42; }"""
    open("p.cc", "w").write(program)
    global source
    kept, source = source, os.path.abspath("p.cc")
    try:
        before = recorded("g++ -O0 -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include,bits/", "one")
        flag = run("advise", "--flag", "--cost=1e6", "one.json").stdout.strip()
        wanted = {name for name in before if "both" in name or "Bag" in name and "count" in name or name == "other(int)"}
        after = recorded("g++ -O0 -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include,bits/ " + flag, "two")
    finally:
        source = kept
    assert len(wanted) == 3 and before - after == wanted, (flag, before, after)
    assert "both<" in flag and "::count" in flag and ", " not in flag.replace("\\, ", "")


def the_attribute_works_in_both_compilers():
    for compiler in ("g++", "clang++"):
        if not shutil.which(compiler):
            return compiler + " is missing"
        before = recorded(f"{compiler} -O0 -finstrument-functions", "one")
        after = recorded(f"{compiler} -O0 -finstrument-functions -DQUIET", "two")
        gone = {name for name in before - after}
        assert {name for name in SMALL - UNLISTED} == {n.replace("main::$_0", "main::{lambda(int)#1}") for n in gone}, gone
        assert SLOW <= after


def clang_is_as_the_page_says():
    if not shutil.which("clang"):
        return "no clang"
    done = subprocess.run(["clang", "-finstrument-functions-exclude-function-list=x", "-c", "-x", "c", "/dev/null", "-o", "x.o"],
                          capture_output=True, text=True)
    assert done.returncode != 0 and "unknown argument" in done.stderr
    open("text.cc", "w").write("#include <string>\nint main(int, char **v) { std::string s = v[0]; s += \"x\"; return s.empty(); }\n")
    assert "main" in recorded("clang++ -std=c++17 -O0 -finstrument-functions-after-inlining", "text", "text.cc")  # README: links
    after = recorded("clang++ -O1 -finstrument-functions-after-inlining", "one")
    assert SLOW <= after and "get" in after  # these are not inlined
    assert not {"ns::plain(int, int)", "int ns::twice<int>(int)", "(anonymous namespace)::hidden(int)"} & after, after
    open("p.c", "w").write("#pragma clang attribute push(__attribute__((no_instrument_function)), apply_to = function)\n"
                           "int quiet(int x) { return x; }\n#pragma clang attribute pop\nint loud(int x) { return x; }\n")
    code = subprocess.run(["clang", "-O0", "-S", "-finstrument-functions", "p.c", "-o", "-"], capture_output=True, text=True, check=True).stdout
    quiet, loud = code[code.index("quiet:"):code.index("loud:")], code[code.index("loud:"):]
    assert "__cyg_profile_func_enter" not in quiet and "__cyg_profile_func_enter" in loud


def costs_are_calls_times_what_the_report_measured():
    write("r.json", report({"tiny": [10] * 4000, "big": [5000] * 1000, "rare": [1] * 4, "edge": [25] * 50}))
    told = json.loads(run("advise", "--json", "r.json").stdout)
    assert told["per_call_ns"] == 25 and [f["name"] for f in told["functions"]] == ["tiny"]  # 25 is not less than 25
    row = told["functions"][0]
    assert row["Count"] == 4000 and abs(row["self_per_call_ns"] - 10) < 1e-9 and row["P50_ns"] == 10
    assert abs(row["cost_ms_estimate"] - 4000 * 25 / 1e6) < 1e-12
    assert abs(told["overhead_ms_estimate"] - 5054 * 25 / 1e6) < 1e-12
    assert told["gcc"] == "-finstrument-functions-exclude-function-list=tiny"
    told = json.loads(run("advise", "--all", "--json", "r.json").stdout)
    assert [f["name"] for f in told["functions"]] == ["tiny", "rare"]
    assert "estimates" in run("advise", "r.json").stdout
    assert run("advise", "--cost=0.5", "r.json").stdout == "No function costs more to time (about 0.5 ns a call) than it runs.\n"
    assert "and 1 more" in run("advise", "--all", "-n1", "r.json").stdout


def self_counts_not_the_whole_call():
    entry = generate.function(0, "wraps", [100000] * 100, self_part=0.0001)
    write("r.json", report([entry, generate.function(0, "inner", [99990] * 100)]))
    assert [f["name"] for f in json.loads(run("advise", "--json", "r.json").stdout)["functions"]] == ["wraps"]


def what_cannot_be_advised_on_is_told():
    document = report({"f": [10]})
    document["overhead"] = {"calls": 1}
    write("r.json", document)
    done = run("advise", "r.json", status=3)
    assert done.stderr == "stint: r.json: does not say what timing a call costs; give --cost=NS\n"
    run("advise", "--cost=30", "r.json")
    open("bad.json", "w").write("{")
    assert run("advise", "bad.json", status=3).stderr.startswith("stint: bad.json:1:2: ")
    for args in (["a", "b"], ["--cost=0"], ["--cost=x"], ["-n", "x"], ["--colour"]):
        assert run("advise", *args, status=2).stderr.startswith("stint: advise: ")
    assert len(run("advise", "--help").stdout.splitlines()) < 24


def no_name_drives_the_terminal():
    write("r.json", report([generate.function(0, "a\x1b[2J\x7f\u009b1mb", [5] * 100), generate.function(1, "main", [10 ** 6])]))
    told = run("advise", "r.json").stdout + run("advise", "--flag", "r.json").stdout + run("diff", "r.json", "r.json").stdout
    assert told.count("a?[2J??1mb") == 4, told  # in the table, twice in the list, and as a row
    assert not set(told) & {"\x1b", "\x7f", "\u009b"}


main([gcc_loses_what_the_list_says_and_nothing_else, what_the_librarys_headers_define_is_left_out_as_told,
      what_a_part_of_a_name_would_take_is_found_among_many, names_that_gcc_prints_otherwise_are_shortened_or_left,
      the_attribute_works_in_both_compilers, clang_is_as_the_page_says, costs_are_calls_times_what_the_report_measured,
      self_counts_not_the_whole_call, what_cannot_be_advised_on_is_told, no_name_drives_the_terminal])
