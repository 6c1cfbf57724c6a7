"""One side as an adversary: it attacks what it saw itself, and seals what it claims."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from seepage.audit.findings.circumstances import Settings, Surroundings
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import settings_of
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.scoring.scoring import twins_of
from seepage.audit.stages.assignment import misbehavior
from seepage.audit.stages.attacking import attack_run, circumstances_of, failed, learner_of, not_applicable
from seepage.audit.stages.chaining import Memory
from seepage.audit.stages.preparation import MANY_COLUMNS
from seepage.data import split_of
from seepage.errors import IncompatibleView, reason_of
from seepage.guesses import BranchGuess, FeatureGuess, Guess
from seepage.partition import OwnPart
from seepage.reasons import Refused
from seepage.rehearsal.attempts import Attempt, hindrance
from seepage.rehearsal.claims import Claim, Sealed, hardened
from seepage.rehearsal.grants import Telling, knowledge_of
from seepage.rehearsal.plan import RehearsalPlan, Turn
from seepage.rehearsal.words import WORDS, Outcome
from seepage.shapes import Rows
from seepage.transcript import Transcript

UNSHARED = "Its guess is a path that crosses columns of several parties, and none of them can say how good it is."


@dataclass(frozen=True, eq=False)
class Struck:
    """How one attempt ended: what is told of it, the finding that it becomes, and the claims behind it, by victim."""

    outcome: Outcome
    finding: Finding
    sealed: dict[str, Sealed] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Scene:
    """One turn as one side sees it: who takes part with which rows, and what everybody told.

    Parameters
    ----------
    part
        The side's own part, with the rows that train.
    tellings
        What each party told of its own data, this side's own among them.
    attempts
        All attempts of the turn, also those of others.
    before
        The rows that would train, had nobody withdrawn any.
    held
        The columns that each party told of.
    """

    plan: RehearsalPlan
    turn: Turn
    part: OwnPart
    test: Rows
    tellings: dict[str, Telling]
    attempts: tuple[Attempt, ...]
    before: Rows
    held: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def party(self) -> str:
        """Whose side it is."""
        return self.part.party

    @property
    def own_attempts(self) -> tuple[Attempt, ...]:
        """What this side tries itself."""
        return tuple(one for one in self.attempts if one.adversary == self.party)

    def attempts_by(self, party: str) -> tuple[Attempt, ...]:
        """Return what another side tries against this one."""
        return tuple(one for one in self.attempts if one.adversary == party and self.party in one.victims)

    def surroundings(self, attempt: Attempt) -> Surroundings:
        """Return what a finding says of the turn."""
        plan, turn = self.plan, self.turn
        return Surroundings(
            data=plan.name,
            partition=Settings({"kind": "named", "active": plan.driver, **self._columns}),
            encoding=plan.encoding,
            scaling=plan.scaling,
            split=split_of(plan.test),
            federation=turn.federation.name,
            model_settings=Settings(settings_of(turn.built)),
            parties=len(plan.parties),
            tampering=misbehavior(attempt.attack),
            defense=turn.defense.name if turn.defense is not None else None,
            defense_settings=Settings(settings_of(turn.defending) if turn.defending is not None else {}),
            seed=turn.seed,
        )

    @property
    def _columns(self) -> dict[str, Any]:
        """Which columns everybody holds, as a finding has it."""
        if not self.plan.columns:
            return {"columns": dict.fromkeys(self.plan.parties, "not told")}
        many = sum(map(len, self.held.values())) > MANY_COLUMNS
        return {"columns": {party: len(names) if many else list(names) for party, names in self.held.items()}}

    def silent(self, attempt: Attempt, status: str, reason: str) -> Finding:
        """Return the finding of an attempt that came to nothing."""
        threat = attempt.threat(self.plan)
        about = circumstances_of(self.surroundings(attempt), attempt.attack, attempt.choice.name, threat)
        return not_applicable(about, Refused(reason)) if status == "not applicable" else failed(about, reason)


def strike(scene: Scene, transcript: Transcript) -> dict[int, Struck]:
    """Make all attempts of this side on its own record of a turn."""
    memory = Memory()
    return {one.number: _struck(scene, one, transcript, memory) for one in scene.own_attempts}


def nothing_struck(scene: Scene, attempts: Sequence[Attempt], status: str, reason: str) -> dict[int, Struck]:
    """Return attempts that all came to nothing."""
    return {one.number: _silent(scene, one, status, reason) for one in attempts}


def _struck(scene: Scene, attempt: Attempt, transcript: Transcript, memory: Memory) -> Struck:
    """Make one attempt; whatever goes wrong costs this one alone."""
    plan, attack, seed = scene.plan, attempt.attack, scene.turn.seed
    reason = hindrance(plan, scene.turn, attempt, transcript.agreement)
    if reason is not None:
        return _silent(scene, attempt, "not applicable", str(reason))
    knowledge = knowledge_of(plan, seed, attempt, scene.tellings, scene.before, scene.part.rows, scene.test, scene.part)
    run = RecordedRun(transcript, knowledge, None, scene.surroundings(attempt))
    try:
        made = attack_run(run, attack, attempt.choice.name, memory)
        if made.guess is None or made.view is None:
            return _silent(scene, attempt, made.finding.status, made.finding.reason or "It came to no guess.")
        if isinstance(made.guess, BranchGuess) and len(attempt.victims) > 1:
            return _silent(scene, attempt, "not applicable", UNSHARED)
        twins = twins_of(made.guess, made.view, attack.rows, seed, memory.answers, learner_of(attack))
        claim = Claim(made.guess, twins)
        claim = claim if plan.scores else claim.rewritten(hardened)
        cut = {victim: claim.rewritten(partial(about, victim)) for victim in attempt.victims}
        sealed = {victim: Sealed(one.to_bytes()) for victim, one in cut.items() if speaks(one.guess)}
    except IncompatibleView as error:
        return _silent(scene, attempt, "not applicable", str(error))
    except Exception as error:  # an attack may be anybody's: it costs its own finding
        return _silent(scene, attempt, "failed", reason_of(error))
    return Struck(Outcome(status="ok", seconds=made.finding.seconds), made.finding, sealed)


def _silent(scene: Scene, attempt: Attempt, status: Any, reason: str) -> Struck:
    told = reason[:WORDS]
    return Struck(Outcome(status=status, reason=told), scene.silent(attempt, status, told))


def about(victim: str, guess: Guess) -> Guess:
    """Leave of a guess what it says of one party: columns of others are none of its business.

    >>> import numpy as np
    >>> both = FeatureGuess(np.array([7]), (("bank", "age"), ("shop", "visits")), np.array([[0.1, 0.2]]))
    >>> cut = about("shop", both)
    >>> cut.columns, cut.units
    ((('shop', 'visits'),), array([[0.2]]))
    """
    if not isinstance(guess, FeatureGuess):
        return guess
    own = [place for place, (owner, _) in enumerate(guess.columns) if owner == victim]
    return replace(guess, columns=tuple(guess.columns[place] for place in own), units=guess.units[:, own])


def speaks(guess: Guess) -> bool:
    """Whether a guess says anything of a victim: one that was to speak of single columns may leave others alone."""
    return not isinstance(guess, FeatureGuess) or bool(guess.columns)


def outcome_for(scene: Scene, attempt: Attempt, struck: Struck, victim: str) -> Outcome:
    """Return what one victim is told of an attempt before claims are opened."""
    if struck.outcome.status != "ok":
        return struck.outcome
    sealed = struck.sealed.get(victim)
    if sealed is None:
        return Outcome(status="not applicable", reason="It says nothing of these columns.")
    return struck.outcome.model_copy(update={"commitment": commitment(scene, attempt, sealed)})


def commitment(scene: Scene, attempt: Attempt, sealed: Sealed) -> str:
    """Return the digest that ties a claim to its attempt."""
    return sealed.commitment(scene.plan.digest, scene.turn.number, attempt.number, attempt.adversary)
