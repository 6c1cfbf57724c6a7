"""Solving the equations of 100,000 rows at once, against solving them row by row.

As many classes and columns as the drive data: 11 classes, 24 columns known and 24
not, so that 10 equations have to do for 24 values. Timed is a whole attack, from
messages to a guess. The peers are NumPy's least squares for `equality-solving`
and SciPy's bounded least squares for `bounded-equality-solving`, each on some of
the rows, with the equations given, and scaled up to all of them.

    python benchmarks/equality_solving.py
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from seepage.attacks.features.bounded_equality_solving import BoundedEqualitySolving
from seepage.attacks.features.equality_solving import EqualitySolving
from seepage.attacks.steps.inversion.linear_equations import LinearEquations
from seepage.attacks.steps.inversion.released_equations import released_equations
from seepage.messages import OUTSIDE_TRAINING, Kind, Message, ModelKind
from seepage.networks.architectures import Dense
from seepage.networks.heads import Sum, Summed
from seepage.networks.joint_network import pack_part
from seepage.partition import OwnPart, PublicColumns
from seepage.shapes import NO_ROWS, Matrix
from seepage.transcript import Agreement, Transcript
from seepage.views import Knowledge, ThreatModel, View, observe
from seepage.views.joint_columns import joint_columns

ROWS, CLASSES, OWN, UNKNOWN, TURNS = 100_000, 11, 24, 24, 3
STIFF = 1e4
"""How much an equation weighs beside the distance from the center, where the peer has to be told."""


def released() -> View:
    """Return what the active party of a drawn model holds."""
    rng = np.random.default_rng(0)
    units, weights = rng.uniform(size=(ROWS, OWN + UNKNOWN)), rng.normal(size=(CLASSES, OWN + UNKNOWN))
    logits = units @ weights.T
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    names = [tuple(f"{party}{column}" for column in range(OWN)) for party in ("bank", "shop")]
    parts = [_part(names[0], weights[:, :OWN], head=True), _part(names[1], weights[:, OWN:], head=False)]
    messages = [
        Message(Kind.MODEL, party, "bank", OUTSIDE_TRAINING, 0, NO_ROWS, part)
        for party, part in zip(("bank", "shop"), parts, strict=True)
    ]
    confidence = {"confidence": powers / powers.sum(axis=1, keepdims=True)}
    messages.append(Message(Kind.PREDICTION, "bank", "bank", OUTSIDE_TRAINING, 0, np.arange(ROWS), confidence))
    own = OwnPart("bank", names[0], units[:, :OWN], names[0], np.arange(OWN))
    knowledge = Knowledge(
        threat=ThreatModel(adversaries=("bank",)),
        own={"bank": own},
        new=np.arange(ROWS),
        others={"shop": PublicColumns(names[1], np.tile([0.0, 1.0], (UNKNOWN, 1)))},
    )
    terms = Agreement(
        federation="logistic-regression",
        parties=("bank", "shop"),
        active="bank",
        classes=CLASSES,
        top_model=False,
        outputs=CLASSES,
        model=ModelKind.LINEAR,
    )
    return observe(Transcript(terms, tuple(messages)), knowledge)


def _part(names: tuple[str, ...], weights: Matrix, *, head: bool) -> dict[str, np.ndarray]:
    layer = nn.Linear(len(names), CLASSES, bias=False, dtype=torch.float64)
    layer.weight.data = torch.from_numpy(weights.copy())
    top = (Sum(CLASSES, intercept=True), Summed(CLASSES, intercept=True).double()) if head else None
    return pack_part(names, (Dense(len(names), (), CLASSES, bias=False), nn.Sequential(layer)), top)


def least_squares(equations: LinearEquations, rows: int) -> Matrix:
    return np.array([np.linalg.lstsq(equations.matrix, side, rcond=None)[0] for side in equations.sides[:rows]])


def bounded_least_squares(equations: LinearEquations, rows: int) -> Matrix:
    from scipy.optimize import lsq_linear

    whole = np.vstack((np.eye(UNKNOWN), STIFF * equations.matrix))
    aims = [np.concatenate((np.full(UNKNOWN, 0.5), STIFF * side)) for side in equations.sides[:rows]]
    return np.array([lsq_linear(whole, aim, (0, 1)).x for aim in aims])


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    view, rng = released(), np.random.default_rng(0)
    (prediction,) = view.received(Kind.PREDICTION)
    logs = np.log(prediction.payload["confidence"])
    equations = released_equations(view, joint_columns(view), prediction.rows, logs)
    for attack, peer, name, sample in (
        (EqualitySolving(), least_squares, "NumPy's lstsq", 5_000),
        (BoundedEqualitySolving(), bounded_least_squares, "SciPy's lsq_linear", 200),
    ):
        apart = np.abs(attack.run(view, rng).units[:sample] - peer(equations, sample)).max()
        turns = [
            (seconds(lambda: attack.run(view, rng)), seconds(lambda: peer(equations, sample)) * ROWS / sample)  # noqa: B023
            for _ in range(TURNS)
        ]
        mine, plain = (statistics.median(times) for times in zip(*turns, strict=True))
        print(
            f"{attack.name}, {ROWS:,} rows, {CLASSES - 1} equations, {UNKNOWN} unknown columns: {mine:.2f} s, "
            f"{plain / mine:.0f} × faster than {name} row by row ({plain:.1f} s); "
            f"apart by at most {apart:.0e}; bar 1 s",
            flush=True,
        )


if __name__ == "__main__":
    main()
