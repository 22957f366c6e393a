# SPDX-License-Identifier: Apache-2.0
"""A worker of Conductor's Python SDK that also starts workflows itself.  It stops the starts at the
first line of its input, and ends with it.  usage: conductor_worker.py URL NAME SECONDS"""
import os
import sys
import threading

os.environ["CONDUCTOR_WORKER_ISOLATION"] = "thread"  # one process, which ends with its input

from conductor.client.automator.task_handler import TaskHandler  # noqa: E402
from conductor.client.configuration.configuration import Configuration  # noqa: E402
from conductor.client.http.models.start_workflow_request import (  # noqa: E402
    StartWorkflowRequest)
from conductor.client.orkes.orkes_workflow_client import OrkesWorkflowClient  # noqa: E402
from conductor.client.worker.worker import Worker  # noqa: E402


def touch(task):
    return {}


def start_directly(client, name, pause, stop):
    number = 0
    while not stop.is_set():
        number += 1
        key = f"direct-{name}-{number}"
        try:
            started = client.start_workflow(StartWorkflowRequest(
                name=name, version=1, correlation_id=key))
            print("started", key, started, flush=True)
        except Exception as error:  # any error of the SDK means: no answer
            print("failed", key, repr(error).replace("\n", " "), flush=True)
        stop.wait(pause)
    print("quiet", flush=True)


def main():
    url, name, pause = sys.argv[1:]
    configuration = Configuration(server_api_url=url)
    handler = TaskHandler([Worker(name, touch)], configuration, scan_for_annotated_workers=False)
    handler.start_processes()
    print("ready", flush=True)
    stop = threading.Event()
    threading.Thread(target=start_directly, daemon=True, args=(
        OrkesWorkflowClient(configuration), name, float(pause), stop)).start()
    for _ in sys.stdin:
        stop.set()
    os._exit(0)  # the SDK's threads would wait


main()
