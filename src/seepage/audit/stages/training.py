"""One training: the parties, what acts on them, and what is kept of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seepage.attacks import Attack
from seepage.audit.plan.plan import Choice
from seepage.audit.plan.settings import build
from seepage.audit.stages.applicability import idle
from seepage.audit.stages.work import Training
from seepage.defenses import DEFENSES
from seepage.errors import BadSetting
from seepage.federations import FEDERATIONS, Federation, Run
from seepage.federations.withdrawing import Withdrawing, withdraw
from seepage.hooks import Defense, Hook, Hooks, Tampering, begin
from seepage.links import InProcessLink
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.settings import keys
from seepage.transcript import Recording
from seepage.views import Knowledge


@dataclass(frozen=True, eq=False)
class Misbehaving:
    """An attack whose adversary tampers with its own part, and what that adversary knows before training."""

    attack: Attack[Any]
    knowledge: Knowledge


def federation_of(training: Training) -> Federation:
    """Build the federation of a training, on its device if it computes on one."""
    name, settings = training.federation.name, training.federation.settings
    if "device" in keys(FEDERATIONS[name]):
        return build(FEDERATIONS, name, {"device": training.device, **settings})
    if training.device != "cpu":
        raise BadSetting(
            f"{name} does not compute on a device, but --device {training.device} is asked for. Leave it out."
        )
    return build(FEDERATIONS, name, settings)


def defense_of(choice: Choice | None) -> Defense | None:
    """Build a defense, where there is one."""
    return build(DEFENSES, choice.name, choice.settings) if choice is not None else None


def started(choice: Choice | None, data: PartitionedTable, seed: int, secret: str) -> dict[str, Hook]:
    """Start a defense at every party, each with its own part and its own chance."""
    defense = defense_of(choice)
    if defense is None or choice is None:
        return {}
    hooks = {
        party: begin(defense, data.parts[party], stream(seed, "defense", party, secret=secret))
        for party in data.parties
    }
    reason = idle(defense, choice.name, hooks)
    if reason is not None:
        raise BadSetting(str(reason))
    return hooks


def train(
    federation: Federation,
    data: PartitionedTable,
    defenses: Mapping[str, Hook],
    misbehaving: Sequence[Misbehaving],
    record: Recording,
    seed: int,
    secret: str,
) -> Run[Any, Any]:
    """Train once; the same run comes out whatever is recorded of it."""
    tamperings: dict[str, Tampering] = {}
    for one in misbehaving:
        if one.attack.tampering is not None:
            tamperings |= {
                party: one.attack.tampering(one.knowledge, stream(seed, "tampering", one.attack.name, party))
                for party in one.knowledge.threat.adversaries
            }
    rng = stream(seed, "federation", secret=secret)
    return federation.train(data, hooks=Hooks(dict(defenses), tamperings), record=record, rng=rng)


def aligned(data: PartitionedTable, hooks: Mapping[str, Hook]) -> PartitionedTable:
    """Leave out training rows that a party withdraws after ids were aligned and before training begins.

    Every party learns which rows are left. Rows that wait for predictions stay.
    """
    own, *others = (Withdrawing(party, data.train, hooks.get(party, Hook())) for party in data.parties)
    rows = withdraw(own, {other.name: InProcessLink(other, lambda _: None) for other in others})
    if len(rows) == len(data.train):
        return data
    if len(np.unique(data.labels[rows])) < len(np.unique(data.labels[data.train])):
        raise BadSetting("So many rows were withdrawn that a class has none left. Withdraw a smaller share.")
    return data.training_on(rows)
