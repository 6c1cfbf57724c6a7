"""Whether what was stored of an adversary's knowledge can be that of a run."""

from typing import Final

import numpy as np

from seepage.shapes import Array
from seepage.transcript import Transcript
from seepage.transcript.payloads import MOST_ROWS
from seepage.views import Knowledge

LARGEST: Final = np.float64(1e15)


def check_knowledge(knowledge: Knowledge, transcript: Transcript) -> None:
    """Refuse with a ValueError what does not fit the run, or would be another party's."""
    _check_owners(knowledge, transcript)
    _check_others(knowledge, transcript)
    _check_rows(knowledge)
    _check_labels(knowledge, transcript.agreement.classes)
    _check_models(knowledge, transcript)


def _check_owners(knowledge: Knowledge, transcript: Transcript) -> None:
    """Refuse columns of anybody but the adversary, and labels of anybody but the active party."""
    for name in knowledge.threat.adversaries:
        if name not in transcript.agreement.parties:
            raise ValueError(f"the adversary {name} is not among the parties")
    for party, part in knowledge.own.items():
        if party not in knowledge.threat.adversaries or party not in transcript.agreement.parties:
            raise ValueError(f"the columns of {party}, who is not the adversary, must not be there")
        if part.labels is not None and party != transcript.agreement.active:
            raise ValueError(f"{party} is not the active party and holds no labels")
        features, places = part.features, part.attributes
        if features.ndim != 2 or features.dtype.kind not in "fiub" or not _fits(features):
            raise ValueError(f"the columns of {party} must be numbers below {LARGEST:g} in size, or missing")
        if part.width and not len(features):
            raise ValueError(f"the columns of {party} have no rows")
        if not len(part.names) == len(places) == part.width or places.ndim != 1 or places.dtype.kind not in "iu":
            raise ValueError(f"each column of {party} needs a name and an attribute")
        if len(places) and not 0 <= places.min() <= places.max() < len(part.columns):
            raise ValueError(f"the columns of {party} belong to attributes that it does not have")
        if part.labels is not None and part.labels.shape != (len(features),):
            raise ValueError(f"{party} needs a label for each of its rows")
        if part.labels is not None and not _are_classes(part.labels, transcript.agreement.classes):
            raise ValueError(f"the labels of {party} must be classes from 0 to {transcript.agreement.classes - 1}")
        if part.limits is not None:
            _check_limits(party, part.limits, part.width)
        misfit = part.layout.misfit(part.width)
        if misfit is not None:
            raise ValueError(f"the columns of {party} {misfit}")


def _check_others(knowledge: Knowledge, transcript: Transcript) -> None:
    """Refuse what is said of others' columns where it does not fit their names."""
    for party, public in knowledge.others.items():
        if party in knowledge.threat.adversaries or party not in transcript.agreement.parties:
            raise ValueError(f"others must be parties besides the adversary, got {party}")
        if len(public.attributes) not in {0, len(public.names)}:
            raise ValueError(f"each column of {party} needs one attribute")
        _check_limits(party, public.limits, len(public.names))
        values, means = knowledge.values.get(party), knowledge.means.get(party)
        if values is not None and values.shape != (len(knowledge.value_rows), len(public.names)):
            raise ValueError(f"the known values of {party} must be one for each row of value_rows and each column")
        if means is not None and means.shape != (len(public.names),):
            raise ValueError(f"the means of {party} must be one for each column")
        if any(granted is not None and not _fits(granted) for granted in (values, means)):
            raise ValueError(f"what is known of {party} must be numbers below {LARGEST:g} in size, or missing")
    if len(knowledge.value_rows) and set(knowledge.values) != set(knowledge.others):
        raise ValueError("value_rows needs known values of all others")
    for part in knowledge.own.values():
        if part.limits is not None:
            _check_limits(part.party, part.limits, part.width)


def _fits(values: Array) -> bool:
    """Whether these are missing, or of a size that 32 bits hold together with their squares."""
    return bool((np.isnan(values) | (np.abs(values) < LARGEST)).all())


def _check_limits(party: str, limits: Array, width: int) -> None:
    numbers = limits.dtype.kind in "fiu"
    fits = numbers and limits.shape in {(width, 2), (0, 2)} and bool(np.isfinite(limits).all())
    if not fits or bool((limits[:, 0] > limits[:, 1]).any()):
        raise ValueError(f"the limits of {party} must be the least and the largest value of each column")


def _check_labels(knowledge: Knowledge, classes: int) -> None:
    """Refuse known labels that are no classes, or that are not of training rows."""
    labels = knowledge.known_labels
    if not len(labels) and labels.dtype.kind in "iu":
        return
    if not _are_classes(labels, classes):
        raise ValueError(f"known_labels must be classes from 0 to {classes - 1}")
    if not np.isin(knowledge.known_rows, knowledge.train).all():
        raise ValueError("known_rows must be training rows")


def _are_classes(labels: Array, classes: int) -> bool:
    """Whether these are numbers of classes, one beside the other."""
    whole = labels.ndim == 1 and labels.dtype.kind in "iu"
    return whole and (not len(labels) or bool(0 <= labels.min() <= labels.max() < classes))


def _check_rows(knowledge: Knowledge) -> None:
    """Refuse rows that nobody has."""
    rows = min((len(part.features) for part in knowledge.own.values()), default=MOST_ROWS)
    for name in ("train", "new", "known_rows", "value_rows"):
        chosen = getattr(knowledge, name)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or len(np.unique(chosen)) != len(chosen):
            raise ValueError(f"{name} must be different row numbers")
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < rows:
            raise ValueError(f"{name} speaks of rows beyond {rows}")
    if set(knowledge.train.tolist()) & set(knowledge.new.tolist()):
        raise ValueError("no row can be new and take part in training")
    if len(knowledge.train) == 0 or len(knowledge.known_rows) != len(knowledge.known_labels):
        raise ValueError("there must be training rows, and a label for each row whose label is known")
    if (known := knowledge.auxiliary) is not None:
        places = (known.rows, known.source)
        if any(one.ndim != 1 or one.dtype.kind not in "iu" for one in places) or known.has.ndim != 1:
            raise ValueError("auxiliary rows and their source must be row numbers")
        if not len(known.rows) == len(known.source) == len(known.has) or known.has.all() or not known.has.any():
            raise ValueError("auxiliary rows need a source and a property each, and some of both sides")
        if not np.isin(known.rows, knowledge.train).all() or len(np.unique(known.rows)) != len(known.rows):
            raise ValueError("auxiliary rows must be different training rows")
        if not 0 <= known.source.min() <= known.source.max() < rows:
            raise ValueError(f"auxiliary rows come from rows beyond {rows}")


def _check_models(knowledge: Knowledge, transcript: Transcript) -> None:
    """Refuse missing values where a bottom model that can be built again reads them: no network does."""
    reading = [one for one in transcript.snapshots if one.part == "bottom" and not one.recorded]
    rows = np.concatenate((knowledge.train, knowledge.new))
    for party, columns in {(one.party, one.columns) for one in reading if one.party in knowledge.own}:
        part = knowledge.own[party]
        read = [place for place, name in enumerate(part.names) if not columns or name in columns]
        if np.isnan(part.features[rows][:, read]).any():
            raise ValueError(f"the bottom model of {party} reads columns with missing values, which no network can")
