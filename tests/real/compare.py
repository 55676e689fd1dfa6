#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares reports with what the independent counter (count.c) saw, exactly: function by function (module
and offset) for the process and thread by thread. Both counted one run, so processes are matched by pid and
threads by tid; rows that several threads filled one after the other are compared as a sum.
usage: compare.py [--two-runs] DIRECTORY    (holds count.PID files and *.json)
  --two-runs  the counter had a run of its own: processes and threads are matched by what they called
Prints one line a process; 0 = all equal."""
import collections
import glob
import json
import os
import re
import sys


class Process:
    """Counts of one process: tid → Counter of places; of a report also the titles and what was lost."""

    def __init__(self, name):
        self.name, self.pid, self.threads, self.merged = name, None, [], collections.Counter()
        self.titles, self.lost = {}, {}
        self.life = "".join(re.findall(r"\.exec\d+", self.name)[-1:])  # that ended by exec

    def total(self):
        return sum((counts for _, counts, _ in self.threads), collections.Counter())

    def alike(self):
        return sorted(tuple(sorted(counts.items())) for _, counts, _ in self.threads if counts)


def read_counts(path):
    process = Process(os.path.basename(path))
    process.pid = int(process.name.split(".")[1])
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if line.startswith("thread "):
                process.threads.append((int(line.split()[1]), collections.Counter(), 1))
            else:
                where, count = line.rsplit(" ", 1)
                if "/libstint.so+" in where:
                    continue  # stint measures what a call of its hooks costs
                process.threads[-1][1][where] += int(count)
    return process


def read_report(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    process = Process(os.path.basename(path))
    process.pid, process.lost = report["process"]["pid"], report["lost"]
    places = {}
    for function in report["functions"]:
        module = function.get("module") or "?"
        place = (os.path.realpath(module) if module != "?" else module) + "+" + function["offset"]
        places[function["id"]] = place
        process.titles[place] = function["name"]
        process.merged[place] += function["Count"]
    for thread in report["threads"]:
        counts = collections.Counter()
        for function in thread["functions"]:
            counts[places[function["id"]]] += function["Count"]
        process.threads.append((thread["tid"], counts, thread["generations"]))
    return process


def tell(what, counted, reported, titles, said):
    for where in sorted(set(counted) | set(reported)):
        if counted[where] != reported[where]:
            said.append(f"{what}: {titles.get(where, '?')} ({where}): counted {counted[where]}, reported {reported[where]}")


def compare_threads(counted, reported, said):
    """By tid where a row is one thread's; all other rows against all other threads, summed up."""
    rest_counted, rest_reported = collections.Counter(), collections.Counter()
    rows = collections.defaultdict(list)
    for tid, counts, generations in reported.threads:
        if generations == 1:
            rows[tid].append(counts)
        else:
            rest_reported += counts
    for tid, counts, _ in counted.threads:
        if len(rows[tid]) == 1:
            tell(f"thread {tid}", counts, rows.pop(tid)[0], reported.titles, said)
        else:
            rest_counted += counts
    for left in rows.values():
        for counts in left:
            rest_reported += counts
    tell("threads of shared rows", rest_counted, rest_reported, reported.titles, said)
    generations = sum(generations for _, _, generations in reported.threads)
    if generations != len(counted.threads):
        said.append(f"{len(counted.threads)} threads counted, {generations} reported")


def compare(counted, reported, two_runs):
    said = []
    tell("process", counted.total(), reported.merged, reported.titles, said)
    tell("sum of threads", reported.merged, reported.total(), reported.titles, said)
    if not two_runs:
        compare_threads(counted, reported, said)
    elif all(g == 1 for _, _, g in reported.threads) and counted.alike() != reported.alike():
        said.append("the threads' counts differ")
    return said


def lost(process):
    return "".join(f", {kind} {n}" for kind, n in process.lost.items() if n)


def main():
    two_runs = "--two-runs" in sys.argv
    directory = sys.argv[-1]
    counts = [read_counts(path) for path in sorted(glob.glob(directory + "/count.*"))]
    reports = [read_report(path) for path in sorted(glob.glob(directory + "/*.json"))]
    bad = len(counts) != len(reports) or not counts
    if bad:
        print(f"{len(counts)} processes counted, {len(reports)} reports: {' '.join(r.name for r in reports)}")
    for report in reports:
        tries = [(compare(c, report, two_runs), c) for c in counts
                 if two_runs or (c.pid, c.life) == (report.pid, report.life)]
        said, counted = min(tries, key=lambda t: len(t[0]), default=(["never counted"], None))
        if said:
            bad = True
            print(f"{report.name}{lost(report)}: {len(said)} differences", *said[:20], sep="\n  ")
        else:
            counts.remove(counted)
            print(f"{report.name}: equal, {sum(report.merged.values())} calls of {len(report.merged)} functions"
                  f" in {len(counted.threads)} threads{lost(report)}")
    sys.exit(bad)


main()
