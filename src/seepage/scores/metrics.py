"""All that is to be known of a metric, in one table: what it measures, which way it leaks, how it is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from seepage.scores.digits import NO_NUMBER, number, share_error, squared_error

NARROW: Final = 0.01
"""Below this distance between blind and ceiling there is nothing to gain, and no advantage is given."""
LEARNED: Final[Mapping[str, str]] = {
    "all": "learn nearly all {}",
    "much": "learn much about the {}",
    "some": "learn some of the {}",
    "little": "learn a little about the {}",
}


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One way to say how much was learned, or what a joint model is worth.

    A new one is an entry of `METRICS`: scoring, summaries, terminal, gate and report ask it for the rest.

    Parameters
    ----------
    name
        As findings have it.
    title
        As the literature writes it.
    meaning
        What it measures, for people who meet it for the first time; empty where that is plain.
    is_error
        Whether less is a larger leak. Full leakage earns an error of 0, and 1 of everything else.
    is_estimate
        Whether it says how far a single answer is off, rather than how good many are.
    full
        What is known to whom full leakage is given: the name of the ceiling.
    constants
        What answers that look at nothing earn, by their names.
    narrow
        How close blind and ceiling may be before there is nothing to gain.
    written
        Writes a value, as finely as it is worth; a dash where there is none.
    reached
        What an adversary can do, for each level of its advantage; ``{}`` stands for what it learns.
    blind_phrases
        Names of blind guesses as a sentence has them, where such a guess is named beside what was reached.
    reference
        Another metric, told beside this one, with its name: it needs the truth, so that it is no blind guess.
    """

    name: str
    title: str
    meaning: str = ""
    is_error: bool = False
    is_estimate: bool = False
    full: str = "full knowledge"
    constants: Mapping[str, float] = field(default_factory=dict)
    narrow: float = NARROW
    written: Callable[[float | None], str] = number
    reached: Mapping[str, str] = field(default_factory=lambda: LEARNED)
    blind_phrases: Mapping[str, str] = field(default_factory=dict)
    reference: tuple[str, str] | None = None

    @property
    def ceiling(self) -> float:
        """What full leakage earns."""
        return 0.0 if self.is_error else 1.0

    @property
    def names_blind(self) -> bool:
        """Whether the best blind guess is named beside what was reached; of labels it goes without saying."""
        return bool(self.blind_phrases)

    def best(self, values: Mapping[str, float]) -> str:
        """Return who learned most; of several who are level the first.

        >>> TOP1.best({"majority class": 0.6, "own columns": 0.8}), MSE.best({"uniform guess": 0.3, "constant ½": 0.2})
        ('own columns', 'constant ½')
        """
        return (min if self.is_error else max)(values, key=lambda name: values[name])

    def blind_phrase(self, kind: str | None) -> str:
        """Name a blind guess inside a sentence.

        >>> MSE.blind_phrase("constant ½"), TOP1.blind_phrase("majority class"), TOP1.blind_phrase(None)
        ('a constant ½', 'majority class', 'a blind guess')
        """
        return self.blind_phrases.get(kind or "", kind or "a blind guess")


TOP1: Final = Metric(
    name="top1",
    title="top-1",
    meaning="The share of rows whose label was named rightly. Rows without an answer count as wrong.",
)
AUC: Final = Metric(
    name="auc",
    title="AUC",
    meaning=(
        "How often somebody with a label is ranked above somebody without it (the mean over labels where there are "
        "more than two). ½ is chance, 1 a perfect ranking. Labels are judged by the worse of top-1 and this: where one "
        "class is rare, an adversary may name few labels rightly and still know whom to call first."
    ),
    constants={"chance": 0.5},
    reached={
        "all": "rank people by their {} nearly without error",
        "much": "largely rank people by their {}",
        "some": "partly rank people by their {}",
        "little": "rank people by their {} a little",
    },
)
F1: Final = Metric(name="f1", title="F1")
V_MEASURE: Final = Metric(
    name="v_measure",
    title="V-measure",
    meaning=(
        "How well the guessed groups match the labels, 0 to 1. The guess says which rows belong together, "
        "not what their class is called. 1 is one group for each class, 0 groups that have nothing to do with labels."
    ),
    constants={"one cluster": 0.0},
    reached={
        "all": "tell nearly always which rows share {}",
        "much": "largely tell which rows share {}",
        "some": "partly tell which rows share {}",
        "little": "tell a little about which rows share {}",
    },
)
MSE: Final = Metric(
    name="mse",
    title="MSE",
    meaning=(
        "The mean squared error of guessed feature values, each in units of its column's range: 0 is the least value, "
        "1 the largest. Lower is better for the adversary, and 0 gives every value away. A constant ½ needs neither "
        "messages nor knowledge and is never off by more than 0.25; a guess that does not beat it has learned nothing. "
        "The column mean is shown beside it: it needs the truth, so it is no blind guess, but an attack that does not "
        "beat it has not told one row from another."
    ),
    is_error=True,
    full="exact values",
    narrow=NARROW**2,  # a blind guess that is off by a hundredth of a column's range is off by this, squared
    written=squared_error,
    blind_phrases={
        "constant ½": "a constant ½",
        "uniform guess": "a uniform guess",
        "Gaussian guess": "a Gaussian guess",
        "mean of known values": "the mean of known values",
        "known mean": "the known mean of each column",
        "own columns and known values": "a guess from own columns and known values",
        "own columns, labels and known values": "a guess from own columns, labels and known values",
    },
    reference=("mse_column_mean", "column mean"),
)
BRANCHING_RATE: Final = Metric(
    name="branching_rate",
    title="correct branching rate",
    meaning=(
        "Of all turns that the guessed paths take at nodes of unknown columns, the share that the true values take "
        "too. Each right turn puts a value into an interval; it does not give it away."
    ),
    full="the true path",
    reached={
        "all": "tell nearly always into which intervals {} fall",
        "much": "largely tell into which intervals {} fall",
        "some": "partly tell into which intervals {} fall",
        "little": "tell a little about the intervals that {} fall into",
    },
    blind_phrases={
        "any leaf": "a path to any leaf",
        "a leaf that own columns allow": "a path to a leaf that own columns allow",
    },
)
FRACTION_ERROR: Final = Metric(
    name="fraction_error",
    title="error of the share",
    meaning=(
        "How far the estimated share of people with a property is from the true one among all rows that were aligned; "
        "0.01 is one person in a hundred. Lower is better for the adversary, and 0 gives the share away. Blind is the "
        "best of the answers that need no federation: adjusted counting on the adversary's own columns, one half, and "
        "what the people say whom it has asked itself."
    ),
    is_error=True,
    is_estimate=True,
    full="exact fraction",
    written=share_error,
    reached={
        "all": "tell nearly exactly how many they are",
        "much": "tell closely how many they are",
        "some": "tell roughly how many they are",
        "little": "tell a little better how many they are",
    },
    blind_phrases={
        "adjusted counting on own columns": "adjusted counting on own columns",
        "one half": "a guess of one half",
        "auxiliary share": "the share among the people asked",
        "all known rows with it": "counting those who are known to have it",
    },
)
ACCURACY: Final = Metric(name="accuracy", title="accuracy")

METRICS: Final[dict[str, Metric]] = {
    metric.name: metric for metric in (TOP1, AUC, F1, V_MEASURE, MSE, BRANCHING_RATE, FRACTION_ERROR, ACCURACY)
}


def metric_of(name: str | None) -> Metric:
    """Return the metric of a name; one that the table lacks, as a newer version may store, is told as it is called.

    >>> metric_of("v_measure").title, metric_of("balanced_accuracy").title, metric_of(None).title
    ('V-measure', 'balanced accuracy', '–')
    >>> metric_of("mse").written(0.00042), metric_of("fraction_error").written(0.00042), TOP1.written(0.00042)
    ('0.00042', '0.0004', '0.000')
    """
    return METRICS.get(name or "") or Metric(name=name or "", title=(name or NO_NUMBER).replace("_", " "))
