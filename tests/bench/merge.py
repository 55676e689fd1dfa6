#!/usr/bin/python3
# SPDX-License-Identifier: MIT
#
# `stint merge` over 1 000 reports of about 1 MB: seconds, megabytes of memory, bytes a second. Ten
# different reports stand under a hundred names each, with pids of their own.
#   merge.py BUILD SOURCE [FILES]
import os, re, resource, shutil, subprocess, sys, tempfile, time

build, source = sys.argv[1:3]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
sys.path.insert(0, source + "/tests/cli")
import generate, json
import numpy as np


def one(seed):
    rng = np.random.default_rng(seed)
    functions, tree, rows = {}, [], []
    for i in range(260):
        functions[f"_ZN4game5world7module{i % 40}9function{i}Ev"] = rng.lognormal(5 + i % 9, 0.6, 300).astype(int)
    document = generate.report(functions)
    for i in range(700):
        tree.append(generate.node(i, None if i == 0 else (i - 1) // 3, i % 260, np.array([1000 + i] * 5)))
    for entry in document["functions"]:
        row = {k: v for k, v in entry.items() if k not in ("name", "raw_name", "module", "build_id", "offset")}
        rows.append(row)
    document["threads"][0]["functions"] = rows[:60]
    document["call_tree"] = tree
    return json.dumps(document, separators=(",", ":"))


work = tempfile.mkdtemp()
try:
    texts, total = [one(seed) for seed in range(min(10, count))], 0
    for i in range(count):
        text = texts[i % len(texts)].replace('"pid": 100' if '"pid": 100' in texts[0] else '"pid":100', f'"pid":{1000 + i}')
        total += len(text)
        open(f"{work}/r{i}.json", "w").write(text)
    names = [f"{work}/r{i}.json" for i in range(count)]
    open(work + "/list", "w").write("\n".join(names) + "\n")
    for round_ in range(3):
        start = time.perf_counter()
        child = subprocess.Popen([build + "/tools/stint/stint", "merge", "@" + work + "/list", "-o", work + "/out.json"])
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        print(f"{count} reports of {total / count / 1e6:.2f} MB: {seconds:.2f} s ({usage.ru_utime + usage.ru_stime:.2f} s of "
              f"processor time), {usage.ru_maxrss / 1024:.0f} MB of memory, {total / seconds / 1e6:.0f} MB/s, "
              f"status {status}, result {os.path.getsize(work + '/out.json') / 1e6:.1f} MB")
finally:
    shutil.rmtree(work)
