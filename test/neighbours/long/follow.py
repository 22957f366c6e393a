# SPDX-License-Identifier: Apache-2.0
"""Follows many open workflows of a real Temporal and measures how late a schedule of one second
starts beside them, the memory, and the time of a restart.
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
lateness = []


class Tick(http.server.BaseHTTPRequestHandler):
    """Records how long after a full second each call comes."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        lateness.append(time.time() % 1 * 1000)
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
    lateness.clear()
    time.sleep(seconds)
    times = sorted(lateness)
    p50, p99 = (times[min(len(times) - 1, int(q * len(times)))] for q in (0.5, 0.99))
    print(f"{label}: {len(times)} starts, p50 {p50:.0f} ms, p99 {p99:.0f} ms", flush=True)
    return len(times), p99


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
    belfry = Belfry(program, work, "follow")
    try:
        upstream = temporal.wait_for(lambda line: ":" in line)
        request(belfry, "PUT", "/api/v1/namespaces/default", {"settings": {
            "allowNetworks": ["127.0.0.0/8"], "upstream": "main",
            "upstreams": {"main": {"type": "temporal", "url": f"http://{upstream}"}}}})
        request(belfry, "PUT", "/api/v1/schedules/tick", {
            "spec": {"intervals": [{"every": "1s"}]},
            "action": {"type": "http", "url": f"http://127.0.0.1:{ticks.server_port}/"}})
        measure("first seconds", 5)
        failed = compare(belfry, count, seconds)
    finally:
        belfry.stop(signal.SIGKILL)
        temporal.stop()
    print(f"{4 - failed} passed, {failed} failed")
    return 1 if failed else 0


def compare(belfry, count, seconds):
    """Returns the number of failed checks."""
    followed = lambda: metric(belfry, "belfry_workflows_followed")  # noqa: E731
    starts, without = measure("without", seconds)
    idle = metric(belfry, "process_resident_memory_bytes")
    begin = time.monotonic()
    start_workflows(belfry, count)
    until(followed, lambda n: n == count, f"following {count} workflows", LIMIT_S)
    print(f"{count} workflows started and followed after {time.monotonic() - begin:.1f} s")
    more, beside = measure(f"beside {count}", seconds)
    busy = metric(belfry, "process_resident_memory_bytes")
    print(f"memory: {busy} bytes, {(busy - idle) // count} bytes per workflow")
    begin = time.monotonic()
    belfry.stop(signal.SIGKILL)
    belfry.start()
    ready = time.monotonic() - begin
    until(followed, lambda n: n == count, "following after a restart", LIMIT_S)
    print(f"restart: ready after {ready:.2f} s, all followed after {time.monotonic() - begin:.2f} s")
    again, after = measure("after the restart", seconds)
    checks = {"starts are late beside open workflows": beside <= 2 * without,
              "starts are late after a restart": after <= 2 * without,
              "starts are missing beside open workflows": more >= starts - 2,
              "starts are missing after a restart": again >= starts - 2}
    for text, is_met in checks.items():
        if not is_met:
            print(f"not ok: {text}")
    return list(checks.values()).count(False)


sys.exit(main())
