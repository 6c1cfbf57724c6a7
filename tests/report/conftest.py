from collections.abc import Iterator
from typing import Any

import pytest

from imagined_findings import finding
from seepage.audit.findings.finding import Finding

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


def _measured() -> Iterator[Finding]:
    for federation, grid in (("summed-network", SUMMED), ("logistic-regression", LOGISTIC)):
        bare = grid[0][4]
        for defense, settings, sign, probe, utility in grid:
            for attack, value, blind, kind in (
                ("gradient-sign", sign, 0.627, "majority class"),
                ("linear-probe", probe, 0.684, "logistic regression on own columns"),
            ):
                for seed, wobble in enumerate((-0.012, 0.004, 0.008)):
                    yield finding(
                        federation=federation, model_settings=FEDERATIONS[federation], attack=attack, seed=seed,
                        attack_settings={} if attack == "gradient-sign" else {"layer": "last", "strength": 1.0},
                        knowledge={"own_columns": 6, "known_labels": 0 if attack == "gradient-sign" else 40},
                        defense=defense, defense_settings=settings, blind=blind + wobble / 4, blind_kind=kind,
                        value=min(1.0, value + wobble if value < 1 else 1.0), utility=utility + wobble / 10,
                        utility_undefended=bare + wobble / 10,
                    )  # fmt: skip


def _not_applicable() -> Iterator[Finding]:
    split = {"federation": "split-network", "model_settings": FEDERATIONS["split-network"]}
    unmeasured = dict.fromkeys(("metric", "value", "blind", "blind_kind", "ceiling", "ceiling_kind", "utility_metric",
                                "utility", "utility_undefended"))  # fmt: skip
    reason = "'lab' receives gradients of its embedding, not of the logits; their sign tells it nothing."
    for defense, settings, *_ in SUMMED:
        told = {"defense": defense, "defense_settings": settings, "status": "not applicable", "reason": reason}
        yield from (finding(**split, **unmeasured, **told, seed=seed) for seed in range(3))


@pytest.fixture
def audit() -> list[Finding]:
    """Three federations, four defenses, three seeds."""
    return [*_measured(), *_not_applicable()]
