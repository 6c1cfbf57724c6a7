from collections.abc import Callable, Iterator
from typing import Any

import pytest

from seepage.audit.findings.finding import Finding

PARTITION = {
    "hospital": ["mean radius", "mean texture", "mean area", "worst concavity", "worst symmetry"],
    "lab": ["mean smoothness", "mean compactness", "radius error", "texture error", "worst area", "fractal dimension"],
}
VERSIONS = {"seepage": "0.1.0", "python": "3.11.9", "numpy": "2.4.0", "torch": "2.13.0"}
FEDERATIONS: dict[str, dict[str, Any]] = {
    "summed-network": {"epochs": 30, "hidden": [16, 8], "learning_rate": 0.05},
    "logistic-regression": {"epochs": 50, "learning_rate": 0.1},
    "split-network": {"epochs": 30, "hidden": [16, 8], "top": [8], "learning_rate": 0.05},
}
# defense, settings, gradient-sign's top-1, linear-probe's top-1, AUC; on the summed network
SUMMED = [
    (None, {}, 1.000, 0.946, 0.992),
    ("laplace-noise", {"scale": 0.001}, 0.985, 0.941, 0.991),
    ("laplace-noise", {"scale": 0.01}, 0.812, 0.927, 0.979),
    ("laplace-noise", {"scale": 0.1}, 0.668, 0.803, 0.871),
    ("top-k", {"share": 0.75}, 0.990, 0.944, 0.992),
    ("top-k", {"share": 0.25}, 0.842, 0.915, 0.986),
    ("top-k", {"share": 0.1}, 0.744, 0.861, 0.970),
    ("privacy-preserving-dl", {"share": 0.5, "threshold": 0.0001}, 0.861, 0.920, 0.983),
    ("privacy-preserving-dl", {"share": 0.1, "threshold": 0.0001}, 0.704, 0.809, 0.941),
    ("discrete-gradients", {"bins": 18}, 0.998, 0.940, 0.990),
    ("discrete-gradients", {"bins": 6}, 0.915, 0.902, 0.974),
]
LOGISTIC = [
    (None, {}, 0.994, 0.930, 0.988),
    ("laplace-noise", {"scale": 0.01}, 0.742, 0.902, 0.980),
    ("laplace-noise", {"scale": 0.1}, 0.640, 0.701, 0.902),
    ("top-k", {"share": 0.25}, 0.801, 0.893, 0.984),
    ("top-k", {"share": 0.1}, 0.690, 0.688, 0.977),
    ("privacy-preserving-dl", {"share": 0.1, "threshold": 0.0001}, 0.672, 0.697, 0.950),
    ("discrete-gradients", {"bins": 6}, 0.842, 0.858, 0.965),
]


def make_finding(**changes: Any) -> Finding:
    """One good finding: the lab reads labels off gradients of a summed network."""
    fields: dict[str, Any] = {
        "data": "breast_cancer",
        "partition": PARTITION,
        "encoding": "one-hot",
        "scaling": "standard",
        "federation": "summed-network",
        "parties": 2,
        "adversary": ("lab",),
        "attack": "gradient-sign",
        "seed": 0,
        "asset": "labels",
        "metric": "top1",
        "value": 1.0,
        "blind": 0.627,
        "blind_kind": "majority class",
        "ceiling": 1.0,
        "ceiling_kind": "full knowledge",
        "utility_metric": "auc",
        "utility": 0.99,
        "utility_undefended": 0.992,
        "seconds": 1.4,
        "peak_mb": 310.0,
        "versions": VERSIONS,
    }
    return Finding(**{**fields, **changes})


@pytest.fixture
def finding() -> Callable[..., Finding]:
    return make_finding


def _measured() -> Iterator[Finding]:
    for federation, grid in (("summed-network", SUMMED), ("logistic-regression", LOGISTIC)):
        bare = grid[0][4]
        for defense, settings, sign, probe, utility in grid:
            for attack, value, blind, kind in (
                ("gradient-sign", sign, 0.627, "majority class"),
                ("linear-probe", probe, 0.684, "logistic regression on own columns"),
            ):
                for seed, wobble in enumerate((-0.012, 0.004, 0.008)):
                    yield make_finding(
                        federation=federation,
                        model_settings=FEDERATIONS[federation],
                        attack=attack,
                        attack_settings={} if attack == "gradient-sign" else {"layer": "last", "strength": 1.0},
                        knowledge={"own_columns": 6, "known_labels": 0 if attack == "gradient-sign" else 40},
                        defense=defense,
                        defense_settings=settings,
                        seed=seed,
                        value=min(1.0, value + wobble if value < 1 else 1.0),
                        blind=blind + wobble / 4,
                        blind_kind=kind,
                        utility=utility + wobble / 10,
                        utility_undefended=bare + wobble / 10,
                    )


def _not_applicable() -> Iterator[Finding]:
    for defense, settings, *_ in SUMMED:
        for seed in range(3):
            yield make_finding(
                federation="split-network",
                model_settings=FEDERATIONS["split-network"],
                defense=defense,
                defense_settings=settings,
                seed=seed,
                metric=None,
                value=None,
                blind=None,
                blind_kind=None,
                ceiling=None,
                ceiling_kind=None,
                utility_metric=None,
                utility=None,
                utility_undefended=None,
                status="not applicable",
                reason="'lab' receives gradients of its embedding, not of the logits; their sign tells it nothing.",
            )


@pytest.fixture
def audit() -> list[Finding]:
    """Three federations, four defenses, three seeds."""
    return [*_measured(), *_not_applicable()]
