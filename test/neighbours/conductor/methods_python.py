# SPDX-License-Identifier: Apache-2.0
"""Calls every method of SchedulerClient of Conductor's Python SDK; see methods.py."""
import sys

from conductor.client.ai.schedule import Schedule, ScheduleInfo
from conductor.client.configuration.configuration import Configuration
from conductor.client.http.models.save_schedule_request import SaveScheduleRequest
from conductor.client.http.models.start_workflow_request import StartWorkflowRequest
from conductor.client.orkes.models.metadata_tag import MetadataTag
from conductor.client.orkes.orkes_scheduler_client import OrkesSchedulerClient
from conductor.client.scheduler_client import SchedulerClient

NAME, CRON = "python", "0 0 2 * * ?"
client = OrkesSchedulerClient(Configuration(server_api_url=sys.argv[1]))
tags = [MetadataTag("team", "blue")]


def shown():
    return client.get_schedule(NAME)


def save(name=NAME):
    client.save_schedule(SaveScheduleRequest(
        name=name, cron_expression=CRON, start_workflow_request=StartWorkflowRequest(name="wf")))


def pause(method, *more):
    method(NAME, *more)
    return shown().paused and (not more or shown().paused_reason == more[0])


def resume(method):
    method(NAME)
    return not shown().paused


def delete(method):
    save("gone")
    method("gone")
    return "gone" not in [s.name for s in client.get_all_schedules()]


def reconcile():
    client.reconcile("agent", [Schedule(name="daily", cron=CRON)])
    found = client.get_all_schedules("agent")
    client.reconcile("agent", [])
    return len(found) == 1 and not client.get_all_schedules("agent")


def run_now():
    fields = dict.fromkeys(ScheduleInfo.__dataclass_fields__)
    return bool(client.run_now(ScheduleInfo(**{**fields, "agent": "wf", "input": {}})))


def tag_names():
    return [t["key"] if isinstance(t, dict) else t.key for t in client.get_scheduler_tags(NAME)]


CASES = {  # each returns whether the effect is there
    "save_schedule": lambda: save() or shown().name == NAME,
    "get_schedule": lambda: shown().cron_expression == CRON,
    "get_all_schedules": lambda: [s.name for s in client.get_all_schedules("wf")] == [NAME],
    "get_next_few_schedule_execution_times": lambda: client.get_next_few_schedule_execution_times(
        CRON, 4000000000000, None, 2) == [4000068000000, 4000154400000],
    "pause_schedule": lambda: pause(client.pause_schedule, "why"),
    "resume_schedule": lambda: resume(client.resume_schedule),
    "pause_all_schedules": lambda: client.pause_all_schedules() is None,
    "resume_all_schedules": lambda: client.resume_all_schedules() is None,
    "search_schedule_executions": lambda: client.search_schedule_executions(
        query=f"scheduleName IN ({NAME})").total_hits == 0,
    "requeue_all_execution_records": lambda: client.requeue_all_execution_records() is None,
    "set_scheduler_tags": lambda: client.set_scheduler_tags(tags, NAME) or tag_names() == ["team"],
    "get_scheduler_tags": lambda: tag_names() == ["team"],
    "delete_scheduler_tags": lambda: client.delete_scheduler_tags(tags, NAME) or not tag_names(),
    "pause": lambda: pause(client.pause, "later"),
    "resume": lambda: resume(client.resume),
    "preview_next": lambda: len(client.preview_next(CRON, 3)) == 3,
    "run_now": run_now,
    "reconcile": reconcile,
    "delete": lambda: delete(client.delete),
    "delete_schedule": lambda: delete(client.delete_schedule),
}


def result_of(case):
    try:
        return "ok" if case and case() else "failed: not as expected"
    except Exception as error:  # any error of the SDK is a result
        return f"failed: {error}".replace("\n", " ")[:300]


for name in sorted(SchedulerClient.__abstractmethods__, key=list(CASES).index):
    print(name, result_of(CASES.get(name)))
