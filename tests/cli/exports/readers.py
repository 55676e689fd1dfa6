#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readers.py STINT FETCH BUILD_DIR: what stint exports, read by programs that are not stint's. What they
read is compared with what the reports were made of. TAP; a reader that is not installed is a skip."""
import shutil
import sys

import callgraphs
import flames
import metrics
import plain
from reading import Skip, work

TESTS = flames.TESTS + callgraphs.TESTS + metrics.TESTS + plain.TESTS


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
