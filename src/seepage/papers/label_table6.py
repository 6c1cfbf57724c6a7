"""Table 6 of paper 001: four defenses against the direct label inference attack.

The paper's numbers are for CIFAR-10 with residual networks. Ours are for image
halves of digits and Fashion-MNIST with fully connected networks, and for
CIFAR-10 itself with ResNet-20 where its files are at hand (best with ``--device cuda``).
As there, a server holds the labels alone and two parties hold half a picture each:
every gradient is defended. From the authors' code: batch 32, SGD with momentum 0.9 and weight decay 5e-4.
Their learning rate of 0.1 is for networks with batch normalization; fully
connected ones get 0.01.
"""

from typing import Any, Final

from seepage.papers.direct_attack_table import DatasetPlan, DirectAttackTable, PaperRow

_HALVES: Final = {"kind": "stripes", "parties": 3, "labels_only": True}


def _sgd(learning_rate: float) -> dict[str, Any]:
    return {"name": "sgd", "learning_rate": learning_rate, "momentum": 0.9, "weight_decay": 5e-4}


def _rows() -> tuple[PaperRow, ...]:
    rows = [PaperRow("no defense", None, {}, {})]
    for scale, model, attack in (
        (1e-4, 0.8347, 0.8063),
        (1e-3, 0.8318, 0.4906),
        (1e-2, 0.7191, 0.2452),
        (1e-1, 0.1, 0.1265),
    ):
        rows.append(PaperRow(f"noise {scale:g}", "laplace-noise", {"scale": scale}, {"model": model, "attack": attack}))
    for share, model, attack in (
        (0.75, 0.8248, 0.9997),
        (0.5, 0.8259, 0.9931),
        (0.25, 0.8049, 0.9245),
        (0.1, 0.1, 0.0058),
    ):
        rows.append(PaperRow(f"top-k, {share:.0%} kept", "top-k", {"share": share}, {"model": model, "attack": attack}))
    selective = ((0.75, 0.8189, 0.3904), (0.5, 0.8216, 0.3891), (0.25, 0.1993, 0.0972), (0.1, 0.1, 0.0430))
    for unselected, suffix in (("zero", ""), ("raw", ", authors' variant")):
        for theta, model, attack in selective:
            settings = {"theta_u": theta, "unselected": unselected}
            printed = {"model": model, "attack": attack}
            rows.append(PaperRow(f"PPDL, θ_u {theta:g}{suffix}", "privacy-preserving-dl", settings, printed))
    by_levels = ((24, 0.8145, 0.9763), (18, 0.7962, 0.9330), (12, 0.7471, 0.9399), (6, 0.6575, 0.9087))
    for warm_up in ("clear", "silent"):
        for intervals, model, attack in by_levels:
            settings = {"intervals": intervals, "warm_up": warm_up}
            printed = {"model": model, "attack": attack}
            rows.append(
                PaperRow(f"discrete, N {intervals}, {warm_up} warm-up", "discrete-gradients", settings, printed)
            )
    return tuple(rows)


TABLE: Final = DirectAttackTable(
    title="Table 6 of paper 001: defenses against the direct label inference attack",
    note=(
        "Paper: CIFAR-10. model: test accuracy of the joint model; attack: top-1 of gradient-sign, which reads one "
        "epoch (0 is the first). rule: the published rule (first negative coordinate) in the first epoch."
    ),
    page="label-table6.md",
    attack="gradient-sign",
    datasets=(
        DatasetPlan(
            data="digits",
            federation="summed-network",
            model={"hidden": [64], "epochs": 30, "batch": 32, "optimizer": _sgd(0.01)},
            partition=_HALVES,
            epochs=(0, 1, 9, 29),
        ),
        DatasetPlan(
            data="fashion_mnist",
            federation="summed-network",
            model={"hidden": [128], "epochs": 10, "batch": 32, "optimizer": _sgd(0.01)},
            partition=_HALVES,
            epochs=(0, 1, 4, 9),
        ),
        DatasetPlan(
            data="cifar10",
            federation="summed-network",
            model={"bottom": "resnet", "blocks": 3, "epochs": 30, "batch": 32, "optimizer": _sgd(0.1)},
            partition=_HALVES,
            epochs=(0, 1, 9, 29),
        ),
    ),
    rows=_rows(),
)
