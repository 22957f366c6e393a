# SPDX-License-Identifier: Apache-2.0
"""What the systems of this test have in common when their workflows are counted."""


def slots_between(created, paused, period):
    """The slots that must be there, and those that may be there because a schedule was being
    created or paused at their time.  Both arguments are times before and after a call."""
    sure = range(first_after(created[1], period), int(paused[0]) + 1, period)
    possible = range(first_after(created[0] - 1, period), int(paused[1]) + 2, period)
    return set(sure), set(possible)


def first_after(moment, period):
    return (int(moment) // period + 1) * period


class Checks:
    """Counts right and wrong starts."""

    def __init__(self):
        self.right = self.wrong = 0

    def check(self, is_right, text):
        if is_right:
            self.right += 1
        else:
            self.wrong += 1
            print(f"not ok: {text}")

    def direct(self, name, lines, per_key, runs):
        """Each start that the client saw answered exists once, and no start exists twice."""
        answered = [line.split(" ")[1:] for line in lines if line.startswith("started ")]
        failed = [line for line in lines if line.startswith("failed ")]
        for key, run in answered:
            self.check(per_key[key] == 1 and run in runs,
                       f"{key} was answered and exists {per_key[key]} times")
        print(f"{name}: {len(answered)} direct starts answered, {len(failed)} not answered")
        for line in failed[:3]:
            print(f"  {line[:200]}")
