"""Every command that the documentation shows is run, in the order of its page, and prints what the page shows.

A page of commands runs in one process: that a command starts in a process of its own is tested in tests/cli, and that
worker processes find the same as one process in tests/audit. After a change that moves numbers, let the pages be written anew:

    python -m pytest tests/docs/test_commands.py --refresh-shown
"""

import re
import runpy
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seepage.cli.app import app
from shown_output import fits, refreshed, without_frames

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])

FENCE = re.compile(r"^```(?P<language>[a-z]+)(?: title=\"(?P<title>[^\"]+)\")?\s*$")
EXIT = re.compile(r"^<!-- exit: (?P<status>\d+) -->\s*$")
PROMPT = "$ "

NOT_RUN = {
    "seepage audit": "a whole default audit takes minutes; the first tutorial runs a part of it",
    "seepage attack model-completion --data digits --partition halves --federation split-network --model bottom=resnet":
        "residual networks take minutes; tests/federations trains small ones",
    "seepage recommend iris --max labels=0.3 --federation summed-network --defense laplace-noise --defense top-k --seeds 2":
        "it trains and attacks for a quarter of a minute; tests/cli/test_recommend.py searches a smaller network",
    "seepage reproduce label/table6 --only digits": "make reproduce runs it",
}  # fmt: skip
"""First lines of commands that a page shows in another block than `console`, and why nobody runs them here."""


@dataclass(frozen=True)
class Command:
    """One line behind a dollar sign, the status it must end with, and what is shown below it from which line on."""

    text: str
    status: int
    shown: Sequence[str]
    line: int


@dataclass(frozen=True)
class File:
    """A block with a title, which the reader is asked to save."""

    name: str
    content: str


def steps(page: str) -> Iterator[Command | File]:
    """Yield what a reader would do, from top to bottom."""
    lines = page.splitlines()
    status = number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if found := EXIT.match(line):
            status = int(found["status"])
        elif fence := FENCE.match(line):
            block = list(takewhile(lambda inside: not inside.startswith("```"), lines[number:]))
            if fence["title"]:
                yield File(fence["title"], "\n".join(block) + "\n")
            elif fence["language"] == "console":
                yield from commands(block, number, status)
            number += len(block) + 1
            status = 0


def commands(block: list[str], first: int, status: int) -> Iterator[Command]:
    """Yield the commands of one console block; a backslash continues a line, everything else is output."""
    place = 0
    while place < len(block):
        parts = [block[place].removeprefix(PROMPT).strip()]
        place += 1
        while parts[-1].endswith("\\"):
            parts[-1:] = [parts[-1].removesuffix("\\"), block[place].strip()]
            place += 1
        shown = tuple(takewhile(lambda line: not line.startswith(PROMPT), block[place:]))
        yield Command(" ".join(parts), status, shown, first + place)
        place += len(shown)


def pages_with_commands() -> list[Path]:
    return [page for page in PAGES if any(isinstance(step, Command) for step in steps(page.read_text("utf-8")))]


def run(command: Command, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Do what a reader is shown; return what is printed, once it has ended as the page says."""
    program, *arguments = shlex.split(command.text)
    if program == "python" and arguments[0].startswith("examples/"):
        monkeypatch.setattr("sys.argv", arguments)
        runpy.run_path(str(ROOT / arguments[0]), run_name="__main__")
        return []
    assert program == "seepage", f"Nothing here knows how to run {command.text!r}."
    if arguments[0] in {"audit", "attack"} and not {"--jobs", "--transcript"} & set(arguments):
        arguments += ["--jobs", "0"]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == command.status, f"{command.text}\n{done.output}"
    return without_frames(done.output)


@pytest.mark.parametrize("page", pages_with_commands(), ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_end_as_the_page_says_and_print_what_it_shows(page, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    monkeypatch.delenv("SEEPAGE_DATA", raising=False)  # what a page shows must not need a folder of ours
    for place in (tmp_path, tmp_path / "examples"):  # where readers of tutorials have it, and those of the README
        place.mkdir(exist_ok=True)
        shutil.copy(ROOT / "examples" / "people.csv", place)
    text = page.read_text("utf-8")
    ran = []
    for step in steps(text):
        if isinstance(step, File):
            (tmp_path / step.name).write_text(step.content, encoding="utf-8")
        else:
            ran.append((step, run(step, monkeypatch)))
    ran = [(command, printed) for command, printed in ran if command.shown]
    if request.config.getoption("--refresh-shown"):
        ran = [(replace(command, shown=refreshed(command.shown, printed)), printed) for command, printed in ran]
        page.write_text(rewritten(text, [command for command, _ in ran]), encoding="utf-8")
    for command, printed in ran:
        if not fits(command.shown, printed):
            both = [f"$ {command.text}", "--- the page shows", *command.shown, "--- but this is printed", *printed]
            pytest.fail("\n".join(both), pytrace=False)


def rewritten(page: str, refreshed_commands: list[Command]) -> str:
    """Put what is shown now in the place of what was shown."""
    lines = page.splitlines()
    before = {step.line: step for step in steps(page) if isinstance(step, Command)}
    for command in reversed(refreshed_commands):
        lines[command.line : command.line + len(before[command.line].shown)] = command.shown
    return "\n".join(lines) + "\n"


def test_a_console_block_is_read_as_a_reader_would():
    page = "<!-- exit: 1 -->\n\n```console\n$ seepage gate a \\\n    --max labels=0.2\nno\n$ seepage list\n```\n"
    assert list(steps(page)) == [
        Command("seepage gate a  --max labels=0.2", 1, ("no",), 5),
        Command("seepage list", 1, (), 7),
    ]


def test_commands_that_are_shown_but_not_run_have_a_reason():
    lines = [line for page in PAGES for line in page.read_text("utf-8").splitlines() if line.startswith("$ seepage")]
    run_here = {text for page in PAGES for text in first_lines(page.read_text("utf-8"))}
    assert {line.removeprefix(PROMPT).removesuffix("\\").strip() for line in lines} - run_here == set(NOT_RUN)


def first_lines(page: str) -> list[str]:
    """Return how the commands of a page's console blocks begin."""
    blocks = re.findall(r"^```console\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return [text.strip() for block in blocks for text in re.findall(r"^\$ ([^\\\n]*)", block, re.MULTILINE)]


def test_what_is_shown_is_written_anew_in_its_place():
    page = "Look:\n\n```console\n$ seepage list\nold\nolder\n$ seepage gate a\nno\n```\n"
    first, second = steps(page)
    now = [replace(first, shown=("new",)), replace(second, shown=("no", "more"))]
    assert rewritten(page, now) == "Look:\n\n```console\n$ seepage list\nnew\n$ seepage gate a\nno\nmore\n```\n"
