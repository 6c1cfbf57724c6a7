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
    C2,
    CASES,
    CENSUS,
    COUNT,
    KNOWN,
    PROVFL_B,
    PROVFL_M,
    TOLD,
    PropertyData,
    auc,
    own_columns,
)
from seepage.papers.readings import Reading
from seepage.papers.table import Table


def _table(name: str, *datasets: PropertyData, **layout: Any) -> Table[PropertyData]:
    printed = as_printed(TOLD[name]["printed"])
    return Table.told(TOLD[name], datasets=datasets, rows=partial(inferred, printed=printed, **layout))


def _compared(label: str, settings: Mapping[str, Any]) -> Reading:
    return replace(PROVFL_B, label=label, settings={**KNOWN, "comparison": settings})


def _augmented(label: str, settings: Mapping[str, Any]) -> Reading:
    return replace(PROVFL_M, label=label, settings={**KNOWN, **settings})


MISALIGNED: Final = replace(
    PROVFL_B, label="ProVFL-B, misaligned", settings={"auxiliary": {"rows": 2000, "aligned": False}}
)

TABLE8: Final = _table(
    "table8",
    ADULT,
    columns=(MISALIGNED, PROVFL_B, own_columns(MISALIGNED), auc(MISALIGNED, "AUC"), auc(PROVFL_B)),
    seeds=5,
    cases=CASES,
)

LABELS_ALONE: Final = _augmented("LR", {"replace_labels": True, "refine": False})
REFINED_ALONE: Final = _augmented("MR", {"replace_labels": False, "refine": True})
BOTH: Final = _augmented("MR+LR", {})
_PARTS: Final = (LABELS_ALONE, REFINED_ALONE, BOTH, PROVFL_B)

TABLE9: Final = _table("table9", ADULT, BANK, columns=(*_PARTS, *map(auc, _PARTS)), seeds=5)

TABLE10: Final = Table.told(
    TOLD["table10"],
    datasets=(ADULT,),
    rows=partial(
        timed,
        property_="A-sex",
        attacks={
            "AIA": AIA,
            "DC (ProVFL-B)": PROVFL_B,
            "DC+MR": REFINED_ALONE,
            "DC+MR+LR (ProVFL-M)": BOTH,
            "adjusted-count": COUNT,
        },
        honest=PROVFL_B,
        printed=TOLD["table10"]["printed"],
    ),
)

_STEPS: Final = [_compared(f"q {step:g}", {"step": step}) for step in (0.1, 1.0, 5.0, 10.0)]

TABLE12: Final = _table("table12", ADULT, columns=_STEPS, seeds=5)

_REGRESSORS: Final = {"XGBoost": "xgboost", "DTR": "tree", "LNR": "linear", "SVR": "svr"}

TABLE13: Final = _table(
    "table13",
    ADULT,
    columns=[_compared(label, {"regressor": name}) for label, name in _REGRESSORS.items()],
    seeds=5,
)

_WEIGHTS: Final = (
    replace(PROVFL_B, label="λ 0"),
    *(_augmented(f"λ {weight:g}", {"weight": weight}) for weight in (0.5, 1.0, 2.0)),
)

TABLE14: Final = _table("table14", BANK, columns=(*_WEIGHTS, *map(auc, _WEIGHTS)), seeds=5, cases=(C2,))

SHARES: Final = (0.1, 0.3, 0.5, 0.7, 0.9)

TABLE15: Final = _table(
    "table15",
    CENSUS,
    columns=(
        *(replace(PROVFL_B, label=f"r {share:g}") for share in SHARES),
        *(own_columns(PROVFL_B, f"r {share:g}, own") for share in SHARES),
    ),
    dealt={f"r {share:g}{own}": {"adversary_share": round(1 - share, 6)} for share in SHARES for own in ("", ", own")},
    seeds=3,
)
