"""Tables 2 to 4 of paper 001: labels inferred from the adversary's own bottom model, and what that costs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from seepage.papers.labels.label_brought_along import BROUGHT_ALONG, CIFAR10
from seepage.papers.labels.label_setting import (
    AVILA,
    BREAST_CANCER,
    CRITEO_BALANCED,
    CRITEO_HASHED,
    DIGITS,
    FASHION,
    PARTS,
    TOLD,
    LabelData,
    attacks_on,
    basic_readings,
    columns,
    label_plan,
    model_utility,
    of,
)
from seepage.papers.order import Order
from seepage.papers.readings import interval, intervals
from seepage.papers.rows import our_row, printed_row
from seepage.papers.table import Cells, Table
from seepage.scores.labels import TOP5
from seepage.scores.metrics import AUC, F1, TOP1

ALL_MEASURES: Final = (TOP1.name, F1.name, AUC.name)
MEASURES: Final[Mapping[str, str]] = {metric.name: metric.title for metric in (TOP1, F1, AUC)} | {TOP5: "top-5"}


def inferred(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """Both attacks on training and test rows, beside simple attacks, a blind guess and a ceiling."""
    for data in asked:
        findings = order.run(label_plan(data, basic_readings(data)), data.folder)
        for part in PARTS:
            start = {"data": data.label, "labels per class": str(data.labels), "rows": part}
            if printed := TOLD["table2"]["printed"].get(data.data, {}).get(part):
                yield printed_row({**start, "measure": MEASURES[data.measure]}, printed)
            for measure in ALL_MEASURES if data.all_measures else dict.fromkeys((TOP1.name, data.measure)):
                readings = columns(data, part)  # blind guess and ceiling are told as top-1 alone
                if measure != TOP1.name:
                    readings = [of(reading, measure, part) for reading in attacks_on(data)]
                mine = [found for reading in readings for found in reading.among(findings)]
                place = {**start, "measure": MEASURES[measure], "whose": "ours"}
                yield our_row(place, intervals(readings, mine), mine)


SHOWN: Final = (BREAST_CANCER, DIGITS, FASHION, AVILA, CRITEO_HASHED, CRITEO_BALANCED)
TABLE2: Final = Table.told(TOLD["table2"], datasets=(*SHOWN, *BROUGHT_ALONG), shown=SHOWN, rows=inferred)


def by_count(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """What few labels are worth with and without the trained bottom model, after the paper's numbers on CIFAR-10."""
    for count, attacked, learned in TOLD["table3"]["printed"]["cifar10"]:
        for part, attack, direct in zip(PARTS, attacked, learned, strict=True):
            start = {"data": "cifar10", "labels per class": str(count), "rows": part}
            yield printed_row(start, {"passive": attack, "semi-supervised": direct})
    for data in asked:
        findings = order.run(label_plan(data, basic_readings(data)), data.folder)
        for count in data.counts:
            for part in PARTS:
                honest, _, probed, direct = attacks_on(data, count)
                readings = [
                    *(of(reading, "top1", part) for reading in (honest, probed, direct)),
                    of(honest, "blind_own_columns", part, label="own columns"),
                    of(honest, "ceiling", part, label="ceiling"),
                ]
                mine = [found for reading in readings for found in reading.among(findings)]
                start = {"data": data.label, "labels per class": str(count), "rows": part, "whose": "ours"}
                yield our_row(start, intervals(readings, mine), mine)


TABLE3: Final = Table.told(TOLD["table3"], datasets=(DIGITS, FASHION, CIFAR10), shown=(DIGITS, FASHION), rows=by_count)


def costs(asked: Sequence[LabelData], order: Order) -> Iterator[Cells]:
    """Worth of the joint model on test rows without an attack and under the malicious optimizer, in runs of Table 2."""
    for data in asked:
        findings = order.run(label_plan(data, basic_readings(data)), data.folder)
        honest, malicious, *_ = attacks_on(data)
        both = (
            model_utility(honest, "no attack", data.measure),
            model_utility(malicious, "active attack", data.measure),
        )
        before, after = (reading.by_seed(findings) for reading in both)
        change = interval([after[seed] - before[seed] for seed in before if seed in after])
        start = {"data": data.label, "measure": MEASURES[data.measure]}
        if printed := TOLD["table4"]["printed"].get(data.data):
            yield printed_row(start, {**printed, "change": printed["active attack"] - printed["no attack"]})
        yield our_row({**start, "whose": "ours"}, {**intervals(both, findings), "change": change}, findings)


TABLE4: Final = Table.told(TOLD["table4"], datasets=TABLE2.datasets, shown=SHOWN, rows=costs)
