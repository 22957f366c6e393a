# SPDX-License-Identifier: Apache-2.0
"""Runs the parts of this suite and writes their tables into docs/migrate/conductor.md.  The last
line is "N passed, N failed"."""
import importlib
import os
import sys
import traceback

from page import write_block
from peers import Conductor

PAGE = "conductor.md"
PARTS = "compare methods"


def run_part(name, conductor, belfry, work):
    """Returns the numbers of passed and failed cases."""
    print(f"== {name}", flush=True)
    try:
        passed, failed, block = importlib.import_module(name).run(conductor, belfry, work)
    except Exception:
        traceback.print_exc()
        return 0, 1
    if block and not failed:
        write_block(PAGE, name, block)
    return passed, failed


def main():
    belfry, work = sys.argv[1:]
    conductor = Conductor(work)
    try:
        results = [run_part(name, conductor, belfry, work)
                   for name in os.environ.get("PARTS", PARTS).split()]
    finally:
        conductor.stop()
    passed, failed = (sum(column) for column in zip(*results))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
