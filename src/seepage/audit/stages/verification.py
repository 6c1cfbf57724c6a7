"""Predictions that are tried out on a mimicked attack before they are released: the enclave of paper 002, §VII.

Nothing that crosses while they are tried out reaches a transcript, and each
party's hook is shown what is guessed about its own columns and nothing else.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.random import Generator

from seepage.attacks import Attack
from seepage.audit.plan.attacks import built_attack
from seepage.audit.stages.chaining import handed_over, threat_for
from seepage.errors import BadSetting, IncompatibleView, Remark
from seepage.federations import Run
from seepage.guesses import BranchGuess, FeatureGuess
from seepage.hooks import Defense, Hook, Seam, Verification, Verifying
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.scores import utility
from seepage.shapes import Labels, Mask, Matrix, Rows
from seepage.transcript import Agreement, Transcript
from seepage.views import ThreatModel, View, grant, observe


class NothingToVerify(Remark):
    """The attack to be mimicked found nothing to infer, so that every prediction is released."""


@dataclass(frozen=True, eq=False)
class Released:
    """What became of the predictions of some rows.

    Parameters
    ----------
    confidences
        As everybody sees them; the same for every class where a row was withheld.
    withheld
        Which rows were not released.
    transcript
        What was recorded, without what crossed while predictions were tried out.
    crossed
        How much crossed until then, by kind, sender and receiver.
    """

    confidences: Matrix
    withheld: Mask
    transcript: Transcript
    crossed: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class Mimicry:
    """An attack to be mimicked, and the adversary that it is mimicked for."""

    attack: Attack[Any]
    threat: ThreatModel


def mimicry(
    defense: Defense | None, agreement: Agreement, adversary: tuple[str, ...], *, model: bool = True
) -> Mimicry | None:
    """Return what a defense wants mimicked; None for one that verifies nothing, or where no attack is known.

    The parties suppose the adversary that the audit supposes, if the active
    party is part of it: to the others nothing is released that they could attack.
    """
    if defense is None or Seam.VERIFICATION not in defense.acts_on:
        return None
    name = cast("Verifying", defense).mimicked(agreement.model)
    if name is None:
        return None
    attack = built_attack(name)
    if attack.steals != "features":
        raise BadSetting(f"mimic is '{name}', which goes for {attack.steals}. Name an attack on features.")
    adversaries = adversary if agreement.active in adversary else (agreement.active,)
    return Mimicry(attack, replace(threat_for(attack, adversaries), model=model))


def release_predictions(
    run: Run[Any, Any],
    data: PartitionedTable,
    hooks: Mapping[str, Hook],
    wanted: Mimicry | None,
    seed: int,
    secret: str,
    *,
    shown: bool = True,
) -> Released:
    """Release the predictions of new rows under the active party's hook, those that a party objects to left out.

    Where they are not `shown`, nobody but the active party gets them.

    The run itself is as before: what crosses is in the transcript of this release, and in none of another.
    """
    rows = data.test
    allowed = np.ones(len(rows), dtype=np.bool_)
    if wanted is not None:
        with run.aside():
            predicted = run.predict(rows)
            tried_out = run.transcript
        if np.isfinite(predicted).all():
            view = _tried_out(tried_out, data, predicted, wanted, seed)
            rng = stream(seed, "verification", wanted.attack.name, secret=secret)
            allowed = permitted(view, wanted.attack, hooks, rows, seed, rng)
    confidences = np.full((len(rows), len(data.classes)), 1 / len(data.classes))
    with run.aside():
        if allowed.any():  # where nothing may be released, not even an empty message crosses
            released = run.release(rows[allowed], hooks.get(data.active), **({} if shown else {"shown": False}))
            confidences = confidences.astype(released.dtype)
            confidences[allowed] = released
        return Released(confidences, ~allowed, run.transcript, run.crossed)


def _tried_out(transcript: Transcript, data: PartitionedTable, predicted: Matrix, wanted: Mimicry, seed: int) -> View:
    """Return what the adversary would hold, had all predictions been released."""
    payload = {"confidence": predicted}
    would_be = Message(Kind.PREDICTION, data.active, data.active, OUTSIDE_TRAINING, 0, data.test, payload)
    knowledge = grant(data, wanted.threat, stream(seed, "knowledge"))
    return observe(replace(transcript, messages=(*transcript.messages, would_be)), knowledge)


def permitted(
    view: View, attack: Attack[Any], hooks: Mapping[str, Hook], rows: Rows, seed: int, rng: Generator
) -> Mask:
    """Say which rows no party objects to; those that the attack says nothing about are not objected to.

    An attack that finds nothing to infer, as in a tree that never asks for
    others' columns, gives nobody a reason to object. That is remarked.
    """
    allowed = np.ones(len(rows), dtype=np.bool_)
    try:
        guess = attack.run(handed_over(attack, view, seed).narrowed(attack.needs), rng)
    except IncompatibleView as error:
        warnings.warn(
            NothingToVerify(f"No prediction was withheld, since {attack.name} cannot be mimicked: {error}"),
            stacklevel=2,
        )
        return allowed
    for party, hook in hooks.items():
        if party in view.adversaries:
            continue
        own = columns_of(guess, party)
        said = hook.verification(Verification(guess=own, allowed=np.ones(len(own.rows), dtype=np.bool_)))
        allowed &= ~np.isin(rows, own.rows[~said.allowed])
    return allowed


def columns_of(guess: FeatureGuess | BranchGuess, party: str) -> FeatureGuess | BranchGuess:
    """Cut a guess down to the columns of one party: neither values nor branches of anybody else are left.

    >>> both = FeatureGuess(np.array([7]), (("bank", "age"), ("shop", "visits")), np.array([[0.1, 0.2]]))
    >>> columns_of(both, "shop").columns, columns_of(both, "shop").units
    ((('shop', 'visits'),), array([[0.2]]))
    """
    if isinstance(guess, FeatureGuess):
        own = [place for place, (owner, _) in enumerate(guess.columns) if owner == party]
        return FeatureGuess(guess.rows, tuple(guess.columns[place] for place in own), guess.units[:, own])
    branches = guess.branches
    own = [place for place, (owner, _) in enumerate(branches.columns) if owner == party]
    paths, told = np.unique(branches.paths[:, own], axis=0, return_inverse=True)  # leaves it cannot tell apart
    nothing = np.zeros((len(guess.rows), len(paths)), dtype=np.bool_)
    return BranchGuess(
        rows=guess.rows,
        branches=replace(
            branches,
            columns=tuple(branches.columns[place] for place in own),
            thresholds=branches.thresholds[own],
            units=branches.units[own],
            missing_left=branches.missing_left[own],
            paths=paths,
        ),
        leaf=told.reshape(-1)[guess.leaf],
        candidates=nothing,
        reachable=nothing,
    )


def released_utility(labels: Labels, released: Released) -> tuple[str, float, dict[str, float]]:
    """Return the utility of what was released; of withheld rows one class is as good as another, and no F1 is told.

    >>> nothing = Released(np.full((2, 4), 0.25), np.array([True, True]), cast("Transcript", None))
    >>> released_utility(np.array([0, 3]), nothing)
    ('accuracy', 0.25, {'accuracy': 0.25, 'auc': 0.5, 'withheld': 1.0})
    """
    metric, value, metrics = utility(labels, released.confidences)
    withheld = released.withheld
    if not withheld.any():
        return metric, value, metrics
    right = released.confidences.argmax(axis=1) == labels
    chance = 1 / released.confidences.shape[1]
    metrics = {
        **{name: number for name, number in metrics.items() if name != "f1"},
        "accuracy": float(np.where(withheld, chance, right).mean()),
        "withheld": float(withheld.mean()),
    }
    return metric, metrics[metric], metrics
