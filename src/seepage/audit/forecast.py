"""How far an audit is, and how long the rest will take."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Final

from seepage.audit.plan.plan import Choice
from seepage.audit.stages.assignment import Assignment
from seepage.audit.stages.training import federation_of
from seepage.audit.stages.work import Job
from seepage.data import Table
from seepage.learners.completion.mixmatch import MixMatch
from seepage.settings import flat

STEP: Final = 6e-4
"""Seconds that one step of a network takes, both directions and all messages, at batches that small tables have."""
RESIDUAL: Final = 1e-2
"""Seconds that residual bottom models add to a step, of the federation or of an adversary that trains one along."""
WIDE: Final = 2.2e-6
"""Seconds that a column adds to a step."""
TUNING: Final = 1.2e-3
"""Seconds that a step takes an adversary that trains its bottom model along."""
CELLS: Final = 1e-6
"""Seconds that federations of trees and attacks on them take for a cell of the table."""
OWN: Final = 4e-7
"""Seconds for a cell of the table until it is known what own columns tell: once for a seed, without a defense."""
LEARNING: Final = frozenset({"active-completion", "model-completion", "semi-supervised"})
"""Attacks that train a network of their own, in as many steps as they are told."""
PASS: Final = 6e-4
"""Seconds that one pass of logistic regression takes over ten thousand rows."""
TREES: Final = 0.1
"""Seconds that federations of trees take for a thousand rows."""
ATTEMPTS: Final[Mapping[str, tuple[float, float]]] = {
    "active-completion": (0.1, 0.03),
    "adjusted-count": (0.1, 0.015),
    "attribute-inference": (0.3, 0.1),
    "correlation-augmentation": (1.0, 0.3),
    "direct-completion": (0.12, 0.03),
    "distribution-comparison": (0.6, 0.02),
    "embedding-inversion": (0.2, 0.2),
    "embedding-regression": (0.06, 0.02),
    "gradient-direction": (0.06, 0.045),
    "generative-regression": (0.4, 0.1),
    "linear-probe": (0.015, 0.01),
    "model-completion": (0.04, 0.02),
    "prediction-distillation": (0.12, 0.1),
    "semi-supervised": (0.04, 0.02),
    "shadow-models": (2.0, 0.3),
}
"""Seconds that an attack takes, checking and scoring included: on any table, and for a thousand rows besides.

Those of a quick audit were measured on 569 and on 5,000 rows, `distribution-comparison` on up to 171,067; others are
rough.
"""
ATTEMPT: Final = (0.01, 0.01)
"""The same of others, and of what another release shows once more."""
JOB: Final = (0.3, 0.05)
"""The same of what a job does besides: its release, what speaks for each attack, and what is kept."""
BEGINNING: Final = 5.0
"""Seconds until a worker has started, and weight of what is expected against what was seen."""


@dataclass(frozen=True)
class Standing:
    """How far an audit is.

    Parameters
    ----------
    done, total
        Results that are there, and all of them.
    job
        What was done last; None in the beginning.
    seconds_left
        How long the rest may take: an estimate, right within a factor of two on machines like ours.
    """

    done: int
    total: int
    job: Job | None = None
    seconds_left: float = 0.0

    @property
    def left(self) -> str:
        """The time that is left, in words.

        >>> [Standing(0, 9, seconds_left=seconds).left for seconds in (20, 100, 1500, 9000)]
        ['under a minute left', 'about 2 minutes left', 'about 25 minutes left', 'about 2.5 hours left']
        """
        minutes = self.seconds_left / 60
        if minutes < 0.75:
            return "under a minute left"
        if minutes < 90:
            return f"about {max(1, round(minutes))} minute{'s' * (round(minutes) > 1)} left"
        return f"about {minutes / 60:.1f} hours left"


@dataclass
class Forecast:
    """Watches assignments being carried out."""

    workers: int
    expected: dict[str, float]
    wanted: dict[str, int]
    given: dict[str, int] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)

    @classmethod
    def of(cls, work: Iterable[Assignment], table: Table, workers: int) -> "Forecast":
        """Begin with what such work usually takes."""
        named = {one.keys.job: one for one in work}
        return cls(
            workers,
            {name: expected_seconds(one.job, table.rows, len(table.columns)) for name, one in named.items()},
            {name: len(one.wanted) for name, one in named.items()},
        )

    def seen(self, job: str) -> None:
        """Take note of one more result of a job."""
        self.given[job] = self.given.get(job, 0) + 1

    @property
    def seconds_left(self) -> float:
        """How long the rest takes at the pace seen so far, or expected as long as little was seen."""
        total = sum(self.expected.values())
        done = sum(self.expected[job] * count / self.wanted[job] for job, count in self.given.items())
        spent = (time.perf_counter() - self.began) * self.workers
        slack = (BEGINNING + 0.05 * total) * self.workers
        pace = (spent + slack) / (done + slack) if done else 1.0
        return max(0.0, total - done) * pace / self.workers + (0.0 if done else BEGINNING)


def expected_wait(jobs: Iterable[Job], rows: int, columns: int, workers: int) -> float:
    """Return the seconds until some jobs are done by so many workers, of which the longest job is done by one."""
    each = [expected_seconds(job, rows, columns) for job in jobs]
    return BEGINNING + max(sum(each) / workers, max(each, default=0.0))


def expected_seconds(job: Job, rows: int, columns: int) -> float:
    """Return the seconds that a job takes one worker on a table of so many rows and columns.

    >>> from seepage.audit.plan.plan import Choice, DataPlan, PartitionPlan
    >>> from seepage.audit.stages.work import Release, Setting, Training
    >>> facts = {"encoding": "one-hot", "scaling": "standard", "split": "stratified", "adversary": (), "seed": 0}
    >>> setting = Setting(data=DataPlan(name="adult"), partition=PartitionPlan(), **facts)
    >>> job = Job(training=Training(setting=setting, federation=Choice(name="split-network")), releases=(Release(),))
    >>> expected_seconds(job, 3_000, 14) < expected_seconds(job, 30_000, 14) < expected_seconds(job, 30_000, 8_192)
    True
    """
    settings = flat(federation_of(job.training))
    step = WIDE * columns + (RESIDUAL if settings.get("bottom") == "resnet" else 0.0)
    blind = job.training.defense is None  # blind guesses learn as long as attacks do, and hold under every defense
    attacking = JOB[0] + JOB[1] * rows / 1000 + (OWN * rows * columns if blind else 0.0)
    for place, release in enumerate(job.releases):
        for one in release.attempts:
            if one.possible:
                attacking += _attacking(one.attack.name, rows, again=place > 0)
                attacking += _learning(one.attack, step) * (1 + blind) if place == 0 else 0.0
    if "epochs" not in settings:
        return attacking + TREES * (1 + rows / 1000) + CELLS * rows * columns
    if "batch" not in settings:
        return float(attacking + settings["epochs"] * PASS * (1 + rows / 10_000))
    return float(attacking + (STEP + step) * settings["epochs"] * ceil(rows / settings["batch"]))


def _attacking(name: str, rows: int, *, again: bool) -> float:
    """Return the seconds that one attempt takes; what a defense left unchanged is not attacked again."""
    fixed, growing = ATTEMPT if again else ATTEMPTS.get(name, ATTEMPT)
    return fixed + growing * rows / 1000


def _learning(attack: Choice, step: float) -> float:
    """Return the seconds that an attack adds by training a network, of which a step takes so many more than usual.

    >>> _learning(Choice(name="gradient-norm"), 1.0)
    0.0
    """
    if attack.name not in LEARNING:
        return 0.0
    learner = {**asdict(MixMatch()), **(attack.settings.get("learner") or {})}
    along = TUNING if attack.settings.get("bottom") == "tuned" else 0.0
    return float(learner["epochs"] * learner["iterations"] * (step + along))
