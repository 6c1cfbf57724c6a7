"""Views of an active party that was handed a linear model and its confidences; no federation is trained."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

import seepage
from hand_made import agreed, own_part
from seepage.audit.plan.plan import DataPlan
from seepage.audit.stages.preparation import load_table
from seepage.messages import OUTSIDE_TRAINING, Message
from seepage.networks.architectures import Dense
from seepage.networks.heads import Sum, Summed
from seepage.networks.joint_network import pack_part
from seepage.partition import OwnPart
from seepage.shapes import NO_ROWS
from seepage.transcript import Transcript
from seepage.views import Kind, Knowledge, ModelKind, ThreatModel, View, observe


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear model, rows that it was asked about, and who holds which columns, the active party first."""

    weights: np.ndarray
    intercept: np.ndarray
    units: dict[str, np.ndarray]
    low: np.ndarray
    width: np.ndarray

    @property
    def places(self) -> dict[str, np.ndarray]:
        ends = np.cumsum([units.shape[1] for units in self.units.values()])
        return dict(zip(self.units, np.split(np.arange(ends[-1]), ends[:-1]), strict=True))

    @property
    def confidences(self) -> np.ndarray:
        units = np.concatenate(list(self.units.values()), axis=1)
        logits = (self.low + self.width * units) @ self.weights.T + self.intercept
        if logits.shape[1] == 1:
            logits = np.hstack((np.zeros_like(logits), logits))
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    @property
    def unknown(self) -> np.ndarray:
        """The truth: what everybody but the active party holds, in units."""
        return np.concatenate(list(self.units.values())[1:], axis=1)


def linear_model(rng, *, classes=3, own=2, unknown=(2,), rows=8, reach=1.0) -> Linear:
    """Draw a well-conditioned model and rows; unknown values reach beyond 0 and 1 where `reach` is above 1."""
    columns, outputs = own + sum(unknown), 1 if classes == 2 else classes
    names = ["active", *(f"passive-{number}" for number in range(len(unknown)))]
    scale = (reach - 1) / 2
    units = {
        name: rng.uniform(-scale, 1 + scale, size=(rows, width))
        for name, width in zip(names, (own, *unknown), strict=True)
    }
    weights, intercept, low = (rng.normal(size=size) for size in ((outputs, columns), outputs, columns))
    return Linear(weights, intercept, units, low, rng.uniform(0.5, 2.0, size=columns))


def in_order(model: Linear, *parties: str) -> Linear:
    """Return the same model, had its parties come in another order."""
    order = np.concatenate([model.places[party] for party in parties])
    units = {party: model.units[party] for party in parties}
    return Linear(model.weights[:, order], model.intercept, units, model.low[order], model.width[order])


def part_of(model: Linear, party: str) -> OwnPart:
    own = model.places[party]
    names = tuple(f"{party}-{number}" for number in range(len(own)))
    limits = np.column_stack((model.low[own], model.low[own] + model.width[own]))
    return own_part(party, model.low[own] + model.width[own] * model.units[party], names, limits=limits)


def linear_view(model: Linear, *, confidences=None, order=None, means=False) -> View:
    """Release the model and its confidences, rows in some order, to the active party."""
    parties, outputs = tuple(model.units), len(model.weights)
    said = model.confidences if confidences is None else confidences
    order = np.arange(len(said)) if order is None else order
    parts = {party: part_of(model, party) for party in parties}
    messages = [_release(model, parts[party]) for party in parties]
    messages.append(
        Message(Kind.PREDICTION, "active", "active", OUTSIDE_TRAINING, 0, order, {"confidence": said[order]})
    )
    others = parties[1:]
    knowledge = Knowledge(
        threat=ThreatModel(adversaries=("active",), means=means),
        own={"active": parts["active"]},
        new=np.arange(len(said)),
        others={party: parts[party].public for party in others},
        means={party: parts[party].features.mean(axis=0) for party in others} if means else {},
    )
    described = {"classes": said.shape[1], "top_model": False, "outputs": outputs, "model": ModelKind.LINEAR}
    terms = agreed("logistic-regression", parties, **described)
    return observe(Transcript(terms, tuple(messages)), knowledge)


def _release(model: Linear, part: OwnPart) -> Message:
    outputs = len(model.weights)
    layer = nn.Linear(part.width, outputs, bias=False, dtype=torch.float64)
    head = Summed(outputs, intercept=True).double()
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(model.weights[:, model.places[part.party]]))
        head.intercept.copy_(torch.from_numpy(model.intercept))
    top = (Sum(outputs, intercept=True), head) if part.party == "active" else None
    packed = pack_part(part.names, (Dense(part.width, (), outputs, bias=False), nn.Sequential(layer)), top)
    return Message(Kind.MODEL, part.party, "active", OUTSIDE_TRAINING, 0, NO_ROWS, packed)


def linear_finding(attack, name, unknown, encoding=("ordinal", "minmax"), **settings):
    """Audit a logistic regression whose passive party holds the last so many columns."""
    columns = [column.name for column in load_table(DataPlan(name=name)).columns]
    varying = columns[20:40] if name == "digits" else columns  # the border of a digit is always 0
    held = varying[-unknown:]
    (finding,) = seepage.audit(
        name, parties={"bank": [column for column in columns if column not in held], "shop": held},
        federations=["logistic-regression"], attacks=[{"name": attack, "settings": settings}], defenses=[], seeds=1,
        encoding=encoding[0], scaling=encoding[1],
    )  # fmt: skip
    return finding
