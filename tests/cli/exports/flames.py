# SPDX-License-Identifier: MIT
"""Readers that draw flame graphs: flamegraph.pl, and speedscope, which reads five formats."""
import functools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import reports
from reading import Skip, build, collapsed, export, fetch, here, near, run, same_times, tool


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


TESTS = [flamegraph_draws_each_path, speedscope_reads_its_own_format, speedscopes_schema_is_kept,
         speedscope_reads_folded, speedscope_reads_trace_events, speedscope_reads_callgrind, speedscope_reads_pprof]
