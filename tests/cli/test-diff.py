#!/usr/bin/python3
# SPDX-License-Identifier: MIT
#
# `stint diff` over reports whose durations are drawn with fixed seeds: every statistic against
# scipy's, false alarms counted, real shifts found.
import json
import numpy as np
import generate
from generate import report, write
from tap import run, main

try:
    import scipy.stats as st
except ImportError:
    st = None


def close(a, b, part=1e-9, least=1e-300):
    assert abs(a - b) <= max(part * max(abs(a), abs(b)), least), f"{a!r} is not {b!r}"


def lognormal(rng, n, mean=9.0, sigma=0.5):
    return rng.lognormal(mean, sigma, n).astype(np.int64) + 1


def compared(old, new, *options, status=0):
    """old, new: lists of {name: durations}, a run each. Rows by name."""
    names = ([], [])
    for side, runs in enumerate((old, new)):
        for i, functions in enumerate(runs):
            names[side].append(f"{'on'[side]}{i}.json")
            write(names[side][-1], functions if "schema" in functions else report(functions))
    done = run("diff", "--json", *options, *names[0], "--", *names[1], status=status)
    document = json.loads(done.stdout)
    return {row.get("name", row.get("category")): row for row in document["rows"]}, document


def corrected(p):
    """Benjamini & Hochberg, written from the paper: the least over all ranks from its own on."""
    order = np.argsort(p)
    out = np.empty(len(p))
    for place, i in enumerate(order):
        out[i] = min(1, min(p[order[k]] * len(p) / (k + 1) for k in range(place, len(p))))
    return out


def the_rank_test_is_scipys():
    if not st:
        return "no scipy"
    rng = np.random.default_rng(1)
    sides = [{f"f{n}": lognormal(rng, n) for n in (5, 40, 3000)}, {f"f{n}": lognormal(rng, 2 * n, 9.1) for n in (5, 40, 3000)}]
    rows, _ = compared(sides[:1], sides[1:])
    for name in sides[0]:
        old, new = generate.on_grid(sides[0][name]), generate.on_grid(sides[1][name])
        theirs = st.mannwhitneyu(new, old, alternative="two-sided", method="asymptotic", use_continuity=True)
        close(rows[name]["ranks"]["U"], theirs.statistic)
        close(rows[name]["ranks"]["p"], theirs.pvalue, 1e-7)
        bigger = np.sign(new[:, None] - old[None, :]).mean()
        close(rows[name]["ranks"]["delta"], bigger, 1e-9, 1e-12)


def rank_test_by_hand():
    # 1 2 3 against 4 5 6: U = 9 of 9; variance 3*3*7/12 = 5.25; z = (4.5 - 0.5) / 2.2913 = 1.7457; p = 0.08086
    rows, _ = compared([{"f": [1, 2, 3]}], [{"f": [4, 5, 6]}])
    assert rows["f"]["ranks"]["U"] == 9 and rows["f"]["ranks"]["delta"] == 1
    close(rows["f"]["ranks"]["p"], 0.080856, 1e-4)
    # one tie: 1 2 against 2 3: U = 3.5; variance 4/12 * (5 - 6/12) = 1.5; z = (1.5 - 0.5)/1.2247; p = 0.41422
    rows, _ = compared([{"f": [1, 2]}], [{"f": [2, 3]}])
    assert rows["f"]["ranks"]["U"] == 3.5
    close(rows["f"]["ranks"]["p"], 0.414216, 1e-4)


def means_and_sums_are_tested_as_scipys_welch():
    if not st:
        return "no scipy"
    rng = np.random.default_rng(2)
    for n, m in ((2, 3), (30, 30), (500, 4000)):
        old, new = lognormal(rng, n), lognormal(rng, m, 9.05)
        rows, _ = compared([{"f": old}], [{"f": new}])
        a, b = generate.on_grid(old), generate.on_grid(new)
        theirs = st.ttest_ind_from_stats(old.mean(), a.std(ddof=1), n, new.mean(), b.std(ddof=1), m, equal_var=False)
        close(rows["f"]["Avg_ms"]["p"], theirs.pvalue, 1e-6)
        theirs = st.ttest_ind_from_stats(old.sum(), a.std(ddof=1) * n, n, new.sum(), b.std(ddof=1) * m, m, equal_var=False)
        close(rows["f"]["Total_ms"]["p"], theirs.pvalue, 1e-6)


def quantiles_are_tested_as_scipys_tables():
    if not st:
        return "no scipy"
    rng = np.random.default_rng(3)
    seen = set()
    for n, m, shift in ((12, 9, 0), (60, 80, 0.3), (900, 1100, 0.05), (20000, 15000, 0.02)):
        old, new = lognormal(rng, n), lognormal(rng, m, 9 + shift)
        rows, _ = compared([{"f": old}], [{"f": new}])
        a, b = generate.on_grid(old), generate.on_grid(new)
        both = np.sort(np.concatenate([a, b]))
        for key, q in generate.QUANTILES.items():
            cut = both[int(np.ceil(q * len(both))) - 1]
            table = [[(a > cut).sum(), (a <= cut).sum()], [(b > cut).sum(), (b <= cut).sum()]]
            if table[0][0] + table[1][0] == 0:
                assert "p" not in rows["f"][key]
                continue
            share = table[1][0] / m - table[0][0] / n
            exact = st.contingency.expected_freq(table).min() < 5
            wanted = st.fisher_exact(table)[1] if exact else st.chi2_contingency(table, correction=False)[1]
            if share * rows["f"][key]["change"] < 0:
                wanted = 1
            else:
                seen.add(exact)
            close(rows["f"][key]["p"], wanted, 1e-6)
    assert seen == {True, False}


def extremes_are_tested_by_counting():
    if not st:
        return "no scipy"
    # 3 of NEW beyond all 20 of OLD: all of the 3 largest of 50 are of the 30
    old, new = list(range(100, 120)), [50 + i for i in range(27)] + [500, 600, 700]
    rows, _ = compared([{"f": old}], [{"f": new}])
    close(rows["f"]["Max_ms"]["p"], 2 * st.hypergeom(50, 30, 3).pmf(3), 1e-9)
    close(rows["f"]["Min_ms"]["p"], min(1, 2 * st.hypergeom(50, 30, 27).pmf(27)), 1e-6)


def runs_are_compared_by_scipys_welch():
    if not st:
        return "no scipy"
    rng = np.random.default_rng(4)
    old = [{"f": lognormal(rng, 100 + i, 9 + 0.01 * i)} for i in range(4)]
    new = [{"f": lognormal(rng, 100 + 2 * i, 9.2 + 0.02 * i)} for i in range(3)]
    rows, document = compared(old, new)
    assert document["runs"] == {"old": 4, "new": 3} and rows["f"]["test"] == "runs"
    values = [[generate.statistics(side["f"]) for side in runs] for runs in (old, new)]
    for key in ("Count", "Total_ms", "Self_ms", "Avg_ms", "Min_ms", "Max_ms", *generate.QUANTILES):
        a, b = ([v[key] for v in side] for side in values)
        close(rows["f"][key]["p"], st.ttest_ind(a, b, equal_var=False).pvalue, 1e-7)
        close(rows["f"][key]["old"], np.mean(a), 1e-12)
        close(rows["f"][key]["new"], np.mean(b), 1e-12)


def welch_by_hand():
    # 1 2 3 against 4 5 6 (us): t = 3 / sqrt(2/3) = 3.6742 with 4 degrees of freedom, whose distribution is
    # 1/2 + 3/8 t / sqrt(1 + t²/4) (1 - t² / (12 (1 + t²/4))): 2 (1 - 0.989344) = 0.021312
    rows, _ = compared([{"f": [1000 * v]} for v in (1, 2, 3)], [{"f": [1000 * v]} for v in (4, 5, 6)])
    close(rows["f"]["Avg_ms"]["p"], 0.021312, 1e-4)
    assert rows["f"]["Count"]["p"] == 1  # no variance, no difference
    rows, _ = compared([{"f": [5000] * 2}] * 2, [{"f": [5000] * 3}] * 2)
    assert rows["f"]["Count"]["p"] == 0 and rows["f"]["verdict"] == "calls"


def many_functions_are_corrected_for():
    rng = np.random.default_rng(5)
    old = {f"f{i}": lognormal(rng, 300) for i in range(60)}
    new = {f"f{i}": lognormal(rng, 300, 9 + 0.02 * (i % 5)) for i in range(60)}
    rows, _ = compared([old], [new])
    for column in ("Avg_ms", "P99_ms", "Total_ms", "ranks"):
        names = [name for name in rows if "p" in rows[name][column]]
        for name, wanted in zip(names, corrected(np.array([rows[n][column]["p"] for n in names]))):
            close(rows[name][column]["p_corrected"], wanted, 1e-9)
    # and a limit is corrected over the rows it names alone
    _, document = compared([old], [new], "--fail-on", "f1*:Avg_ms>+0%", "--alpha", "0.0000001")
    threshold = document["thresholds"][0]
    named = [name for name in rows if name.startswith("f1")]
    wanted = dict(zip(named, corrected(np.array([rows[n]["Avg_ms"]["p"] for n in named]))))
    assert threshold["named"] == len(named) == 11 and threshold["rows"]
    for row in threshold["rows"]:
        close(row["p_corrected"], wanted[row["name"]], 1e-9)


def two_draws_of_one_distribution_are_no_alarm():
    rng = np.random.default_rng(6)
    alarms = 0
    for _ in range(20):
        sides = [{f"f{i}": lognormal(rng, 200 + 10 * i, 5 + i / 5, 0.3 + i / 40) for i in range(50)} for _ in range(2)]
        rows, document = compared(sides[:1], sides[1:], "--fail-on", "P99_ms>+5%", "--fail-on", "Avg_ms>+1%")
        alarms += sum(row["verdict"] != "same" for row in rows.values())
        alarms += sum(not row["is_noise"] for threshold in document["thresholds"] for row in threshold["rows"])
    assert alarms == 0, alarms  # of 1000 functions; about 30 in each column differ at p = 0.03


def runs_that_vary_are_no_alarm():
    """Each run has its own luck, as real ones have: within the runs everything looks sure."""
    rng = np.random.default_rng(7)
    alarms = single = 0
    for _ in range(15):
        sides = [[{f"f{i}": lognormal(rng, 1000, 9 + rng.normal(0, 0.05)) for i in range(10)} for _ in range(4)] for _ in range(2)]
        rows, _ = compared(*sides)
        alarms += sum(row["verdict"] != "same" for row in rows.values())
        rows, _ = compared(sides[0][:1], sides[1][:1])
        single += sum(row["verdict"] != "same" for row in rows.values())
    assert alarms <= 2, alarms  # of 150
    assert single > 50, single  # what one run a side can't know, as the page says


def a_real_shift_is_found():
    rng = np.random.default_rng(8)

    def draw(shift=0.0):
        return {f"f{i}": lognormal(rng, 2000, 9 + (shift if i == 7 else 0)) for i in range(30)}

    rows, _ = compared([draw()], [draw(0.2)])
    assert [n for n, row in rows.items() if row["verdict"] == "slower"] == ["f7"]
    rows, _ = compared([draw()], [draw(-0.2)])
    assert [n for n, row in rows.items() if row["verdict"] == "faster"] == ["f7"]
    rows, _ = compared([draw() for _ in range(4)], [draw(0.2) for _ in range(4)])
    assert [n for n, row in rows.items() if row["verdict"] == "slower"] == ["f7"]


def a_tail_alone_is_found():
    rng = np.random.default_rng(9)
    old, new = lognormal(rng, 20000, 9, 0.2), lognormal(rng, 20000, 9, 0.2)
    new[::60] *= 8  # one call in 60 is eight times as long
    rows, _ = compared([{"f": old}], [{"f": new}], "-f", "P99_ms>+10%", status=1)
    assert rows["f"]["verdict"] == "slower" and abs(rows["f"]["ranks"]["delta"]) < 0.05
    assert rows["f"]["P99_ms"]["p_corrected"] < 1e-6 and abs(rows["f"]["P50_ms"]["change_percent"]) < 2


def functions_meet_by_name_and_module():
    ns = [1000] * 20

    def side(module, build, offset, **more):
        entries = [generate.function(0, "f", ns, module=module, build_id=build * 20, offset=offset)]
        return report(entries + [generate.function(0, name, ns, module=path) for name, path in more.items()])

    rows, _ = compared([side("/a/app", "ab", 16)], [side("/b/app", "cd", 640)])
    assert list(rows) == ["f"] and rows["f"]["Count"]["change"] == 0
    rows, _ = compared([side("/a/app-1", "ab", 16)], [side("/b/app-2", "cd", 640)])
    assert list(rows) == ["f"] and rows["f"]["module"] == "app-2"
    # of two modules that have it, the name alone does not say which
    write("o.json", side("/a/app", "ab", 16, g="/a/x.so"))
    write("n.json", report([generate.function(0, "g", ns, module="/a/y.so"), generate.function(0, "g", ns, module="/a/z.so")]))
    document = json.loads(run("diff", "--json", "o.json", "n.json").stdout)
    assert sorted(row["verdict"] for row in document["rows"]) == ["gone", "gone", "new", "new"]
    # functions of one name in one module are taken together
    both = [generate.function(0, "s", [1000] * 5, offset=16), generate.function(0, "s", [3000] * 3, offset=32)]
    rows, _ = compared([report(both)], [report(both)])
    close(rows["s"]["Avg_ms"]["old"], (5 * 1000 + 3 * 3000) / 8 / 1e6)
    close(rows["s"]["P90_ms"]["old"], np.quantile(generate.on_grid([1000] * 5 + [3000] * 3), 0.9) / 1e6, 0.01)
    assert rows["s"]["Count"]["old"] == 8 and rows["s"]["Min_ms"]["old"] == 0.001 and rows["s"]["Max_ms"]["new"] == 0.003


def new_and_gone_rows_are_told():
    write("o.json", report({"kept": [1000] * 9, "gone": [5000]}, {"Cat": [10, 20]}))
    write("n.json", report({"kept": [1000] * 9, "fresh": [4000000]}, {"Dog": [10]}))
    out = run("diff", "o.json", "n.json").stdout
    lines = {line.split()[-2] if "app" in line else line.split()[-1]: line.split()[0] for line in out.splitlines()[2:-1]}
    assert lines == {"fresh": "new", "gone": "gone", "kept": "same", "Cat": "gone", "Dog": "new"}, out
    assert out.splitlines()[2].startswith("new")  # the largest change of the total comes first
    assert "1 same (no more than noise)" in out and "2 new, 2 gone" in out
    assert "kept" not in run("diff", "-c", "o.json", "n.json").stdout
    assert "and 4 more" in run("diff", "-n", "1", "o.json", "n.json").stdout
    run("diff", "-e", "o.json", "n.json", status=1)
    run("diff", "-e", "o.json", "o.json", status=0)


def limits_fail_what_is_past_them_and_no_noise():
    rng = np.random.default_rng(10)
    base = lognormal(rng, 3000)
    write("o.json", report({"World::update(float)": base, "calm": base, "few": [1000000]}, {"Frame": base}))
    write("n.json", report({"World::update(float)": base * 5 // 4, "calm": base, "few": [2000000], "young": [9000000] * 3},
                           {"Frame": base}))

    def gate(*limits, status):
        options = [word for limit in limits for word in ("--fail-on", limit)]
        return run("diff", *options, "o.json", "n.json", status=status)

    for limit in ("Avg_ms>+10%", "World::update:Avg_ms>+10%", "World::update(float):P99_ms>+10%", "World*:P50_ms>=+20%",
                  "W*:Total_ms>+3ms", "Self_ms>+3000us", "W*:Avg_ms>+1000ns", "young:Count>+0", "Count>+2", "young:Total_ms>+0.02s",
                  "Frame:Max_ms>1us", "few:Max_ms>1.5ms", "calm:Avg_ms<1s", "Count>=+3"):
        out = gate(limit, status=1).stdout
        assert f"\nfailed: {limit}: " in out, out
    for limit in ("calm:Avg_ms>+0.1%", "Avg_ms>+30%", "Count>+3", "Self_ms>+1s", "Frame:P99_ms>+0%", "Avg_ms<-10%",
                  "young:Avg_ms>+10%", "Frame:Max_ms>1s"):
        assert "failed" not in gate(limit, status=0).stdout
    out = gate("few:Avg_ms>+50%", status=0).stdout  # one call a side says nothing
    assert "few:Avg_ms>+50%: 1 row past it within noise or untestable, not counted" in out
    assert "failed: few:Avg_ms>+50%: few: 1.00 ms -> 2.00 ms (+100.0%)" in run(
        "diff", "--alpha=1", "-f", "few:Avg_ms>+50%", "o.json", "n.json", status=1).stdout
    assert gate("calm:Avg_ms>+1%", "W*:Avg_ms>+1%", status=1).stdout.count("failed: ") == 1


def a_limit_that_cannot_be_read_is_pointed_at():
    write("o.json", report({"f": [1000] * 9}))
    cases = {"P99>+10%": 0, "x:P98_ms>+10%": 2, "P99_ms": 6, "P99_ms>": 7, "P99_ms>+": 7, "P99_ms>10%": 7, "P99_ms>+10min": 10,
             "Count>+3ms": 8, ":Avg_ms>+1%": 0, "f;Avg_ms>+1%": 1, "": 0, "ä:P9_ms>1": 2, "P99_ms>+ten": 7, "P99_ms>++1": 7}
    for limit, place in cases.items():
        done = run("diff", "--fail-on", limit, "o.json", "o.json", status=2)
        lines = done.stderr.splitlines()
        assert len(lines) == 3 and lines[0].startswith("stint: diff: --fail-on: ") and done.stdout == ""
        assert lines[1] == "stint:   " + limit and lines[2] == "stint:   " + " " * place + "^", (limit, done.stderr)
    done = run("diff", "-f", "nobody*:Avg_ms>+1%", "o.json", "o.json", status=2)
    assert done.stderr == "stint: diff: --fail-on: no function or category is named nobody*\n" and done.stdout == ""


def arguments_make_two_sides():
    rng = np.random.default_rng(11)
    for name in "abcd":
        write(name + ".json", report({"f": lognormal(rng, 50)}))
    for args in (["a.json", "b.json"], ["--", "a.json", "b.json"], ["a.json", "--", "b.json"]):
        assert run("diff", *args).stdout.startswith("1 run against 1;")
    assert run("diff", "a.json", "b.json", "--", "c.json", "d.json").stdout.startswith("2 runs against 2;")
    for args in ([], ["a.json"], ["a.json", "b.json", "c.json"], ["--", "a.json"], ["--alpha=2", "a.json", "b.json"],
                 ["--least=x", "a.json", "b.json"], ["-n", "-1", "a.json", "b.json"]):
        assert run("diff", *args, status=2).stderr.startswith("stint: diff: ")
    open("bad.json", "w").write('{"schema": 1,\n"stint": x}')
    assert run("diff", "a.json", "bad.json", status=3).stderr.startswith("stint: bad.json:2:10: ")
    assert len(run("diff", "--help").stdout.splitlines()) < 24


def merged_reports_can_be_compared():
    rng = np.random.default_rng(12)
    for side in "on":
        for i in range(3):
            write(f"{side}{i}.json", report({"f": lognormal(rng, 1000, 9 if side == "o" else 9.3)}, pid=i + 1))
        run("merge", f"{side}0.json", f"{side}1.json", f"{side}2.json", "-o", side + ".json")
    row = json.loads(run("diff", "--json", "o.json", "n.json").stdout)["rows"][0]
    assert row["verdict"] == "slower" and row["Count"]["old"] == 3000


def colours_are_for_terminals():
    import fcntl, os, pty, struct, subprocess, termios
    from tap import stint
    write("o.json", report({"f" * 200: [1000] * 9, "g": [1]}))

    def on_terminal(**more):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | more
        subprocess.run([stint, "diff", "o.json", "o.json"], stdout=slave, env=env, check=True)
        os.close(slave)
        out = b""
        try:
            while piece := os.read(master, 65536):
                out += piece
        except OSError:
            pass
        return out.decode()

    assert "\033[" in on_terminal() and "\033[" not in on_terminal(NO_COLOR="1") and "\033[" not in on_terminal(TERM="dumb")
    assert "…" in on_terminal()
    out = run("diff", "o.json", "o.json").stdout
    assert "\033[" not in out and "f" * 200 in out


main([the_rank_test_is_scipys, rank_test_by_hand, means_and_sums_are_tested_as_scipys_welch,
      quantiles_are_tested_as_scipys_tables, extremes_are_tested_by_counting, runs_are_compared_by_scipys_welch, welch_by_hand,
      many_functions_are_corrected_for, two_draws_of_one_distribution_are_no_alarm, runs_that_vary_are_no_alarm,
      a_real_shift_is_found, a_tail_alone_is_found, functions_meet_by_name_and_module, new_and_gone_rows_are_told,
      limits_fail_what_is_past_them_and_no_noise, a_limit_that_cannot_be_read_is_pointed_at, arguments_make_two_sides,
      merged_reports_can_be_compared, colours_are_for_terminals])
