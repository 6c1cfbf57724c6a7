"""Table X of paper 000: how long the attacks take."""

from dataclasses import dataclass
from typing import Final

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import build
from seepage.audit.stages.measuring import stopwatch
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.property_setting import ADULT, AIA, C1, COUNT, PROVFL_B, PropertyData, property_plan
from seepage.papers.property_tables import BOTH, REFINED_ALONE
from seepage.papers.readings import NOTHING, Reading, Spread, why_not


@dataclass(frozen=True)
class Timed:
    """An attack, and the seconds that the paper prints for it."""

    label: str
    reading: Reading
    printed: float | None = None


@dataclass(frozen=True)
class SecondsTable:
    """Seconds of each attack, and of the whole run with the training that it may disturb.

    Everything is measured in this process with one thread, whatever the number
    of jobs, and by the clock: let the machine do nothing else. A misbehaving adversary works during training; what
    that adds is what its run takes longer than the undisturbed one, attacks left out.

    Parameters
    ----------
    asked
        The abbreviation of the property.
    honest
        The attack whose run counts as undisturbed.
    """

    title: str
    note: str
    page: str
    dataset: PropertyData
    asked: str
    attacks: tuple[Timed, ...]
    honest: Reading
    seeds: int = 2

    @property
    def data(self) -> tuple[str, ...]:
        """The data set."""
        return (self.dataset.data,)

    def lines(self, order: Order) -> list[Line]:
        """Run each attack with a training of its own, and return a line for each."""
        measured = [self._measured(timed.reading, order) for timed in self.attacks]
        undisturbed = next(
            taken for timed, taken in zip(self.attacks, measured, strict=True) if timed.reading == self.honest
        )
        return [self._line(timed, taken, undisturbed) for timed, taken in zip(self.attacks, measured, strict=True)]

    def _line(self, timed: Timed, taken: "Taken", undisturbed: "Taken") -> Line:
        attack = build(ATTACKS, timed.reading.attack, timed.reading.settings)
        longer = [own - other for own, other in zip(taken.besides, undisturbed.besides, strict=False)]
        cells = {
            "data": self.dataset.label,
            "attack": timed.label,
            "paper": NOTHING if timed.printed is None else f"{timed.printed:.1f}",
            "attack alone": Spread.of(taken.attacks).written(1),
            "whole run": Spread.of(taken.whole).written(1),
            "longer training": Spread.of(longer).written(1) if attack.tampering is not None else "",
            "seeds": str(len(taken.attacks)),
            "remark": why_not(taken.findings),
        }
        return Line(tuple(cells), tuple(cells.values()))

    def _measured(self, reading: Reading, order: Order) -> "Taken":
        """Carry out the run of each seed."""
        plan = property_plan(self.dataset, order, [reading], case=C1, seeds=self.seeds, properties=[self.asked])
        findings: list[Finding] = []
        whole: list[float] = []
        for seed in plan.seeds:
            sweep = plan_sweep(plan.model_copy(update={"seeds": (seed,)}))
            with stopwatch() as watch:
                findings += run_sweep(sweep)
            whole.append(watch.seconds)
        return Taken(findings, whole)


@dataclass(frozen=True)
class Taken:
    """What runs of one attack found, and the seconds of each as a whole, seed by seed."""

    findings: list[Finding]
    whole: list[float]

    @property
    def attacks(self) -> list[float]:
        """The seconds of the attack alone."""
        return [found.seconds for found in self.findings if found.seconds is not None]

    @property
    def besides(self) -> list[float]:
        """The seconds of everything else: training before all, and scoring, which is the same for all attacks."""
        if len(self.attacks) != len(self.whole):
            return []
        return [whole - attack for whole, attack in zip(self.whole, self.attacks, strict=True)]


TABLE: Final = SecondsTable(
    title="Table X of paper 000: seconds of each attack",
    note=(
        "attack alone: from a recorded run to the guess. whole run: from data to score, with training, in one thread. "
        "longer training: than without the adversary's part in it. Mean±standard deviation over seeds."
    ),
    page="property-attacks.md",
    dataset=ADULT,
    asked="A-sex",
    attacks=(
        Timed("AIA", AIA, 31.8),
        Timed("DC (ProVFL-B)", PROVFL_B, 4.4),
        Timed("DC+MR", REFINED_ALONE, 17.2),
        Timed("DC+MR+LR (ProVFL-M)", BOTH, 17.2),
        Timed("adjusted-count", COUNT),
    ),
    honest=PROVFL_B,
)
