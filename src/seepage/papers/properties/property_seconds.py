"""How long attacks on properties take, with and without the training that they may disturb."""

from collections.abc import Iterator, Mapping, Sequence

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan
from seepage.audit.plan.settings import build
from seepage.audit.stages.measuring import stopwatch
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.errors import DataUnavailable
from seepage.papers.order import Order
from seepage.papers.properties.property_setting import PropertyData, property_plan
from seepage.papers.readings import NOTHING, Reading, Spread
from seepage.papers.rows import why_not
from seepage.papers.table import Cells
from seepage.papers.undone import undone


def timed(
    asked: Sequence[PropertyData],
    order: Order,
    *,
    property_: str,
    attacks: Mapping[str, Reading],
    honest: Reading,
    printed: Mapping[str, float],
) -> Iterator[Cells]:
    """Run each attack with a training of its own, and tell its seconds beside those that the paper prints.

    Everything is measured in this process with one thread, whatever the number
    of jobs, and by the clock: let the machine do nothing else. A misbehaving adversary works during training; what
    that adds is what its run takes longer than the undisturbed one, attacks left out.

    Parameters
    ----------
    attacks
        What an attack is called → the attack.
    honest
        The attack whose run counts as undisturbed.
    printed
        What an attack is called → its seconds in the paper.
    """
    for data in asked:
        plans = {
            label: order.adapted(property_plan(data, [reading], seeds=2, properties=[property_]))
            for label, reading in attacks.items()
        }
        measured = {label: _measured(plan) for label, plan in plans.items()}
        undisturbed = next(measured[label][-1] for label, reading in attacks.items() if reading == honest)
        for label, reading in attacks.items():
            findings, alone, whole, besides = measured[label]
            longer = [own - other for own, other in zip(besides, undisturbed, strict=False)]
            disturbs = build(ATTACKS, reading.attack, reading.settings).tampering is not None
            yield {
                "data": data.label,
                "attack": label,
                "paper": f"{printed[label]:.1f}" if label in printed else NOTHING,
                "attack alone": Spread.of(alone).written(1),
                "whole run": Spread.of(whole).written(1),
                "longer training": Spread.of(longer).written(1) if disturbs else "",
                "seeds": str(len(alone)),
                "remark": why_not(findings),
            }


def _measured(plan: Plan) -> tuple[list[Finding], list[float], list[float], list[float]]:
    """Carry out the run of each seed; return findings, and seconds of the attack, the run, and all but the attack.

    What is not the attack is training before all, and scoring, which is the same for all attacks.
    """
    findings: list[Finding] = []
    whole: list[float] = []
    for seed in plan.seeds:
        try:
            sweep = plan_sweep(plan.model_copy(update={"seeds": (seed,)}), bare=True)
        except DataUnavailable as error:
            return undone(plan, error.brief), [], [], []
        with stopwatch() as watch:
            findings += run_sweep(sweep)
        whole.append(watch.seconds)
    alone = [found.seconds for found in findings if found.seconds is not None]
    besides = [run - attack for run, attack in zip(whole, alone, strict=True)] if len(alone) == len(whole) else []
    return findings, alone, whole, besides
