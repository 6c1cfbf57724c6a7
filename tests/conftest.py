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
    """Begin with the commands of the documentation: they take longest, and nobody should wait for the last one."""
    items.sort(key=lambda item: "test_commands_end_as_the_page_says" not in item.nodeid)


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
