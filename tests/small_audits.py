"""Small audits for tests of engines, and findings without what differs from run to run."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan, make_plan

VOLATILE = ("seconds", "peak_mb")
PROGRAM = str(Path(sys.executable).with_name("seepage"))
needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install 'seepage[ray]'"
)


def chosen(name: str, **settings: object) -> dict[str, Any]:
    """Return a choice of a plan, with settings."""
    return {"name": name, "settings": settings}


def asked(data: object = "iris", **changes: Any) -> Plan:
    """Make a small plan, with changes; what is named needs no more than its name."""
    values: dict[str, Any] = {"federations": ["logistic-regression"], "attacks": ["gradient-sign"], "seeds": 1}
    values |= {"data": {"name": data} if isinstance(data, str) else data, **changes}
    for kind in values.keys() & {"federations", "attacks", "defenses"}:
        values[kind] = [one if isinstance(one, dict) else {"name": one} for one in values[kind]]
    return make_plan(values)


MIXED = {
    "federations": [chosen("summed-network", epochs=2, batch=32), chosen("forest", trees=2, depth=2)],
    "attacks": [
        "gradient-sign",
        "linear-probe",
        {**chosen("active-completion", learner={"epochs": 1}), "defended": False},
        "id2graph",
        "equality-solving",
    ],
    "defenses": ["rounding", "top-k"],
    "seeds": 2,
}
"""A defense that acts after training, one that acts meanwhile, an adversary who misbehaves, and trees."""


def stable(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return findings as they are stored, without what was measured of the machine."""
    return [{key: value for key, value in f.to_json().items() if key not in VOLATILE} for f in findings]


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """Yield all processes below one, each with what it calls itself."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in map(int, children):
        try:
            yield child, Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        yield from descendants(child)


def stored_lines(out: Path) -> int:
    """Return how many results lie in the folder of an audit."""
    return sum(path.read_bytes().count(b"\n{") for path in cells(out))


def cells(out: Path) -> list[Path]:
    """Return the files with results of an audit."""
    return list((out / "cells").glob("*.jsonl"))


def started(*arguments: object, cwd: Path | None = None) -> "subprocess.Popen[str]":
    """Start the command line in a session of its own."""
    return subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background do not hear Ctrl-C
    )


def wait_for(condition: Callable[[], object], process: "subprocess.Popen[str]", seconds: float = 120) -> bool:
    """Wait until something holds, as long as a process runs."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        if condition():
            return True
        time.sleep(0.01)
    return False


def alive(pid: int) -> bool:
    """Whether a process runs, and is not merely waiting to be forgotten."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def listening(pids: Iterable[int]) -> set[str]:
    """Return the addresses on which some processes listen, in hexadecimal as the kernel writes them."""
    inodes = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                inodes[f"socket:[{words[9]}]"] = words[1].partition(":")[0]
    found = set()
    for pid in pids:
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                found.add(inodes.get(os.readlink(handle), ""))
            except OSError:
                continue
    return found - {""}
