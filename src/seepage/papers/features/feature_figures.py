"""Figures 9 to 11 of paper 002: predictions, correlations and defenses. The paper prints no numbers for them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Final

from seepage.papers.features.feature_attacks import BOUNDED, ESA, attacked, blind
from seepage.papers.features.feature_setting import (
    BANK,
    DATASETS,
    DRIVE,
    GENERATED,
    GRN,
    LR,
    NEW_ROWS,
    NEWS,
    NN,
    TOLD,
    FeatureData,
    feature_plan,
)
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant, at
from seepage.papers.readings import Reading, spreads
from seepage.papers.rows import our_row
from seepage.papers.table import Cells, Table


def by_predictions(
    asked: Sequence[FeatureData], order: Order, *, parts: Sequence[float], attack: Reading = GENERATED
) -> Iterator[Cells]:
    """Generative regression on a network by the part of all released predictions that it learns from."""
    for data in asked:
        counts = [round(part * NEW_ROWS * data.rows.rows) for part in parts]
        readings = [Reading(f"{count:,}", attack.attack, {**attack.settings, "predictions": count}) for count in counts]
        plan = feature_plan(data, NN, readings, share=0.3, seeds=3)
        findings = order.run(plan, f"{data.data}/predictions")
        half, mean = (
            replace(readings[0], label=label, metric=f"mse_{kind}")
            for label, kind in (("½", "half"), ("column mean", "column_mean"))
        )
        for reading in readings:
            start = {"data": data.data, "predictions": reading.label}
            yield our_row(start, spreads((replace(reading, label="GRN"), half, mean), findings, 4), findings)


FIGURE9: Final = Table.told(
    TOLD["figure9"],
    datasets=(FeatureData("synthetic-1"), FeatureData("synthetic-2"), DRIVE, NEWS),
    rows=partial(by_predictions, parts=(0.05, 0.2, 0.5, 0.95)),
)


def by_column(asked: Sequence[FeatureData], order: Order, *, share: float = 0.4) -> Iterator[Cells]:
    """The error of every column beside its correlations, over the seeds under which the adversary lacked it."""
    for data in asked:
        plan = feature_plan(data, LR, [GENERATED], share=share, seeds=5)
        findings = order.run(plan, f"{data.data}/{LR}/share-{share:g}")
        values: dict[str, dict[str, list[float]]] = {}
        for key, value in (item for found in findings for item in found.other_metrics.items()):
            if told := re.fullmatch(r"(\w+)\[(.*)\]", key):
                values.setdefault(told[2], {}).setdefault(told[1], []).append(value)
        inferred = {name: of for name, of in values.items() if "mse" in of}
        for name, of in sorted(inferred.items(), key=lambda item: fmean(item[1]["mse"])):
            yield {
                "data": data.data,
                "column": name,
                "seeds": str(len(of["mse"])),
                "MSE": f"{fmean(of['mse']):.4f}",
                "variance": f"{fmean(of['variance']):.4f}",
                "correlation, own columns": f"{fmean(of['correlation_own']):.3f}",
                "correlation, predictions": f"{fmean(of['correlation_prediction']):.3f}",
            }


FIGURE10: Final = Table.told(TOLD["figure10"], datasets=(BANK,), rows=by_column)


def rounding(digits: int) -> Variant:
    """Released confidences rounded down."""
    return Variant(f"rounding, {digits} digit{'s' * (digits > 1)}", "rounding", {"digits": digits})


FIGURE11_ROUNDING: Final = Table.told(
    TOLD["figure11-rounding"],
    datasets=DATASETS,
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
    rows=partial(
        attacked,
        readings=(GENERATED, *blind(GRN)[2:]),
        models=(NN,),
        shares=(0.3,),
        variants=(UNDEFENDED, *(at("dropout", "dropout", "rate", rate) for rate in (0.2, 0.5))),
    ),
)
