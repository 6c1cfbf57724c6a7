"""Figures 8 to 10 of paper 003: defenses of trees. The paper prints no numbers for them."""

from typing import Final

from seepage.papers.defense_figure import DefenseFigure
from seepage.papers.tree_setting import CL, COMMUNITIES, ID2GRAPH, LARGE, SMALL, UNI, UNI_CL
from seepage.papers.variants import FIRST_TREE_ALONE, UNDEFENDED, grafting, label_dp, purity_limit

BUDGETS: Final = (0.1, 0.5, 1.0, 2.0)
_NOTE: Final = (
    "V-measure, mean±standard deviation over seeds. CL reads no message: what is near it was not learned from the "
    "federation. Test AUC is that of the joint model."
)
_VARIANTS: Final = (
    UNDEFENDED,
    *(purity_limit(limit) for limit in BUDGETS),
    *(label_dp(epsilon) for epsilon in BUDGETS),
    *(grafting(epsilon) for epsilon in BUDGETS),
    FIRST_TREE_ALONE,
)

ID2GRAPH_DEFENDED: Final = DefenseFigure(
    title="Figure 8 of paper 003: defenses against ID2Graph",
    note=_NOTE,
    page="tree-defenses.md",
    readings=(CL, ID2GRAPH, COMMUNITIES),
    variants=_VARIANTS,
    datasets=(*SMALL, *LARGE),
    shown=SMALL,
)

UNION_DEFENDED: Final = DefenseFigure(
    title="Figure 9 of paper 003: defenses against the union attacks",
    note=_NOTE,
    page="tree-defenses.md",
    readings=(CL, UNI, UNI_CL),
    variants=_VARIANTS,
    datasets=(*SMALL, *LARGE),
    shown=SMALL,
)

WITHOUT_COLUMNS: Final = DefenseFigure(
    title="Figure 10 of paper 003: defenses of an active party without columns against ID2Graph",
    note=_NOTE,
    page="tree-defenses.md",
    readings=(CL, ID2GRAPH, COMMUNITIES),
    variants=_VARIANTS,
    datasets=(*SMALL, *LARGE),
    shown=SMALL,
    partition={"labels_only": True},
    dealt="labels-only",
)
