# SPDX-License-Identifier: Apache-2.0
"""Calls every schedule method of several SDKs on Belfry.  Each SDK has a program that prints
"METHOD ok" or "METHOD failed: WHY", one line per method that its client has."""
import subprocess
import typing

LIMIT_S = 600


class Sdk(typing.NamedTuple):
    name: str
    version: str
    build: list  # a command, or none
    command: list  # gets the address of Belfry as its last argument
    folder: str = None


def results_of(sdk, address):
    """The lines of the program, as (method, text)."""
    if sdk.build:
        subprocess.run(sdk.build, check=True, cwd=sdk.folder, timeout=LIMIT_S)
    out = subprocess.run(sdk.command + [address], stdout=subprocess.PIPE, text=True,
                         timeout=LIMIT_S)
    assert out.returncode == 0, f"{sdk.command[0]} ended with {out.returncode}"
    return [line.split(" ", 1) for line in out.stdout.splitlines()]


def run(sdks, address):
    """Returns the numbers of passed and failed methods, and the table."""
    block = ["| SDK | version | methods that work | methods |", "|---|---|---|---|"]
    passed = failed = 0
    for sdk in sdks:
        lines = results_of(sdk, address)
        assert lines, f"the program of {sdk.name} found no methods"
        good = [name for name, result in lines if result == "ok"]
        for name, result in lines:
            if result != "ok":
                print(f"not ok {sdk.name} {name}: {result}")
        passed += len(good)
        failed += len(lines) - len(good)
        names = ", ".join(f"`{name}`" for name in good)
        block.append(f"| {sdk.name} | {sdk.version} | {len(good)} of {len(lines)} | {names} |")
    return passed, failed, block
