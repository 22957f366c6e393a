# SPDX-License-Identifier: Apache-2.0
"""What the systems of this test have in common when their workflows are counted."""

# A worker starts one workflow directly for each slot; kills and a busy machine cost it some.
LEAST_DIRECT = 4


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

    def __init__(self, show=print):
        self.right = self.wrong = 0
        self.show = show

    def check(self, is_right, text):
        if is_right:
            self.right += 1
        else:
            self.wrong += 1
            self.show(f"not ok: {text}")

    def slots(self, name, per_slot, sure, possible):
        """Each slot is one workflow, and no workflow has a slot that the schedule does not have."""
        self.check(sure, f"{name} has no slots")
        for at in sorted(sure):
            self.check(per_slot[at] == 1, f"{name}: {per_slot[at]} workflows of slot {at}")
        others = {at: n for at, n in per_slot.items()
                  if at not in sure and (at not in possible or n > 1)}
        self.check(not others, f"{name}: workflows without a slot: {others}")

    def direct(self, name, lines, per_key, runs, slots):
        """Each start that the client saw answered exists once, no start exists twice or was never
        sent, and the client did start workflows during the time of so many slots."""
        answered = [line.split(" ")[1:] for line in lines if line.startswith("started ")]
        failed = [line for line in lines if line.startswith("failed ")]
        sent = {key for key, _ in answered} | {line.split(" ")[1] for line in failed}
        for key, run in answered:
            self.check(per_key[key] == 1 and run in runs,
                       f"{key} was answered and exists {per_key[key]} times")
        twice = [key for key in per_key if per_key[key] > 1]
        self.check(not twice, f"{name}: direct starts that exist twice: {twice[:5]}")
        self.check(sent >= set(per_key), f"{name}: nobody started {list(set(per_key) - sent)[:5]}")
        self.check(len(answered) * LEAST_DIRECT >= slots,
                   f"{name}: only {len(answered)} direct starts in the time of {slots} slots")
        self.show(f"{name}: {len(answered)} direct starts answered, {len(failed)} not answered")
        for line in failed[:3]:
            self.show(f"  {line[:200]}")

    def repeated(self, name, tasks, kills, threads):
        """The upstream gives a task out again if the answer to a poll or a report was lost; only a
        kill may lose one.  It cuts one poll, for a task per thread, and a report of each thread."""
        most = 2 * threads * kills
        self.check(tasks <= most, f"{name}: {tasks} tasks were lost in {kills} kills")
        self.show(f"{name}: {tasks} tasks were given out again")
