"""Which attacks a recording allows, with what was granted in it, and why others cannot be tried."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

from seepage.attacks import ATTACKS, Attack
from seepage.audit.findings.circumstances import grouped
from seepage.audit.plan.attacks import built_attack, usable
from seepage.audit.plan.defaults import TWINS, VARIANTS
from seepage.audit.recordings.recorded_run import RecordedRun, read_runs
from seepage.audit.stages.assignment import misbehavior
from seepage.audit.stages.chaining import earlier, unmet
from seepage.reasons import (
    NoLabelsKnown,
    NoOwnModel,
    NoPropertyKnown,
    NothingArrived,
    NoValuesKnown,
    Reason,
    TrainedOtherwise,
    TrainingIsOver,
    of_a_recording,
)
from seepage.scores.digits import counted
from seepage.transcript import Transcript
from seepage.transcript.storage import is_closed, what_was_left_out
from seepage.views import View, observe
from seepage.views.intermediate_results import PENULTIMATE


@dataclass(frozen=True, eq=False)
class Tried:
    """One attack as it is tried by the adversary of a recorded run; `reason` says why it cannot be."""

    name: str
    attack: Attack[Any]
    reason: Reason | None = None


def tried(run: RecordedRun, names: tuple[str, ...] = ()) -> Iterator[Tried]:
    """Yield all attacks, or those with some names, with the variants that an audit tries; of one that cannot be, why.

    What is the blind guess of others is left out unless it is named: it stands beside each of them.
    """
    held = observe(run.transcript, run.knowledge)
    for name in names or [name for name in usable(ATTACKS) if name not in TWINS]:
        built = [as_granted(built_attack(name, settings), run) for settings in ({}, *VARIANTS.get(name, ()))]
        variants = [Tried(name, attack, lacking(attack, run, held)) for attack in built]
        yield from [one for one in variants if one.reason is None] or variants[:1]


def as_granted(attack: Attack[Any], run: RecordedRun, kept: tuple[str, ...] = ()) -> Attack[Any]:
    """Return an attack that asks for what its adversary was granted: nothing can be drawn once a run is over.

    Parameters
    ----------
    kept
        Fields that somebody has set, which stay.
    """
    knowledge = run.knowledge
    granted: dict[str, Any] = {}
    if attack.needs.labels_per_class and knowledge.threat.labels_per_class:
        granted["labels_per_class"] = knowledge.threat.labels_per_class
    if attack.needs.auxiliary is not None and knowledge.threat.auxiliary is not None:
        granted["auxiliary"] = knowledge.threat.auxiliary
    if 2 <= len(knowledge.value_rows) < attack.needs.known_values:
        granted["known"] = len(knowledge.value_rows)
    if getattr(attack, "epoch", None) == PENULTIMATE and not _has_models(run, run.transcript.trained + PENULTIMATE):
        granted["epoch"] = -1
    own = {one.name for one in fields(cast("Any", attack)) if one.init} - set(kept)
    taken = {name: value for name, value in granted.items() if name in own}
    return cast("Attack[Any]", replace(cast("Any", attack), **taken)) if taken else attack


def _has_models(run: RecordedRun, epoch: int) -> bool:
    """Whether own models of the adversaries at the end of an epoch are there; true where none are at the end either."""
    adversaries, last = run.knowledge.threat.adversaries, run.transcript.trained - 1
    there = {taken.epoch for taken in run.transcript.snapshots if taken.party in adversaries}
    return epoch in there or last not in there


def lacking(attack: Attack[Any], run: RecordedRun, held: View) -> Reason | None:
    """Say what a recording lacks for an attack, as far as that can be told without trying; None when it can be."""
    terms, knowledge = run.transcript.agreement, run.knowledge
    stored, own, who = run.surroundings.tampering, misbehavior(attack), " and ".join(knowledge.threat.adversaries)
    if own is not None and own != stored:
        return TrainingIsOver()
    if stored is not None and own is None:
        return TrainedOtherwise(stored)
    reason = unmet(attack, terms, knowledge.threat)
    if reason is not None:
        return reason
    needs, before = attack.needs.under(terms), earlier(attack)
    if needs.labels_per_class and not len(knowledge.known_rows):
        return NoLabelsKnown(who)
    if needs.known_values and not len(knowledge.value_rows):
        return NoValuesKnown(who)
    if needs.auxiliary is not None and knowledge.auxiliary is None:
        return NoPropertyKnown(who)
    absent = [kind for kind in sorted(needs.received) if needs.arrived(kind) and not held.arrived(kind)]
    if absent and not (needs.auxiliary is not None and terms.active not in knowledge.threat.adversaries):
        return NothingArrived(who, absent[0])
    if needs.bottom and not all(_trained(party, held) for party in knowledge.threat.adversaries):
        return NoOwnModel(who)
    return lacking(before, run, held) if before is not None else None


def _trained(party: str, held: View) -> bool:
    """Whether a party's own model at the end of training is there, or it has no columns that one could read."""
    own = held.knowledge.own.get(party)
    return held.snapshot(party, -1) is not None or (own is not None and own.width == 0)


@dataclass(frozen=True)
class Checked:
    """What a folder holds, and what can be tried on it; `str` puts it into a few lines."""

    about: tuple[str, ...]
    applying: tuple[tuple[str, str, str], ...]
    lacking: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        can = grouped(self.applying, lambda one: (one[0], one[2]))
        cannot = grouped(self.lacking, lambda one: (one[0], one[2]))
        return "\n".join(
            (
                *self.about,
                *(f"{who} can try {_listed(group)} on {asset}." for (who, asset), group in can.items()),
                *(f"{who} cannot try {_listed(group)}: {why}" for (who, why), group in cannot.items()),
            )
        )

    __repr__ = __str__


def _listed(group: list[tuple[str, str, str]]) -> str:
    return ", ".join(dict.fromkeys(name for _, name, _ in group))


def check(folder: Path, adversaries: tuple[str, ...] = (), truth: Path | None = None) -> Checked:
    """Read a folder and say what it holds, which attacks apply, which do not, and why; nothing is attacked."""
    runs = read_runs(folder, adversaries, truth)
    applying: list[tuple[str, str, str]] = []
    lacking_: list[tuple[str, str, str]] = []
    for run in runs:
        who = " and ".join(run.knowledge.threat.adversaries)
        found = list(tried(run))
        names = {one.name for one in found if one.reason is None}
        applying += [(who, one.name, one.attack.steals) for one in found if one.reason is None]
        lacking_ += [
            (who, one.name, of_a_recording(one.reason))
            for one in found
            if one.reason is not None and one.name not in names
        ]
    return Checked(_about(folder, runs[0]), tuple(dict.fromkeys(applying)), tuple(dict.fromkeys(lacking_)))


def missing(folder: Path, told: Transcript) -> list[str]:
    """Say what whoever recorded a run could not keep of it."""
    lost = what_was_left_out(folder)
    return [] if lost is None else [str(lost.beside(len(told.messages) + len(told.snapshots)))]


def _about(folder: Path, run: RecordedRun) -> tuple[str, ...]:
    """Say in a few words what was recorded; of rows no more than how many."""
    terms, told = run.transcript.agreement, run.transcript
    others = " and ".join(terms.passive)
    known = "the truth is known" if run.truth is not None else "the truth is not known, so guesses cannot be scored"
    lines = [
        f"{terms.active} holds the labels of {terms.classes} classes, {others} no labels; {known}.",
        f"{counted(len(told.messages), 'message')} and {counted(len(told.snapshots), 'model')} of "
        f"{counted(max(0, told.trained), 'epoch')}, {counted(len(run.knowledge.train), 'training row')} and "
        f"{counted(len(run.knowledge.new), 'new row')}.",
    ]
    if not is_closed(folder):
        lines.append("The recording was not closed: this is what was written before it broke off.")
    lines += missing(folder, told)
    return tuple(lines)
