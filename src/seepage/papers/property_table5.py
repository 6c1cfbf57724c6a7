"""Table V of paper 000: how far every attack is from the true fraction."""

from typing import Final

from seepage.papers.property_setting import (
    ADULT,
    AIA,
    BANK,
    C1,
    C2,
    CENSUS,
    COUNT,
    HEALTH,
    PROVFL_B,
    PROVFL_M,
    Case,
    one_half,
    own_columns,
)
from seepage.papers.property_table import Column, Printed, PropertyTable, errors, worths

_PRINTED: Final[dict[str, tuple[float, float, float, float, float, float]]] = {
    "A-sex": (0.1623, 0.0186, 0.0097, 0.0181, 0.0164, 0.0084),
    "A-race": (0.2693, 0.0236, 0.0143, 0.0388, 0.0209, 0.0130),
    "A-work": (0.2516, 0.0276, 0.0280, 0.1777, 0.0483, 0.0240),
    "C-sex": (0.2127, 0.0175, 0.0221, 0.0365, 0.0229, 0.0184),
    "C-race": (0.1913, 0.0310, 0.0246, 0.2156, 0.0444, 0.0255),
    "C-edu": (0.1024, 0.0141, 0.0106, 0.2149, 0.0125, 0.0214),
    "B-month": (0.2263, 0.0287, 0.0362, 0.2189, 0.1135, 0.0364),
    "B-mart": (0.1370, 0.0372, 0.0204, 0.0995, 0.0600, 0.0325),
    "B-cont": (0.2566, 0.1058, 0.0236, 0.4039, 0.1967, 0.0571),
    "H-sex": (0.2853, 0.0067, 0.0119, 0.0221, 0.0148, 0.0235),
    "H-age": (0.3564, 0.0290, 0.0204, 0.0961, 0.0161, 0.0130),
}
"""AIA, ProVFL-B and ProVFL-M in C1, then in C2."""
_AUC: Final = {"A": 0.9039, "B": 0.9134, "C": 0.9418, "H": 0.9994}
"""Of the joint model without any attack on it, by the first letter of its properties (Table III)."""

UNDISTURBED: Final = Column("AUC", PROVFL_B, worth=True)


def _printed() -> Printed:
    cases: tuple[tuple[Case, int], ...] = ((C1, 0), (C2, 3))
    return {
        (name, case): {
            **dict(zip((AIA.label, PROVFL_B.label, PROVFL_M.label), numbers[start : start + 3], strict=True)),
            UNDISTURBED.label: _AUC[name[0]],
        }
        for name, numbers in _PRINTED.items()
        for case, start in cases
    }


TABLE: Final = PropertyTable(
    title="Table V of paper 000: inferred fractions of the other party's population",
    note=(
        "Absolute error of the fraction, mean±standard deviation over seeds. C1: the active party attacks; C2: a "
        "passive one. own columns: adjusted counting without any federation. ½: the answer one half. AUC: of the joint "
        "model on test rows, honest and under ProVFL-M. Last lines: means over properties, health left out."
    ),
    page="property-table5.md",
    columns=(
        *errors(AIA, PROVFL_B, PROVFL_M, COUNT, own_columns(COUNT), one_half(COUNT)),
        UNDISTURBED,
        *worths(PROVFL_M),
    ),
    datasets=(ADULT, BANK, CENSUS, HEALTH),
    seeds={ADULT.data: 10, BANK.data: 10, CENSUS.data: 3, HEALTH.data: 3},
    printed=_printed(),
    cases=(C1, C2),
    averaged=True,
)
