# SPDX-License-Identifier: MIT
"""What every reader's tests begin with: the exported report, the reader run, times compared."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

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
    if len(name) > 256:
        name = re.sub('<.*>', '<…>', name)
    name = re.sub(r' (?=[0-9.]+$)', '_', flat(name, ';', ':'))
    return re.sub('^ | $', '_', name)
