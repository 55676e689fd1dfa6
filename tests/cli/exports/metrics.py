# SPDX-License-Identifier: MIT
"""Readers of the metrics: promtool, node_exporter and Prometheus, each as a server of its own."""
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.request

import reports
from reading import export, near, run, tool, work


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


TESTS = [promtool_finds_no_fault, node_exporter_serves_the_file, prometheus_scrapes_it_both_ways]
