"""Table 6 of paper 001: four defenses against the direct label inference attack.

The paper's numbers are for CIFAR-10 with residual networks. Ours are for image
halves of digits and Fashion-MNIST with fully connected networks, and for
CIFAR-10 itself with ResNet-20 where its files are at hand (best with ``--device cuda``).
As there, a server holds the labels alone and two parties hold half a picture each:
every gradient is defended. From the authors' code: batch 32, SGD with momentum 0.9 and weight decay 5e-4.
Their learning rate of 0.1 is for networks with batch normalization; fully
connected ones get 0.01.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any, Final, TypeAlias

from seepage.audit.plan.plan import Plan
from seepage.errors import BadOutput
from seepage.papers.described import described
from seepage.papers.order import Order
from seepage.papers.plans import Variant, table_plan
from seepage.papers.readings import NOTHING, Reading
from seepage.papers.table import Cells, Table

TOLD: Final = described("labels")["table6"]
PUBLISHED: Final = {"rule": "first-negative"}
Defended: TypeAlias = tuple[Variant, tuple[float, float] | None]
"""A defense, and what the paper prints under it, if it does: accuracy of the model and of the attack."""


@dataclass(frozen=True)
class Pictures:
    """Pictures, the network they are trained with, and the epochs that the attack reads."""

    data: str
    model: Mapping[str, Any]
    learning_rate: float
    epochs: tuple[int, ...]


DIGITS: Final = Pictures("digits", {"hidden": [64], "epochs": 30}, 0.01, (0, 1, 9, 29))
FASHION: Final = Pictures("fashion_mnist", {"hidden": [128], "epochs": 10}, 0.01, (0, 1, 4, 9))
CIFAR10: Final = Pictures("cifar10", {"bottom": "resnet", "blocks": 3, "epochs": 30}, 0.1, (0, 1, 9, 29))
"""Not at hand for everyone: it is run when named with --only."""


def sign(epoch: int, **rule: str) -> Reading:
    """Return the attack, which reads one epoch."""
    return Reading(f"{epoch}", "gradient-sign", {"epochs": [epoch], **rule})


def direct_plan(pictures: Pictures, readings: Sequence[Reading], variants: Sequence[Variant], seeds: int = 1) -> Plan:
    """Return a plan in which a server holds the labels and two parties half a picture each."""
    optimizer = {"name": "sgd", "learning_rate": pictures.learning_rate, "momentum": 0.9, "weight_decay": 5e-4}
    return table_plan(
        [("summed-network", {**pictures.model, "batch": 32, "optimizer": optimizer})],
        readings,
        data={"name": pictures.data},
        partition={"kind": "stripes", "parties": 3, "labels_only": True},
        scaling="minmax",
        defenses=variants,
        seeds=seeds,
    )


def defended(asked: Sequence[Pictures], order: Order, *, defenses: Sequence[Defended]) -> Iterator[Cells]:
    """Accuracy of the joint model and of the attack, line by line for every defense; a run that fails is an error."""
    for pictures in asked:
        first, *later = pictures.epochs
        readings = [*map(sign, pictures.epochs), sign(0, **PUBLISHED)]
        plan = direct_plan(pictures, readings, [variant for variant, _ in defenses])
        findings = order.run(plan, pictures.data)
        for variant, printed in defenses:
            mine = variant.of(findings)
            if broken := next((found for found in mine if found.status != "ok"), None):
                raise BadOutput(f"{variant.label} on {pictures.data} {broken.status}: {broken.reason}")
            model, attack = (f"{number:.3f}" for number in printed) if printed else (NOTHING, NOTHING)
            yield {
                "data": pictures.data,
                "defense": variant.label,
                "paper: model": model,
                "ours: model": f"{fmean(found.utility for found in mine if found.utility is not None):.3f}",
                "paper: attack": attack,
                f"ours: attack, epoch {first}": f"{sign(first).of(mine).mean:.3f}",
                f"rule, epoch {first}": f"{sign(first, **PUBLISHED).of(mine).mean:.3f}",
                "ours: attack, later epochs": "  ".join(f"{epoch}: {sign(epoch).of(mine).mean:.3f}" for epoch in later),
            }


PRINTED: Final = {
    name: tuple((value, (model, attack)) for value, model, attack in rows) for name, rows in TOLD["printed"].items()
}
"""Defense → value of its setting, and what the paper prints: accuracy of the model and of the attack."""


def _ppdl(theta: float, unselected: str, suffix: str) -> Variant:
    settings = {"theta_u": theta, "unselected": unselected}
    return Variant(f"PPDL, θ_u {theta:g}{suffix}", "privacy-preserving-dl", settings)


def _discrete(intervals: int, warm_up: str) -> Variant:
    settings = {"intervals": intervals, "warm_up": warm_up}
    return Variant(f"discrete, N {intervals}, {warm_up} warm-up", "discrete-gradients", settings)


DEFENSES: Final[tuple[Defended, ...]] = (
    (Variant("no defense"), None),
    *((Variant(f"noise {scale:g}", "laplace-noise", {"scale": scale}), both) for scale, both in PRINTED["noise"]),
    *((Variant(f"top-k, {share:.0%} kept", "top-k", {"share": share}), both) for share, both in PRINTED["top-k"]),
    *((_ppdl(theta, "zero", ""), both) for theta, both in PRINTED["ppdl"]),
    *((_ppdl(theta, "raw", ", authors' variant"), both) for theta, both in PRINTED["ppdl"]),
    *((_discrete(intervals, "clear"), both) for intervals, both in PRINTED["discrete"]),
    *((_discrete(intervals, "silent"), both) for intervals, both in PRINTED["discrete"]),
)

TABLE6: Final = Table.told(
    TOLD,
    datasets=(DIGITS, FASHION, CIFAR10),
    shown=(DIGITS, FASHION),
    rows=partial(defended, defenses=DEFENSES),
)
