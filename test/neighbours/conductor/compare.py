# SPDX-License-Identifier: Apache-2.0
"""Sends the requests of requests.txt to a real Conductor and to Belfry and compares the answers:
status, media type, and every member of the body.  Each difference must be in differences.json,
and each entry there must occur."""
import fnmatch
import json
import pathlib
import string
import time
from urllib.parse import quote

from peers import Belfry, call, until

HERE = pathlib.Path(__file__).parent
LEAD_S = 20  # from the line @slots to the first slot
# What no two servers have in common.
VARYING = {"createTime": "time", "updatedTime": "time", "executionTime": "time",
           "executionId": "id", "workflowId": "id", "instance": "host"}


def read_requests():
    words = {"wf": '"startWorkflowRequest":{"name":"cmp_wf","version":1}'}
    for line in (HERE / "requests.txt").read_text().splitlines():
        if line == "@slots":
            words.update(slot_words(int(time.time()) + LEAD_S))
        elif line and not line.startswith("#"):
            fields = string.Template(line).substitute(words).split(" ", 3)
            yield fields + [None] * (4 - len(fields))


def slot_words(first):
    """The values of the names in requests.txt that describe slots: `first` and 4 s later."""
    words = {"before": (first - 1) * 1000, "after": (first + 5) * 1000}
    for number, at in enumerate((first, first + 4), 1):
        t = time.gmtime(at)
        words[f"slot{number}"] = at * 1000
        words[f"cron{number}"] = f"{t.tm_sec} {t.tm_min} {t.tm_hour} {t.tm_mday} {t.tm_mon} ?"
    return words


def plain(value, key=""):
    """The value, with what varies replaced by its kind."""
    if isinstance(value, dict):
        return {k: plain(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return f"<{VARYING[key]}>" if key in VARYING and value else value


def differences(theirs, ours, at=""):
    """Yields (place, their value, our value); None means that there is no such member."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(theirs.keys() | ours.keys()):
            place = f"{at}.{key}".lstrip(".")
            yield from differences(theirs.get(key), ours.get(key), place)
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for a, b in zip(theirs, ours):
            yield from differences(a, b, f"{at}[]")
    elif theirs != ours:
        yield at, theirs, ours


def in_order(body):
    """Conductor's list of all schedules has no order."""
    is_list = isinstance(body, list) and all(isinstance(item, dict) for item in body)
    return sorted(body, key=lambda item: item.get("name", "")) if is_list else body


def compare_answers(theirs, ours):
    if theirs[0] != ours[0]:
        return [("status", theirs[0], ours[0])]
    if theirs[1] != ours[1]:
        return [("type", theirs[1], ours[1])]
    return list(differences(in_order(plain(theirs[2])), in_order(plain(ours[2]))))


def matches(text, patterns):
    return any(text == p or fnmatch.fnmatchcase(text, p.replace("[", "[[]")) for p in patterns)


class Listed:
    """The differences of differences.json and the requests that showed each."""

    def __init__(self):
        self.entries = json.loads((HERE / "differences.json").read_text())
        self.seen = [set() for _ in self.entries]

    def explains(self, name, difference):
        place, theirs, ours = difference
        for entry, seen in zip(self.entries, self.seen):
            if (matches(name, entry["requests"]) and matches(place, entry["at"])
                    and entry.get("conductor", theirs) == theirs
                    and entry.get("belfry", ours) == ours):
                seen.add(name)
                return True
        return False

    def rows(self):
        for entry, seen in zip(self.entries, self.seen):
            yield entry["what"], entry["reason"], len(seen)


def prepare(conductor, servers):
    """Defines the workflow of the table, and removes schedules of an earlier run."""
    definition = {"name": "cmp_wf", "version": 1, "schemaVersion": 2, "tasks": [
        {"name": "done", "taskReferenceName": "done", "type": "SET_VARIABLE",
         "inputParameters": {"x": 1}}]}
    status, _, text = call(f"{conductor.url}/metadata/workflow", "PUT", [definition])
    assert status == 200, text
    for server in servers:
        for schedule in call(f"{server.url}/scheduler/schedules")[2]:
            name = quote(schedule["name"], safe="")
            call(f"{server.url}/scheduler/schedules/{name}", "DELETE")


def wait_for_records(server):
    for name, count in (("runs-twice", 2), ("runs-once", 1), ("runs-badly", 1)):
        query = f"query=scheduleName%20IN%20({name})%20AND%20state%20IN%20(EXECUTED,FAILED)"
        until(lambda: call(f"{server.url}/scheduler/search/executions?{query}")[2],
              lambda found: found["totalHits"] >= count, f"{count} records of {name}")


def send_all(servers, listed, show=print):
    """Returns the number of requests and how many had an unexplained difference."""
    total = failed = 0
    for name, method, path, body in read_requests():
        if name == "@records":
            for server in servers:
                wait_for_records(server)
            continue
        total += 1
        data = None if body is None else body.encode()
        answers = [call(f"{s.url}/scheduler/{path}", method, data) for s in servers]
        found = compare_answers(*answers)
        unexplained = [d for d in found if not listed.explains(name, d)]
        for place, theirs, ours in unexplained:
            show(f"not ok {name}: {place}: Conductor {theirs!r}, Belfry {ours!r}")
        failed += bool(unexplained)
    return total, failed


def run(conductor, program, work):
    belfry = Belfry(program, work, "compare", conductor.url)
    listed = Listed()
    try:
        prepare(conductor, (conductor, belfry))
        total, failed = send_all((conductor, belfry), listed)
    finally:
        belfry.stop()
    for what, _, count in listed.rows():
        if count == 0:
            failed += 1
            print(f"not ok: listed in differences.json, but does not occur: {what}")
    block = [f"{total} requests were sent to both servers (`test/neighbours/conductor/requests.txt`). The",
             "answers have the same status and body, except for:", "",
             "| Belfry | requests | why |", "|---|---|---|"]
    block += [f"| {what} | {count} | {why} |" for what, why, count in listed.rows()]
    return total - failed, failed, block
