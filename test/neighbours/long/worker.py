# SPDX-License-Identifier: Apache-2.0
"""A worker of Temporal's Python SDK that also starts workflows itself.  It stops the starts at the
first line of its input, and ends with it.  usage: worker.py ADDRESS QUEUE SECONDS"""
import asyncio
import datetime
import sys

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import Worker

ACTIVITY_TIME = datetime.timedelta(minutes=1)


@activity.defn
async def touch():
    return None


@workflow.defn(name="tick")
class Tick:
    @workflow.run
    async def run(self):
        await workflow.execute_activity(touch, start_to_close_timeout=ACTIVITY_TIME)


async def start_directly(client, queue, pause, stop):
    number = 0
    while not stop.is_set():
        number += 1
        name = f"direct-{queue}-{number}"
        try:
            run = await client.start_workflow("tick", id=name, task_queue=queue)
            print("started", name, run.first_execution_run_id, flush=True)
        except Exception as error:  # any error of the SDK means: no answer
            print("failed", name, repr(error).replace("\n", " "), flush=True)
        try:
            await asyncio.wait_for(stop.wait(), pause)
        except asyncio.TimeoutError:
            pass
    print("quiet", flush=True)


async def main():
    address, queue, pause = sys.argv[1:]
    client = await Client.connect(address)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    async with Worker(client, task_queue=queue, workflows=[Tick], activities=[touch]):
        print("ready", flush=True)
        starts = asyncio.create_task(start_directly(client, queue, float(pause), stop))
        while await loop.run_in_executor(None, sys.stdin.readline):
            stop.set()
        stop.set()
        await starts


if __name__ == "__main__":  # the SDK's sandbox imports this file again
    asyncio.run(main())
