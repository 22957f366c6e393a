# SPDX-License-Identifier: Apache-2.0
"""The instants, the expressions and the timed loop of bench/time/harness.h, for croniter.

Usage: python3 croniter_bench.py MILLISECONDS ROUND.  The first round also sums the
answers for all instants; later rounds start at another instant.
"""
import sys
from datetime import datetime
from time import perf_counter_ns, process_time_ns
from zoneinfo import ZoneInfo

from croniter import croniter

INSTANTS = 1000
FIRST = 1577836800
SPAN = 315619200
SEED = 0x9E3779B97F4A7C15
ROUND_STRIDE = 197
OPS_PER_CLOCK_READ = 16

EXPRS = ["* * * * *", "*/15 9-17 * * 1-5", "30 2 * * *", "0 0 1 * *", "0 0 29 2 *"]
ZONES = ["UTC", "America/New_York"]


def instants():
    mask = (1 << 64) - 1
    x = SEED
    seconds = []
    for _ in range(INSTANTS):
        x ^= x << 13 & mask
        x ^= x >> 7
        x ^= x << 17 & mask
        seconds.append(FIRST + x % SPAN)
    return seconds


def next_after(cron, when):
    cron.set_current(when)
    return cron.get_next(float)


def time(cron, whens, start, ns):
    """Processor time per next match in ns, cycling over `whens` from `start` for `ns`."""
    end = perf_counter_ns() + ns
    before = process_time_ns()
    ops = 0
    while perf_counter_ns() < end:
        for _ in range(OPS_PER_CLOCK_READ):
            next_after(cron, whens[(start + ops) % INSTANTS])
            ops += 1
    return (process_time_ns() - before) / ops


def main():
    ns = int(sys.argv[1]) * 1_000_000
    round_number = int(sys.argv[2])
    for expr in EXPRS:
        for zone in ZONES:
            info = ZoneInfo(zone)
            whens = [datetime.fromtimestamp(s, info) for s in instants()]
            cron = croniter(expr, whens[0])
            total = "-"
            if round_number == 0:
                total = int(sum(next_after(cron, when) for when in whens))
            took = time(cron, whens, round_number * ROUND_STRIDE, ns)
            print("croniter", "next", zone, expr, f"{took:.2f}", total, sep="\t")


main()
