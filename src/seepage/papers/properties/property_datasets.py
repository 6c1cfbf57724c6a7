"""Tables III and IV of paper 000: what its data sets hold, what joint models of them are worth, and true fractions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from seepage.audit.plan.plan import DataPlan, Plan
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.preflight import setting_of
from seepage.audit.stages.preparation import load_table
from seepage.data import Property
from seepage.errors import DataUnavailable
from seepage.papers.order import Order
from seepage.papers.properties.property_setting import (
    ADULT,
    BANK,
    CENSUS,
    COUNT,
    DIGITS,
    HEALTH,
    LAW_SCHOOL,
    TEXAS,
    TOLD,
    PropertyData,
    property_plan,
)
from seepage.papers.readings import NOTHING
from seepage.papers.rows import auc_of, our_row
from seepage.papers.table import Cells, Table

DATASETS: Final = (ADULT, CENSUS, BANK, HEALTH, LAW_SCHOOL, TEXAS)
"""In the paper's order."""


def sizes(plan: Plan) -> Mapping[str, int]:
    """Count what a table holds before and after encoding."""
    prepared = Bench().prepared(setting_of(plan, plan.seeds[0]))
    return {
        "features": len(prepared.table.columns),
        "encoded": sum(part.width for part in prepared.data.parts.values()),
        "classes": len(prepared.table.classes),
        "rows": prepared.table.rows,
    }


def sized(asked: Sequence[PropertyData], order: Order) -> Iterator[Cells]:
    """How large each data set is, and the AUC of the joint model of both parties."""
    printed = TOLD["table3"]["printed"]
    for data in asked:
        yield {
            "data": data.label,
            "whose": "paper",
            **{name: f"{number:g}" for name, number in zip(printed["columns"], printed[data.data], strict=True)},
        }
        plan = property_plan(data, [COUNT], seeds=3, properties=list(data.properties)[:1])
        mine = order.run(plan, data.data)
        there = any(found.status == "ok" for found in mine)
        counted = {name: f"{number:g}" for name, number in sizes(plan).items()} if there else {}
        numbers = {name: counted.get(name, NOTHING) for name in printed["columns"][:-1]}
        yield our_row({"data": data.label, "whose": "ours"}, {**numbers, "AUC": auc_of(mine).written(DIGITS)}, mine)


TABLE3: Final = Table.told(TOLD["table3"], datasets=DATASETS, rows=sized)


def targeted(asked: Sequence[PropertyData], order: Order) -> Iterator[Cells]:
    """How many values the attribute of each property has, and how many rows have the property. Nothing is trained."""
    del order
    printed = TOLD["table4"]["printed"]
    for data in asked:
        remark = ""
        try:
            table = load_table(DataPlan(name=data.data))
        except DataUnavailable as error:
            table, remark = None, error.brief
        for name, text in data.properties.items():
            values, fraction = printed[name]
            start = {"data": data.label, "property": name}
            yield {**start, "whose": "paper", "values": str(values), "fraction": f"{fraction:.2f} %"}
            ours = {"whose": "ours", "asked": text, "values": NOTHING, "fraction": NOTHING, "remark": remark}
            if table is not None:
                asked_about = Property.parse(text)
                different = len(np.unique(table[asked_about.column].values))
                share = 100 * float(asked_about.rows_of(table).mean())
                ours |= {"values": str(different), "fraction": f"{share:.2f} %"}
            yield {**start, **ours}


TABLE4: Final = Table.told(TOLD["table4"], datasets=DATASETS, rows=targeted)
