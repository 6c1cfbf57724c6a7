"""What owners tell before training, drawn by each from its own data, and what an adversary knows by that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from seepage.audit.plan.attacks import built_attack
from seepage.errors import BadMessage, BadSetting
from seepage.partition import OwnPart, PartitionedTable, PublicColumns
from seepage.randomness import stream
from seepage.rehearsal.attempts import Attempt, told_people
from seepage.rehearsal.plan import RehearsalPlan
from seepage.rehearsal.words import Beside, People
from seepage.shapes import NO_ROWS, Array, Labels, Matrix, Rows
from seepage.views import Knowledge, KnownRows
from seepage.views.auxiliary import draw_auxiliary

Asked = tuple[str, float]
"""A property, and in which share of cases people are mistaken about it."""


@dataclass(frozen=True, eq=False)
class Telling:
    """What one party told of its own data; it is the same for all adversaries.

    Parameters
    ----------
    label_rows, labels
        Training rows and their labels, as many of each class, in the order in which they are told.
    values
        The encoded columns of the rows of `valued_rows`, in their order.
    means
        The mean of each encoded column over the training rows.
    people
        By property, who has it and who has not.
    """

    columns: PublicColumns
    label_rows: Rows = field(default_factory=lambda: NO_ROWS, repr=False)
    labels: Labels = field(default_factory=lambda: NO_ROWS, repr=False)
    values: Matrix | None = field(default=None, repr=False)
    means: Array | None = field(default=None, repr=False)
    people: Mapping[Asked, KnownRows] = field(default_factory=dict, repr=False)

    def labelled(self, count: int) -> tuple[Rows, Labels]:
        """Return so many rows of each class with their labels, or as many as were told."""
        places = [np.flatnonzero(self.labels == label)[:count] for label in np.unique(self.labels)]
        chosen = np.concatenate([NO_ROWS, *places])
        return self.label_rows[chosen], self.labels[chosen]

    def beside(self) -> tuple[tuple[People, ...], dict[str, Array]]:
        """Return what a message says of it, and the arrays beside."""
        arrays: dict[str, Array] = {}
        if len(self.label_rows):
            arrays |= {"label_rows": self.label_rows, "labels": self.labels}
        if self.values is not None:
            arrays["values"] = self.values
        if self.means is not None:
            arrays["means"] = self.means
        told = []
        for number, ((asked, mislabelled), known) in enumerate(self.people.items()):
            told.append(People(asked=asked, mislabelled=mislabelled, exhausted=known.exhausted))
            arrays |= {f"people.{number}.rows": known.rows, f"people.{number}.has": known.has}
        return tuple(told), arrays


def valued_rows(plan: RehearsalPlan, seed: int, train: Rows) -> Rows:
    """Return the training rows whose columns everybody tells, in the order in which they are told."""
    if plan.grants.values > len(train):
        raise BadSetting(f"The plan grants the values of {plan.grants.values} rows, but only {len(train)} train.")
    return stream(seed, "knowledge", "values").permutation(train)[: plan.grants.values]


def told_rows(plan: RehearsalPlan, seed: int, before: Rows, left: Rows) -> Rows:
    """Return those of them that were not withdrawn."""
    rows = valued_rows(plan, seed, before)
    return rows[np.isin(rows, left)]


def telling(plan: RehearsalPlan, seed: int, part: OwnPart, test: Rows, secret: str, left: Rows) -> Telling:
    """Draw what a party tells of its own data: under one seed the same, whoever is withdrawn.

    Parameters
    ----------
    part
        The party's part with the rows that would train, had nobody withdrawn any.
    left
        The rows that do; of others nothing is told, and nobody is told instead.
    """
    grants, public = plan.grants, part.public if plan.columns else PublicColumns((), np.zeros((0, 2)))
    rows, labels = NO_ROWS, NO_ROWS
    if part.labels is not None and grants.labels_per_class:
        rows = _label_rows(part, grants.labels_per_class, seed, secret)
        labels = part.labels[rows]
    shown = told_rows(plan, seed, part.rows, left)
    stay = np.isin(rows, left)
    return Telling(
        public,
        label_rows=rows[stay],
        labels=labels[stay],
        values=part.features[shown] if len(shown) else None,
        means=part.features[part.rows].mean(axis=0) if grants.means else None,
        people=_people(plan, seed, part, test, secret, left) if grants.people else {},
    )


def _label_rows(part: OwnPart, count: int, seed: int, secret: str) -> Rows:
    """Draw so many rows of each class; of a class that has fewer half is told, rounded up, as in an audit."""
    assert part.labels is not None
    labels, rng, drawn = part.labels[part.rows], stream(seed, "knowledge", "labels", secret=secret), []
    for label in np.unique(labels):
        own = rng.permutation(part.rows[labels == label])
        drawn.append(own[: count if len(own) >= count else (len(own) + 1) // 2])
    return np.concatenate(drawn)


def _people(
    plan: RehearsalPlan, seed: int, part: OwnPart, test: Rows, secret: str, left: Rows
) -> dict[Asked, KnownRows]:
    """Draw who has each property that this party holds; where a side has too few people nothing is told."""
    needs = [built_attack(one.name, one.settings).needs.auxiliary for one in plan.tried]
    wanted = {one.mislabelled: told for one in needs if one is not None and (told := told_people(plan, one))}
    alone = PartitionedTable(part.party, {part.party: part}, part.party, (), test)
    found = {}
    for asked, has in part.properties.items():
        for mislabelled, auxiliary in wanted.items():
            rng = stream(seed, "knowledge", "people", asked, f"{mislabelled}", secret=secret)
            try:
                drawn = draw_auxiliary(alone, auxiliary, has, rng)
            except BadSetting:  # who asks about it is told that nobody is known
                continue
            stay = np.isin(drawn.rows, left)
            found[asked, mislabelled] = KnownRows(
                drawn.rows[stay], drawn.source[stay], drawn.has[stay], exhausted=drawn.exhausted
            )
    return found


def heard_telling(
    plan: RehearsalPlan,
    seed: int,
    who: str,
    columns: PublicColumns,
    people: Sequence[People],
    beside: Beside,
    before: Rows,
    left: Rows,
) -> Telling:
    """Read what another party told, or refuse what is no such thing, or less than was agreed."""
    told = dict(beside)
    rows, labels = told.pop("label_rows", NO_ROWS), told.pop("labels", NO_ROWS)
    values, means, known = told.pop("values", None), told.pop("means", None), {}
    fits = _are_rows(rows, left) and labels.shape == rows.shape and labels.dtype == np.int64
    fits = fits and bool(((labels >= 0) & (labels < plan.classes)).all())
    shown = len(told_rows(plan, seed, before, left))
    for numbers, agreed, shape in ((values, shown > 0, (shown,)), (means, plan.grants.means, ())):
        fits = fits and (numbers is not None) == agreed and (numbers is None or _are_columns(numbers, shape, columns))
    for number, one in enumerate(people):
        drawn, has = (told.pop(f"people.{number}.{name}", NO_ROWS) for name in ("rows", "has"))
        fits = fits and _are_rows(drawn, left) and has.shape == drawn.shape and has.dtype == np.bool_
        known[one.asked, one.mislabelled] = KnownRows(drawn, drawn, has, exhausted=one.exhausted)
    if not fits or told:
        raise BadMessage(f"'{who}' told something else of its data than was agreed.")
    return Telling(columns, rows, labels, values, means, known)


def _are_columns(numbers: Array, shape: tuple[int, ...], columns: PublicColumns) -> bool:
    """Whether these are finite numbers, one for each column that was told of, where columns are."""
    wide = numbers.ndim == len(shape) + 1 and (not columns.names or numbers.shape[-1] == len(columns.names))
    return wide and numbers.shape[:-1] == shape and numbers.dtype.kind == "f" and bool(np.isfinite(numbers).all())


def _are_rows(rows: Array, train: Rows) -> bool:
    """Whether these are training rows, each named once."""
    fits = rows.ndim == 1 and rows.dtype == np.int64 and len(np.unique(rows)) == len(rows)
    return fits and bool(np.isin(rows, train).all())


def knowledge_of(
    plan: RehearsalPlan,
    seed: int,
    attempt: Attempt,
    tellings: Mapping[str, Telling],
    before: Rows,
    train: Rows,
    test: Rows,
    own: OwnPart | None,
) -> Knowledge:
    """Return what an adversary knows besides messages.

    Parameters
    ----------
    tellings
        What everybody told whom the adversary is after, and the label holder.
    before
        The rows that would train, had nobody withdrawn any.
    own
        What it brought along; None where a victim says what was known of itself.
    """
    threat = attempt.threat(plan)
    others = {party: told for party, told in tellings.items() if party in attempt.victims}
    rows, labels = NO_ROWS, NO_ROWS
    if threat.labels_per_class and plan.driver in tellings:
        rows, labels = tellings[plan.driver].labelled(threat.labels_per_class)
    shown = told_rows(plan, seed, before, train)[: threat.known_values]
    order = np.argsort(shown, kind="stable")
    auxiliary = None
    if attempt.asked is not None and threat.auxiliary is not None:
        auxiliary = others[attempt.victims[0]].people.get((attempt.asked, threat.auxiliary.mislabelled))
    return Knowledge(
        threat=threat,
        own={} if own is None else {attempt.adversary: own},
        train=train,
        new=test,
        known_rows=rows,
        known_labels=labels,
        others={party: told.columns for party, told in others.items()},
        value_rows=shown[order],
        values={party: told.values[order] for party, told in others.items() if told.values is not None and len(shown)},
        means={party: told.means for party, told in others.items() if told.means is not None and threat.means},
        auxiliary=auxiliary,
    )
