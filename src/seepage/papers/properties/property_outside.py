"""Table XI of paper 000: properties that no party's columns hold, and what each kind of columns tells of them.

The paper has pictures with tags: one party holds features of the picture, the other one its tags, and the property is a
label that the model does not learn. On adult, which stands in for them, one party holds what somebody is and the other
one what somebody does; `sex`, `race` and `workclass` are known to the victim and left out of training.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from seepage.papers.order import Order
from seepage.papers.properties.property_errors import as_printed, inferred
from seepage.papers.properties.property_setting import (
    ADULT,
    AIA,
    C2,
    COUNT,
    PROVFL_B,
    TOLD,
    PropertyData,
    auc,
    own_columns,
)
from seepage.papers.readings import Reading
from seepage.papers.table import Cells, Table

PERSON: Final = ("age", "education", "education-num", "marital-status", "relationship", "native-country")
WORK: Final = ("occupation", "capital-gain", "capital-loss", "hours-per-week")


def held_by(adversary: Callable[[str], bool]) -> Callable[[Sequence[str]], tuple[Sequence[str], Sequence[str]]]:
    """Deal columns by their names: those that the adversary does not hold are the victim's.

    >>> held_by(lambda name: name.startswith("tag"))(("image_1", "tag_1", "water"))
    (['image_1', 'water'], ['tag_1'])
    """
    return lambda names: ([name for name in names if not adversary(name)], [name for name in names if adversary(name)])


def _adult(access: str, columns: Sequence[str]) -> PropertyData:
    return PropertyData(
        ADULT.data,
        ADULT.properties,
        ADULT.learning_rate,
        ADULT.epochs,
        remark="stands in for NUS-WIDE",
        sides=held_by(lambda name: name in columns),
        left_out=("sex", "race", "workclass"),
        access=access,
    )


def _nus_wide(access: str, prefix: str) -> PropertyData:
    return PropertyData(
        "nus_wide",
        {"N-grass": "grass=1", "N-animal": "animal=1", "N-water": "water=1"},
        learning_rate=0.05,
        epochs=30,
        sides=held_by(lambda name: name.startswith(prefix)),
        left_out=("grass", "animal", "water"),
        access=access,
    )


STAND_INS: Final = (_adult("the person", PERSON), _adult("the work", WORK))
PICTURES: Final = (_nus_wide("tags", "tag"), _nus_wide("images", "image"))


def by_access(
    asked: Sequence[PropertyData], order: Order, *, columns: Sequence[Reading], printed: Mapping[str, Any]
) -> Iterator[Cells]:
    """Attacks of a passive party on properties that no model reads, by what the adversary holds."""
    for data in asked:
        theirs = as_printed(printed[data.access]) if data.access in printed else {}
        for line in inferred([data], order, columns=columns, seeds=5, printed=theirs, cases=(C2,)):
            yield {"data": line["data"], "adversary holds": data.access, **line}


TABLE11: Final = Table.told(
    TOLD["table11"],
    datasets=(*STAND_INS, *PICTURES),
    shown=STAND_INS,
    rows=partial(
        by_access,
        columns=(AIA, PROVFL_B, COUNT, own_columns(COUNT), auc(PROVFL_B, "AUC")),
        printed=TOLD["table11"]["printed"],
    ),
)
