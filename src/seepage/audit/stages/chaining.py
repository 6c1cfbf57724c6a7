"""Attacks that build on what another attack has guessed."""

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from numpy.random import Generator

from seepage.attacks import ATTACKS, Attack
from seepage.audit.isolation.limits import isolation
from seepage.audit.isolation.outside import OutsideAttack, guessed_apart
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.settings import settings_of
from seepage.audit.scoring.guess_checks import check_guess
from seepage.audit.stages.measuring import stopwatch
from seepage.errors import AuditError, BadSetting, FailedAttempt, IncompatibleView
from seepage.guesses import Guess
from seepage.randomness import stream
from seepage.reasons import Reason
from seepage.scores.remembered import Remembered
from seepage.transcript import Agreement, Recording
from seepage.views import ThreatModel, View
from seepage.views.digest import Digests, view_digest


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


def unmet(attack: Attack[Any], agreement: Agreement, threat: ThreatModel) -> Reason | None:
    """Say what an attack lacks, or what the one before it lacks; None when all is there."""
    before = earlier(attack)
    first = before.needs.unmet(agreement, threat) if before is not None else None
    return first or attack.needs.unmet(agreement, threat)


def recording(attack: Attack[Any]) -> Recording:
    """Return what must be kept of a run for an attack and the one before it."""
    before = earlier(attack)
    own = attack.needs.recording()
    return own if before is None else own | before.needs.recording()


@dataclass(frozen=True, eq=False)
class Guessed:
    """A guess, how long it took to make, and a digest of all that its attack was shown."""

    guess: Guess
    seconds: float
    view: str


@dataclass(frozen=True, eq=False)
class Memory:
    """What was worked out before, so that equal work is done once.

    Parameters
    ----------
    guesses
        What attacks guessed, by attack, chance and digest of the view: the same view is attacked once, whatever
        federation, release or defense it came from.
    once
        What is the same for all attacks on one release, such as blind guesses.
    digests
        The digests of messages.
    """

    guesses: Remembered = field(default_factory=Remembered)
    answers: Remembered = field(default_factory=Remembered)
    digests: Digests = field(default_factory=Digests)

    def guessed(self, attack: Attack[Any], held: View, name: str, seed: int) -> Guessed:
        """Run an attack on what it declared of all that its adversary holds, or return what it guessed before."""
        shown = held.narrowed(attack.needs)
        seen = view_digest(shown, self.digests)

        def work_out() -> Guessed:
            with stopwatch() as watch:
                guess = attempt(attack, shown, stream(seed, "attack", name))
            return Guessed(guess, watch.seconds, seen)

        return self.guesses.of((name, repr(attack), seed, seen), work_out)


def handed_over(attack: Attack[Any], held: View, seed: int, memory: Memory | None = None) -> View:
    """Return all that the adversary holds with the earlier guess in it, made from what that attack declared.

    What an earlier attack does not declare it is not shown, so that its guess is the same, and is made once,
    for all attacks of one adversary on one run that build on it.
    """
    before = earlier(attack)
    if before is None:
        return held
    guess = (memory or Memory()).guessed(before, held, before.name, seed).guess
    return replace(held, knowledge=replace(held.knowledge, guess=guess))


class Shows(Protocol):
    """Whatever says what is released: a plan, or one release of it."""

    @property
    def model(self) -> bool:
        """Whether owners release their models to the active party."""
        ...

    @property
    def predictions(self) -> bool:
        """Whether the active party lets the others know what the joint model says."""
        ...


def threat_for(
    attack: Attack[Any], adversaries: tuple[str, ...], *, shown: Shows | None = None, asked: str | None = None
) -> ThreatModel:
    """Return the threat model under which an attack is tried: its adversary is granted what it needs to know.

    Models and predictions are released, unless what is `shown` says otherwise.
    """
    needs = attack.needs
    return ThreatModel(
        adversaries=adversaries,
        model=shown is None or shown.model,
        predictions=shown is None or shown.predictions,
        labels_per_class=labels_granted(attack),
        known_values=needs.known_values,
        means=needs.means,
        complete=needs.complete,
        property=asked,
        auxiliary=needs.auxiliary,
    )


def labels_granted(attack: Attack[Any]) -> int:
    """Return how many labels of each class an attack is granted, those that an earlier attack learns from among them.

    >>> from seepage.attacks.labels.linear_probe import LinearProbe
    >>> labels_granted(LinearProbe(labels_per_class=3))
    3
    """
    before = earlier(attack)
    return max(attack.needs.labels_per_class, before.needs.labels_per_class if before is not None else 0)


def asked_by(attack: Attack[Any], properties: tuple[str, ...]) -> tuple[str | None, ...]:
    """Return the properties that an attack is tried on, one by one; None alone for one that asks about none."""
    return properties if attack.steals == "properties" and properties else (None,)


def attempt(attack: Attack[Any], view: View, rng: Generator) -> Guess:
    """Let an attack guess from a view, and return a guess that can be scored.

    An attack from outside runs in a process of its own, and so does every other inside
    ``isolating(Isolation(ours=True))``; the guess is the same. What it prints goes to standard error.

    Raises
    ------
    IncompatibleView
        The view lacks what the attack needs.
    FailedAttempt
        It raised, exited, took too much, or (`BadGuess`) returned what cannot be scored. One sentence says which;
        no other attack has to suffer for it.
    """
    try:
        guess = _guessed(attack, view, rng)
    except IncompatibleView:
        raise
    except AuditError as error:  # a process that failed, or an attack of ours that refuses in words of its own
        raise FailedAttempt(f"{attack.name} came to no guess: {error}") from error
    except SystemExit as error:
        raise FailedAttempt(f"{attack.name} came to no guess: it called sys.exit({error.code!r}).") from error
    except Exception as error:  # whatever an attack does costs its own finding and no other
        raise FailedAttempt(f"{attack.name} came to no guess: it raised {type(error).__name__}: {error}") from error
    return check_guess(guess, attack, view)


def _guessed(attack: Attack[Any], view: View, rng: Generator) -> object:
    if isolation().ours and not isinstance(attack, OutsideAttack):
        made = type(attack)
        return guessed_apart(f"{made.__module__}:{made.__qualname__}", settings_of(attack), view, rng)
    with redirect_stdout(sys.stderr):
        return attack.run(view, rng)
