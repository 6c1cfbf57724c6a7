"""What an engine hands to a worker, and what the worker has on the way to an answer."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from seepage.attacks import Attack
from seepage.attacks.attack import AFTER_TRAINING
from seepage.audit.findings.circumstances import Account, Circumstances, Settings, Surroundings
from seepage.audit.isolation.limits import Isolation
from seepage.audit.plan.settings import settings_of
from seepage.audit.stages.attacking import circumstances_of, failed, not_applicable
from seepage.audit.stages.chaining import threat_for
from seepage.audit.stages.keys import AttemptKeys, JobKeys, ReleaseKeys, attack_of
from seepage.audit.stages.preparation import default_adversaries, parties_of
from seepage.audit.stages.training import defense_of, federation_of
from seepage.audit.stages.work import Attempt, Job, Record, Release, Training, Worth
from seepage.data import Property, Table
from seepage.reasons import Reason
from seepage.views import Knowledge, ThreatModel

Counted = tuple[int, int]
"""How many rows are audited, and of how many."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """A job with the names of its results, and which of them are wanted.

    What is not wanted lies in the folder of the audit already; it still says what an adversary knows
    who chooses among all of its attacks.

    Parameters
    ----------
    places
        Where what was recorded is to be stored, by the key of a release.
    isolation
        How attempts are kept apart from everything but their view; no guess depends on it.
    rows
        How many rows are audited, and of how many, for findings of a job that ends before it has its table.
    """

    job: Job
    keys: JobKeys
    data_checksum: str
    wanted: frozenset[str]
    places: tuple[tuple[str, Path], ...] = ()
    isolation: Isolation = Isolation()
    rows: Counted | None = None

    def place(self, release: ReleaseKeys) -> Path | None:
        """Where to store what was recorded of a release; None where nobody asked for it."""
        return dict(self.places).get(release.worth)

    def wants(self, keys: AttemptKeys) -> bool:
        """Whether an attack has to be run: for its finding, or for what speaks for it."""
        return not self.wanted.isdisjoint({keys.finding, keys.evidence})

    def failures(self, given: frozenset[str], reason: str) -> Iterator[Record]:
        """Yield a failed finding for every one that is wanted and was not given: the job ended too early.

        Where nothing but the worth of a model is wanted, a remark says that it is not known.
        """
        for release, keys in zip(self.job.releases, self.keys.releases, strict=True):
            if not release.attempts and keys.worth in self.wanted - given:
                yield Record(key=keys.worth, worth=Worth(), remarks=(unknown_worth(self.job.training, reason),))
            for attempt, named in zip(release.attempts, keys.attempts, strict=True):
                if named.finding in self.wanted - given:
                    threat = _supposed_threat(self.job, release, attempt)
                    one = Try(named, attempt.attack.name, attack_of(attempt), threat)
                    yield Trial(release, keys, surroundings_of(self.job, release, self.rows), (one,)).broken(
                        one, reason
                    )


@dataclass(frozen=True, eq=False)
class Try:
    """One attempt on its way: its keys, the attack, who attempts it and what that adversary is granted."""

    keys: AttemptKeys
    name: str
    attack: Attack[Any]
    threat: ThreatModel
    knowledge: Knowledge | None = None

    @property
    def granted(self) -> Knowledge:
        """What its adversary knows besides messages, once that was drawn."""
        assert self.knowledge is not None
        return self.knowledge


@dataclass(frozen=True, eq=False)
class Trial:
    """One release on its way: what its findings have in common, and what is tried on it."""

    release: Release
    keys: ReleaseKeys
    surroundings: Surroundings
    tries: tuple[Try, ...]
    account: Account = Account()

    def circumstances(self, one: Try) -> Circumstances:
        """Return who tries what."""
        return circumstances_of(self.surroundings, one.attack, one.name, one.threat)

    def silent(self, one: Try, reason: Reason) -> Record:
        """Return the finding of an attack that cannot be run."""
        return Record(key=one.keys.finding, finding=not_applicable(self.circumstances(one), reason, self.account))

    def broken(self, one: Try, reason: str) -> Record:
        """Return the finding of an attack that failed, or whose training did."""
        return Record(key=one.keys.finding, finding=failed(self.circumstances(one), reason, self.account))


def unknown_worth(training: Training, reason: str) -> str:
    """Say which model was to be compared with, and why that could not be.

    >>> from seepage.audit.plan.plan import Choice
    >>> training = Training.model_construct(federation=Choice(name="forest"), alone=True)
    >>> unknown_worth(training, "There was no room.")
    "It is not known what the label holder's own columns are worth to forest, alone: There was no room."
    """
    what = "the label holder's own columns are worth to {}, alone" if training.alone else "{} is worth undefended"
    return f"It is not known what {what.format(training.federation.name)}: {reason}"


def counted(table: Table) -> Counted:
    """Return how many rows of a table are audited, and how many it has."""
    return table.rows, table.drawn_from or table.rows


def surroundings_of(job: Job, release: Release, rows: Counted | None = None) -> Surroundings:
    """Return what all findings about a release say, as far as the plan tells."""
    setting, acting = job.training.setting, job.defense_of(release)
    defense = defense_of(acting)
    return Surroundings(
        data=setting.data.title,
        encoding=setting.encoding,
        scaling=setting.scaling,
        split=setting.split,
        federation=job.training.federation.name,
        model_settings=Settings(settings_of(federation_of(job.training))),
        parties=len(parties_of(setting.partition)),
        defense=acting.name if acting is not None else None,
        defense_settings=Settings(settings_of(defense) if defense is not None else {}),
        seed=job.seed,
        audited_rows=rows[0] if rows is not None else None,
        all_rows=rows[1] if rows is not None else None,
    )


def _supposed_threat(job: Job, release: Release, attempt: Attempt) -> ThreatModel:
    """Return who would have attempted it, as far as the plan names parties and columns."""
    attack, setting = attack_of(attempt), job.training.setting
    column = Property.parse(attempt.asked).column if attempt.asked is not None else None
    holders = tuple(party for party, columns in setting.partition.columns.items() if column in columns)
    named = attempt.adversary or setting.adversary
    adversaries = named or default_adversaries(attack, parties_of(setting.partition), holders)
    return threat_for(attack, adversaries, shown=release, asked=attempt.asked)


def misbehavior(attack: Attack[Any]) -> str | None:
    """Write an attack with the settings that act in training; None for one that behaves there.

    Examples
    --------
    >>> from seepage.attacks.labels.active_completion import ActiveCompletion
    >>> misbehavior(ActiveCompletion(labels_per_class=10))
    'ActiveCompletion(acceleration=Acceleration(...))'
    """
    if attack.tampering is None:
        return None
    acting = [one.name for one in fields(cast("Any", attack)) if not AFTER_TRAINING.items() <= one.metadata.items()]
    return f"{type(attack).__name__}({', '.join(f'{name}={getattr(attack, name)!r}' for name in acting)})"
