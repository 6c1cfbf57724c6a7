"""Figures 9 to 11 of paper 002: predictions, correlations and defenses. The paper prints no numbers for them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Final

from seepage.papers.features.feature_attacks import BOUNDED, ESA, attacked, blind
from seepage.papers.features.feature_setting import (
    BANK,
    BANK_FULL,
    DATASETS,
    DRIVE,
    GENERATED,
    GRN,
    HALF,
    LR,
    NEWS,
    NN,
    SHOWN,
    SYNTHETIC,
    TOLD,
    FeatureData,
    feature_plan,
    published_grn,
)
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant, at
from seepage.papers.readings import NOTHING, Reading, spreads
from seepage.papers.rows import our_row
from seepage.papers.table import Cells, Table


def by_predictions(
    asked: Sequence[FeatureData],
    order: Order,
    *,
    parts: Sequence[float],
    attack: Reading = GENERATED,
    share: float = 0.3,
) -> Iterator[Cells]:
    """Generative regression on a network by the number of predictions that it learns from, as a share of all rows.

    Half of the rows train and predictions of the other half are released. With our settings all generators see the
    same number of rows, however few are different; with the authors' each prediction is seen 60 times.
    """
    for data in asked:
        counts = [round(part * data.measured[0]) for part in parts]
        lines = [
            {
                "GRN": replace(attack, settings={**attack.settings, "predictions": count}),
                "GRN, authors' settings": replace(
                    attack, settings={**published_grn(data, share, count), **attack.settings, "predictions": count}
                ),
            }
            for count in counts
        ]
        readings = [reading for line in lines for reading in line.values()]
        plan = feature_plan(data, NN, readings, share=share, seeds=3, split=HALF)
        findings = order.run(plan, f"{data.data}/predictions")
        blind_ones = [replace(one, settings=readings[0].settings) for one in blind(attack.attack)[2:]]
        for part, count, line in zip(parts, counts, lines, strict=True):
            start = {"data": data.data, "n": f"{part:.0%}", "predictions": f"{count:,}"}
            read = [*(replace(reading, label=label) for label, reading in line.items()), *blind_ones]
            yield our_row(start, spreads(read, findings, 4), findings)


FIGURE9: Final = Table.told(
    TOLD["figure9"],
    datasets=(*SYNTHETIC, *DATASETS),
    shown=(*SYNTHETIC, DRIVE, NEWS),
    rows=partial(by_predictions, parts=(0.1, 0.3, 0.5)),
)


def by_column(asked: Sequence[FeatureData], order: Order, *, shares: Mapping[str, float]) -> Iterator[Cells]:
    """The error of every column beside its correlations, over the seeds under which the adversary lacked it.

    A last line says how the errors of all columns are ordered by either correlation: −1 where the weakest are worst.
    """
    for data in asked:
        share = shares.get(data.data, 0.3)
        plan = feature_plan(data, LR, [GENERATED], share=share, seeds=5)
        findings = order.run(plan, f"{data.data}/{LR}/share-{share:g}")
        values: dict[str, dict[str, list[float]]] = {}
        for key, value in (item for found in findings for item in found.other_metrics.items()):
            if told := re.fullmatch(r"(\w+)\[(.*)\]", key):
                values.setdefault(told[2], {}).setdefault(told[1], []).append(value)
        means = {name: {kind: fmean(seen) for kind, seen in of.items()} for name, of in values.items() if "mse" in of}
        start = {"data": data.data, "target share": f"{share:.0%}"}
        for name, of in sorted(means.items(), key=lambda item: item[1]["mse"]):
            yield {
                **start,
                "column": name,
                "seeds": str(len(values[name]["mse"])),
                "MSE": f"{of['mse']:.4f}",
                "variance": f"{of['variance']:.4f}",
                **{heading: f"{of[kind]:.3f}" for heading, kind in CORRELATIONS.items()},
                "remark": "",
            }
        ordered = {heading: _rank_correlation(list(means.values()), kind) for heading, kind in CORRELATIONS.items()}
        numbers = {"MSE": "", "variance": "", **ordered}
        yield {**our_row({**start, "column": "rank correlation with the MSE"}, numbers, findings)}


def _rank_correlation(columns: Sequence[Mapping[str, float]], kind: str) -> str:
    """Return Spearman's correlation of the error with something else, where at least three columns have both.

    >>> _rank_correlation([{"mse": 0.3, "own": 0.1}, {"mse": 0.2, "own": 0.2}, {"mse": 0.1, "own": 0.9}], "own")
    '-1.000'
    """
    if len(columns) < 3:
        return NOTHING
    from scipy.stats import spearmanr

    return f"{spearmanr([of['mse'] for of in columns], [of[kind] for of in columns]).statistic:.3f}"


CORRELATIONS: Final = {
    "correlation, own columns": "correlation_own",
    "correlation, predictions": "correlation_prediction",
}
"""Eq. 16 and 17."""

FIGURE10: Final = Table.told(
    TOLD["figure10"],
    datasets=DATASETS,
    shown=SHOWN,
    rows=partial(by_column, shares={BANK.data: 0.4, BANK_FULL.data: 0.4}),
)


def rounding(digits: int) -> Variant:
    """Released confidences rounded down."""
    return Variant(f"rounding, {digits} digit{'s' * (digits > 1)}", "rounding", {"digits": digits})


FIGURE11_ROUNDING: Final = Table.told(
    TOLD["figure11-rounding"],
    datasets=DATASETS,
    shown=SHOWN,
    rows=partial(
        attacked,
        readings=(ESA, BOUNDED, GENERATED, *blind(ESA.attack)[2:]),
        models=(LR,),
        shares=(0.3,),
        variants=(UNDEFENDED, rounding(3), rounding(2), rounding(1)),
    ),
)

FIGURE11_DROPOUT: Final = Table.told(
    TOLD["figure11-dropout"],
    datasets=DATASETS,
    shown=SHOWN,
    rows=partial(
        attacked,
        readings=(GENERATED, *blind(GRN)[2:]),
        models=(NN,),
        shares=(0.3,),
        variants=(UNDEFENDED, *(at("dropout", "dropout", "rate", rate) for rate in (0.2, 0.5))),
    ),
)
