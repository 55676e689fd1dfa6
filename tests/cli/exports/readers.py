#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readers.py STINT FETCH BUILD_DIR: what stint exports, read by programs that are not stint's. What they
read is compared with what the reports were made of. TAP; a reader that is not installed is a skip."""
import csv
import functools
import gzip
import http.server
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import xml.etree.ElementTree
from pathlib import Path

import reports

stint, fetch, build = (os.path.abspath(path) for path in sys.argv[1:4])
here = Path(__file__).resolve().parent
work = Path(tempfile.mkdtemp(prefix='stint-exports-'))


ALL = 'folded', 'speedscope', 'chrome', 'callgrind', 'pprof', 'openmetrics', 'csv', 'dot'


class Skip(Exception):
    pass


def tool(name, package):
    found = shutil.which(name)
    if not found:
        raise Skip(f'{name} ({package}) is not installed')
    return found


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, **options)
    assert done.returncode == 0, f'{command[0]} ended with {done.returncode}: {done.stderr.decode()[-600:]}'
    return done


def export(report, form, *options, suffix=''):
    """Path of the report in that form."""
    source, target = work / f'{form}.json', work / f'{form}{suffix}'
    report.write(source)
    run(stint, 'export', '-f', form, '-o', target, *options, source)
    return target


def near(got, wanted, what, most=1.0):
    assert abs(got - wanted) <= most, f'{what}: {got}, not {wanted}'


def same_times(got, report, names, what, most=1.5):
    """Nanoseconds by name; functions of one name are added up by readers that know only names."""
    wanted = {}
    for key, ms in report.self_ms.items():
        wanted[names(key)] = wanted.get(names(key), 0) + ms * 1e6
    for name, ns in wanted.items():
        near(got.get(name, 0), ns, f'{what}: {name[:60]!r}', most)
    strangers = set(got) - set(wanted) - {'[folded]', '[program]'}
    assert not strangers, f'{what}: nobody is called {sorted(strangers)[:3]}'


def flat(name, also='', instead=''):
    """What a format with a line a name makes of it."""
    name = re.sub('[\x00-\x1f\x7f-\x9f\u2028\u2029]', '?', name or '[unnamed]')
    return name.replace(also, instead) if also else name


def collapsed(name):
    name = re.sub(r' (?=[0-9.]+$)', '_', flat(name, ';', ':'))
    return re.sub('^ | $', '_', name)


# flamegraph.pl

def flamegraph_draws_each_path():
    found = shutil.which('flamegraph.pl') or '/usr/share/perl5/Devel/NYTProf/flamegraph.pl'
    if not os.path.exists(found):
        raise Skip('flamegraph.pl (libdevel-nytprof-perl) is not installed')
    for report in reports.plain(), reports.hostile():
        svg = run('perl', found, '--countname=ns', '--minwidth=0', export(report, 'folded'))
        assert not svg.stderr, svg.stderr.decode()
        frames = re.findall(r"""(?:s\('|<title>)(.*) \(([0-9,]+) ns, [0-9.]+%\)(?:'\)|</title>)""", svg.stdout.decode())
        boxes, angles = {}, str.maketrans('<>', '()')  # older ones make one of the other
        for name, ns in frames:
            for entity, text in ('&lt;', '<'), ('&gt;', '>'), ('&quot;', '"'), ('&amp;', '&'):
                name = name.replace(entity, text)
            name = name.translate(angles)
            boxes.setdefault(name, []).append(int(ns.replace(',', '')))
        near(max(boxes['all']), report.whole_ms * 1e6, 'the whole graph')
        # siblings of one name share a box
        wanted = {}
        for node in report.nodes:
            path = tuple('[folded]' if key is None else collapsed(report.name(key)).translate(angles)
                         for key in (node.key, *node.keys_above()))
            wanted[path] = wanted.get(path, 0) + node.total_ms() * 1e6
        for path, total in wanted.items():
            assert any(abs(ns - total) <= 1.5 for ns in boxes.get(path[0], [])), \
                f'{path[0][:60]!r} has no box of {total} ns: {boxes.get(path[0])}'


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


# Prometheus

LABELS = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def unescaped(text):
    return re.sub(r'\\(.)', lambda m: '\n' if m[1] == 'n' else m[1], text)


def samples(text):
    """{(name, labels): value} of an exposition, as the collector shows it."""
    found = {}
    for line in text.split('\n'):
        row = re.match(r'(stint_[a-z_]+)\{(.*)\} (\S+)$', line)
        if row:
            labels = tuple(sorted((k, unescaped(v)) for k, v in LABELS.findall(row[2]) if v))
            found[row[1], labels] = float(row[3])
    return found


def wanted_samples(report):
    twins = {}
    members = {key: {'module': '/opt/app/bin/app', **report.functions[key]} for key in report.ids}
    for key, of in members.items():
        twins.setdefault((of['name'], of['module']), []).append(key)
    wanted = {}
    for key in report.self_ms:
        if key in members:
            of = members[key]
            labels = {'function': of['name'] or '[unnamed]', 'module': of['module']}
            if len(twins[of['name'], of['module']]) > 1:
                labels['offset'] = of['offset']
            kind = 'function'
        else:
            labels, kind = {'category': key}, 'category'
        rows = {f'stint_{kind}_self_seconds': report.self_ms[key] / 1e3,
                f'stint_{kind}_inclusive_seconds': report.total_ms[key] / 1e3,
                f'stint_{kind}_duration_seconds_count': report.calls[key],
                f'stint_{kind}_duration_seconds_sum': report.total_ms[key] / 1e3}
        for name, value in rows.items():
            wanted[name, tuple(sorted({'program': 'app', **labels}.items()))] = value
        quantile = report.statistics(key)['P99_ms'] / 1e3
        wanted[f'stint_{kind}_duration_seconds',
               tuple(sorted({'program': 'app', 'quantile': '0.99', **labels}.items()))] = quantile
    wanted['stint_lost_events', (('kind', 'calls_too_deep'), ('program', 'app'))] = 0
    for i in range(len(report.threads)):
        wanted['stint_thread_cpu_seconds', (('name', f'thread {i}'), ('program', 'app'), ('thread', str(i)))] = 2
    if report.extra:
        for name, labels, value in (
                ('stint_counted', {'counter': 'cache "hits"'}, -12), ('stint_counted_calls', {'counter': 'cache "hits"'}, 3),
                ('stint_value', {'value': 'size', 'unit': 'bytes', 'quantile': '0.999'}, 9.5),
                ('stint_value_sum', {'value': 'size', 'unit': 'bytes'}, 1e9),
                ('stint_value_count', {'value': 'size', 'unit': 'bytes'}, 4),
                ('stint_value_minimum', {'value': 'error'}, -2), ('stint_frames_missed', {'frames': 'Frame'}, 12),
                ('stint_frame_budget_seconds', {'frames': 'Frame'}, 0.0165)):
            wanted[name, tuple(sorted({'program': 'app', **labels}.items()))] = value
    return wanted


def same_samples(got, report, what):
    wanted = wanted_samples(report)
    for key, value in wanted.items():
        assert key in got, f'{what}: no {key}'
        near(got[key], value, f'{what}: {key}', abs(value) * 1e-9)


def promtool_finds_no_fault():
    promtool = tool('promtool', 'prometheus')
    for report in reports.plain(), reports.hostile(), reports.large():
        text = export(report, 'openmetrics').read_bytes()
        assert text.endswith(b'\n# EOF\n')
        done = run(promtool, 'check', 'metrics', input=text)
        assert not done.stdout + done.stderr, (done.stdout + done.stderr).decode()[:600]


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def page(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def until(what, ask, process=None, most_s=60):
    """Asks again and again until there is an answer."""
    end = time.monotonic() + most_s
    while time.monotonic() < end:
        assert process is None or process.poll() is None, f'{what}: it ended with {process.returncode}'
        try:
            answer = ask()
            if answer:
                return answer
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(f'{what}: nothing within {most_s} s')


class Started:
    """A server for a while."""

    def __init__(self, *command):
        self.log = open(work / (os.path.basename(command[0]) + '.log'), 'w+b')
        self.process = subprocess.Popen([str(part) for part in command], stdout=self.log, stderr=self.log)

    def __enter__(self):
        return self.process

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def node_exporter(folder, port):
    return Started(tool('prometheus-node-exporter', 'prometheus-node-exporter'), '--collector.disable-defaults',
                   '--collector.textfile', f'--collector.textfile.directory={folder}',
                   f'--web.listen-address=127.0.0.1:{port}')


def textfiles(report):
    folder = work / 'textfiles'
    folder.mkdir(exist_ok=True)
    shutil.copy(export(report, 'openmetrics'), folder / 'app.prom')
    return folder


def node_exporter_serves_the_file():
    for report in reports.plain(), reports.hostile():
        port = free_port()
        with node_exporter(textfiles(report), port) as process:
            text = until('node_exporter', lambda: page(f'http://127.0.0.1:{port}/metrics'), process)
        assert re.search(r'^node_textfile_scrape_error 0$', text, re.M), 'the collector refused the file'
        same_samples(samples(text), report, 'node_exporter')


class OpenMetrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.body
        self.send_response(200)
        self.send_header('Content-Type', 'application/openmetrics-text; version=1.0.0; charset=utf-8')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def prometheus_scrapes_it_both_ways():
    """Through node_exporter, and the file itself under OpenMetrics' own, stricter parser."""
    prometheus = tool('prometheus', 'prometheus')
    for report in reports.plain(), reports.hostile():
        scrape_both_ways(prometheus, report)


def scrape_both_ways(prometheus, report):
    shutil.rmtree(work / 'tsdb', ignore_errors=True)
    direct = http.server.ThreadingHTTPServer(('127.0.0.1', 0), OpenMetrics)
    direct.body = export(report, 'openmetrics').read_bytes()
    threading.Thread(target=direct.serve_forever, daemon=True).start()
    node, port = free_port(), free_port()
    (work / 'prometheus.yml').write_text(f'''
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
  - {{job_name: node, static_configs: [{{targets: ["127.0.0.1:{node}"]}}]}}
  - {{job_name: direct, static_configs: [{{targets: ["127.0.0.1:{direct.server_port}"]}}]}}
''')
    with node_exporter(textfiles(report), node), Started(
            prometheus, f'--config.file={work}/prometheus.yml', f'--storage.tsdb.path={work}/tsdb',
            f'--web.listen-address=127.0.0.1:{port}') as process:
        for job in 'node', 'direct':
            query = f'http://127.0.0.1:{port}/api/v1/query?query=%7Bjob%3D%22{job}%22%2C__name__%3D~%22stint_.*%22%7D'
            found = until(f'Prometheus, {job}', lambda: json.loads(page(query))['data']['result'], process)
            got = {}
            for sample in found:
                labels = dict(sample['metric'])
                name = labels.pop('__name__')
                labels = tuple(sorted((k, v) for k, v in labels.items() if k not in ('job', 'instance')))
                got[name, labels] = float(sample['value'][1])
            same_samples(got, report, job)
    direct.shutdown()


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
    assert any('…' in name and name.endswith('void>') for name in names)


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


# speedscope

@functools.cache
def speedscope_release():
    """Folder of its script, or why there is none; the registry is asked once."""
    npm = tool('npm', 'npm')
    try:
        fetched = subprocess.run([fetch, npm, str(here), build], capture_output=True, timeout=100)
    except subprocess.TimeoutExpired:
        return None, 'npm could not fetch speedscope within 100 s'
    if fetched.returncode:
        return None, 'npm could not fetch speedscope: ' + fetched.stderr.decode().strip().split('\n')[-1][:100]
    return os.path.join(build, 'node_modules/speedscope/dist/release'), ''


def speedscope(*paths):
    node = tool('node', 'nodejs')
    release, reason = speedscope_release()
    if not release:
        raise Skip(reason)
    return release, json.loads(run(node, here / 'speedscope.mjs', release, *paths).stdout)


def speedscope_reads(form, suffix='', unit_ns=1, names=None, quiet=True, with_threads=False):
    for report in reports.plain(), reports.hostile():
        path = export(report, form, suffix=suffix)
        _, told = speedscope(path)
        told = told[path.name]
        assert told['profiles'], f'{form} is not recognised'
        assert not (quiet and told['warnings']), told['warnings'][:3]
        first = told['profiles'][0]
        near(first['weight'] * unit_ns, report.whole_ms * 1e6, f'{form}: weight')
        given = {}
        for name, ns in first['self'].items():
            name = re.sub(r' \{"calls":.*\}$', '', name, flags=re.S) if form == 'chrome' else name
            given[name] = given.get(name, 0) + ns * unit_ns
        same_times(given, report, lambda key: (names or (lambda name: name or '[unnamed]'))(report.name(key)), form)
        if with_threads:
            assert len(told['profiles']) == 1 + len(report.threads)
            for profile, roots in zip(told['profiles'][1:], report.threads):
                near(profile['weight'] * unit_ns, sum(root.total_ms() for root in roots) * 1e6, profile['name'])


def speedscope_reads_its_own_format():
    speedscope_reads('speedscope', '.speedscope.json', with_threads=True)


def speedscopes_schema_is_kept():
    try:
        import jsonschema
    except ImportError:
        raise Skip('python3-jsonschema is not installed')
    path = export(reports.hostile(), 'speedscope')
    release, _ = speedscope(path)
    schema = json.loads(Path(release, 'file-format-schema.json').read_text())
    jsonschema.validate(json.loads(path.read_text()), schema)


def speedscope_reads_folded():
    speedscope_reads('folded', '.collapsedstack.txt', names=collapsed)


def speedscope_reads_trace_events():
    # its frames are named by their arguments too, which an end has none of: it warns
    speedscope_reads('chrome', unit_ns=1000, quiet=False, with_threads=True)


def speedscope_reads_callgrind():
    report = reports.plain()
    path = export(report, 'callgrind')
    told = speedscope(path)[1][path.name]
    assert told['profiles'] and not told['warnings'], told['warnings']
    near(told['profiles'][0]['weight'], report.whole_ms * 1e6, 'callgrind: weight', 100)


def speedscope_reads_pprof():
    speedscope_reads('pprof', '.pb.gz')


# Python's own

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


TESTS = [flamegraph_draws_each_path, callgrind_annotate_has_our_self_and_total, callgrind_annotate_reads_hostile_names,
         promtool_finds_no_fault, node_exporter_serves_the_file, prometheus_scrapes_it_both_ways,
         graphviz_draws_the_calls, graphviz_draws_hostile_names, go_tool_pprof_has_our_self_and_total,
         protoc_decodes_the_public_field_numbers, speedscope_reads_its_own_format, speedscopes_schema_is_kept,
         speedscope_reads_folded, speedscope_reads_trace_events, speedscope_reads_callgrind, speedscope_reads_pprof,
         trace_events_are_nested, csv_is_read_back, fractions_of_nanoseconds_add_up,
         deep_recursion_is_cut_in_its_stacks_alone, large_reports_keep_their_sums]


def main():
    wanted = [test for test in TESTS if not sys.argv[4:] or test.__name__ in sys.argv[4:]]
    print(f'1..{len(wanted)}', flush=True)
    failed = 0
    for number, test in enumerate(wanted, 1):
        name = test.__name__.replace('_', ' ')
        try:
            test()
            print(f'ok {number} - {name}', flush=True)
        except Skip as reason:
            print(f'ok {number} - {name} # SKIP {reason}', flush=True)
        except Exception as error:  # a reader may fail in any way; each is a failed test
            failed = 1
            lines = f'{type(error).__name__}: {error}'.split('\n')
            print(f'not ok {number} - {name}', *(f'# {line}' for line in lines), sep='\n', flush=True)
    shutil.rmtree(work)
    return failed


sys.exit(main())
