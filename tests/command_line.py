"""The command line, called in this process: what it prints, what it finds, and what it refuses."""

import json
import shlex
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from seepage.cli.app import app


def typed(line: str, *more: object, status: int = 0) -> Result:
    """Run a command; its line is taken apart as a shell does, and more words are taken as they are."""
    result = CliRunner().invoke(app, [*shlex.split(line), *map(str, more)])
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result


def found(line: str, *more: object) -> dict[str, Any]:
    """Run a command that prints one finding, and return it."""
    return json.loads(typed(line, *more, "--json", "-").stdout)


def refused(line: str, *more: object) -> str:
    """Run a command that is refused, and return what is said, on one line."""
    return " ".join(typed(line, *more, status=2).stderr.split())
