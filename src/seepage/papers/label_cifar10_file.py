"""The file of results on CIFAR-10: one JSON object a line, written to by several processes."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seepage.papers.kept import alone


def whole(path: Path) -> list[dict[str, Any]]:
    """Return what was measured so far, and cut off a line that was not written to its end: it would spoil the next."""
    with alone(path):
        held = read(path)
        if path.is_file() and not path.read_text(encoding="utf-8").endswith("\n"):
            path.write_text("".join(json.dumps(line) + "\n" for line in held), encoding="utf-8")
    return held


def append(path: Path, line: Mapping[str, Any]) -> None:
    """Write a line to its end before anybody else writes."""
    with alone(path), path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """Return what was measured so far; a last line that was cut off in writing does not count."""
    if not path.is_file():
        return []
    written = path.read_text(encoding="utf-8").splitlines()
    try:
        json.loads(written[-1] if written else "{}")
    except json.JSONDecodeError:
        written.pop()
    return [json.loads(line) for line in written]


def first_lines(held: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the lines of Tables 2 to 4, which bear no name of a table."""
    return [line for line in held if "table" not in line]


def say(text: str) -> None:
    """Tell people at once how far it is."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
