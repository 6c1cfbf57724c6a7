"""A large audit that nobody ran: three parties, all assets, several settings of each defense, failures and gaps."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from imagined_findings import finding
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.survey import Survey
from seepage.report import render

COLUMNS = {"bank": [f"account {n}" for n in range(8)], "shop": [f"basket {n}" for n in range(6)], "gym": ["age", "sex"]}
PARTITION = {"kind": "named", "active": "bank", "columns": COLUMNS}
FEDERATIONS = ("split-network", "summed-network", "logistic-regression", "decision-tree", "forest", "boosting")
DEFENSES: tuple[tuple[str | None, dict[str, Any], float, float], ...] = (
    (None, {}, 1.0, 0.0),
    *(("laplace-noise", {"scale": scale}, left, cost) for scale, left, cost in
      ((0.001, 0.97, 0.0), (0.01, 0.6, 0.01), (0.1, 0.05, 0.06))),
    *(("top-k", {"share": share}, left, cost) for share, left, cost in
      ((0.75, 0.99, 0.0), (0.25, 0.8, 0.004), (0.1, 0.5, 0.02))),
    ("sign-gradients", {"scale": 1.0}, 0.9, 0.003),
    ("discrete-gradients", {"intervals": 12, "warm_up": "silent"}, 0.95, 0.002),
    ("privacy-preserving-dl", {"theta_u": 0.5, "tau": 0.0001, "epsilon": 1.8}, 0.1, 0.09),
    ("rounding", {"digits": 2}, 1.0, 0.0),
    ("dropout", {"rate": 0.5}, 0.98, 0.001),
    ("label-dp", {"epsilon": 1.0, "stages": 2}, 0.3, 0.05),
)  # fmt: skip
AIMS = (
    ("labels", None, ("shop",), "gradient-direction", "top1", 0.55),
    ("labels", None, ("shop", "gym"), "model-completion", "top1", 0.5),
    ("features", None, ("bank",), "embedding-inversion", "branching_rate", 0.4),
    *(("properties", f"basket 1={value}", ("bank",), "adjusted-count", "auc", 0.1 + value / 20) for value in range(6)),
)  # fmt: skip
PICTURES = {
    "projection": {"grid": 4, "classes": 2, "rows": 9, "counts": [[0, 0, 0, 4], [3, 2, 0, 1], [3, 2, 1, 3]]},
    "reliance": {"bank": 0.25, "shop": 0.75},
    "attention": [{"party": "bank", "map": [[0, 51], [102, 255]]}, {"party": "shop", "map": [[0], [9]]}],
}
CROSSED = (
    {"kind": "embedding", "sender": "shop", "receiver": "bank", "messages": 90, "bytes": 190_000, "sealed": False},
    {"kind": "gradient", "sender": "bank", "receiver": "shop", "messages": 90, "bytes": 190_000, "sealed": False},
    {"kind": "encrypted", "sender": "bank", "receiver": "gym", "messages": 5, "bytes": 3_000_000, "sealed": True},
)


@cache
def large_audit(seeds: int = 3) -> Survey:
    """Return findings of everything that a page can show, summed up once for all tests."""
    return Survey((*_measured(seeds), *_gaps(seeds)), f'depth = "standard"\nseeds = {seeds}\n')


@cache
def large_page() -> str:
    """Return the page about them."""
    return render(large_audit())


def _usual(federation: str, seed: int) -> dict[str, Any]:
    return {
        "data": "customers", "partition": PARTITION, "federation": federation, "parties": 3, "seed": seed,
        "model_settings": {"epochs": 30, "encryption": "none"}, "crossed": CROSSED, "audited_rows": 5000,
        "all_rows": 30_000, "knowledge": {"own_columns": 6, "known_labels": 8, "model": True},
    }  # fmt: skip


def _measured(seeds: int) -> Iterator[Finding]:
    rng = np.random.default_rng(0)
    for place, federation in enumerate(FEDERATIONS):
        for asset, asked, adversary, attack, metric, gained in AIMS:
            if asset == "properties" and place > 1:
                continue
            for defense, settings, left, cost in DEFENSES[:: 1 + (asset == "properties") * 3]:
                for seed in range(seeds):
                    worth = 0.95 - 0.01 * place + float(rng.normal(0, 0.002))
                    told = {"blind": 0.5, "metric": metric, "utility_undefended": worth, "utility": worth - cost,
                            "utility_alone": 0.88 + float(rng.normal(0, 0.002))}  # fmt: skip
                    value = 0.5 + 0.5 * min(1.0, max(0.0, 1.8 * gained * left * (1 - 0.12 * place)))
                    for name, weaker in ((attack, 0.0), ("linear-probe", 0.06)):
                        reached = float(np.clip(value - weaker + rng.normal(0, 0.01), 0.4, 1.0))
                        drawn = PICTURES if asset == "labels" and name == attack and defense is None else {}
                        yield finding(
                            **_usual(federation, seed), **told, asset=asset, property=asked, adversary=adversary,
                            attack=name, defense=defense, defense_settings=settings, value=reached, pictures=drawn,
                        )  # fmt: skip


def _gaps(seeds: int) -> Iterator[Finding]:
    silent = {"value": None, "blind": None, "ceiling": None, "utility": None, "utility_undefended": None}
    for seed in range(seeds):
        reason = "Under forest no gradient messages cross."
        usual = _usual("forest", seed) | silent
        yield finding(**usual, adversary=("gym",), attack="gradient-sign", status="not applicable", reason=reason)
        usual = _usual("split-network", seed) | silent
        yield finding(**usual, adversary=("shop",), attack="id2graph", status="failed", reason="It ran out of memory.")
