"""One line of a further table on CIFAR-10: a training, an attack on it, and what comes out."""

from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, Final, TypeAlias

import numpy as np

from seepage.attacks.labels.gradient_sign import GradientSign
from seepage.guesses import LabelGuess
from seepage.papers.kept import Kept
from seepage.papers.label_cifar10_training import LabelAttack, Setting, knowledge_of, once, trained
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.scores import top1
from seepage.views import Knowledge, ThreatModel, grant

Direct: TypeAlias = tuple[GradientSign, ...]
"""Several readings of the same gradients; the first is the value of a line."""
NAMED: Final = ("table", "line", "data", "seed", "attack", "epochs", "batch")
"""What tells one line of the file of results from another."""


@dataclass(frozen=True)
class Line:
    """What a line is called, its training, and the attack that reads it."""

    table: str
    label: str
    setting: Setting
    attack: LabelAttack | Direct

    def key(self, seed: int) -> tuple[Any, ...]:
        """Return what tells this line from others, in the order of `NAMED`."""
        training = self.setting.federation.training
        attack = self.attack[0] if isinstance(self.attack, tuple) else self.attack
        return (self.table, self.label, self.setting.data, seed, attack.name, training.epochs, training.batch)

    def measured(self, data: PartitionedTable, seed: int, kept: Kept) -> dict[str, Any]:
        """Train, unless that was kept, and attack: what goes into the file of results."""
        if isinstance(self.attack, tuple):
            told, utility = _read(self.setting, data, self.attack, seed, kept)
        else:
            told, utility = _completed(self.setting, data, self.attack, seed, kept)
        value = told.pop("top1")
        return {**dict(zip(NAMED, self.key(seed), strict=True)), "value": value, "utility": utility, "other": told}


def _completed(
    setting: Setting, data: PartitionedTable, attack: LabelAttack, seed: int, kept: Kept
) -> tuple[dict[str, float], float]:
    """Complete the bottom model; return what that tells of training rows and of others, and the joint model's worth."""
    view, utility = trained(setting, data, attack, seed, kept)
    kept.begin()
    knowledge = knowledge_of(data, attack, seed)
    guess = attack.run(replace(view, knowledge=knowledge).narrowed(attack.needs), stream(seed, "attack", attack.name))
    return scored(guess, data, knowledge), utility


def scored(guess: LabelGuess, data: PartitionedTable, knowledge: Knowledge) -> dict[str, float]:
    """Return the share of labels named, in training and outside, at the end and at every step.

    The rows are those of `score_label_guess`; what nobody needs the federation for is the same for all lines of a
    seed, and stands with Table 2.
    """
    told = {name: float(value) for name, value in guess.notes.items()}
    inside = np.setdiff1d(knowledge.train, knowledge.known_rows)
    for rows, ending in ((inside, ""), (knowledge.new, "_new")):
        about = guess.about(rows)
        told[f"top1{ending}"] = top1(data.labels[rows], about.labels)
        told |= {f"top1_{step}{ending}": top1(data.labels[rows], labels) for step, labels in about.steps.items()}
    return told


def _read(
    setting: Setting, data: PartitionedTable, attacks: Direct, seed: int, kept: Kept
) -> tuple[dict[str, float], float]:
    """Read labels off gradients in several ways; return what each tells, and the joint model's worth."""
    kept.begin()
    knowledge = grant(data, ThreatModel(adversaries=data.passive[-1:]), stream(seed, "knowledge"))
    record = reduce(or_, (attack.needs.recording() for attack in attacks))
    view, utility = once(setting, data, knowledge, record, seed)
    told: dict[str, float] = {}
    for attack in attacks:
        guess = attack.run(view.narrowed(attack.needs), stream(seed, "attack", attack.name))
        name = f"{attack.rule}, epoch {' '.join(map(str, attack.epochs))}"
        told[name] = top1(data.labels[data.train], guess.about(data.train).labels)
    return {"top1": next(iter(told.values())), **told}, utility
