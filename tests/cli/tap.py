# SPDX-License-Identifier: MIT
#
# Cases in Python: each function's name is the sentence it proves; what it asserts, holds. Told as TAP.
import os, signal, subprocess, sys, tempfile, traceback

stint = os.environ["STINT_COMMAND"]


def run(*args, status=0, **more):
    """Runs `stint ARGS`; fails where it ends otherwise."""
    done = subprocess.run([stint, *map(str, args)], capture_output=True, text=True, **more)
    assert done.returncode == status, f"status {done.returncode}, not {status}: {args}\n{done.stdout}\n{done.stderr}"
    return done


def main(cases):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a case that takes too long leaves nothing either
    print(f"1..{len(cases)}")
    bad = 0
    for number, case in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as work:
            os.chdir(work)
            try:
                skipped = case()
                print(f"ok {number} - {case.__name__}" + (f" # SKIP {skipped}" if skipped else ""))
            except Exception:
                bad += 1
                print(f"not ok {number} - {case.__name__}")
                print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="")
            finally:
                os.chdir("/")
        sys.stdout.flush()
    sys.exit(bad > 0)
