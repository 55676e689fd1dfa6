# SPDX-License-Identifier: MIT
"""Readers of the call graph: valgrind's, Graphviz and pprof, with protoc for its file's fields."""
import gzip
import os
import re
import xml.etree.ElementTree

import reports
from reading import export, flat, near, run, same_times, tool, work


# valgrind

def annotated(path, inclusive):
    done = run(tool('callgrind_annotate', 'valgrind'), '--threshold=100', '--auto=no', '--show-percs=no',
               f'--inclusive={inclusive}', path)
    assert not done.stderr, done.stderr.decode()
    text = done.stdout.decode()
    functions, part = {}, text.split('file:function')[1]
    for line in part.splitlines()[2:]:
        row = re.match(r' *([0-9,]+) +\?\?\?:(.*?)(?: \[(/opt/[^]]*|\?\?\?)\])?$', line)
        if row:
            functions[row[2], row[3]] = int(row[1].replace(',', ''))
    return functions, int(re.search(r'([0-9,]+).* PROGRAM TOTALS', text)[1].replace(',', ''))


def callgrind_annotate_has_our_self_and_total():
    report = reports.plain()
    path = export(report, 'callgrind')
    own, whole = annotated(path, 'no')
    near(whole, report.whole_ms * 1e6, 'totals')
    same_times({name: ns for (name, _), ns in own.items() if ns}, report, report.name, 'Self')
    assert sum(own.values()) == whole
    inclusive, _ = annotated(path, 'yes')
    for key, ms in report.total_ms.items():
        module = '/opt/app/bin/app' if key in report.functions else None
        got = [ns for (name, of), ns in inclusive.items() if name == report.name(key)]
        assert len(got) == 1, f'{key} ({module}): {got}'
        near(got[0], ms * 1e6, f'Total of {key}')


def callgrind_annotate_reads_hostile_names():
    report = reports.hostile()
    own, whole = annotated(export(report, 'callgrind'), 'no')
    near(whole, report.whole_ms * 1e6, 'totals')
    times = sorted(ns for (name, _), ns in own.items() if ns)
    wanted = sorted(ms * 1e6 for ms in report.self_ms.values())
    assert len(times) == len(wanted), f'{len(times)} functions, not {len(wanted)}'
    for got, ns in zip(times, wanted):
        near(got, ns, 'a function')
    names = {name for name, _ in own}
    for wanted in ('line?feed', '(5) parenthesis', '[unnamed]', 'naïve Größe 数 \U0001f600', 'twin [app+0x11]',
                   'twin [app+0x22]', 'twin [ü "; ?.so+0x11]', 'twin [category]'):
        assert wanted in names, f'{wanted!r} is not there'


# Graphviz

def drawn(report, *options):
    path = export(report, 'dot', *options)
    done = run(tool('dot', 'graphviz'), '-Tsvg', path)
    assert not done.stderr, done.stderr.decode()[:300]
    svg = '{http://www.w3.org/2000/svg}'
    root = xml.etree.ElementTree.fromstring(done.stdout)
    boxes, arrows = [], []
    for group in root.iter(svg + 'g'):
        texts = [text.text.replace('\xa0', ' ') for text in group.findall(f'.//{svg}text')]
        if group.get('class') == 'node':
            boxes.append((texts, group.find(f'.//{svg}path').get('fill')))
        elif group.get('class') == 'edge':
            arrows.append(texts)
    return boxes, arrows, next(root.iter(svg + 'text')).text


def graphviz_draws_the_calls():
    report = reports.plain()
    boxes, arrows, title = drawn(report, '--min-percent=0')
    assert sorted(texts[0] for texts, _ in boxes) == sorted([report.name(key) for key in report.self_ms] + ['[folded]'])
    lines = {texts[0]: texts[1:] for texts, _ in boxes}
    assert lines['work'] == ['self 580 ms (94.5%)', 'total 580 ms (94.5%)'], lines['work']
    pairs = {(above.key, node.key) for above in report.nodes for node in above.below} - {(None, 'folded')}
    assert len(arrows) == len(pairs) + 1, arrows
    assert ['480 ms (78.2%)', '60×'] in arrows, arrows
    colours = dict((texts[0], colour) for texts, colour in boxes)
    assert colours['work'] == '#f07832' and colours['main'] == '#fffffe' and colours['Frame'] == '#ffffff', colours
    boxes, _, title = drawn(report, '--min-percent=50')
    assert sorted(texts[0] for texts, _ in boxes) == ['Frame', 'main', 'work'], boxes
    assert title == 'app: 614 ms in recorded functions; 6 small functions are left out', title


def graphviz_draws_hostile_names():
    report = reports.hostile()
    boxes, _, _ = drawn(report, '--min-percent=0')
    assert len(boxes) == len(report.self_ms)
    names = [' '.join(texts[0].split()) for texts, _ in boxes]
    for key in report.self_ms:
        wanted = flat(report.name(key))
        if len(wanted) <= 48:
            assert ' '.join(wanted.split()) in names, f'{wanted!r} is not in the picture'
    assert 'template<…>' in names


# pprof

def from_pprof(path, value):
    done = run(tool('go', 'golang-go'), 'tool', 'pprof', '-top', '-nodecount=100000', '-nodefraction=0', '-unit=ns',
               f'-sample_index={value}', path, env={**os.environ, 'PPROF_TMPDIR': str(work), 'HOME': str(work)})
    rows, text = {}, done.stdout.decode()
    for line in text.splitlines():
        row = re.match(r' *([0-9.]+)(?:ns)? +[0-9.]+% +[0-9.]+% +([0-9.]+)(?:ns)? +[0-9.]+%  (.*)$', line)
        if row:
            rows[row[3]] = float(row[1]), float(row[2])
    return rows, text


def go_tool_pprof_has_our_self_and_total():
    report = reports.plain()
    path = export(report, 'pprof', suffix='.pb.gz')
    rows, text = from_pprof(path, 'time')
    assert 'File: app' in text and 'Duration: 2.01s' in text and 'Jan 31, 2026' in text, text
    for key in report.self_ms:
        near(rows[report.name(key)][0], report.self_ms[key] * 1e6, f'flat of {key}', 1.5)
        near(rows[report.name(key)][1], report.total_ms[key] * 1e6, f'cum of {key}', 1.5)
    calls, _ = from_pprof(path, 'calls')
    for key, count in report.calls.items():
        assert calls[report.name(key)][0] == count, f'calls of {key}: {calls[report.name(key)]}'


def fields(text):
    """Messages of protoc --decode_raw as lists of (number, value)."""
    top, stack = [], []
    level = top
    for line in text.splitlines():
        line = line.strip()
        if line.endswith('{'):
            inner = []
            level.append((int(line[:-1]), inner))
            stack.append(level)
            level = inner
        elif line == '}':
            level = stack.pop()
        else:
            number, value = line.split(': ', 1)
            level.append((int(number), value))
    return top


def packed(value):
    """Varints of a packed field, as protoc shows its bytes."""
    if not value.startswith('"'):
        return [int(value)]
    data = value[1:-1].encode('latin-1').decode('unicode_escape').encode('latin-1')
    numbers, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    return numbers


def protoc_decodes_the_public_field_numbers():
    report = reports.hostile()
    raw = gzip.decompress(export(report, 'pprof').read_bytes())
    text = run(tool('protoc', 'protobuf-compiler'), '--decode_raw', input=raw).stdout.decode()
    numbers = {number for number, _ in fields(text)}
    assert numbers <= set(range(1, 15)) and {1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 14} <= numbers, numbers
    profile = fields(text)
    assert [n for n, _ in profile].count(2) == len(report.nodes)
    assert [n for n, _ in profile].count(5) == len(report.self_ms) + 1
    duration = [value for number, value in profile if number == 10]
    assert duration == ['2012500000'], duration
    started = [value for number, value in profile if number == 9]
    assert started == ['1769851800123456000'], started


TESTS = [callgrind_annotate_has_our_self_and_total, callgrind_annotate_reads_hostile_names, graphviz_draws_the_calls,
         graphviz_draws_hostile_names, go_tool_pprof_has_our_self_and_total, protoc_decodes_the_public_field_numbers]
