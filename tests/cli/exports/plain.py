# SPDX-License-Identifier: MIT
"""Python as the reader: nesting, columns, and sums of reports that are large, deep or fine."""
import csv
import gzip
import io
import json
import re

import reports
from metrics import samples
from reading import ALL, export, near, run, stint, tool, work


def trace_events_are_nested():
    for report in reports.plain(), reports.hostile():
        trace = json.loads(export(report, 'chrome').read_text(encoding='utf-8'))
        assert 'not a timeline' in trace['otherData']['layout']
        stacks, totals, last = {}, {}, {}
        for event in trace['traceEvents']:
            if event['ph'] == 'M':
                continue
            thread = event['tid']
            assert event['ts'] >= last.get(thread, 0), 'out of order'
            last[thread] = event['ts']
            if event['ph'] == 'B':
                stacks.setdefault(thread, []).append(event)
                continue
            begin = stacks[thread].pop()
            assert begin['name'] == event['name']
            if thread == 0:
                totals.setdefault(begin['name'], []).append((event['ts'] - begin['ts']) * 1e3)
        assert not any(stacks.values()), 'something has no end'
        for node in report.nodes:
            name = '[folded]' if node.key is None else report.name(node.key) or '[unnamed]'
            assert any(abs(ns - node.total_ms() * 1e6) <= 1.5 for ns in totals[name]), name


def csv_is_read_back():
    for report in reports.plain(), reports.hostile():
        text = export(report, 'csv').read_bytes().decode()
        assert text.count('\r\n') >= len(report.self_ms) + 1
        rows = list(csv.DictReader(io.StringIO(text, newline=''), strict=True))
        assert len(rows) == len(report.self_ms) + len(report.recorded)
        by_id = {item['id']: item for item in report.json()['functions']}
        for key, place in report.ids.items():
            item = by_id[place]
            row = [row for row in rows if row['kind'] == 'function' and row['name'] == item['name']
                   and row['module'] == item['module'] and row['offset'] == item['offset']]
            assert len(row) == 1, f'{item["name"][:60]!r}: {len(row)} rows'
            for column, member in (('total_ms', 'Total_ms'), ('self_ms', 'Self_ms'), ('avg_ms', 'Avg_ms'),
                                   ('min_ms', 'Min_ms'), ('max_ms', 'Max_ms'), ('p50_ms', 'P50_ms'),
                                   ('p99_9_ms', 'P99_9_ms')):
                near(float(row[0][column]), item[member], f'{column} of {item["name"][:60]!r}',
                     1e-14 * item[member])
            assert int(row[0]['count']) == item['Count']
        for name in report.recorded:
            row = [row for row in rows if row['name'] == name][0]
            assert row['kind'] == 'category' and row['self_ms'] == '' and row['p50_ms'] == '10'


def fractions_of_nanoseconds_add_up():
    report = reports.fractions()
    lines = export(report, 'folded').read_text().splitlines()
    total = sum(int(line.rsplit(' ', 1)[1]) for line in lines)
    assert total == 400, total


def deep_recursion_is_cut_in_its_stacks_alone():
    report = reports.deep()
    sizes = {form: export(report, form).stat().st_size for form in ALL}
    lines = (work / 'folded').read_text().splitlines()
    assert sum(int(line.rsplit(' ', 1)[1]) for line in lines) == report.ns(report.whole_ms)
    # 20 000 paths of up to 1000 calls would be 20 million calls, more than are told: half as many are
    assert max(line.count(';') for line in lines) == 501
    assert lines[-1] == 'main' + 499 * ';again' + ';[deeper];leaf 500000', lines[-1][-60:]
    assert sizes['folded'] < 20000 * 7000 and sizes['pprof'] < 2e6, sizes
    text = run(tool('protoc', 'protobuf-compiler'), '--decode_raw',
               input=gzip.decompress((work / 'pprof').read_bytes())).stdout.decode()
    assert '"[deeper]"' in text


def large_reports_keep_their_sums():
    report = reports.large()
    source = work / 'large.json'
    report.write(source)
    for form in ALL:
        run(stint, 'export', '-f', form, '-o', work / f'large.{form}', source)
    whole = report.ns(report.whole_ms)
    lines = (work / 'large.folded').read_bytes().splitlines()
    assert sum(int(line.rsplit(b' ', 1)[1]) for line in lines) == whole
    assert json.loads((work / 'large.speedscope').read_text())['profiles'][0]['endValue'] == whole
    assert re.search(rb'^totals: (\d+)$', (work / 'large.callgrind').read_bytes(), re.M)[1] == b'%d' % whole
    own = sum(int(value) for value in re.findall(rb'\nfn=[^\n]*\n0 (\d+)\n', (work / 'large.callgrind').read_bytes()))
    assert own == whole, f'{own}, not {whole}'
    trace = json.loads((work / 'large.chrome').read_text())
    near(max(event.get('ts', 0) for event in trace['traceEvents']) * 1e3, whole, 'the last end')
    assert len((work / 'large.csv').read_bytes().splitlines()) == len(report.self_ms) + 1
    functions = {dict(labels)['function'] for (name, labels) in samples((work / 'large.openmetrics').read_text())
                 if name == 'stint_function_self_seconds'}
    assert len(functions) == 200, len(functions)


TESTS = [trace_events_are_nested, csv_is_read_back, fractions_of_nanoseconds_add_up,
         deep_recursion_is_cut_in_its_stacks_alone, large_reports_keep_their_sums]
