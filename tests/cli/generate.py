# SPDX-License-Identifier: MIT
#
# Reports of known content: durations drawn by numpy with a fixed seed, put on the report's grid by a
# second writing of its rule. For the tests of `stint merge` and `stint diff`.
import json, math
import numpy as np

QUANTILES = {"P50_ms": 0.5, "P90_ms": 0.9, "P95_ms": 0.95, "P99_ms": 0.99, "P99_9_ms": 0.999}
LOST = ["calls_too_deep", "calls_while_busy", "contexts_folded", "threads_merged", "unmatched_exits",
        "stacks_dropped", "negative_times", "calls_after_report", "calls_no_memory", "samples_dropped"]


def bucket_of(ns):
    """Width 1 below 64 ns, then 64 steps an octave: [low, high) of a whole number of nanoseconds."""
    width = 1 if ns < 64 else 1 << (int(ns).bit_length() - 7)
    low = int(ns) // width * width
    return low, low + width


def middle(low, high):
    return low + (high - 1 - low) / 2


def histogram(ns):
    counts = {}
    values, numbers = np.unique(np.asarray(ns, dtype=np.int64), return_counts=True)
    for value, number in zip(values.tolist(), numbers.tolist()):
        bucket = bucket_of(value)
        counts[bucket] = counts.get(bucket, 0) + number
    return [[low, high, counts[low, high]] for low, high in sorted(counts)]


def on_grid(ns):
    """Each duration as its bucket's middle."""
    return np.array([middle(*bucket_of(int(v))) for v in ns])


def statistics(ns, self_part=1.0, quantiles_exact=False, with_self=True):
    ns = np.asarray(ns, dtype=np.int64)
    out = {"Count": len(ns), "Total_ms": float(ns.sum()) / 1e6}
    if with_self:
        out["Self_ms"] = float(ns.sum()) * self_part / 1e6
    if len(ns) == 0:
        return out
    out.update(Avg_ms=float(ns.mean()) / 1e6, Min_ms=int(ns.min()) / 1e6, Max_ms=int(ns.max()) / 1e6)
    source = ns if quantiles_exact else on_grid(ns)
    for key, q in QUANTILES.items():
        value = float(np.quantile(source, q)) / 1e6
        out[key] = min(max(value, out["Min_ms"]), out["Max_ms"])
    out["percentiles"] = "exact" if quantiles_exact else "histogram"
    out["histogram"] = histogram(ns)
    return out


def function(id_, name, ns, module="/opt/app/bin/app", offset=None, build_id="ab" * 20, self_part=1.0):
    entry = {"id": id_, "name": name, "raw_name": name, "module": module, "build_id": build_id,
             "offset": hex(offset if offset is not None else 16 * (hash_of(name) % 65536))}
    entry.update(statistics(ns, self_part))
    return entry


def hash_of(text):
    h = 7
    for c in text.encode():
        h = (h * 31 + c) % 1000003
    return h


def node(id_, parent, target, ns, self_part=1.0):
    out = {"id": id_, "parent": parent}
    out.update({"function": target} if isinstance(target, int) else {"category": target})
    out.update({k: v for k, v in statistics(ns, self_part).items()
                if k in ("Count", "Total_ms", "Self_ms", "Avg_ms", "Min_ms", "Max_ms")})
    return out


def report(functions, categories=None, tree=None, pid=100, host="h", threads=None, **more):
    """functions: {name: durations} or finished entries; sorted by Self as a report is."""
    entries = functions if isinstance(functions, list) else \
        [function(0, name, ns) for name, ns in functions.items()]
    entries = sorted(entries, key=lambda entry: -entry["Self_ms"])
    for i, entry in enumerate(entries):
        entry["id"] = i
    calls = sum(entry["Count"] for entry in entries)
    out = {
        "schema": 1, "stint": "0.1.0",
        "process": {"pid": pid, "parent_pid": 1, "run": "1:1", "executable": "/opt/app/bin/app", "arguments": ["app"],
                    "host": host, "started_at": "2026-01-31T09:30:%02d.000000Z" % (pid % 60), "duration_ms": 1000.0,
                    "cpu_ms": 900.0, "ending": {"kind": "exit", "status": 0}},
        "clock": {"source": "tsc", "ticks_per_second": 2e9, "error_ppm": 0.5},
        "overhead": {"calls": calls, "per_call_ns": 25.0, "total_ms": calls * 25.0 / 1e6},
        "lost": {key: 0 for key in LOST},
        "categories": {name: statistics(ns, with_self=False, quantiles_exact=True)
                       for name, ns in (categories or {}).items()},
        "functions": entries,
        "threads": threads if threads is not None else [
            {"id": 0, "tid": pid, "name": "app", "start_routine": None, "parent": None, "started_ms": 0.0,
             "lifetime_ms": 1000.0, "cpu_ms": 900.0, "state": "exited", "generations": 1, "open_calls": [],
             "functions": [], "categories": {}}],
        "call_tree": tree or [],
    }
    out.update(more)
    return out


def write(path, document):
    with open(path, "w") as file:
        json.dump(document, file, separators=(",", ":"))
