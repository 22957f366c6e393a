# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of these tests into the pages of docs/migrate."""
import pathlib

FOLDER = pathlib.Path(__file__).parents[3] / "docs/migrate"


def write_block(page, name, lines):
    """Replaces the text between the markers of the page, if it is another one."""
    path = FOLDER / page
    text = path.read_text()
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    head, _, rest = text.partition(begin)
    _, marker, tail = rest.partition(end)
    assert marker, f"{page} has no markers for {name}"
    fresh = head + begin + "\n".join(lines) + "\n" + end + tail
    if fresh != text:
        path.write_text(fresh)
        print(f"docs/migrate/{page}: table {name} changed")
