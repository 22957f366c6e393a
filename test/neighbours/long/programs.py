# SPDX-License-Identifier: Apache-2.0
"""The programs of this test that talk to it by lines: workers and the real Temporal."""
import subprocess
import threading

READY_S = 600  # a busy machine needs minutes to bundle a workflow
END_S = 60


class Lines:
    """A program; its output is kept, and it ends when its input is closed."""

    def __init__(self, name, command, log):
        self.name, self.lines, self.news = name, [], threading.Condition()
        with open(log, "ab") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=file,
                                            stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.news:
                self.lines.append(line.strip())
                self.news.notify_all()
        with self.news:
            self.lines.append("ended")
            self.news.notify_all()

    def wait_for(self, is_met, limit=READY_S):
        """Returns the first line that meets the condition."""
        def found():
            return next((line for line in self.lines if is_met(line)), None) or (
                "ended" in self.lines and "ended")
        with self.news:
            line = self.news.wait_for(found, limit)
        assert line and line != "ended", f"{self.name}: ended or too slow; see its log"
        return line

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
