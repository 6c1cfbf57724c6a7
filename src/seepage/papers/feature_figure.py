"""A figure of attacks on predictions, by the share of columns that the adversary lacks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seepage.audit.findings.finding import Finding
from seepage.papers.feature_setting import DATASETS, feature_plan, published_grn
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.readings import Reading, Spread, seeds_of, why_not
from seepage.papers.variants import UNDEFENDED, Variant


@dataclass(frozen=True)
class FeatureFigure:
    """What attacks infer about the columns of others while their share, the model or the defense changes.

    Parameters
    ----------
    models
        The federations that are attacked.
    shares
        The shares of columns that the adversary lacks.
    variants
        The defenses, each at one setting.
    digits
        How many decimals to print.
    published
        Whether generative regression has the settings of the authors' code.
    """

    title: str
    note: str
    page: str
    readings: tuple[Reading, ...]
    models: tuple[str, ...]
    shares: tuple[float, ...]
    variants: tuple[Variant, ...] = (UNDEFENDED,)
    data: tuple[str, ...] = DATASETS
    seeds: int = 5
    digits: int = 4
    published: bool = False

    def lines(self, order: Order) -> list[Line]:
        """Run every data set at every share and return a line for each model and defense."""
        return [line for data in self.data if order.wants(data) for line in self._on(data, order)]

    def _on(self, data: str, order: Order) -> list[Line]:
        lines: dict[str, list[Line]] = {model: [] for model in self.models}
        for share in self.shares:
            readings = self._readings(data, share)
            for model in self.models:
                plan = feature_plan(
                    data,
                    order,
                    readings,
                    share=share,
                    seeds=self.seeds,
                    models=(model,),
                    defenses=self.variants,
                )
                findings = order.run(plan, f"{data}/{model}/share-{share:g}")
                lines[model] += [
                    self._line(data, model, share, variant, readings, variant.of(findings)) for variant in self.variants
                ]
        return [line for model in self.models for line in lines[model]]

    def _readings(self, data: str, share: float) -> tuple[Reading, ...]:
        if not self.published:
            return self.readings
        return tuple(replace(reading, settings=published_grn(data, share)) for reading in self.readings)

    def _line(
        self,
        data: str,
        model: str,
        share: float,
        variant: Variant,
        readings: Sequence[Reading],
        mine: Sequence[Finding],
    ) -> Line:
        cells = {
            "data": data,
            **({"model": model} if len(self.models) > 1 else {}),
            "target share": f"{share:.0%}",
            **({"defense": variant.label} if len(self.variants) > 1 else {}),
            "seeds": str(seeds_of(mine)),
            **{reading.label: reading.of(mine).written(self.digits) for reading in readings},
            "utility": str(utility_of(mine)),
            "remark": why_not(mine),
        }
        return Line(tuple(cells), tuple(cells.values()))


def utility_of(findings: Sequence[Finding]) -> Spread:
    """Return what the joint model is worth: AUC for two classes, accuracy for more."""
    worth = {found.seed: found.utility for found in findings}
    return Spread.of([value for value in worth.values() if value is not None])
