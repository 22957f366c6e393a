# SPDX-License-Identifier: Apache-2.0
"""The real Temporal with workers of its Go, Python and TypeScript SDKs, which know only Belfry's
address.  Whether each slot and each direct start is one workflow is asked of Temporal itself."""
import asyncio
import collections
import datetime
import pathlib
import sys
import time

from peers import call, until
from programs import Lines
from temporalio.client import (
    Client, Schedule, ScheduleActionStartWorkflow, ScheduleIntervalSpec, ScheduleOverlapPolicy,
    SchedulePolicy, ScheduleSpec, WorkflowExecutionStatus)

HERE = pathlib.Path(__file__).parent
SETTLE_S = 300  # until the last workflows have ended
LANGUAGES = ("go", "python", "typescript")


class TemporalSide:
    name = "temporal"

    def __init__(self, belfry, work, period):
        self.period, self.work, self.belfry = period, work, belfry
        self.server = Lines("temporal", [f"{work}/neighbour", "serve"], f"{work}/temporal.log")
        self.upstream = self.server.wait_for(lambda line: ":" in line)
        self.workers, self.created, self.paused = {}, {}, {}

    def settings(self):
        return {"type": "temporal", "url": f"http://{self.upstream}", "namespace": "default"}

    def run(self, action):
        return asyncio.run(action)

    def start(self):
        address, every = self.belfry.root.removeprefix("http://"), str(self.period)
        commands = {
            "go": [f"{self.work}/neighbour", "work", "-address", address, "-queue", "go",
                   "-every", f"{every}s"],
            "python": [sys.executable, str(HERE / "worker.py"), address, "python", every],
            "typescript": ["node", f"{self.work}/js/worker.mjs", address, "typescript", every]}
        for name in LANGUAGES:
            self.workers[name] = Lines(name, commands[name], f"{self.work}/{name}.log")
        for name in LANGUAGES:
            self.workers[name].wait_for(lambda line: line == "ready")
        self.run(self.create(address))

    async def create(self, address):
        client = await Client.connect(address)
        for name in LANGUAGES:
            before = time.time()
            await client.create_schedule(f"every-{name}", Schedule(
                action=ScheduleActionStartWorkflow(
                    "tick", id=f"slot-{name}", task_queue=name),
                spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(
                    every=datetime.timedelta(seconds=self.period))]),
                policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.ALLOW_ALL)))
            self.created[name] = (before, time.time())

    async def pause(self):
        client = await Client.connect(self.belfry.root.removeprefix("http://"))
        for name in LANGUAGES:
            before = time.time()
            await client.get_schedule_handle(f"every-{name}").pause()
            self.paused[name] = (before, time.time())

    def quiet(self):
        """Ends the direct starts and the slots; the workers go on."""
        for worker in self.workers.values():
            worker.send("quiet")
            worker.wait_for(lambda line: line == "quiet")
        self.run(self.pause())

    def judge(self):
        """Returns the numbers of right and wrong starts."""
        return self.run(self.compare())

    async def found(self):
        client = await Client.connect(self.upstream)
        end = time.monotonic() + SETTLE_S
        while True:
            runs = [one async for one in client.list_workflows("WorkflowType = 'tick'")]
            opened = [one for one in runs if one.status == WorkflowExecutionStatus.RUNNING]
            if (not opened and self.slots_found(runs)) or time.monotonic() > end:
                return runs
            await asyncio.sleep(1)

    def expected(self, name):
        """The slots that must be there, and those that may be there because a schedule was being
        created or paused at their time."""
        sure = range(first_after(self.created[name][1], self.period),
                     int(self.paused[name][0]) + 1, self.period)
        possible = range(first_after(self.created[name][0] - 1, self.period),
                         int(self.paused[name][1]) + 2, self.period)
        return set(sure), set(possible)

    def slots_found(self, runs):
        ids = {one.id for one in runs}
        return all(slot_id(name, at) in ids for name in LANGUAGES for at in self.expected(name)[0])

    async def compare(self):
        runs = await self.found()
        per_id = collections.Counter(one.id for one in runs)
        by_run = {one.run_id: one for one in runs}
        right = wrong = 0

        def check(is_right, text):
            nonlocal right, wrong
            right, wrong = right + bool(is_right), wrong + (not is_right)
            if not is_right:
                print(f"not ok: {text}")

        for name in LANGUAGES:
            sure, possible = self.expected(name)
            for at in sorted(sure):
                count = per_id[slot_id(name, at)]
                check(count == 1, f"{count} workflows of {slot_id(name, at)}")
            allowed = {slot_id(name, at) for at in possible}
            others = [one for one in per_id if one.startswith(f"slot-{name}-") and one not in allowed]
            check(not others, f"workflows without a slot: {others[:5]}")
            answered = [line.split(" ")[1:] for line in self.workers[name].lines
                        if line.startswith("started ")]
            failed = [line for line in self.workers[name].lines if line.startswith("failed ")]
            for workflow_id, run_id in answered:
                check(per_id[workflow_id] == 1 and run_id in by_run,
                      f"{workflow_id} was answered and exists {per_id[workflow_id]} times")
            double = [one for one in per_id if one.startswith(f"direct-{name}-") and per_id[one] > 1]
            check(not double, f"doubled direct starts: {double[:5]}")
            print(f"{name}: {len(sure)} slots, {len(answered)} direct starts answered, "
                  f"{len(failed)} not answered")
        bad = [f"{one.id}: {one.status}" for one in runs
               if one.status != WorkflowExecutionStatus.COMPLETED]
        check(not bad, f"{len(bad)} workflows did not complete: {bad[:5]}")
        print(f"{len(runs)} workflows at Temporal")
        return right, wrong

    def stop(self):
        for worker in self.workers.values():
            worker.stop()
        self.server.stop()


def first_after(moment, period):
    return (int(moment) // period + 1) * period


def slot_id(name, at):
    return f"slot-{name}-{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(at))}"
