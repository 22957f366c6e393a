# SPDX-License-Identifier: Apache-2.0
"""Follows many open workflows of a real Temporal and measures how late a schedule of one second
starts beside them, the memory, and the time of a restart.  A second Belfry, which follows nothing,
has the same schedule at the same time, so that the load of the machine makes both late.
usage: follow.py BELFRY WORK COUNT SECONDS"""
import http.server
import re
import signal
import sys
import threading
import time

from peers import Belfry, call, until
from programs import Lines

LIMIT_S = 900
lateness = {"/busy": [], "/idle": []}


class Tick(http.server.BaseHTTPRequestHandler):
    """Records how long after a full second each call comes."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        lateness[self.path].append(time.time() % 1 * 1000)
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_):
        pass


def request(belfry, method, path, body=None):
    status, _, answer = call(f"{belfry.root}{path}", method, body)
    assert status < 300, answer
    return answer


def metric(belfry, name):
    found = re.search(rf"^{name} (\S+)", request(belfry, "GET", "/metrics"), re.M)
    return int(float(found[1])) if found else 0


def measure(label, seconds):
    """Returns whether the busy Belfry missed no start, and whether its starts were in time."""
    for times in lateness.values():
        times.clear()
    time.sleep(seconds)
    worst = {}
    for name, times in lateness.items():
        times = sorted(times)
        p50, worst[name] = (times[min(len(times) - 1, int(q * len(times)))] for q in (0.5, 0.99))
        print(f"{label}, {name[1:]}: {len(times)} starts, p50 {p50:.0f} ms, "
              f"p99 {worst[name]:.0f} ms", flush=True)
    return (len(lateness["/busy"]) >= len(lateness["/idle"]) - 2,
            worst["/busy"] <= 2 * worst["/idle"])


def start_schedule(belfry, ticks, path):
    request(belfry, "PUT", "/api/v1/schedules/tick", {
        "spec": {"intervals": [{"every": "1s"}]},
        "action": {"type": "http", "url": f"http://127.0.0.1:{ticks.server_port}{path}"}})


def start_workflows(belfry, count):
    """Backfills minutes of the past, so that every workflow has an id of its own."""
    request(belfry, "PUT", "/api/v1/schedules/open", {
        "spec": {"cron": ["* * * * *"]}, "paused": True,
        "action": {"type": "workflow", "name": "open", "queue": "nobody", "upstream": "main"},
        "policies": {"overlap": "allowAll"}})
    hours, minutes = divmod(count - 1, 60)
    days, hours = divmod(hours, 24)
    request(belfry, "POST", "/api/v1/schedules/open/backfill", {
        "from": "2021-01-01T00:00:00Z",
        "to": f"2021-01-{days + 1:02}T{hours:02}:{minutes:02}:00Z", "overlap": "allowAll"})


def main():
    program, work, count, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    ticks = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tick)
    threading.Thread(target=ticks.serve_forever, daemon=True).start()
    temporal = Lines("temporal", [f"{work}/neighbour", "serve"], f"{work}/temporal.log")
    belfry, idle = Belfry(program, work, "follow"), Belfry(program, work, "idle")
    try:
        upstream = temporal.wait_for(lambda line: ":" in line)
        request(belfry, "PUT", "/api/v1/namespaces/default", {"settings": {
            "allowNetworks": ["127.0.0.0/8"], "upstream": "main",
            "upstreams": {"main": {"type": "temporal", "url": f"http://{upstream}"}}}})
        request(idle, "PUT", "/api/v1/namespaces/default", {"settings": {
            "allowNetworks": ["127.0.0.0/8"]}})
        start_schedule(belfry, ticks, "/busy")
        start_schedule(idle, ticks, "/idle")
        measure("first seconds", 5)
        failed = compare(belfry, count, seconds)
    finally:
        belfry.stop(signal.SIGKILL)
        idle.stop(signal.SIGKILL)
        temporal.stop()
    print(f"{4 - failed} passed, {failed} failed")
    return 1 if failed else 0


def compare(belfry, count, seconds):
    """Returns the number of failed checks."""
    followed = lambda: metric(belfry, "belfry_workflows_followed")  # noqa: E731
    idle = metric(belfry, "process_resident_memory_bytes")
    begin = time.monotonic()
    start_workflows(belfry, count)
    until(followed, lambda n: n == count, f"following {count} workflows", LIMIT_S)
    print(f"{count} workflows started and followed after {time.monotonic() - begin:.1f} s")
    are_all_beside, beside = measure(f"beside {count}", seconds)
    busy = metric(belfry, "process_resident_memory_bytes")
    print(f"memory: {busy} bytes, {(busy - idle) // count} bytes per workflow")
    begin = time.monotonic()
    belfry.stop(signal.SIGKILL)
    belfry.start()
    ready = time.monotonic() - begin
    until(followed, lambda n: n == count, "following after a restart", LIMIT_S)
    print(f"restart: ready after {ready:.2f} s, all followed after {time.monotonic() - begin:.2f} s")
    are_all_after, after = measure("after the restart", seconds)
    checks = {"starts are late beside open workflows": beside,
              "starts are late after a restart": after,
              "starts are missing beside open workflows": are_all_beside,
              "starts are missing after a restart": are_all_after}
    for text, is_met in checks.items():
        if not is_met:
            print(f"not ok: {text}")
    return list(checks.values()).count(False)


sys.exit(main())
