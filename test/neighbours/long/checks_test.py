# SPDX-License-Identifier: Apache-2.0
"""Checks that each kind of wrong start is noticed.  The last line is "N passed, N failed"."""
import collections
import sys

from checks import Checks, slots_between

SURE, POSSIBLE = {10, 11, 12, 13}, {9, 10, 11, 12, 13, 14}
ONCE = {10: 1, 11: 1, 12: 1, 13: 1}
LINES = ["ready", "started a run-a", "failed b no answer", "quiet"]


def wrong_of(method, *given):
    checks = Checks(show=lambda _: None)
    getattr(checks, method)("name", *given)
    return checks.wrong


def slots(per_slot, sure=SURE):
    return wrong_of("slots", collections.Counter(per_slot), sure, POSSIBLE)


def direct(lines, per_key, runs, expected):
    return wrong_of("direct", lines, collections.Counter(per_key), runs, expected)


CASES = {
    "slots of whole seconds": slots_between((8.2, 9.5), (13.1, 13.2), 1) == (
        {10, 11, 12, 13}, {8, 9, 10, 11, 12, 13, 14}),
    "slots of three seconds": slots_between((8.2, 9.5), (15.0, 15.1), 3) == ({12, 15}, {9, 12, 15}),
    "one workflow per slot": slots(ONCE) == 0,
    "a slot at the edge": slots({**ONCE, 9: 1}) == 0,
    "a lost slot": slots({10: 1, 11: 1, 12: 1}) == 1,
    "a doubled slot": slots({**ONCE, 11: 2}) == 1,
    "a doubled slot at the edge": slots({**ONCE, 14: 2}) == 1,
    "a workflow without a slot": slots({**ONCE, 20: 1}) == 1,
    "a schedule without slots": slots({}, set()) == 1,
    "a direct start": direct(LINES, {"a": 1}, {"run-a"}, 4) == 0,
    "an unanswered start that exists": direct(LINES, {"a": 1, "b": 1}, {"run-a", "run-b"}, 4) == 0,
    "an unanswered start that exists twice": direct(LINES, {"a": 1, "b": 2}, {"run-a"}, 4) == 1,
    "a lost direct start": direct(LINES, {}, {"run-b"}, 4) == 1,
    "a direct start with another run": direct(LINES, {"a": 1}, {"run-c"}, 4) == 1,
    "a workflow that nobody started": direct(LINES, {"a": 1, "c": 1}, {"run-a"}, 4) == 1,
    "a client without direct starts": direct(["ready", "quiet"], {}, set(), 4) == 1,
    "tasks that kills lost": wrong_of("repeated", 4, 2, 1) == 0,
    "more lost tasks than kills can lose": wrong_of("repeated", 5, 2, 1) == 1,
}

failed = [name for name, is_right in CASES.items() if not is_right]
for name in failed:
    print(f"not ok: {name}")
print(f"{len(CASES) - len(failed)} passed, {len(failed)} failed")
sys.exit(bool(failed))
