"""Attacks that do what none should; they are run in processes of their own."""

import ctypes
import os
import socket
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from made_up_attacks import OnLabels
from seepage.errors import IncompatibleView, Remark
from seepage.guesses import LabelGuess
from seepage.views import Kind, Needs


@dataclass(frozen=True, kw_only=True)
class Hostile(OnLabels):
    """Does what it is told; then guesses at random."""

    name: ClassVar = "hostile"
    needs: ClassVar = Needs(received=frozenset({Kind.GRADIENT}))

    deed: str = "guess"
    target: str = ""
    port: int = 9

    def run(self, view, rng):
        rows = view.knowledge.train
        guess = LabelGuess(rows, rng.random((len(rows), view.agreement.classes)))
        return _DEEDS[self.deed](self, guess) or guess


@dataclass(frozen=True, kw_only=True)
class Tampering(Hostile):
    """Would act during training."""

    tampering: ClassVar = staticmethod(lambda knowledge, rng: None)


@dataclass(frozen=True)
class Lacking:
    """Has a name, and nothing else."""

    name: ClassVar = "lacking"


@dataclass(frozen=True, kw_only=True)
class Boasting(Hostile):
    """Says that it steals what there is not."""

    steals: ClassVar = "everything"


@dataclass(frozen=True, kw_only=True)
class Leaning(Hostile):
    """Builds on an attack that does not exist."""

    needs: ClassVar = Needs(labels_from="no-such-attack")


def function(view, rng):
    """Is no class."""


def _raise(error):
    raise error


def _write(handle):
    while True:
        os.write(handle, b"x" * 2**20)


def _forge():
    os.write(int(sys.argv[2]), b"\x80\x04cos\nsystem\n")
    os._exit(0)


def _tried(hostile, guess):
    """Try to get at what others hold, and say in a note how far it came."""
    parent = os.getppid()
    tries = {
        "file": lambda: Path(hostile.target).read_text(),
        "write": lambda: Path(hostile.target).write_text("changed"),
        "memory": lambda: os.open(f"/proc/{parent}/mem", os.O_RDONLY),
        "environment": lambda: Path(f"/proc/{parent}/environ").read_bytes(),
        "kill": lambda: os.kill(parent, 0),
        "network": lambda: socket.create_connection(("127.0.0.1", hostile.port), 1),
        "home": lambda: Path("/home").iterdir().__next__(),
    }
    notes = {"files_here": float(len(os.listdir("."))), "variables": float("SEEPAGE_DATA" in os.environ)}
    for name, deed in tries.items():
        try:
            deed()
            notes[name] = 1.0
        except OSError:
            notes[name] = 0.0
    return LabelGuess(guess.rows, guess.scores, notes=notes)


_DEEDS = {
    "guess": lambda hostile, guess: None,
    "try": _tried,
    "raise": lambda hostile, guess: _raise(ZeroDivisionError("by \x1b[31mnought")),
    "refuse": lambda hostile, guess: _raise(IncompatibleView("'shop' saw too little.")),
    "sys.exit": lambda hostile, guess: sys.exit(0),
    "os._exit": lambda hostile, guess: os._exit(0),
    "exit-3": lambda hostile, guess: os._exit(3),
    "segfault": lambda hostile, guess: ctypes.string_at(0),
    "sleep": lambda hostile, guess: time.sleep(600),
    "memory": lambda hostile, guess: np.ones(2**34),
    "flood": lambda hostile, guess: _write(1),
    "answer": lambda hostile, guess: _write(int(sys.argv[2])),
    "forge": lambda hostile, guess: _forge(),
    "print": lambda hostile, guess: print("printed by an attack \x1b[31m"),
    "remark": lambda hostile, guess: warnings.warn(Remark("an attack remarks"), stacklevel=1),
    "dict": lambda hostile, guess: {"rows": [1]},
    "nan": lambda hostile, guess: LabelGuess(guess.rows, guess.scores * np.nan),
    "twice": lambda hostile, guess: LabelGuess(np.repeat(guess.rows[:1], 2), guess.scores[:2]),
    "strangers": lambda hostile, guess: LabelGuess(guess.rows + 10**6, guess.scores),
    "child": lambda hostile, guess: (os.fork() or time.sleep(600)) and None,
}
