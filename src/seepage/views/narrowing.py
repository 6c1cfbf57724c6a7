"""What is left of an adversary's knowledge for an attack that declared what it reads."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Final

import numpy as np

from seepage.partition import OwnPart
from seepage.shapes import Labels
from seepage.transcript import Agreement
from seepage.views.knowledge import Knowledge
from seepage.views.needs import Needs
from seepage.views.threat import ThreatModel
from seepage.withholding import without

NOT_TOLD: Final = -1
"""Stands where the label holder's own labels are those of rows outside training, which it wants to predict."""

_LABELS: Final = ("the labels of known rows", "Set needs.labels_per_class")
_VALUES: Final = ("the others' values on known rows", "Set needs.known_values")
_GRANTED: Final[Mapping[str, tuple[str, str]]] = {
    "known_rows": _LABELS,
    "known_labels": _LABELS,
    "value_rows": _VALUES,
    "values": _VALUES,
    "means": ("the means of the others' columns", "Set needs.means"),
    "complete": ("the others' columns", "Set needs.complete"),
    "guess": ("the guess of an earlier attack", "Name that attack in needs.labels_from"),
    "auxiliary": ("auxiliary rows", "Set needs.auxiliary"),
}
_OWN_LABELS: Final = {"labels": ("the labels of the training rows", "Set needs.labels, or needs.labels_if_held")}
_TERMS: Final = ("the terms of the federation", "Set needs.terms, or declare the messages and models that are read")
OF_TRAINING: Final = {"epochs": ("how many epochs were trained", _TERMS[1])}
"""What a view says of training besides messages and models."""


def narrowed_terms(agreement: Agreement, needs: Needs) -> Agreement:
    """Return what an attack may read of the terms: all, or who takes part in which task, whatever is trained for it.

    So what an attack is shown that reads nothing of a federation is the same under each of them.
    """
    if needs.reads_federation:
        return agreement
    task = ("parties", "active", "classes")
    return without(agreement, {one.name: _TERMS for one in fields(agreement) if one.name not in task})


def narrowed_knowledge(knowledge: Knowledge, needs: Needs) -> Knowledge:
    """Return what an attack may read of knowledge; what it did not declare is taken out, and says so when it is read.

    Own columns, row numbers and what everybody published are always there. Own
    labels are those of training rows and of auxiliary rows; others are −1.
    """
    declared = _declared(needs)
    withheld = {name: said for name, said in _GRANTED.items() if not declared[name]}
    own = {party: _own_part(part, knowledge, needs) for party, part in knowledge.own.items()}
    return without(replace(knowledge, threat=_threat(knowledge.threat, needs), own=own), withheld)


def _declared(needs: Needs) -> dict[str, object]:
    """Say of each field of knowledge that is granted whether an attack may read it."""
    return {
        **dict.fromkeys(("known_rows", "known_labels"), needs.labels_per_class or needs.labels_from),
        **dict.fromkeys(("value_rows", "values"), needs.known_values),
        "means": needs.means,
        "complete": needs.complete,
        "guess": needs.labels_from,
        "auxiliary": needs.auxiliary,
    }


def _threat(threat: ThreatModel, needs: Needs) -> ThreatModel:
    """Return the part of the threat model that speaks of what was declared."""
    asked = needs.auxiliary is not None
    return replace(
        threat,
        labels_per_class=threat.labels_per_class if needs.labels_per_class or needs.labels_from else 0,
        known_values=threat.known_values if needs.known_values else 0,
        means=threat.means and needs.means,
        complete=threat.complete and needs.complete,
        property=threat.property if asked else None,
        auxiliary=threat.auxiliary if asked else None,
    )


def _own_part(part: OwnPart, knowledge: Knowledge, needs: Needs) -> OwnPart:
    if not (needs.labels or needs.labels_if_held):
        return without(part, _OWN_LABELS)
    return part if part.labels is None else replace(part, labels=_trained_with(part.labels, knowledge, needs))


def _trained_with(labels: Labels, knowledge: Knowledge, needs: Needs) -> Labels:
    """Keep the labels of training rows, and of people who were asked about the property."""
    told = np.full_like(labels, NOT_TOLD)
    told[knowledge.train] = labels[knowledge.train]
    if needs.auxiliary is not None and knowledge.auxiliary is not None:
        told[knowledge.auxiliary.source] = labels[knowledge.auxiliary.source]
    return told
