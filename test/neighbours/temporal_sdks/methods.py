# SPDX-License-Identifier: Apache-2.0
"""Calls every schedule method of Temporal's SDKs on Belfry and writes the table of
docs/migrate/temporal.md.  Arguments: the program, the working directory, and the SDKs that are
installed.  The last line is "N passed, N failed"."""
import pathlib
import sys

import sdk_methods
from page import write_block
from peers import Belfry
from sdk_methods import Sdk

HERE = pathlib.Path(__file__).parent


def java(work):
    classes = f"{work}/classes"
    run = ["java", "-cp", f"{classes}:{work}/sdk/*"]
    compiler = ["org.eclipse.jdt.internal.compiler.batch.Main", "-17", "-nowarn", "-d", classes]
    return Sdk("Java", "temporal-sdk 1.38.0", run + compiler + [str(HERE / "Methods.java")],
               run + ["Methods"])


def sdks(work):
    return (Sdk("Go", "go.temporal.io/sdk 1.50.0",
                ["go", "build", "-p", "2", "-mod=readonly", "-o", f"{work}/methods-go", "./methods"],
                [f"{work}/methods-go"], str(HERE.parent / "temporal")),
            Sdk("Python", "temporalio 1.35.0", None,
                [f"{work}/venv/bin/python", str(HERE / "methods_python.py")]),
            java(work),
            Sdk("TypeScript", "@temporalio/client 1.24.0",
                ["cp", str(HERE / "methods.mjs"), f"{work}/js/"],
                ["node", f"{work}/js/methods.mjs"]))


def main():
    program, work, *installed = sys.argv[1:]
    all_sdks = sdks(work)
    chosen = [sdk for sdk in all_sdks if sdk.name in installed]
    belfry = Belfry(program, work, "methods")
    try:
        passed, failed, block = sdk_methods.run(chosen, belfry.root.removeprefix("http://"))
    finally:
        belfry.stop()
    if not failed and len(chosen) == len(all_sdks):
        write_block("temporal.md", "methods", block)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
