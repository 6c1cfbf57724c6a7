"""Attacks whose code this process never imports."""

import json
import os
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from numpy.random import Generator
from pydantic import ValidationError

import seepage
from seepage.attacks import ATTACKS
from seepage.attacks.attack import Asset, Role, ScoredRows
from seepage.audit.isolation.asking import Answer, Question, given
from seepage.audit.isolation.description import Description
from seepage.audit.isolation.limits import Limits, isolation
from seepage.audit.isolation.process import asked
from seepage.audit.plan.settings import first_complaint
from seepage.catalogs import Entry
from seepage.errors import BadPlugIn, FailedAttempt, IncompatibleView, Remark
from seepage.guesses import Guess, guess_from_bytes
from seepage.threads import threads_here
from seepage.views import Needs, View

TO_DESCRIBE: Final = Limits(seconds=120.0)
"""What an attack may take to be imported and built."""


@dataclass(frozen=True)
class OutsideAttack:
    """An attack from outside: known by its description, run in a process of its own.

    Parameters
    ----------
    place
        Where its class is, as ``package.module:Class``.
    described
        What it said about itself, checked.
    """

    place: str
    described: Description

    @property
    def name(self) -> str:
        """What it calls itself."""
        return self.described.name

    @property
    def steals(self) -> Asset:
        """Which asset."""
        return self.described.steals

    @property
    def role(self) -> Role:
        """Whether it is an attack or a baseline."""
        return self.described.role

    @property
    def rows(self) -> ScoredRows:
        """Which rows are scored."""
        return self.described.rows

    @property
    def needs(self) -> Needs:
        """What the adversary must hold for it."""
        return self.described.needs

    @property
    def tampering(self) -> None:
        """It cannot act during training, where everybody's data are."""
        return None

    @property
    def settings(self) -> Mapping[str, Any]:
        """All its settings."""
        return self.described.settings

    def run(self, view: View, rng: Generator) -> Guess:
        """Let a process of its own guess."""
        return guessed_apart(self.place, self.settings, view, rng)


def outside_attack(place: str, settings: Mapping[str, Any]) -> OutsideAttack:
    """Ask an attack what it is, without importing its code here; refuse one that cannot be used."""
    stamp = Entry(place, outside=True).fingerprint
    return OutsideAttack(place, _described(place, json.dumps(dict(settings), sort_keys=True), stamp, tuple(sys.path)))


@lru_cache(maxsize=64)
def _described(place: str, settings: str, stamp: str, path: tuple[str, ...]) -> Description:
    """Ask once as long as neither its code nor the path to it changes."""
    del stamp, path  # part of the key only
    try:
        answer = asked(Question(place, json.loads(settings), TO_DESCRIBE, path=_path()))
    except FailedAttempt as error:
        raise BadPlugIn(f"Attack {place} cannot be used: {error}") from error
    if answer.outcome != "description":
        raise BadPlugIn(f"Attack {place} cannot be used: {answer.reason}")
    try:
        described = Description.model_validate_json(answer.text)
    except ValidationError as error:
        raise BadPlugIn(f"Attack {place} cannot be used: {first_complaint(error)}") from error
    _refuse_impossible(place, described)
    return described


def _refuse_impossible(place: str, described: Description) -> None:
    needs = described.needs
    if described.tampers:
        raise BadPlugIn(
            f"Attack {place} acts during training, where everybody's data are, so it cannot be kept in a process of "
            "its own. Pass it to seepage.audit from Python, without isolation, if you trust it."
        )
    if needs.labels_from is not None and needs.labels_from not in ATTACKS.own:
        raise BadPlugIn(
            f"Attack {place} cannot be used: it builds on '{needs.labels_from}', which is no attack of ours."
        )
    if min(needs.known_values, needs.labels_per_class) < 0:
        raise BadPlugIn(f"Attack {place} cannot be used: it needs fewer than no rows.")


def guessed_apart(place: str, settings: Mapping[str, Any], view: View, rng: Generator) -> Guess:
    """Let an attack guess in a process of its own, which is given the view, the settings and the generator.

    >>> import numpy as np
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> agreement = Agreement(
    ...     federation="summed-network", parties=("bank", "shop"), active="bank", classes=2, top_model=False, outputs=2
    ... )
    >>> view = View(agreement, Knowledge(threat=ThreatModel(adversaries=("shop",))))
    >>> guessed_apart("seepage.attacks.labels.gradient_sign:GradientSign", {}, view, np.random.default_rng(0))
    Traceback (most recent call last):
        ...
    seepage.errors.IncompatibleView: 'shop' received no gradient messages...
    """
    ours = place.startswith(f"{seepage.__name__}.")
    question = Question(
        place,
        dict(settings),
        isolation().limits,
        given(view, rng),
        threads=threads_here(),
        path=_path(),
        writable=_compiled() if ours else (),
    )
    answer = asked(question)
    _tell(answer, ours=ours)
    if answer.outcome == "incompatible":
        raise IncompatibleView(answer.reason)
    if answer.outcome != "guess":
        raise FailedAttempt(answer.reason)
    return guess_from_bytes(answer.content)


def _tell(answer: Answer, *, ours: bool) -> None:
    for text in answer.remarks:
        warnings.warn(Remark(text), stacklevel=2)
    lacking = [name for name, held in (("the network", answer.network), ("other files", answer.files)) if not held]
    if lacking and not ours:
        warnings.warn(
            Remark(
                f"This system does not let a process be kept from {' and '.join(lacking)}: attacks from outside were "
                "given a view and nothing else, but could have looked for more there."
            ),
            stacklevel=2,
        )


def _path() -> tuple[str, ...]:
    """Return where this process imports from, for attacks that are found nowhere else."""
    return tuple(dict.fromkeys(os.path.abspath(entry) for entry in sys.path))


def _compiled() -> tuple[str, ...]:
    """Return where our compiled kernels are kept, which our own attacks may add to."""
    places = (*seepage.__path__, os.environ.get("NUMBA_CACHE_DIR", ""))
    return tuple(str(Path(place).resolve()) for place in places if place)
