# SPDX-License-Identifier: Apache-2.0
"""The real Temporal with workers of its Go, Python and TypeScript SDKs, which know only Belfry's
address.  Whether each slot and each direct start is one workflow is asked of Temporal itself."""
import asyncio
import calendar
import collections
import datetime
import pathlib
import sys
import time

from checks import Checks, slots_between
from programs import Lines
from temporalio.client import (
    Client, Schedule, ScheduleActionStartWorkflow, ScheduleIntervalSpec, ScheduleOverlapPolicy,
    SchedulePolicy, ScheduleSpec, WorkflowExecutionStatus)
from temporalio.service import RPCError

HERE = pathlib.Path(__file__).parent
SETTLE_S = 900  # until the last workflows have ended, on a busy machine
LIST_TIME = datetime.timedelta(minutes=1)
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

    def judge(self, _):
        """Returns the numbers of right and wrong starts."""
        return self.run(self.compare())

    async def found(self):
        """All workflows, when the last of them has ended."""
        client = await Client.connect(self.upstream)
        end = time.monotonic() + SETTLE_S
        while True:
            try:
                runs = [one async for one in client.list_workflows(
                    "WorkflowType = 'tick'", rpc_timeout=LIST_TIME)]
                opened = [one for one in runs if one.status == WorkflowExecutionStatus.RUNNING]
                if (not opened and self.slots_found(runs)) or time.monotonic() > end:
                    return runs
            except RPCError:  # a busy server
                assert time.monotonic() < end, "Temporal does not list its workflows"
            await asyncio.sleep(1)

    def expected(self, name):
        return slots_between(self.created[name], self.paused[name], self.period)

    def slots_found(self, runs):
        ids = {one.id for one in runs}
        return all(slot_id(name, at) in ids for name in LANGUAGES for at in self.expected(name)[0])

    async def compare(self):
        runs = await self.found()
        per_id = collections.Counter(one.id for one in runs)
        checks = Checks()
        for name in LANGUAGES:
            sure, possible = self.expected(name)
            checks.slots(name, per_slot(name, per_id), sure, possible)
            direct = {key: n for key, n in per_id.items() if key.startswith(f"direct-{name}-")}
            checks.direct(name, self.workers[name].lines, collections.Counter(direct),
                          {one.run_id for one in runs}, len(sure))
            print(f"{name}: {len(sure)} slots")
        bad = [f"{one.id}: {one.status}" for one in runs
               if one.status != WorkflowExecutionStatus.COMPLETED]
        checks.check(not bad, f"{len(bad)} workflows did not complete: {bad[:5]}")
        print(f"{len(runs)} workflows at Temporal")
        return checks.right, checks.wrong

    def stop(self):
        for worker in self.workers.values():
            worker.stop()
        self.server.stop()


def slot_id(name, at):
    return f"slot-{name}-{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(at))}"


def per_slot(name, per_id):
    """The workflows of each slot of a schedule; an id that has no time counts under the id."""
    prefix = f"slot-{name}-"
    return collections.Counter({slot_of(key, prefix): n for key, n in per_id.items()
                                if key.startswith(prefix)})


def slot_of(key, prefix):
    try:
        return calendar.timegm(time.strptime(key.removeprefix(prefix), "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return key
