# SPDX-License-Identifier: Apache-2.0
"""Kills Belfry again and again while real workers, which know only its address, carry out scheduled
and directly started workflows.  The last line is "N passed, N failed"."""
import argparse
import signal
import sys
import time

from peers import Belfry, call

KILL_S = 30


def side_of(name):
    """The packages of a side are only in its own environment."""
    if name == "temporal":
        from temporal_side import TemporalSide
        return TemporalSide
    from conductor_side import ConductorSide
    return ConductorSide


def connect(belfry, side):
    status, _, answer = call(f"{belfry.root}/api/v1/namespaces/default", "PUT", {"settings": {
        "allowNetworks": ["127.0.0.0/8"], "upstream": side.name,
        "upstreams": {side.name: side.settings()}}})
    assert status == 200, answer


def kill_until(belfry, end):
    """Returns the number of kills."""
    kills = 0
    slowest = 0.0
    while time.monotonic() + KILL_S < end:
        time.sleep(KILL_S)
        belfry.stop(signal.SIGKILL)
        begin = time.monotonic()
        belfry.start()
        slowest = max(slowest, time.monotonic() - begin)
        kills += 1
    time.sleep(max(0, end - time.monotonic()))
    print(f"{kills} kills; the slowest start of Belfry took {slowest:.1f} s", flush=True)
    return kills


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("belfry")
    parser.add_argument("work")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--period", type=int, default=1, help="seconds between two slots")
    parser.add_argument("--side", choices=("temporal", "conductor"), default="temporal")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

    belfry, side = Belfry(given.belfry, given.work, "kills"), None
    try:
        side = side_of(given.side)(belfry, given.work, given.period)
        connect(belfry, side)
        side.start()
        print("workers and schedules are ready", flush=True)
        kills = kill_until(belfry, time.monotonic() + given.minutes * 60)
        side.quiet()
        passed, failed = side.judge(kills)
    finally:
        if side:
            side.stop()
        belfry.stop(signal.SIGKILL)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
