"""Whatever somebody did to a recording, it is answered in a sentence or attacked, in seconds and in little memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MB = 2048
FEW, MANY = 100, 10_000


def survived(seed, count):
    """Spoil recordings in a process of their own, whose memory can be looked at; return what broke."""
    tests = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, str(tests / "mutated_recordings.py"), str(seed), str(count)],
        capture_output=True, text=True, check=True, cwd=tests,
    )  # fmt: skip
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["mb"] < MB
    return told["wrong"]


def test_a_spoiled_recording_is_answered_in_a_sentence():
    assert survived(0, FEW) == []


@pytest.mark.torture
@pytest.mark.parametrize("part", range(10))
def test_no_spoiled_recording_of_many_is_a_traceback(part):
    assert survived(part + 1, MANY // 10) == []
