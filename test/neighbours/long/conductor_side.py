# SPDX-License-Identifier: Apache-2.0
"""A real Conductor with workers of its Python and Java SDKs, which know only Belfry's address.
Whether each slot and each direct start is one workflow is asked of Conductor itself."""
import collections
import pathlib
import subprocess
import time

from checks import Checks, slots_between
from peers import Conductor, call, until
from programs import Lines

HERE = pathlib.Path(__file__).parent
SETTLE_S = 900  # until the last workflows have ended, on a busy machine
PAGE = 1000
LANGUAGES = {"python": 1, "java": 4}  # threads of each worker


class ConductorSide:
    name = "conductor"

    def __init__(self, belfry, work, period):
        self.period, self.belfry, self.work = period, belfry, f"{work}/../conductor"
        self.server = Conductor(self.work)
        self.workers, self.created, self.paused = {}, {}, {}
        self.define()

    def settings(self):
        return {"type": "conductor", "url": self.server.url}

    def define(self):
        """The tasks and workflows, directly at Conductor."""
        for name in LANGUAGES:
            # A task whose poll was answered into a killed connection is given out again after
            # responseTimeoutSeconds; timeoutSeconds would end the workflow instead.
            task = {"name": name, "ownerEmail": "owner@example.com", "retryCount": 3,
                    "responseTimeoutSeconds": 30, "timeoutSeconds": 0}
            assert call(f"{self.server.url}/metadata/taskdefs", "POST", [task])[0] < 300
            flow = {"name": name, "version": 1, "schemaVersion": 2, "timeoutSeconds": 0,
                    "ownerEmail": "owner@example.com",
                    "tasks": [{"name": name, "taskReferenceName": name, "type": "SIMPLE"}]}
            status, _, answer = call(f"{self.server.url}/metadata/workflow", "POST", flow)
            assert status < 300, answer

    def start(self):
        classes = f"{self.work}/classes"
        java = [f"{self.work}/java/bin/java", "-cp", f"{classes}:{self.work}/sdk/*"]
        subprocess.run(java + ["org.eclipse.jdt.internal.compiler.batch.Main", "-21", "-nowarn",
                               "-d", classes, str(HERE / "ConductorWorker.java")], check=True)
        commands = {"python": [f"{self.work}/venv/bin/python", str(HERE / "conductor_worker.py")],
                    "java": java + ["ConductorWorker"]}
        for name in LANGUAGES:
            self.workers[name] = Lines(name, commands[name] + [
                self.belfry.url, name, str(self.period)], f"{self.work}/{name}.log")
        for name in LANGUAGES:
            self.workers[name].wait_for(lambda line: line == "ready")
            before = time.time()
            status, _, answer = call(f"{self.belfry.url}/scheduler/schedules", "POST", {
                "name": name, "cronExpression": f"*/{self.period} * * * * ?", "zoneId": "UTC",
                "runCatchupScheduleInstances": True,
                "startWorkflowRequest": {"name": name, "version": 1}})
            assert status < 300, answer
            self.created[name] = (before, time.time())

    def quiet(self):
        """Ends the direct starts and the slots; the workers go on."""
        for name, worker in self.workers.items():
            worker.send("quiet")
            worker.wait_for(lambda line: line == "quiet")
            before = time.time()
            url = f"{self.belfry.url}/scheduler/schedules/{name}/pause"
            assert call(url, "PUT")[0] < 300
            self.paused[name] = (before, time.time())

    def workflows(self, name):
        """All workflows of a type, as Conductor shows them."""
        ids = []
        while True:
            _, _, page = call(f"{self.server.url}/workflow/search?start={len(ids)}&size={PAGE}"
                              f"&sort=startTime:ASC&query=workflowType%3D'{name}'")
            ids += [one["workflowId"] for one in page["results"]]
            if len(ids) >= page["totalHits"] or not page["results"]:
                break
        return [call(f"{self.server.url}/workflow/{one}")[2] for one in ids]

    def judge(self, kills):
        """Returns the numbers of right and wrong starts."""
        checks = Checks()
        for name in LANGUAGES:
            self.judge_one(checks, name, kills)
        return checks.right, checks.wrong

    def judge_one(self, checks, name, kills):
        sure, possible = slots_between(self.created[name], self.paused[name], self.period)

        def is_settled(runs):
            slots = {slot_of(one) for one in runs}
            return sure <= slots and all(one["status"] != "RUNNING" for one in runs)

        try:
            runs = until(lambda: self.workflows(name), is_settled, f"the end of {name}", SETTLE_S)
        except AssertionError:
            runs = self.workflows(name)
        checks.slots(name, collections.Counter(slot_of(one) for one in runs if slot_of(one)), sure,
                     possible)
        checks.direct(name, self.workers[name].lines, collections.Counter(
            one.get("correlationId") for one in runs if not slot_of(one)),
            {one["workflowId"] for one in runs}, len(sure))
        checks.repeated(name, sum(lost_tasks(one) for one in runs), kills, LANGUAGES[name])
        bad = [one["workflowId"] for one in runs if one["status"] != "COMPLETED"]
        checks.check(not bad, f"{name}: {len(bad)} workflows did not complete: {bad[:5]}")
        print(f"{name}: {len(sure)} slots; {len(runs)} workflows at Conductor")

    def stop(self):
        for worker in self.workers.values():
            worker.stop()
        self.server.stop()


def slot_of(run):
    """The scheduled second, or none if the workflow was started directly."""
    at = (run.get("input") or {}).get("_scheduledTime")
    return int(at) // 1000 if at else None


def lost_tasks(run):
    """How often a task was given to a worker that did not report it."""
    return sum(task["status"] != "COMPLETED" for task in run["tasks"])
