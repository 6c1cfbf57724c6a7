"""Tables VIII to X and XII to XV of paper 000: what makes ProVFL better or worse, and how long it takes."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from seepage.papers.properties.property_errors import as_printed, inferred
from seepage.papers.properties.property_seconds import timed
from seepage.papers.properties.property_setting import (
    ADULT,
    AIA,
    BANK,
    C1,
    C2,
    CENSUS,
    COUNT,
    KNOWN,
    PROVFL_B,
    PROVFL_M,
    PropertyData,
    auc,
    own_columns,
)
from seepage.papers.readings import Reading
from seepage.papers.table import Table


def _table(title: str, note: str, datasets: tuple[PropertyData, ...], **layout: Any) -> Table[PropertyData]:
    note = (
        "Absolute error of the fraction, mean±standard deviation over seeds. "
        f"C1: the active party attacks; C2: a passive one. {note}"
    )
    return Table(
        title=title, note=note, page="property-attacks.md", datasets=datasets, rows=partial(inferred, **layout)
    )


def _compared(label: str, settings: Mapping[str, Any]) -> Reading:
    return replace(PROVFL_B, label=label, settings={**KNOWN, "comparison": settings})


def _augmented(label: str, settings: Mapping[str, Any]) -> Reading:
    return replace(PROVFL_M, label=label, settings={**KNOWN, **settings})


MISALIGNED: Final = replace(
    PROVFL_B, label="ProVFL-B, misaligned", settings={"auxiliary": {"rows": 2000, "aligned": False}}
)
_BOTH: Final = (MISALIGNED.label, "AUC")

TABLE8: Final = _table(
    title="Table VIII of paper 000: auxiliary rows of people whom the other party does not know",
    note="Where they stand in for aligned rows, C1 too reads the adversary's own outputs alone.",
    datasets=(ADULT,),
    columns=(MISALIGNED, PROVFL_B, own_columns(MISALIGNED), auc(MISALIGNED, "AUC"), auc(PROVFL_B)),
    seeds=3,
    cases=(C1, C2),
    printed={
        **as_printed(C1, _BOTH, {"A-sex": (0.0091, 0.9016), "A-race": (0.0178, 0.9017), "A-work": (0.0661, 0.9016)}),
        **as_printed(C2, _BOTH, {"A-sex": (0.0125, 0.9016), "A-race": (0.0247, 0.9017), "A-work": (0.0537, 0.9016)}),
    },
)

LABELS_ALONE: Final = _augmented("LR", {"replace_labels": True, "refine": False})
REFINED_ALONE: Final = _augmented("MR", {"replace_labels": False, "refine": True})
BOTH: Final = _augmented("MR+LR", {})

TABLE9: Final = _table(
    title="Table IX of paper 000: label replacement and model refinement",
    note="LR: labels replaced, no refinement; MR: the other way round. AUC: of the joint model on test rows.",
    datasets=(ADULT, BANK),
    columns=(*(LABELS_ALONE, REFINED_ALONE, BOTH, PROVFL_B), *map(auc, (LABELS_ALONE, REFINED_ALONE, BOTH, PROVFL_B))),
    seeds=2,
    printed=as_printed(
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

TABLE10: Final = Table(
    title="Table X of paper 000: seconds of each attack",
    note=(
        "attack alone: from a recorded run to the guess. whole run: from data to score, with training, in one thread. "
        "longer training: than without the adversary's part in it. Mean±standard deviation over seeds."
    ),
    page="property-attacks.md",
    datasets=(ADULT,),
    rows=partial(
        timed,
        property_="A-sex",
        attacks={
            "AIA": (AIA, 31.8),
            "DC (ProVFL-B)": (PROVFL_B, 4.4),
            "DC+MR": (REFINED_ALONE, 17.2),
            "DC+MR+LR (ProVFL-M)": (BOTH, 17.2),
            "adjusted-count": (COUNT, None),
        },
        honest=PROVFL_B,
    ),
)

TABLE12: Final = _table(
    title="Table XII of paper 000: steps between the fractions of made-up populations",
    note="q is in percent.",
    datasets=(ADULT,),
    columns=[_compared(f"q {step:g}", {"step": step}) for step in (0.1, 1.0, 5.0, 10.0)],
    seeds=5,
    printed=as_printed(
        C1,
        ("q 0.1", "q 1", "q 5", "q 10"),
        {
            "A-sex": (0.0257, 0.0186, 0.0232, 0.0239),
            "A-race": (0.0250, 0.0236, 0.0264, 0.0287),
            "A-work": (0.0374, 0.0276, 0.0315, 0.0355),
        },
    ),
)

TABLE13: Final = _table(
    title="Table XIII of paper 000: what learns the fraction",
    note="The paper's XGBoost is its default, and prints other numbers in Table XII.",
    datasets=(ADULT,),
    columns=[
        _compared(label, {"regressor": name})
        for label, name in (("XGBoost", "xgboost"), ("DTR", "tree"), ("LNR", "linear"), ("SVR", "svr"))
    ],
    seeds=5,
    printed=as_printed(
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

TABLE14: Final = _table(
    title="Table XIV of paper 000: how strongly the passive party's model is refined",
    note="λ 0 is no refinement at all, as in the paper. AUC: of the joint model on test rows.",
    datasets=(BANK,),
    columns=(*_WEIGHTS, *map(auc, _WEIGHTS)),
    seeds=2,
    cases=(C2,),
    printed=as_printed(
        C2,
        ("λ 0", "λ 0.5", "λ 1", "λ 2", "AUC, λ 0", "AUC, λ 0.5", "AUC, λ 1", "AUC, λ 2"),
        {
            "B-month": (0.1135, 0.0300, 0.0364, 0.0205, 0.9134, 0.8924, 0.8779, 0.8270),
            "B-mart": (0.0600, 0.0389, 0.0325, 0.0297, 0.9134, 0.8924, 0.8779, 0.8270),
            "B-cont": (0.1967, 0.0545, 0.0571, 0.0323, 0.9134, 0.8924, 0.8779, 0.8270),
        },
    ),
)

SHARES: Final = (0.1, 0.3, 0.5, 0.7, 0.9)

TABLE15: Final = _table(
    title="Table XV of paper 000: the share of columns that the victim holds",
    note="r: the victim's share of all columns. own: adjusted counting without any federation.",
    datasets=(CENSUS,),
    columns=(
        *(replace(PROVFL_B, label=f"r {share:g}") for share in SHARES),
        *(own_columns(PROVFL_B, f"r {share:g}, own") for share in SHARES),
    ),
    dealt={f"r {share:g}{own}": {"adversary_share": round(1 - share, 6)} for share in SHARES for own in ("", ", own")},
    seeds=2,
    printed=as_printed(
        C1,
        ("r 0.1", "r 0.3", "r 0.5", "r 0.7", "r 0.9"),
        {
            "C-sex": (0.0206, 0.0141, 0.0175, 0.0273, 0.0575),
            "C-race": (0.0552, 0.0488, 0.0310, 0.0473, 0.1169),
            "C-edu": (0.0275, 0.0133, 0.0141, 0.0147, 0.0330),
        },
    ),
)
