# SPDX-License-Identifier: Apache-2.0
"""Runs schemathesis against a server that was built with sanitizers, once per token.

    suite.py WORK BELFRY CASES
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
FULL = 20_000  # cases from which on all phases run; the coverage phase alone has many thousands
OPERATIONS = 80  # about; a short run divides its cases by them
LOG = "server.log"
SANITIZER = re.compile(r"ERROR: \w+Sanitizer|runtime error:")


class Server:
    """The program with its own database and port."""

    def __init__(self, belfry: str, work: Path, state: str) -> None:
        self.log = work / LOG
        environment = {**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"}
        arguments = ["serve", "--listen", "127.0.0.1:0", "--grpc", "none", "--state-dir", state]
        self.process = subprocess.Popen(
            [belfry, *arguments], env=environment, stderr=subprocess.PIPE, text=True, errors="replace"
        )
        with self.log.open("w") as log:
            for line in self.process.stderr:
                log.write(line)
                if port := re.search(r"msg=listening.* port=(\d+)", line):
                    self.url = f"http://127.0.0.1:{port[1]}"
                if "msg=ready" in line:
                    break
            else:
                raise SystemExit(f"the server did not start; see {self.log}")
        self.copier = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=self.log.open("a"))

    def post(self, path: str, body: dict, token: str | None = None) -> dict:
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def stop(self) -> list[str]:
        """Stops the server and returns what is wrong with it."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait()
        self.copier.wait()
        wrong = [f"the server ended with status {status}"] if status != 0 else []
        wrong += [line for line in self.log.read_text(errors="replace").splitlines() if SANITIZER.search(line)]
        return wrong


def phases(cases: int) -> list[str]:
    """The arguments that give at least so many cases."""
    if cases >= FULL:
        return ["--phases", "examples,coverage,fuzzing,stateful", "--max-examples", str(cases // 2000)]
    return ["--phases", "examples,fuzzing", "--max-examples", str(1 + cases // 2 // OPERATIONS)]


def run(role: str, token: str, server: Server, work: Path, cases: int) -> dict:
    """Runs schemathesis with a token and returns its report."""
    report = work / f"{role}.json"
    report.unlink(missing_ok=True)
    command = [
        str(work / "venv/bin/schemathesis"),
        *["--config-file", str(HERE / "schemathesis.toml")],
        *["run", server.url + "/openapi.json", "--header", f"Authorization: Bearer {token}"],
        *["--no-color", "--warnings", "off"],
        *["--report", "json", "--report-json-path", str(report)],
        *phases(cases),
    ]
    print(f"== {role}", flush=True)
    environment = {**os.environ, "BELFRY_TOKENS_IN_USE": ",".join(server.tokens_in_use)}
    status = subprocess.run(command, cwd=work, env=environment, check=False).returncode
    if not report.exists():
        raise SystemExit(f"schemathesis ended with status {status} and without a report")
    return json.loads(report.read_text())


def main() -> int:
    work, belfry, cases = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    passed, problems = 0, []
    with tempfile.TemporaryDirectory(prefix="belfry-schemathesis-") as state:
        server = Server(belfry, work, state)
        try:
            admin = server.post("/api/v1/tokens", {"name": "root", "role": "admin", "namespace": "*"})
            wanted = {"name": "viewer", "role": "viewer", "namespace": "default"}
            viewer = server.post("/api/v1/tokens", wanted, admin["token"])
            server.tokens_in_use = [admin["id"], viewer["id"]]
            for role, token in (("admin", admin), ("viewer", viewer)):
                report = run(role, token["token"], server, work, cases)
                counts = report["test_cases"]
                bad = counts["with_failures"] + counts["errored"] + len(report["errors"])
                passed += counts["generated"] - counts["without_checks"] - counts["with_failures"]
                passed -= counts["errored"]
                problems += [f"{role}: schemathesis reported {bad} cases"] * bad
                if not report["complete"]:
                    problems.append(f"{role}: schemathesis stopped: {report['stop_reason']}")
        finally:
            problems += server.stop()
    if passed + len(problems) < cases:
        problems.append(f"only {passed} cases ran; {cases} were requested")
    for problem in dict.fromkeys(problems):
        print(problem)
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
