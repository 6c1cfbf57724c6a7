"""Every command that the documentation shows is run, in the order of its page."""

import csv
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

FENCE = re.compile(r"^```(?P<language>[a-z]+)(?: title=\"(?P<title>[^\"]+)\")?\s*$")
EXIT = re.compile(r"^<!-- exit: (?P<status>\d+) -->\s*$")


@dataclass(frozen=True)
class Command:
    """One line behind a dollar sign, and the status it must end with."""

    text: str
    status: int


@dataclass(frozen=True)
class File:
    """A block with a title, which the reader is asked to save."""

    name: str
    content: str


def steps(page: str) -> Iterator[Command | File]:
    """Yield what a reader would do, from top to bottom."""
    lines = iter(page.splitlines())
    status = 0
    for line in lines:
        if found := EXIT.match(line):
            status = int(found["status"])
        elif fence := FENCE.match(line):
            block = []
            for inside in lines:
                if inside.startswith("```"):
                    break
                block.append(inside)
            if fence["title"]:
                yield File(fence["title"], "\n".join(block) + "\n")
            elif fence["language"] == "console":
                yield from (Command(text, status) for text in commands(block))
            status = 0


def commands(block: list[str]) -> Iterator[str]:
    """Yield the commands of one console block; a backslash continues a line, everything else is output."""
    parts: list[str] = []
    for line in block:
        if parts or line.startswith("$ "):
            parts.append(line.removeprefix("$ ").strip())
            if parts[-1].endswith("\\"):
                parts[-1] = parts[-1].removesuffix("\\")
            else:
                yield " ".join(parts)
                parts = []


def write_people(path: Path) -> None:
    """Write the table that docs/tutorials/your-own-table.md makes."""
    rng = np.random.default_rng(7)
    rows = 300
    age = rng.integers(18, 80, rows)
    income = rng.normal(40, 12, rows).round(1)
    deposit = rng.normal(9, 3, rows).round(1)
    visits = rng.poisson(6, rows)
    score = 0.03 * (age - 45) + 0.03 * (income - 40) + 0.2 * (deposit - 9) - 0.2 * (visits - 6)
    y = np.where(score + rng.normal(0, 0.7, rows) > 0.3, "yes", "no")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "income", "deposit", "visits", "y"])
        writer.writerows(zip(range(1000, 1000 + rows), age, income, deposit, visits, y, strict=True))


def write_docstrings(path: Path) -> None:
    """Write the table that docs/tutorials/texts.md asks an example for."""
    example = ROOT / "examples" / "docstrings.py"
    subprocess.run([sys.executable, str(example), str(path)], check=True)


def pages_with_commands() -> list[Path]:
    return [page for page in PAGES if any(isinstance(step, Command) for step in steps(page.read_text("utf-8")))]


@pytest.mark.parametrize("page", pages_with_commands(), ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_end_as_the_page_says(page, tmp_path):
    write_people(tmp_path / "people.csv")
    if "docstrings.csv" in page.read_text("utf-8"):
        write_docstrings(tmp_path / "docstrings.csv")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "XDG_CACHE_HOME": str(tmp_path / ".cache"),
        "PYTHONWARNINGS": "default",
    }
    environment.pop("SEEPAGE_DATA", None)  # what a page shows must not need a folder of ours
    for step in steps(page.read_text("utf-8")):
        if isinstance(step, File):
            (tmp_path / step.name).write_text(step.content, encoding="utf-8")
        elif step.text.startswith("seepage"):
            done = subprocess.run(
                shlex.split(step.text), cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == step.status, f"{step.text}\n{done.stdout}\n{done.stderr}"
            assert "Traceback" not in done.stderr, f"{step.text}\n{done.stderr}"


def test_a_console_block_is_read_as_a_reader_would():
    page = "<!-- exit: 1 -->\n\n```console\n$ seepage gate a \\\n    --max labels=0.2\nno\n$ seepage list\n```\n"
    assert list(steps(page)) == [Command("seepage gate a  --max labels=0.2", 1), Command("seepage list", 1)]
