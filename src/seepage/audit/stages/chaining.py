"""Attacks that build on what another attack has guessed."""

from dataclasses import dataclass, replace
from typing import Any

from seepage.attacks import ATTACKS, Attack
from seepage.audit.plan.attacks import built_attack
from seepage.audit.stages.attempting import attempt
from seepage.audit.stages.measuring import stopwatch
from seepage.errors import BadSetting
from seepage.guesses import Guess
from seepage.randomness import stream
from seepage.scores.once import Once
from seepage.shapes import NO_ROWS
from seepage.transcript import Agreement, Recording
from seepage.views import ThreatModel, View


def earlier(attack: Attack[Any]) -> Attack[Any] | None:
    """Return the attack whose guess is handed over; None for an attack that stands alone."""
    name = attack.needs.labels_from
    if name is None:
        return None
    before = built_attack(name)
    reason = _unfit(before)
    if reason is not None:
        raise BadSetting(
            f"attack {attack.name}: labels must name an attack on labels, but {name} {reason}. "
            f"Leave it at the default, which fits ({_default(attack)})."
        )
    return before


def _default(attack: Attack[Any]) -> str | None:
    return built_attack(attack.name).needs.labels_from if attack.name in ATTACKS.own else None


def _unfit(before: Attack[Any]) -> str | None:
    """Say why an attack cannot come before another; None when it can."""
    if before.steals != "labels":
        return f"steals {before.steals}"
    if before.tampering is not None:
        return "has to misbehave during training"
    if before.rows != "train":
        return "labels rows outside training alone"
    return None


def unmet(attack: Attack[Any], agreement: Agreement, threat: ThreatModel) -> str | None:
    """Say what an attack lacks, or what the one before it lacks; None when all is there."""
    before = earlier(attack)
    first = before.needs.unmet(agreement, threat) if before is not None else None
    return first or attack.needs.unmet(agreement, threat)


def recording(attack: Attack[Any]) -> Recording:
    """Return what must be kept of a run for an attack and the one before it."""
    before = earlier(attack)
    own = attack.needs.recording()
    return own if before is None else own | before.needs.recording()


def handed_over(attack: Attack[Any], view: View, seed: int, once: Once | None = None) -> View:
    """Return the view with the earlier guess in it, made from that very view.

    Values of a few rows are not shown to an earlier attack that does not ask for them, so that its guess
    is the same, and is made once, for all attacks of one adversary on one run that build on it.
    """
    before = earlier(attack)
    if before is None:
        return view
    shown = view if before.needs.known_values else _without_values(view)
    guess = guessed_once(before, shown, before.name, seed, once or Once()).guess
    return replace(view, knowledge=replace(view.knowledge, guess=guess))


@dataclass(frozen=True, eq=False)
class Guessed:
    """A guess, and how long it took to make."""

    guess: Guess
    seconds: float


def guessed_once(attack: Attack[Any], view: View, name: str, seed: int, once: Once) -> Guessed:
    """Run an attack, or return what it guessed before from the same run with the same knowledge."""
    known = view.knowledge
    told = (known.known_rows.tobytes(), known.value_rows.tobytes(), known.threat.property)

    def work_out() -> Guessed:
        with stopwatch() as watch:
            guess = attempt(attack, view, stream(seed, "attack", name))
        return Guessed(guess, watch.seconds)

    if known.guess is not None:  # what is built on an earlier guess is made anew
        return work_out()
    return once.of(("guess", repr(attack), view.adversaries, *told), work_out)


def _without_values(view: View) -> View:
    return replace(view, knowledge=replace(view.knowledge, value_rows=NO_ROWS, values={}))


def threat_for(
    attack: Attack[Any], adversaries: tuple[str, ...], *, model: bool = True, asked: str | None = None
) -> ThreatModel:
    """Return the threat model under which an attack is tried: its adversary is granted what it needs to know.

    Labels that an earlier attack learns from are granted too.
    """
    needs, before = attack.needs, earlier(attack)
    return ThreatModel(
        adversaries=adversaries,
        model=model,
        labels_per_class=max(needs.labels_per_class, before.needs.labels_per_class if before is not None else 0),
        known_values=needs.known_values,
        means=needs.means,
        property=asked,
        auxiliary=needs.auxiliary,
    )


def asked_by(attack: Attack[Any], properties: tuple[str, ...]) -> tuple[str | None, ...]:
    """Return the properties that an attack is tried on, one by one; None alone for one that asks about none."""
    return properties if attack.steals == "properties" and properties else (None,)
