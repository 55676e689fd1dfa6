#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Matches all counted processes of a run (count.PID files) with all its reports by what they called, and
compares the pairs by compare.py. A run of several processes gives files in two orders, hence by content.
usage: match.py [--totals] DIRECTORY"""
import collections
import glob
import os
import subprocess
import sys

here = os.path.dirname(os.path.realpath(__file__))
options = [a for a in sys.argv[1:] if a.startswith("--")]
directory = [a for a in sys.argv[1:] if not a.startswith("--")][0]
counts = sorted(glob.glob(directory + "/count.*"))
reports = sorted(glob.glob(directory + "/*.json"))
if len(counts) != len(reports):
    print(f"{len(counts)} processes counted, {len(reports)} reports: {' '.join(map(os.path.basename, reports))}")
    sys.exit(1)
left, bad = list(reports), 0
last = None
for count in counts:
    for report in left:
        last = subprocess.run([sys.executable, here + "/compare.py", *options, count, report],
                              stdout=subprocess.PIPE, text=True, check=False)
        if last.returncode == 0:
            print(os.path.basename(report) + ": " + last.stdout.strip())
            left.remove(report)
            break
    else:
        bad = 1
        print(f"{os.path.basename(count)} is like no report; the last compared:\n{last.stdout if last else ''}")
sys.exit(bad)
