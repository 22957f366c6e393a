# SPDX-License-Identifier: Apache-2.0
"""Calls every scheduler method of Conductor's SDKs on Belfry; see sdk_methods.py."""
import pathlib
import sys

import sdk_methods
from peers import Belfry
from sdk_methods import Sdk

HERE = pathlib.Path(__file__).parent


def java(work):
    classes = f"{work}/classes"
    run = [f"{work}/java/bin/java", "-cp", f"{classes}:{work}/sdk/*"]
    compiler = ["org.eclipse.jdt.internal.compiler.batch.Main", "-21", "-nowarn", "-d", classes]
    return Sdk("Java", "conductor-client 6.0.0", run + compiler + [str(HERE / "Methods.java")],
               run + ["Methods"])


def javascript(work, version, package):
    return Sdk("JavaScript", f"@io-orkes/conductor-javascript {version}",
               ["cp", str(HERE / "methods.mjs"), f"{work}/js/"],
               ["node", f"{work}/js/methods.mjs", package])


def sdks(work):
    return (Sdk("Python", "conductor-python 2.0.0", None,
                [sys.executable, str(HERE / "methods_python.py")]),
            java(work),
            Sdk("Go", "conductor-go 1.5.4", ["go", "build", "-o", f"{work}/methods-go", "."],
                [f"{work}/methods-go"], str(HERE / "go")),
            javascript(work, "2.4.1", "conductor-2"),
            javascript(work, "4.0.0", "conductor-4"))


def run(conductor, program, work):
    belfry = Belfry(program, work, "methods")
    try:
        return sdk_methods.run(sdks(work), belfry.url)
    finally:
        belfry.stop()
