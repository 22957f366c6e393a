# SPDX-License-Identifier: Apache-2.0
"""The two servers of these tests: a real Conductor and Belfry, both on loopback addresses."""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

BOOT_S = 900  # a busy machine needs minutes to start Conductor
CALL_S = 60
POLL_S = 0.1


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def call(url, method="GET", body=None, limit=CALL_S):
    """Returns status, media type and body; the body is parsed if it is JSON."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"Content-Type": "application/json"} if data is not None else {}
    request = urllib.request.Request(url, data, fields, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=limit)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        text = answer.read().decode()
        media = (answer.headers.get("Content-Type") or "").split(";")[0] if text else ""
    return answer.status, media, json.loads(text) if media.endswith("json") else text


def until(ask, is_met, what, limit=120):
    """Repeats the question until its answer meets the condition; a refused connection is none."""
    end = time.monotonic() + limit
    answer = None
    while time.monotonic() < end:
        try:
            answer = ask()
            if is_met(answer):
                return answer
        except OSError as error:
            answer = error
        time.sleep(POLL_S)
    raise AssertionError(f"{what} did not happen in {limit} s; the last answer: {answer}")


class Program:
    """A program that is ready when a GET of its health answers 200."""

    def __init__(self, command, health, log, directory):
        self.command, self.health, self.log, self.directory = command, health, log, directory
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, cwd=self.directory)
        until(self.is_ready, bool, f"the start of {self.command[0]}", BOOT_S)

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"{self.command[0]} ended; see {self.log}")
        return call(self.health)[0] == 200

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()


class Conductor(Program):
    """Conductor with SQLite.  CONDUCTOR_URL names one that runs already, and is not ended."""

    def __init__(self, work):
        port = free_port()
        self.url = os.environ.get("CONDUCTOR_URL") or f"http://127.0.0.1:{port}/api"
        if "CONDUCTOR_URL" in os.environ:
            return
        database = f"jdbc:sqlite:{work}/conductor.db?busy_timeout=15000&journal_mode=WAL"
        if os.path.exists(f"{work}/conductor.db"):
            os.remove(f"{work}/conductor.db")
        super().__init__(
            [f"{work}/java/bin/java", "-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
             "-jar", f"{work}/jars/conductor-server-boot.jar",
             "--server.address=127.0.0.1", f"--server.port={port}",
             f"--spring.datasource.url={database}", "--conductor.grpc-server.enabled=false",
             "--conductor.integrations.ai.enabled=false"],
            f"http://127.0.0.1:{port}/health", f"{work}/conductor.log", work)

    def stop(self, number=signal.SIGTERM):
        if "CONDUCTOR_URL" not in os.environ:
            super().stop(number)


class Belfry(Program):
    def __init__(self, program, work, name, upstream=None, settings=None):
        port = free_port()
        state = f"{work}/{name}-{port}"
        os.makedirs(state)
        self.root = f"http://127.0.0.1:{port}"
        self.url = f"{self.root}/api"
        super().__init__(
            [program, "serve", "--listen", f"127.0.0.1:{port}", "--grpc", "none",
             "--state-dir", state],
            f"{self.root}/readyz", f"{state}/log", work)
        if upstream:
            connection = {"type": "conductor", "url": upstream, **(settings or {})}
            answer = call(f"{self.root}/api/v1/namespaces/default", "PUT", {"settings": {
                "allowNetworks": ["127.0.0.1/32"],
                "upstream": "main", "upstreams": {"main": connection}}})
            assert answer[0] == 200, answer
