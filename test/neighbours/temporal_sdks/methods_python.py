# SPDX-License-Identifier: Apache-2.0
"""Calls every schedule method of Temporal's Python SDK; see methods.py."""
import asyncio
import dataclasses
import datetime
import sys

from temporalio.client import (
    Client, Schedule, ScheduleActionStartWorkflow, ScheduleBackfill, ScheduleHandle,
    ScheduleOverlapPolicy, ScheduleSpec, ScheduleUpdate)
from temporalio.service import RPCError

ID = "python"
DAY = datetime.datetime(2021, 1, 1, tzinfo=datetime.timezone.utc)


def schedule(cron="0 12 * * *"):
    return Schedule(
        action=ScheduleActionStartWorkflow("report", "argument", id="w", task_queue="q"),
        spec=ScheduleSpec(cron_expressions=[cron], start_at=DAY.replace(year=2080)))


async def create(client, handle):
    made = await client.create_schedule(ID, schedule(), memo={"owner": "python"})
    return made.id == ID


async def find(client, handle):
    return client.get_schedule_handle(ID).id == ID


async def show(client, handle):
    shown = await handle.describe()
    hours = shown.schedule.spec.calendars[0].hour
    return hours[0].start == 12 and await shown.memo_value("owner") == "python"


async def enumerate_all(client, handle):
    return [one.id async for one in await client.list_schedules()] == [ID]


async def pause(client, handle):
    await handle.pause(note="why")
    state = (await handle.describe()).schedule.state
    return state.paused and state.note == "why"


async def unpause(client, handle):
    await handle.unpause(note="again")
    state = (await handle.describe()).schedule.state
    return not state.paused and state.note == "again"


async def trigger(client, handle):
    await handle.trigger(overlap=ScheduleOverlapPolicy.ALLOW_ALL)
    return (await handle.describe()).info.num_actions == 1


async def backfill(client, handle):
    await handle.update(lambda given: ScheduleUpdate(dataclasses.replace(
        given.description.schedule, spec=ScheduleSpec(cron_expressions=["0 12 * * *"]))))
    await handle.backfill(ScheduleBackfill(
        DAY, DAY + datetime.timedelta(days=2), overlap=ScheduleOverlapPolicy.ALLOW_ALL))
    return (await handle.describe()).info.num_actions == 3


async def update(client, handle):
    await handle.update(lambda given: ScheduleUpdate(schedule("0 6 * * *")))
    return (await handle.describe()).schedule.spec.calendars[0].hour[0].start == 6


async def delete(client, handle):
    await handle.delete()
    try:
        await handle.describe()
    except RPCError as error:
        return error.status.name == "NOT_FOUND"


CASES = {  # each returns whether the effect is there
    "create_schedule": create, "get_schedule_handle": find, "list_schedules": enumerate_all,
    "describe": show, "pause": pause, "unpause": unpause, "trigger": trigger,
    "backfill": backfill, "update": update, "delete": delete}


async def result_of(case, client):
    try:
        handle = client.get_schedule_handle(ID)
        return "ok" if case and await case(client, handle) else "failed: not as expected"
    except Exception as error:  # any error of the SDK is a result
        return f"failed: {error!r}".replace("\n", " ")[:300]


async def main():
    client = await Client.connect(sys.argv[1])
    found = [name for name in dir(Client) if "schedule" in name and not name.startswith("_")]
    found += [name for name in dir(ScheduleHandle) if not name.startswith("_")]
    order = [name for name in CASES if name in found]
    for name in order + [name for name in found if name not in CASES]:
        print(name, await result_of(CASES.get(name), client))


asyncio.run(main())
