"""Findings that nobody measured."""

from typing import Any

from seepage.audit.findings.finding import Finding

PARTITION = {
    "hospital": ["mean radius", "mean texture", "mean area", "worst concavity", "worst symmetry"],
    "lab": ["mean smoothness", "mean compactness", "radius error", "texture error", "worst area", "fractal dimension"],
}
USUAL: dict[str, Any] = {
    "data": "breast_cancer", "partition": PARTITION, "encoding": "one-hot", "scaling": "standard",
    "federation": "summed-network", "parties": 2, "adversary": ("lab",), "attack": "gradient-sign", "seed": 0,
    "asset": "labels", "metric": "top1", "value": 1.0, "blind": 0.627, "blind_kind": "majority class", "ceiling": 1.0,
    "ceiling_kind": "full knowledge", "utility_metric": "auc", "utility": 0.99, "utility_undefended": 0.992,
    "seconds": 1.4, "peak_mb": 310.0,
    "versions": {"seepage": "0.1.0", "python": "3.11.9", "numpy": "2.4.0", "torch": "2.13.0"},
}  # fmt: skip


def finding(**changes: Any) -> Finding:
    """One good finding, with changes: the lab reads labels off gradients of a summed network."""
    return Finding(**{**USUAL, **changes})
