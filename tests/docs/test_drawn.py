"""Tables on pages that are drawn by a command, which a comment above them names.

Most are drawn from stored findings alone; those that read the data as well are compared where these are at hand.
"""

import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seepage.cli.app import app
from seepage.papers.stored import ENDING

ROOT = Path(__file__).parents[2]
DRAWN = re.compile(r"<!-- (?P<data>with data: )?(?P<command>seepage reproduce \S+(?: --from (?P<stored>\S+))?.*) -->")
PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if DRAWN.search(page.read_text("utf-8")))


def drawn(command):
    done = CliRunner().invoke(app, [*shlex.split(command)[1:], "--markdown"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout.rstrip("\n").split("\n")


def redrawn(page):
    """Return a page with every such table drawn anew."""
    lines, new, place = page.split("\n"), [], 0
    while place < len(lines):
        new.append(lines[place])
        place += 1
        found = DRAWN.fullmatch(new[-1])
        if found and not (found["data"] and not os.environ.get("SEEPAGE_DATA")):
            while place < len(lines) and (not lines[place] or lines[place].startswith("|")):
                place += 1
            new += ["", *drawn(found["command"]), ""]
    return "\n".join(new)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_what_their_commands_say(page, monkeypatch, request):
    monkeypatch.chdir(ROOT)
    shown = page.read_text("utf-8")
    now = redrawn(shown)
    if request.config.getoption("--refresh-shown"):
        page.write_text(now, "utf-8")
    else:
        assert shown == now, "draw it anew with pytest tests/docs/test_drawn.py --refresh-shown"


def test_whatever_is_stored_is_shown():
    drawings = (found for page in PAGES for found in DRAWN.finditer(page.read_text("utf-8")))
    shown = {found["stored"] for found in drawings if found["stored"]}
    stored = {str(file.relative_to(ROOT)) for file in (ROOT / "docs" / "reproductions").glob(f"*{ENDING}")}
    assert shown == stored
