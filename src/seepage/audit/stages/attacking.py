"""One attack on one recorded run, and the finding that comes of it."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from seepage.attacks import Attack
from seepage.audit.findings.circumstances import Account, Circumstances, Settings, Surroundings
from seepage.audit.findings.finding import Finding, Ranking
from seepage.audit.plan.settings import settings_of
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.scoring.scoring import score_guess
from seepage.audit.scoring.visible_bounds import visible_bounds
from seepage.audit.stages.chaining import Memory, handed_over, unmet
from seepage.audit.stages.fingerprints import versions
from seepage.audit.stages.measuring import peak_memory_mb
from seepage.errors import FailedAttempt, IncompatibleView
from seepage.guesses import Guess
from seepage.learners.completion.mixmatch import MixMatch
from seepage.reasons import Reason, Refused
from seepage.scores import Score
from seepage.views import ThreatModel, View, observe

UNTRAINED: Final = Account()


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finding and, where the attack could be run, the guess behind it and what its adversary held."""

    finding: Finding
    guess: Guess | None = None
    view: View | None = None


def attack_run(run: RecordedRun, attack: Attack[Any], name: str, memory: Memory | None = None) -> Outcome:
    """Show the adversary what the attack declared, let it guess, and score where the truth is known.

    The attack meets nothing but its view; the truth is looked at afterwards, beside all that the adversary holds.
    """
    memory = memory or Memory()
    threat, seed = run.knowledge.threat, run.surroundings.seed
    circumstances = partial(circumstances_of, run.surroundings, attack, name, threat)
    reason = unmet(attack, run.transcript.agreement, threat)
    if reason is not None:
        return Outcome(not_applicable(circumstances(), reason, run.account))
    held = observe(run.transcript, run.knowledge)
    try:
        made = memory.guessed(attack, handed_over(attack, held, seed, memory), name, seed)
    except IncompatibleView as error:
        return Outcome(not_applicable(circumstances(), Refused(str(error)), run.account))
    except FailedAttempt as error:
        return Outcome(failed(circumstances(), str(error), run.account))
    guess, scored = made.guess, dict[str, Any]()
    if run.truth is not None:
        truth = run.truth
        score = score_guess(guess, truth, held, attack.rows, seed, memory.answers, learner_of(attack))
        seen = memory.answers.of(("bounds", threat.adversaries), lambda: visible_bounds(held, truth.labels))
        scored = {**numbers(score), "pictures": dict(score.pictures), "bounds": {**seen, **score.bounds}}
    finding = _finding(
        circumstances(),
        run.account,
        **scored,
        knowledge=run.knowledge.summary(),
        view=made.view,
        seconds=made.seconds,
        peak_mb=peak_memory_mb(),
    )
    return Outcome(finding, guess, held)


def numbers(score: Score) -> dict[str, Any]:
    """Return what a finding holds of a score: the answers to all questions, each beside its blind twin."""
    names = ("metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind", "advantage")

    def told(one: Score) -> dict[str, Any]:
        ceiling = one.ceiling if math.isfinite(one.ceiling) else None  # own columns and labels may lie on two hosts
        return {**{name: getattr(one, name) for name in names}, "ceiling": ceiling}

    ranking = score.ranking and Ranking(**told(score.ranking))
    return {**told(score), "ranking": ranking, "other_metrics": dict(score.other)}


def learner_of(attack: Attack[Any]) -> MixMatch | None:
    """Return how an attack is told to learn semi-supervised; None for one that does not, or decides itself."""
    learner = getattr(attack, "learner", None)
    return learner if isinstance(learner, MixMatch) else None


def circumstances_of(surroundings: Surroundings, attack: Attack[Any], name: str, threat: ThreatModel) -> Circumstances:
    """Return who goes for what with an attack that users call NAME."""
    return Circumstances(
        surroundings=surroundings,
        adversary=threat.adversaries,
        asset=attack.steals,
        property=threat.property if attack.steals == "properties" else None,
        attack=name,
        attack_settings=Settings(settings_of(attack)),
        role=attack.role,
        rows=attack.rows,
    )


def not_applicable(circumstances: Circumstances, reason: Reason, account: Account = UNTRAINED) -> Finding:
    """Return the finding of an attack that lacks what it needs."""
    return _finding(circumstances, account, status="not applicable", reason=str(reason))


def failed(circumstances: Circumstances, reason: str, account: Account = UNTRAINED) -> Finding:
    """Return the finding of an attack that broke, or whose run did."""
    return _finding(circumstances, account, status="failed", reason=reason)


def _finding(circumstances: Circumstances, account: Account, **found: Any) -> Finding:
    return Finding(**circumstances.facts(), **account.facts(), **found, versions=versions())
