# SPDX-License-Identifier: Apache-2.0
"""Calls every scheduler method of Conductor's SDKs on Belfry.  Each SDK has a program that prints
"METHOD ok" or "METHOD failed: WHY", one line per method that its client has."""
import pathlib
import subprocess

from peers import Belfry

HERE = pathlib.Path(__file__).parent
LIMIT_S = 600


def java(work):
    classes = f"{work}/classes"
    path = f"{classes}:{work}/sdk/*"
    run = [f"{work}/java/bin/java", "-cp", path]
    compiler = ["org.eclipse.jdt.internal.compiler.batch.Main", "-21", "-nowarn", "-d", classes]
    return run + compiler + [str(HERE / "Methods.java")], run + ["Methods"]


def go(work):
    return (["go", "build", "-o", f"{work}/methods-go", "."], [f"{work}/methods-go"])


def python(work):
    return ["true"], [f"{work}/venv/bin/python", str(HERE / "methods_python.py")]


SDKS = (("Python", "conductor-python 2.0.0", python, None),
        ("Java", "conductor-client 6.0.0", java, None),
        ("Go", "conductor-go 1.5.4", go, HERE / "go"))


def results_of(commands, url, directory):
    """The lines of the program, as (method, text)."""
    build, command = commands
    subprocess.run(build, check=True, cwd=directory, timeout=LIMIT_S)
    out = subprocess.run(command + [url], stdout=subprocess.PIPE, text=True, timeout=LIMIT_S)
    assert out.returncode == 0, f"{command[0]} ended with {out.returncode}"
    return [line.split(" ", 1) for line in out.stdout.splitlines()]


def run(conductor, program, work):
    belfry = Belfry(program, work, "methods")
    block = ["| SDK | version | methods that work | methods |", "|---|---|---|---|"]
    passed = failed = 0
    try:
        for sdk, version, commands, directory in SDKS:
            lines = results_of(commands(work), belfry.url, directory)
            good = [name for name, result in lines if result == "ok"]
            for name, result in lines:
                if result != "ok":
                    print(f"not ok {sdk} {name}: {result}")
            passed += len(good)
            failed += len(lines) - len(good)
            names = ", ".join(f"`{name}`" for name in good)
            block.append(f"| {sdk} | {version} | {len(good)} of {len(lines)} | {names} |")
    finally:
        belfry.stop()
    return passed, failed, block
