"""Tables VIII, IX and XII to XV of paper 000, and its Figure 5 f: what makes ProVFL better or worse."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from seepage.papers.property_setting import (
    ADULT,
    BANK,
    C1,
    C2,
    CENSUS,
    COUNT,
    KNOWN,
    PROVFL_B,
    PROVFL_M,
    Case,
    own_columns,
)
from seepage.papers.property_table import Column, Printed, PropertyTable, errors, worths
from seepage.papers.readings import Reading

_PAGE: Final = "property-attacks.md"
_ERROR: Final = (
    "Absolute error of the fraction, mean±standard deviation over seeds. "
    "C1: the active party attacks; C2: a passive one. "
)


def _compared(label: str, settings: Mapping[str, Any]) -> Reading:
    return replace(PROVFL_B, label=label, settings={**KNOWN, "comparison": settings})


def _augmented(label: str, settings: Mapping[str, Any]) -> Reading:
    return replace(PROVFL_M, label=label, settings={**KNOWN, **settings})


def _table(case: Case, headings: Sequence[str], numbers: Mapping[str, Sequence[float]]) -> Printed:
    return {(name, case): dict(zip(headings, values, strict=True)) for name, values in numbers.items()}


MISALIGNED: Final = replace(
    PROVFL_B, label="ProVFL-B, misaligned", settings={"auxiliary": {"rows": 2000, "aligned": False}}
)

STRANGERS: Final = PropertyTable(
    title="Table VIII of paper 000: auxiliary rows of people whom the other party does not know",
    note=_ERROR + "Where they stand in for aligned rows, C1 too reads the adversary's own outputs alone.",
    page=_PAGE,
    columns=(
        *errors(MISALIGNED, PROVFL_B, own_columns(MISALIGNED)),
        Column("AUC", MISALIGNED, worth=True),
        *worths(PROVFL_B),
    ),
    datasets=(ADULT,),
    seeds={ADULT.data: 3},
    cases=(C1, C2),
    printed={
        **_table(
            C1,
            (MISALIGNED.label, "AUC"),
            {"A-sex": (0.0091, 0.9016), "A-race": (0.0178, 0.9017), "A-work": (0.0661, 0.9016)},
        ),
        **_table(
            C2,
            (MISALIGNED.label, "AUC"),
            {"A-sex": (0.0125, 0.9016), "A-race": (0.0247, 0.9017), "A-work": (0.0537, 0.9016)},
        ),
    },
)

LABELS_ALONE: Final = _augmented("LR", {"replace_labels": True, "refine": False})
REFINED_ALONE: Final = _augmented("MR", {"replace_labels": False, "refine": True})
BOTH: Final = _augmented("MR+LR", {})

PARTS: Final = PropertyTable(
    title="Table IX of paper 000: label replacement and model refinement",
    note=_ERROR + "LR: labels replaced, no refinement; MR: the other way round. AUC: of the joint model on test rows.",
    page=_PAGE,
    columns=(
        *errors(LABELS_ALONE, REFINED_ALONE, BOTH, PROVFL_B),
        *worths(LABELS_ALONE, REFINED_ALONE, BOTH, PROVFL_B),
    ),
    datasets=(ADULT, BANK),
    seeds={ADULT.data: 2, BANK.data: 2},
    printed=_table(
        C1,
        ("LR", "AUC, LR", "MR", "AUC, MR", "MR+LR", "AUC, MR+LR"),
        {
            "A-sex": (0.0137, 0.8917, 0.0144, 0.9009, 0.0097, 0.8931),
            "A-race": (0.0165, 0.8950, 0.0318, 0.9017, 0.0143, 0.8960),
            "A-work": (0.0340, 0.8907, 0.0158, 0.9009, 0.0280, 0.8907),
            "B-month": (0.0473, 0.9129, 0.0193, 0.9057, 0.0362, 0.9047),
            "B-mart": (0.0226, 0.9108, 0.0313, 0.8440, 0.0204, 0.7850),
            "B-cont": (0.0492, 0.9045, 0.1027, 0.8840, 0.0236, 0.8360),
        },
    ),
)

STEPS: Final = PropertyTable(
    title="Table XII of paper 000: steps between the fractions of made-up populations",
    note=_ERROR + "q is in percent.",
    page=_PAGE,
    columns=errors(*(_compared(f"q {step:g}", {"step": step}) for step in (0.1, 1.0, 5.0, 10.0))),
    datasets=(ADULT,),
    seeds={ADULT.data: 5},
    printed=_table(
        C1,
        ("q 0.1", "q 1", "q 5", "q 10"),
        {
            "A-sex": (0.0257, 0.0186, 0.0232, 0.0239),
            "A-race": (0.0250, 0.0236, 0.0264, 0.0287),
            "A-work": (0.0374, 0.0276, 0.0315, 0.0355),
        },
    ),
)

REGRESSORS: Final = PropertyTable(
    title="Table XIII of paper 000: what learns the fraction",
    note=_ERROR + "The paper's XGBoost is its default, and prints other numbers in Table XII.",
    page=_PAGE,
    columns=errors(
        *(
            _compared(label, {"regressor": name})
            for label, name in (("XGBoost", "xgboost"), ("DTR", "tree"), ("LNR", "linear"), ("SVR", "svr"))
        )
    ),
    datasets=(ADULT,),
    seeds={ADULT.data: 5},
    printed=_table(
        C1,
        ("XGBoost", "DTR", "LNR", "SVR"),
        {
            "A-sex": (0.0175, 0.0228, 0.0223, 0.0197),
            "A-race": (0.0229, 0.0297, 0.0243, 0.0508),
            "A-work": (0.0231, 0.0250, 0.0258, 0.0459),
        },
    ),
)

_WEIGHTS: Final = (
    replace(PROVFL_B, label="λ 0"),
    *(_augmented(f"λ {weight:g}", {"weight": weight}) for weight in (0.5, 1.0, 2.0)),
)

WEIGHTS: Final = PropertyTable(
    title="Table XIV of paper 000: how strongly the passive party's model is refined",
    note=_ERROR + "λ 0 is no refinement at all, as in the paper. AUC: of the joint model on test rows.",
    page=_PAGE,
    columns=(*errors(*_WEIGHTS), *worths(*_WEIGHTS)),
    datasets=(BANK,),
    seeds={BANK.data: 2},
    cases=(C2,),
    printed=_table(
        C2,
        ("λ 0", "λ 0.5", "λ 1", "λ 2", "AUC, λ 0", "AUC, λ 0.5", "AUC, λ 1", "AUC, λ 2"),
        {
            name: (*numbers, 0.9134, 0.8924, 0.8779, 0.8270)
            for name, numbers in {
                "B-month": (0.1135, 0.0300, 0.0364, 0.0205),
                "B-mart": (0.0600, 0.0389, 0.0325, 0.0297),
                "B-cont": (0.1967, 0.0545, 0.0571, 0.0323),
            }.items()
        },
    ),
)


def _shares(reading: Reading, suffix: str = "") -> tuple[Column, ...]:
    return tuple(
        Column(f"r {share:g}{suffix}", reading, partition={"adversary_share": round(1 - share, 6)})
        for share in (0.1, 0.3, 0.5, 0.7, 0.9)
    )


SHARES: Final = PropertyTable(
    title="Table XV of paper 000: the share of columns that the victim holds",
    note=_ERROR + "r: the victim's share of all columns. own: adjusted counting without any federation.",
    page=_PAGE,
    columns=(*_shares(PROVFL_B), *_shares(own_columns(PROVFL_B), ", own")),
    datasets=(CENSUS,),
    seeds={CENSUS.data: 2},
    printed=_table(
        C1,
        ("r 0.1", "r 0.3", "r 0.5", "r 0.7", "r 0.9"),
        {
            "C-sex": (0.0206, 0.0141, 0.0175, 0.0273, 0.0575),
            "C-race": (0.0552, 0.0488, 0.0310, 0.0473, 0.1169),
            "C-edu": (0.0275, 0.0133, 0.0141, 0.0147, 0.0330),
        },
    ),
)

PARTIES: Final = PropertyTable(
    title="Figure 5 f of paper 000: more parties",
    note=_ERROR + "The paper prints no numbers.",
    page=_PAGE,
    columns=tuple(
        Column(f"{reading.label}, {parties} parties", reading, partition={"parties": parties})
        for reading in (PROVFL_B, COUNT)
        for parties in (2, 3, 5)
    ),
    datasets=(CENSUS,),
    seeds={CENSUS.data: 2},
    cases=(C1, C2),
)
