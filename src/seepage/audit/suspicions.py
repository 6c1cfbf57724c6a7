"""What looks wrong with a table or a plan before anything is trained, in sentences: none of it stops an audit."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from seepage.audit.plan.plan import Plan
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.keys import attack_of
from seepage.audit.stages.preflight import attempts_under, setting_of, threat_of
from seepage.audit.stages.preparation import Prepared
from seepage.data import Column, Table
from seepage.errors import BadSetting
from seepage.layouts import Meaning
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.scores import auc
from seepage.shapes import Labels, Mask
from seepage.views import ThreatModel, grant

LEAST_IN_TRAINING: Final = 10
LEAST_IN_TEST: Final = 5
"""Fewer rows of a class than this, and what is measured of it hangs on single people."""
LEAST_KNOWN: Final = 10
"""Fewer known rows with a property, without it, or with their values, than this, and next to nothing is learned."""
COPIED: Final = 0.98
"""A column from which so much of what the commonest class leaves open can be read gives the label away."""
RANKED: Final = 0.99
"""The AUC from which on one column gives away which of two classes a row has."""
TOLD: Final = 0.95
"""The AUC from which on a property can be told from own columns."""
ROWS_PER_LEVEL: Final = 20
"""Levels, or bins of numbers, have so many rows on average: finer ones would name rows."""
ENOUGH: Final = 2000
"""So many rows are enough to say whether own columns tell a property."""


def suspicions(plan: Plan, bench: Bench) -> tuple[str, ...]:
    """Say what looks wrong under the first seed of a plan."""
    prepared = bench.prepared(setting_of(plan, plan.seeds[0]))
    attempts = attempts_under(plan, prepared.partition)
    threats = [(attack_of(one).steals, threat_of(plan, one, prepared.partition)) for one in attempts]
    said = [*alike(prepared.table.classes), *small_classes(prepared.data)]
    if prepared.table.layout.meaning is Meaning.APART:
        curious = dict.fromkeys(name for steals, threat in threats if steals == "labels" for name in threat.adversaries)
        said += given_away(prepared, [name for name in curious if name != prepared.partition.active])
        asking = [threat for _, threat in threats if threat.property is not None]
        said += already_told(prepared.data, asking)
    said += few_known(prepared.data, [threat for _, threat in threats], plan.seeds[0])
    return tuple(dict.fromkeys(said))


def alike(classes: Sequence[str]) -> Iterator[str]:
    """Name classes that differ in case or surrounding blanks only.

    >>> list(alike(("No", "no ", "yes")))
    ["Classes 'No' and 'no ' differ in case or blanks only, and count as different. Give them one spelling, if ..."]
    """
    groups: dict[str, list[str]] = {}
    for name in classes:
        groups.setdefault(" ".join(name.casefold().split()), []).append(name)
    for names in groups.values():
        if len(names) > 1:
            *most, last = (f"'{name}'" for name in names)
            yield (
                f"Classes {', '.join(most)} and {last} differ in case or blanks only, and count as different. "
                "Give them one spelling, if they mean the same."
            )


def small_classes(data: PartitionedTable) -> Iterator[str]:
    """Name the classes of which few rows train, or few test."""
    train, test = (np.bincount(data.labels[rows], minlength=len(data.classes)) for rows in (data.train, data.test))
    small = [
        f"'{name}' ({train[place]} and {test[place]})"
        for place, name in enumerate(data.classes)
        if train[place] < LEAST_IN_TRAINING or test[place] < LEAST_IN_TEST
    ]
    if small:
        more = f" and {len(small) - 5} more" if len(small) > 5 else ""
        yield (
            f"Few rows of {'class' if len(small) == 1 else 'classes'} {', '.join(small[:5])}{more} train and test: "
            "what is measured of them hangs on single people. Add rows, or merge classes."
        )


def given_away(prepared: Prepared, curious: Sequence[str]) -> Iterator[str]:
    """Name columns of an adversary that give the label away without any federation."""
    for party in curious:
        for name in prepared.partition.columns[party]:
            how = _giving_away(prepared.table[name], prepared.table)
            if how is not None:
                yield (
                    f"Column '{name}' of '{party}' gives the label away by itself ({how}): nothing has to leak. "
                    "Leave it out, if it would not be known at the time of a prediction."
                )


def _giving_away(column: Column, table: Table) -> str | None:
    """Say how well one column tells the label, where it tells it all but completely."""
    labels = table.labels
    if len(table.classes) == 2 and not column.is_categorical:
        values = np.nan_to_num(column.values.astype(np.float64))
        ranked = auc(labels, np.stack((-values, values), axis=1))
        if max(ranked, 1 - ranked) >= RANKED:
            return f"AUC {max(ranked, 1 - ranked):.3f}"
    levels = _levels(column, len(labels))
    if levels is None:
        return None
    counts = np.zeros((levels.max() + 1, len(table.classes)), dtype=np.int64)
    np.add.at(counts, (levels, labels), 1)
    right, commonest = counts.max(axis=1).sum() / len(labels), np.bincount(labels).max() / len(labels)
    told = (right - commonest) / (1 - commonest)
    return f"it tells {right:.1%} of the rows" if told >= COPIED else None


def _levels(column: Column, rows: int) -> Labels | None:
    """Return the category of every row, or where its number stands among quantiles; None where levels name rows."""
    most = max(2, rows // ROWS_PER_LEVEL)
    distinct, levels = np.unique(column.values, return_inverse=True)
    if len(distinct) <= most:
        return np.asarray(levels, dtype=np.int64)
    if column.is_categorical:
        return None
    edges = np.nanquantile(column.values.astype(np.float64), np.linspace(0, 1, most + 1)[1:-1])
    return np.asarray(np.searchsorted(edges, column.values, side="right"), dtype=np.int64)


def already_told(data: PartitionedTable, asking: Sequence[ThreatModel]) -> Iterator[str]:
    """Name properties that the adversary's own columns tell, row by row, without any federation."""
    for threat in asking:
        assert threat.property is not None
        has = data.parts[data.holders(threat.property)[0]].properties[threat.property]
        value = _told_by(threat.adversaries, data, has)
        if value is not None and value >= TOLD:
            names = " and ".join(f"'{name}'" for name in threat.adversaries)
            yield (
                f"Who has the property '{threat.property}' can be told from the own columns of {names} (AUC "
                f"{value:.2f} of a linear model that knew it): what is learned of it need not come from the federation."
            )


def _told_by(adversaries: Sequence[str], data: PartitionedTable, has: Mask) -> float | None:
    """Return the AUC with which a linear model on own columns tells a property; None where nothing can be learned."""
    from sklearn.linear_model import LogisticRegression

    features = np.concatenate([data.parts[name].features for name in adversaries], axis=1)
    train, test = data.train[:ENOUGH], data.test[:ENOUGH]
    if not features.shape[1] or any(has[rows].all() or not has[rows].any() for rows in (train, test)):
        return None
    columns = np.nan_to_num(features.astype(np.float64))
    model = LogisticRegression(max_iter=1000).fit(columns[train], has[train])
    return auc(has[test].astype(np.int64), model.predict_proba(columns[test]))


def few_known(data: PartitionedTable, threats: Sequence[ThreatModel], seed: int) -> Iterator[str]:
    """Say where so few rows, or values, or labels are granted that an attack learns from next to nothing."""
    for threat in threats:
        if threat.labels_per_class == 1:
            yield (
                "One label of each class is known to the adversary: none is left with which an attack could check "
                "itself. Grant two or more (labels_per_class)."
            )
        if 0 < threat.known_values < LEAST_KNOWN:
            yield (
                f"The others' values are known to the adversary for {threat.known_values} "
                f"row{'s' * (threat.known_values > 1)}, which is few to learn from. Grant more (known)."
            )
        if threat.auxiliary is None:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what there is to say is said where it is granted
                known = grant(data, threat, stream(seed, "knowledge")).auxiliary
        except BadSetting:  # its finding says why
            continue
        if known is not None and min(known.has.sum(), (~known.has).sum()) < LEAST_KNOWN:
            yield (
                f"Of '{threat.property}' {known.has.sum()} rows with it and {(~known.has).sum()} without are known to "
                "the adversary, which is few to learn from. Use more rows, or grant more (auxiliary.rows)."
            )
