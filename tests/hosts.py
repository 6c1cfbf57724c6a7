"""Two hosts on one machine: folders of their own, keys, and commands in processes of their own."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from samples import write_csv
from seepage.links.keys import make_keys

PLAN = """
parties = ["bank", "shop"]
classes = 2
rows = 150
federations = [{ name = "logistic-regression", settings = { epochs = 20 } }]
attacks = [{ name = "gradient-sign" }, { name = "equality-solving" }]
defenses = [{ name = "label-dp" }, { name = "top-k" }]
model = true
"""


def two_tables(folder: Path) -> None:
    """Write what each side holds: a risk that both know something of, and the bank whether people repaid."""
    rng = np.random.default_rng(0)
    risk, ids = rng.normal(size=200), [f"c{number:04d}" for number in range(200)]
    write_csv(
        folder / "bank" / "bank.csv", id=ids, age=rng.integers(18, 80, 200),
        income=np.round(risk + rng.normal(size=200), 3), y=np.where(risk > 0.3, "late", "paid"),
    )  # fmt: skip
    order = rng.permutation(200)[:180]
    write_csv(
        folder / "shop" / "shop.csv", customer=[ids[one].upper() for one in order], visits=rng.poisson(4, 180),
        spent=np.round(risk[order] * 2 + rng.normal(size=180), 3),
    )  # fmt: skip


@dataclass
class Hosts:
    """A bank and a shop with keys, tables and one plan."""

    folder: Path
    plan: str = PLAN
    port: int = 0
    started: list = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("bank", "shop"):
            (self.folder / name).mkdir()
        two_tables(self.folder)
        made = {name: make_keys(name, self.folder / name / "keys") for name in ("bank", "shop")}
        told = "".join(f'{name} = "{one.fingerprint}"\n' for name, one in made.items())
        for name in made:
            (self.folder / name / "rehearsal.toml").write_text(f"{self.plan}\n[fingerprints]\n{told}")
            for other, one in made.items():
                (self.folder / name / "keys" / f"{other}.crt").write_bytes(one.certificate)

    def shop(self, *more: str, port: int = 0, before: tuple = (), address: str = "127.0.0.1") -> subprocess.Popen:
        """Start the shop, and learn where it listens."""
        command = ["party", "rehearsal.toml", "--name", "shop", "--table", "shop.csv", "--id", "customer",
                   "--listen", f"{address}:{port}", *more]  # fmt: skip
        process = self._start("shop", command, before)
        for line in process.stderr:
            if found := re.search(r"waits for 'bank' at .*:(\d+)", line):
                self.port = int(found[1])
                return process
        raise AssertionError(f"the shop does not wait: {process.wait()}")

    def bank(self, *more: str, before: tuple = (), address: str = "127.0.0.1") -> subprocess.Popen:
        """Start the bank."""
        command = ["rehearse", "rehearsal.toml", "--name", "bank", "--table", "bank.csv", "--label", "y", "--id", "id",
                   "--peer", f"shop={address}:{self.port}", *more]  # fmt: skip
        return self._start("bank", command, before)

    def _start(self, name: str, command: list, before: tuple) -> subprocess.Popen:
        agreed = [] if "--consent" in command else ["--consent", "all"]
        process = subprocess.Popen(
            [*before, sys.executable, "-P", "-m", "seepage", *command, *agreed], cwd=self.folder / name, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        self.started.append(process)
        return process

    def out(self, name: str) -> Path:
        """Where a side writes its results."""
        return self.folder / name / "seepage-rehearsal"

    def end(self) -> None:
        """Leave no process behind."""
        for process in self.started:
            process.kill()
            process.communicate()


def ended(process: subprocess.Popen, within: float = 120) -> tuple[int, str]:
    """Wait for a process, and return its status and what it said."""
    said, words = process.communicate(timeout=within)
    return process.returncode, said + words


def kill_at(process: subprocess.Popen, when, within: float = 60) -> None:
    """Kill a process without a word as soon as something is so."""
    until = time.monotonic() + within
    while not when() and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
