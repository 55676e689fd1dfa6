#!/usr/bin/python3
# SPDX-License-Identifier: MIT
#
# What stint costs, each figure beside what it is compared with, the contenders in turn so that drift
# hits them alike. Prints medians; asserts nothing.
#   bench.py calls|scopes BUILD [THREADS [ROUNDS]]    bench.py startup BUILD [RUNS]    bench.py memory|laps BUILD
import os, re, statistics, subprocess, sys, tempfile, time

verb, build = sys.argv[1], os.path.abspath(sys.argv[2])
options = [int(x) for x in sys.argv[3:]]
here = build + "/tests/bench/"
stint = build + "/src/libstint.so"
work = tempfile.mkdtemp()


def run(command, preload=None):
    env = dict(os.environ, STINT_OUT=work + "/report.json")
    env.pop("LD_PRELOAD", None)
    if preload:
        env["LD_PRELOAD"] = preload
    start = time.perf_counter()
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True, text=True)
    return time.perf_counter() - start, done.stdout


def in_turn(contenders, patterns, threads, rounds):
    seen = {}
    for round_ in range(rounds + 1):
        for name, (program, preload) in contenders.items():
            words = run([here + program, str(threads)], preload)[1].split()
            for pattern, ns in zip(words[::2], words[1::2]):
                if round_:
                    seen.setdefault((name, pattern), []).append(float(ns))
    print(f"{threads} thread(s), median of {rounds} rounds: ns a call (times the clock floor)")
    for name in contenders:
        row = [(statistics.median(seen[name, p]), statistics.median(seen["clock", p])) for p in patterns]
        print(f"{name:6}" + "".join(f"{p:>9} {ns:7.2f} ({ns / floor:.2f})" for p, (ns, floor) in zip(patterns, row)))


def calls(threads=1, rounds=9):
    in_turn({"plain": ("bench-calls-plain", None), "null": ("bench-calls", here + "libfloor-null.so"),
             "clock": ("bench-calls", here + "libfloor-clock.so"), "stint": ("bench-calls", stint)},
            ["deep", "leaves", "switch", "many"], threads, rounds)


def scopes(threads=1, rounds=9):
    in_turn({"plain": ("bench-scopes", None), "clock": ("bench-scopes", here + "libfloor-scopes.so"),
             "stint": ("bench-scopes", stint)}, ["pair", "nested", "record", "record_to", "count"], threads, rounds)


def life_ms(program, preload):
    env = dict(os.environ, STINT_OUT=work + "/report.json")
    if preload:
        env["LD_PRELOAD"] = preload
    start = time.perf_counter()
    pid = os.posix_spawn(program, [program], env)
    os.waitpid(pid, 0)
    return (time.perf_counter() - start) * 1e3


def startup(runs=501):
    cases = [("records nothing", "bench-no-call"), ("records one call", "bench-one-call")]
    for title, program in cases:
        times = {None: [], stint: []}
        for _ in range(runs):
            for preload in times:
                times[preload].append(life_ms(here + program, preload))
        plain, under = (statistics.median(times[p]) for p in (None, stint))
        print(f"{title}: {plain:.3f} ms plain, {under:.3f} ms under stint, {under - plain:+.3f} ms (medians of {runs})")


def memory():
    line = run([here + "bench-paths"], stint)[1]
    before, once, often, more = map(int, re.findall(r"\d+", line))
    print(f"100 functions on 1000 paths: {once - before} KiB resident, {often - before} KiB after 3 million calls, "
          f"{more - before} KiB after 30 million")


def laps():
    print(run([here + "bench-laps"], stint)[1], end="")


{"calls": calls, "scopes": scopes, "startup": startup, "memory": memory, "laps": laps}[verb](*options)
