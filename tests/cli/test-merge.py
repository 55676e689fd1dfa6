#!/usr/bin/python3
# SPDX-License-Identifier: MIT
#
# `stint merge` against the same sums made by numpy, over reports drawn with fixed seeds.
import json, os
import numpy as np
import generate
from generate import report, write
from tap import run, main

try:
    import jsonschema
except ImportError:
    jsonschema = None


def close(a, b, part=1e-9):
    assert abs(a - b) <= part * max(abs(a), abs(b)), f"{a!r} is not {b!r}"


def check_statistics(merged, ns, quantiles=True):
    ns = np.asarray(ns)
    assert merged["Count"] == len(ns)
    close(merged["Total_ms"], ns.sum() / 1e6)
    close(merged["Avg_ms"], ns.mean() / 1e6)
    close(merged["Min_ms"], ns.min() / 1e6)
    close(merged["Max_ms"], ns.max() / 1e6)
    if not quantiles:
        return
    assert merged["histogram"] == generate.histogram(ns)
    for key, q in generate.QUANTILES.items():
        value = np.quantile(generate.on_grid(ns), q)
        close(merged[key], min(max(value, ns.min()), ns.max()) / 1e6)
        sample = np.sort(ns)[int(np.floor(q * (len(ns) - 1)))]  # and is what the definition promises
        after = np.sort(ns)[int(np.ceil(q * (len(ns) - 1)))]
        assert sample * 0.99 - 1 <= merged[key] * 1e6 <= after * 1.01 + 1


def check_schema(document):
    if jsonschema:
        jsonschema.Draft202012Validator(json.load(open(os.environ["STINT_TEST_SCHEMA"]))).validate(document)


def merged_of(*files):
    run("merge", *files, "-o", "out.json")
    document = json.load(open("out.json"))
    check_schema(document)
    return document


def by_name(document):
    return {entry["name"]: entry for entry in document["functions"]}


def draws(count, seed=5):
    rng = np.random.default_rng(seed)
    return [{name: rng.lognormal(mean, sigma, n + 17 * i).astype(int) + 1
             for name, mean, sigma, n in [("fast", 3, 1.0, 900), ("slow", 14, 0.5, 40), ("wide", 9, 2.5, 300)]}
            for i in range(count)]


def sums_and_percentiles_are_those_of_all_samples_together():
    sides = draws(7)
    for i, functions in enumerate(sides):
        write(f"r{i}.json", report(functions, {"Frame": functions["wide"]}, pid=100 + i))
    document = merged_of(*[f"r{i}.json" for i in range(7)])
    functions = by_name(document)
    for name in sides[0]:
        check_statistics(functions[name], np.concatenate([side[name] for side in sides]))
        assert functions[name]["percentiles"] == "histogram"
    check_statistics(document["categories"]["Frame"], np.concatenate([side["wide"] for side in sides]))
    selfs = [entry["Self_ms"] for entry in document["functions"]]
    assert selfs == sorted(selfs, reverse=True) and [e["id"] for e in document["functions"]] == [0, 1, 2]


def columns_over_processes_are_numpys():
    rng = np.random.default_rng(11)
    sides = [rng.integers(1000, 90000, rng.integers(3, 60)) for _ in range(9)]
    for i, ns in enumerate(sides):
        functions = {"work": ns}
        if i % 3 == 0:
            functions["rare"] = ns[:2]
        write(f"r{i}.json", report(functions, pid=100 + i))
    functions = by_name(merged_of(*[f"r{i}.json" for i in range(9)]))
    for name, parts in (("work", sides), ("rare", [ns[:2] for ns in sides[::3]])):
        column = functions[name]["per_process"]
        assert column["processes"] == len(parts)
        for key, values in (("Total_ms", [p.sum() / 1e6 for p in parts]), ("Self_ms", [p.sum() / 1e6 for p in parts]),
                            ("Count", [len(p) for p in parts])):
            close(column[key]["min"], min(values))
            close(column[key]["median"], float(np.median(values)))
            close(column[key]["max"], max(values))
            close(column[key]["imbalance"], max(values) / np.mean(values))


def a_merge_of_merges_is_the_merge_of_all():
    sides = draws(6)
    for i, functions in enumerate(sides):
        write(f"r{i}.json", report(functions, pid=100 + i))
    run("merge", "r0.json", "r1.json", "-o", "a.json")
    run("merge", "r2.json", "r3.json", "r4.json", "r5.json", "-o", "b.json")
    run("merge", "a.json", "b.json", "-o", "ab.json")
    everything = merged_of(*[f"r{i}.json" for i in range(6)])
    again = json.load(open("ab.json"))
    check_schema(again)
    assert again["processes"] == everything["processes"] and len(again["processes"]) == 6
    assert [t["process"] for t in again["threads"]] == list(range(6))
    for name, entry in by_name(everything).items():
        other = by_name(again)[name]
        for key in ("Total_ms", "Self_ms", "Avg_ms", "Min_ms", "Max_ms", *generate.QUANTILES):
            close(entry[key], other[key])
        assert other["histogram"] == entry["histogram"] and other["Count"] == entry["Count"]
        columns, others = entry["per_process"], other["per_process"]
        assert others["processes"] == 6
        for key in ("Total_ms", "Self_ms", "Count"):
            assert "median" not in others[key]  # not to be had from sums
            for part in ("min", "max", "imbalance"):
                close(columns[key][part], others[key][part])


def a_report_alone_keeps_what_it_knew():
    one = report(draws(1)[0], {"Frame": [1000, 2000, 4000]})
    write("one.json", one)
    document = merged_of("one.json")
    for old, new in zip(one["functions"], document["functions"]):
        for key in old:
            assert old[key] == new[key] if not isinstance(old[key], float) else not close(old[key], new[key]), key
    assert document["categories"]["Frame"]["percentiles"] == "exact"
    assert document["process"]["pid"] == one["process"]["pid"]


def call_trees_merge_by_path():
    a, b = np.array([1000, 3000]), np.array([500])
    names = ["main", "walk", "leaf"]

    def tree_report(path, order, nodes, pid):
        entries = [generate.function(0, name, [10 * (3 - order.index(name))] * 5) for name in names]
        document = report(entries, pid=pid)
        ids = {entry["name"]: entry["id"] for entry in document["functions"]}
        document["call_tree"] = [generate.node(i, parent, ids.get(what, what), ns)
                                 for i, (parent, what, ns) in enumerate(nodes)]
        document["categories"]["Phase"] = generate.statistics([1000])
        del document["categories"]["Phase"]["Self_ms"]
        write(path, document)

    tree_report("x.json", ["main", "walk", "leaf"],
                [(None, "main", a), (0, "walk", a), (1, "leaf", b), (0, "Phase", b), (3, "leaf", a)], 1)
    tree_report("y.json", ["leaf", "main", "walk"],
                [(None, "main", b), (0, "leaf", b), (0, "walk", b), (2, "leaf", b), (None, "leaf", a)], 2)
    document = merged_of("x.json", "y.json")
    nodes, seen = document["call_tree"], {}
    for i, node in enumerate(nodes):
        assert node["id"] == i and (node["parent"] is None or node["parent"] < i)
        name = document["functions"][node["function"]]["name"] if "function" in node else node["category"]
        path = (() if node["parent"] is None else nodes[node["parent"]]["path"]) + (name,)
        node["path"] = path
        assert path not in seen
        seen[path] = node
    wanted = {("main",): [a, b], ("main", "walk"): [a, b], ("main", "walk", "leaf"): [b, b], ("main", "Phase"): [b],
              ("main", "Phase", "leaf"): [a], ("main", "leaf"): [b], ("leaf",): [a]}
    assert set(seen) == set(wanted)
    for path, parts in wanted.items():
        check_statistics(seen[path], np.concatenate(parts), quantiles=False)
    order = [node["path"] for node in nodes]  # preorder: a node's subtree follows it
    for i, path in enumerate(order[1:], 1):
        assert path[:-1] == () or path[:-1] == order[i - 1][:len(path) - 1]


def the_same_build_elsewhere_is_the_same_function():
    ns = [1000] * 3
    write("a.json", report([generate.function(0, "f", ns, module="/node1/app")], pid=1))
    write("b.json", report([generate.function(0, "f", ns, module="/node2/app")], pid=2))
    write("c.json", report([generate.function(0, "f", ns, module="/node2/app", build_id="cd" * 20)], pid=3))
    document = merged_of("a.json", "b.json", "c.json")
    assert sorted(entry["Count"] for entry in document["functions"]) == [3, 6]


def two_functions_of_one_name_stay_two():
    write("a.json", report([generate.function(0, "init", [10], offset=16), generate.function(0, "init", [20], offset=32)]))
    write("b.json", report([generate.function(0, "init", [30], offset=16)]))
    document = merged_of("a.json", "b.json")
    assert sorted((e["offset"], e["Count"]) for e in document["functions"]) == [("0x10", 2), ("0x20", 1)]


def counters_values_and_frames_add_up():
    def extended(pid, durations, budget):
        value = {"unit": "bytes", "Count": 4, "Sum": 100.5 * pid, "Avg": 25.125 * pid, "Min": 1.5, "Max": 50.0 * pid,
                 "P50": 20.0, "P90": 20.0, "P95": 20.0, "P99": 20.0, "P99_9": 20.0, "percentiles": "histogram",
                 "histogram": [[1, 2, 1], [16.0, 32.0, 2], [32 * pid, 64 * pid, 1]]}
        total = generate.statistics(durations)
        del total["Self_ms"]
        frame = dict(total, budget_ms=budget, missed=pid, series=[],
                     worst=[{"frame": i, "thread": 0, "start_ms": 1.0, "duration_ms": d / 1e6,
                             "functions": [{"function": 0, "self_ms": 2.0, "typical_ms": 0.5, "excess_ms": 1.5}]}
                            for i, d in sorted(enumerate(durations), key=lambda item: -item[1])[:3]],
                     blame=[{"function": 0, "excess_ms": 1.25 * pid, "frames": pid},
                            {"category": "Frame_Total", "excess_ms": 100.0, "frames": 1}])
        return report({"f": [1000] * pid}, {"Frame_Total": durations}, pid=pid,
                      counters={"Packets": {"Count": pid, "Sum": -7 * pid}}, values={"Size": value},
                      frames={"Frame_Total": frame})

    write("a.json", extended(1, [1000000, 9000000, 3000000, 2000000], 16.5))
    write("b.json", extended(2, [8000000, 7000000], 16.5))
    document = merged_of("a.json", "b.json")
    assert document["counters"] == {"Packets": {"Count": 3, "Sum": -21}}
    value = document["values"]["Size"]
    assert (value["unit"], value["Count"], value["Sum"], value["Min"], value["Max"]) == ("bytes", 8, 301.5, 1.5, 100.0)
    assert value["histogram"] == [[1, 2, 2], [16, 32, 4], [32, 64, 1], [64, 128, 1]]
    close(value["P50"], 24.0)
    close(value["P90"], np.quantile([1.5, 1.5, 24, 24, 24, 24, 48, 96], 0.9))
    frames = document["frames"]["Frame_Total"]
    check_statistics(frames, [1000000, 9000000, 3000000, 2000000, 8000000, 7000000])
    assert frames["budget_ms"] == 16.5 and frames["missed"] == 3
    assert [w["duration_ms"] for w in frames["worst"]] == [9.0, 8.0, 7.0, 3.0, 2.0]
    assert [w["thread"] for w in frames["worst"]] == [0, 1, 1, 0, 0]
    assert frames["blame"] == [{"category": "Frame_Total", "excess_ms": 200.0, "frames": 2},
                               {"function": 0, "excess_ms": 3.75, "frames": 3}]
    write("c.json", extended(3, [5], 8.0))
    run("merge", "a.json", "c.json", "-o", "out.json")
    assert json.load(open("out.json"))["frames"]["Frame_Total"]["budget_ms"] == 16.5


def many_names_of_every_kind_find_their_own():
    count = 3000
    def of(pid, first):
        names = [f"name {i}" for i in range(first, first + count)]
        value = {"Count": 1, "Sum": 1.0, "Avg": 1.0, "Min": 1.0, "Max": 1.0}
        functions = [generate.function(i, f"f{first + i}", [10]) for i in range(count)]
        frame = dict(generate.statistics([10]), blame=[{"function": i, "excess_ms": first + i + 1.0, "frames": 1} for i in range(count)])
        del frame["Self_ms"]
        document = report(functions, counters={name: {"Count": 1, "Sum": pid} for name in names},
                          values={name: dict(value, unit="m" if i % 2 or pid == 1 else "s") for i, name in enumerate(names)},
                          frames={"F": frame, **{name: {k: v for k, v in frame.items() if k != "blame"} for name in names}}, pid=pid)
        document["lost"].update({"lost of " + name: pid for name in names})
        return document

    write("a.json", of(1, 0))
    write("b.json", of(2, count // 2))
    run("merge", "a.json", "b.json", "-o", "out.json")
    document = json.load(open("out.json"))  # with kinds of loss that no schema knows yet
    for i in range(count + count // 2):
        name, both = f"name {i}", count // 2 <= i < count
        wanted = 3 if both else 1 if i < count else 2
        assert document["counters"][name] == {"Count": 1 + both, "Sum": wanted}
        assert document["lost"]["lost of " + name] == wanted
        assert document["frames"][name]["Count"] == 1 + both
        values = [document["values"].get(key) for key in (name, name + " (s)")]
        assert [v and (v["unit"], v["Count"]) for v in values] == (
            [("m", 1), ("s", 1)] if both and i % 2 == 0 else [("m", 2), None] if both else
            [("m" if i < count or i % 2 else "s", 1), None]), (i, values)
    blame, names = document["frames"]["F"]["blame"], [f["name"] for f in document["functions"]]
    ranked = sorted(((2 if count // 2 <= i < count else 1) * (i + 1.0), f"f{i}") for i in range(count + count // 2))
    assert [(b["excess_ms"], names[b["function"]]) for b in blame] == ranked[::-1][:len(blame)] and len(blame) > 10


def sums_at_the_end_of_their_types_say_so():
    huge = {"Count": 2**62, "Sum": -2**63}
    value = {"Count": 1, "Min": 1e308, "Max": 1e308, "P50": 1e308, "P90": 1e308, "P95": 1e308, "P99": 1e308, "P99_9": 1e308,
             "percentiles": "exact", "Sum": 1e308, "Avg": 1e308}
    entry = generate.function(0, "f", [10])
    entry["Count"] = 2**63 - 1
    write("a.json", report([entry], counters={"C": huge}, values={"V": value}))
    document = merged_of("a.json", "a.json")
    assert document["counters"]["C"] == {"Count": 2**63 - 1, "Sum": -2**63, "saturated": True}
    assert "Sum" not in document["values"]["V"] and document["values"]["V"]["Max"] == 1e308 and "unit" not in document["values"]["V"]
    assert document["functions"][0]["Count"] == 2**63 - 1 and document["functions"][0]["saturated"] is True
    # a part that can't tell its average leaves the whole without one
    short = generate.function(0, "f", [10])
    del short["Avg_ms"]
    write("b.json", report([dict(short, saturated=True)]))
    write("c.json", report([generate.function(0, "f", [10])]))
    for files in (("b.json", "c.json"), ("c.json", "b.json")):
        function = merged_of(*files)["functions"][0]
        assert "Avg_ms" not in function and function["saturated"] is True and function["Min_ms"] == 1e-5, function


def real_reports_merge_into_a_valid_one():
    """Targets of the end-to-end tests, with frames, values, threads: recorded, merged, checked and shown."""
    import subprocess
    targets, files = os.environ["STINT_TEST_TARGETS"], []
    os.mkdir("store")
    for target in ("categories threads 3 400", "frames", "threads", "recursion"):
        for turn in range(2):
            files.append(f"{target.split()[0]}{turn}.json")
            env = {key: value for key, value in os.environ.items() if not key.startswith("STINT_")}
            env.update(LD_PRELOAD=os.environ["STINT_LIBRARY"], STINT_OUT=files[-1], STINT_STORE="store")
            subprocess.run((targets + "/" + target).split(), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    documents = [json.load(open(file)) for file in files]
    document = merged_of(*files)
    assert any("frames" in d for d in documents) and any("values" in d for d in documents) and any("counters" in d for d in documents)
    for part in ("frames", "values", "counters", "categories"):
        names = {name for d in documents for name in d.get(part, {})}
        assert set(document.get(part, {})) == names
        for name in names:
            assert document[part][name]["Count"] == sum(d[part][name]["Count"] for d in documents if name in d.get(part, {}))
    for key in ("Count", "Self_ms"):
        for part in ("functions", "call_tree"):
            total = sum(row[key] for d in documents for row in d[part] if key in row)
            close(sum(row[key] for row in document[part] if key in row), total, 1e-9)
    assert len(document["threads"]) == sum(len(d["threads"]) for d in documents)
    for i, file in enumerate(files):  # two runs of one program have the same paths
        if i % 2:
            run("merge", files[i - 1], file, "-o", "two.json")
            two = json.load(open("two.json"))
            check_schema(two)
            assert {f["name"] for f in two["functions"]} == {f["name"] for f in documents[i]["functions"]}
    for view in ([], ["--threads"], ["--tree"], ["--frames"]):
        assert run("report", *view, "out.json").stdout
    run("merge", "out.json", files[0], "-o", "again.json")
    check_schema(json.load(open("again.json")))
    assert json.loads(run("diff", "--json", "out.json", "again.json").stdout)["rows"]
    for form in ("folded", "callgrind", "csv", "chrome"):
        run("export", "-f", form, "-o", "x", "out.json")


def paths_beyond_the_bound_are_folded():
    """270 000 paths: each under a root of its own number of steps; what finds no room keeps its sums."""
    entries = [generate.function(0, f"f{i}", [1000] * (600 - i)) for i in range(600)]
    document = report(entries)
    rows = ['{"id":0,"parent":null,"function":0,"Count":1,"Total_ms":1.0,"Self_ms":0.5}']
    for i in range(1, 270001):
        rows.append(f'{{"id":{i},"parent":{0 if i <= 500 else (i - 501) // 540 + 1},"function":{i % 599 + 1},'
                    '"Count":1,"Total_ms":0.001,"Self_ms":0.001}')
    write("r.json", document)
    text = open("r.json").read()
    open("r.json", "w").write(text.replace('"call_tree":[]', '"call_tree":[' + ",".join(rows) + "]"))
    run("merge", "r.json", "-o", "out.json")
    merged = json.load(open("out.json"))
    tree = merged["call_tree"]
    assert len(tree) <= 262144 + 601, len(tree)
    assert sum(node["Count"] for node in tree) == 270001
    close(sum(node["Self_ms"] for node in tree), 0.5 + 270.0)
    folded = [node for node in tree if node.get("folded")]
    root = [node for node in folded if node["parent"] is None]
    assert len(root) == 1 and all(node["parent"] == root[0]["id"] for node in folded if node is not root[0])
    assert merged["lost"]["contexts_folded"] == 270001 - 262144
    # and per function
    for function in (5, 77):
        wanted = sum(1 for i in range(1, 270001) if i % 599 + 1 == function)
        name = document["functions"][function]["name"]
        id_ = next(f["id"] for f in merged["functions"] if f["name"] == name)
        assert sum(node["Count"] for node in tree if node.get("function") == id_) == wanted


def what_was_lost_and_paid_is_summed_and_the_processes_are_told():
    a, b = report({"f": [10] * 4}, pid=7, host="one"), report({"f": [10] * 6}, pid=9, host="two")
    a["lost"]["calls_too_deep"], b["lost"]["calls_too_deep"] = 2, 3
    b["process"]["ending"] = {"kind": "signal", "signal": "SIGSEGV", "code": "SEGV_MAPERR", "address": "0x0", "thread": 0,
                              "backtrace": []}
    b["overhead"]["per_call_ns"], b["overhead"]["total_ms"] = 50.0, 6 * 50.0 / 1e6
    write("a.json", a)
    write("b.json", b)
    document = merged_of("a.json", "b.json")
    assert document["lost"]["calls_too_deep"] == 5 and document["overhead"]["calls"] == 10
    close(document["overhead"]["per_call_ns"], (4 * 25 + 6 * 50) / 10)
    assert document["process"]["ending"]["signal"] == "SIGSEGV" and "host" not in document["process"]
    close(document["process"]["duration_ms"], 3000.0)  # starts lie two seconds apart
    assert [(p["pid"], p["host"]) for p in document["processes"]] == [(7, "one"), (9, "two")]
    shown = run("report", "out.json").stdout
    assert "SIGSEGV" in shown and " 10 " in shown


def lists_name_files():
    for i in range(3):
        write(f"r{i}.json", report({"f": [1000]}, pid=i + 1))
    open("list", "w").write("r0.json\n\nr1.json\nr2.json")
    assert "3 reports of 3 processes" in run("merge", "@list", "-o", "out.json").stdout
    told = json.loads(run("merge", "--json", "@list", "r0.json", "-o", "out.json").stdout)
    assert told["reports"] == 4 and told["functions"] == 1
    assert json.loads(run("merge", "@list", "-o", "-").stdout)["merged"]["reports"] == 3
    assert json.loads(run("merge", "-", "-o", "-", input=open("r0.json").read()).stdout)["merged"]["reports"] == 1


def a_bad_file_is_told_with_its_place_and_nothing_is_written():
    good = report({"f": [1000]})
    write("good.json", good)
    text = json.dumps(good)
    cases = {
        "": "stint: bad.json: empty\n",
        "{}": "stint: bad.json: JSON, but not a report of stint\n",
        "[1]": "stint: bad.json: not a report of stint\n",
        "int x;": "stint: bad.json: not a report of stint\n",
        text[:200]: "stint: bad.json:1:",
        text + "x": f"stint: bad.json:1:{len(text) + 1}: more than one document\n",
        text.replace('"Count": 1', '"Count": -1'): "a whole number, 0 or more",
        text.replace('"Count": 1', '"Count": 1.5'): "a whole number is expected here",
        text.replace('"schema": 1', '"schema": 2'): "a report of schema 2; this stint reads schema 1",
        text.replace("[[1000, 1008, 1]]", "[[1000, 1009, 1]]"): "none of the report's grid",
        text.replace('"Self_ms": 0.001', '"Self_ms": "x"'): "a number is expected here",
        text.replace('"Self_ms": 0.001', '"Self_ms": 1.' + "0" * 400 + "e-3"): "of too many digits",
        text.replace('"call_tree": []', '"call_tree": [{"id": 0, "parent": null, "function": 5, "Count": 1}]'): "is of nothing here",
        text.replace('"call_tree": []', '"call_tree": [{"id": 0, "parent": 0, "function": 0, "Count": 1}]'): "is of nothing here",
        text.replace('"threads"', '"thread"'): "not a report: no threads",
        text.replace('"name": "f"', '"name": "\\ud800"'): "no character of a text",
        "[" * 5000: "not a report of stint",
        '{"a":' + "[" * 5000: "nested too deeply",
    }
    assert "[[1000, 1008, 1]]" in text and '"Self_ms": 0.001' in text
    for content, wanted in cases.items():
        open("bad.json", "w").write(content)
        said = run("merge", "good.json", "bad.json", "-o", "out.json", status=3).stderr
        assert wanted in said and said.count("\n") == 1 and said.startswith("stint: bad.json:"), (wanted, said)
        assert sorted(os.listdir(".")) == ["bad.json", "good.json"]
    open("bad.json", "w").write(text.replace(", ", ",\n").replace('"Count":', '"Count": nul'))
    said = run("merge", "bad.json", "-o", "out.json", status=3).stderr
    line = open("bad.json").read()[:open("bad.json").read().index("nul")].count("\n") + 1
    assert said.startswith(f"stint: bad.json:{line}:"), said
    assert "can't be opened: No such file" in run("merge", "good.json", "none.json", "-o", "out.json", status=3).stderr
    assert "can't be read: Is a directory" in run("merge", ".", "-o", "out.json", status=3).stderr
    assert not os.path.exists("out.json")


def any_cut_or_changed_byte_is_refused_or_harmless():
    rng = np.random.default_rng(3)
    text = json.dumps(report({"f": [1000, 70], "g": [5]}, {"c": [3]}, [generate.node(0, None, 0, [3])])).encode()
    for _ in range(150):
        spoilt = bytearray(text[:rng.integers(1, len(text) + 1)])
        spoilt[rng.integers(0, len(spoilt))] = rng.integers(0, 256)
        open("bad.json", "wb").write(spoilt)
        import subprocess
        from tap import stint
        done = subprocess.run([stint, "merge", "bad.json", "-o", "out.json"], capture_output=True)
        assert done.returncode in (0, 3), (done, bytes(spoilt))
        assert done.returncode == 0 or done.stderr.count(b"\n") == 1
        if done.returncode == 0:
            json.load(open("out.json"))


def an_output_that_is_an_input_is_refused():
    write("a.json", report({"f": [1000]}))
    before = open("a.json").read()
    os.link("a.json", "b.json")
    assert "is also what would be written" in run("merge", "a.json", "-o", "b.json", status=2).stderr
    assert open("a.json").read() == before
    assert "no such directory" in run("merge", "a.json", "-o", "none/out.json", status=3).stderr
    assert "No space left" in run("merge", "a.json", "-o", "/dev/full", status=3).stderr


def mistakes_have_status_2():
    write("a.json", report({"f": [1000]}))
    for args in (["a.json"], ["-o", "out.json"], ["-o"], ["--color", "a.json"]):
        assert run("merge", *args, status=2).stderr.startswith("stint: merge: ")
    assert len(run("merge", "--help").stdout.splitlines()) < 24


main([sums_and_percentiles_are_those_of_all_samples_together, columns_over_processes_are_numpys,
      a_merge_of_merges_is_the_merge_of_all, a_report_alone_keeps_what_it_knew, call_trees_merge_by_path,
      the_same_build_elsewhere_is_the_same_function, two_functions_of_one_name_stay_two, counters_values_and_frames_add_up,
      what_was_lost_and_paid_is_summed_and_the_processes_are_told, lists_name_files,
      many_names_of_every_kind_find_their_own, sums_at_the_end_of_their_types_say_so, real_reports_merge_into_a_valid_one, paths_beyond_the_bound_are_folded,
      a_bad_file_is_told_with_its_place_and_nothing_is_written, any_cut_or_changed_byte_is_refused_or_harmless,
      an_output_that_is_an_input_is_refused, mistakes_have_status_2])
