#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares a report's counts with those of the independent counter (count.c), exactly: function by
function (module and offset), for the process and thread by thread. The two come from two runs, so threads are
matched by what they called: the sorted multisets of their tables must be equal.
usage: compare.py [--totals] [--ignore-offsets] COUNTS REPORT
  --totals  only the process's sums (where the threads share their work by chance)
Prints nothing but differences; 0 = equal."""
import collections
import json
import os
import sys


def read_counts(path):
    threads = []
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if line.startswith("thread "):
                threads.append(collections.Counter())
            else:
                where, count = line.rsplit(" ", 1)
                threads[-1][where] += int(count)
    return threads


def read_report(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    names = {}
    for function in report["functions"]:
        module = function.get("module") or "?"
        names[function["id"]] = (os.path.realpath(module) if module != "?" else module) + "+" + function["offset"]
    threads, titles = [], {}
    for function in report["functions"]:
        titles[names[function["id"]]] = function["name"]
    merged = collections.Counter()
    for function in report["functions"]:
        merged[names[function["id"]]] += function["Count"]
    generations = 0
    for thread in report["threads"]:
        generations += thread["generations"]
        threads.append(collections.Counter())
        for function in thread["functions"]:
            threads[-1][names[function["id"]]] += function["Count"]
    return threads, merged, titles, generations, report["lost"]


def tell(what, expected, found, titles):
    different = 0
    for where in sorted(set(expected) | set(found)):
        if expected[where] != found[where]:
            different += 1
            if different <= 20:
                print(f"{what}: {titles.get(where, '?')} ({where}): counted {expected[where]}, reported {found[where]}")
    if different > 20:
        print(f"{what}: {different} functions differ")
    return different


def canonical(threads):
    return sorted(tuple(sorted(t.items())) for t in threads if t)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    counted = read_counts(arguments[0])
    reported, merged, titles, generations, lost = read_report(arguments[1])
    total = sum(counted, collections.Counter())
    bad = tell("process", total, merged, titles)
    bad += tell("threads' sum", merged, sum(reported, collections.Counter()), titles)
    if "--totals" not in sys.argv:
        if len(reported) == generations and canonical(counted) != canonical(reported):
            print(f"threads: {len(counted)} counted, {len(reported)} reported, their tables differ")
            bad += 1
        if len(counted) != generations:
            print(f"threads: {len(counted)} counted, {generations} reported")
            bad += 1
    for kind, count in lost.items():
        if count and kind not in ("contexts_folded", "threads_merged"):
            print(f"lost: {kind} {count}")
    if bad:
        sys.exit(1)
    print(f"equal: {sum(total.values())} calls of {len(total)} functions in {len(counted)} threads")


main()
