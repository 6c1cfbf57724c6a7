"""What all tests share: one thread, repeatable examples, and the command line as users run it."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("seepage", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("seepage")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the pages of the documentation be written anew."""
    parser.addoption(
        "--refresh-shown", action="store_true", help="write what commands print now into the pages that show them"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with whole audits, those of workers and of the README: nobody should wait for one of them at the end."""
    long = ("test_sweep.py", "says_and_print_what_it_shows[README.md]")
    items.sort(key=lambda item: not any(part in item.nodeid for part in long))


@pytest.fixture
def run_command() -> Callable[..., "object"]:
    """Run the command line as a user would: a process of its own."""
    import subprocess

    def run(*arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> object:
        program = Path(sys.executable).with_name("seepage")
        return subprocess.run(
            [str(program), *arguments],
            cwd=cwd,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run
