"""Figures 5 to 7 of paper 003: attacks on trees along one setting. The paper prints no numbers for them."""

from typing import Final

from seepage.papers.sweep_figure import SweepFigure
from seepage.papers.tree_setting import CL, COMMUNITIES, ID2GRAPH, LARGE, SMALL, UNI, UNI_CL

_READINGS: Final = (CL, UNI, UNI_CL, ID2GRAPH, COMMUNITIES)
_NOTE: Final = "V-measure, mean±standard deviation over seeds. Test AUC is that of the joint model."

SHARE: Final = SweepFigure(
    title="Figure 5 of paper 003: attacks by the share of the most important columns that the adversary holds",
    note=_NOTE,
    page="tree-sweeps.md",
    axis="adversary_share",
    readings=_READINGS,
    datasets=(*SMALL, *LARGE[:2]),
    shown=SMALL,
    partitions=tuple({"kind": "by-importance", "adversary_share": tenths / 10} for tenths in range(1, 10, 2)),
)

DEPTH: Final = SweepFigure(
    title="Figure 6 of paper 003: attacks by the depth of trees",
    note=_NOTE,
    page="tree-sweeps.md",
    axis="depth",
    readings=_READINGS,
    datasets=(*SMALL, *LARGE),
    shown=SMALL,
    models=tuple({"depth": depth} for depth in (2, 3, 4, 5, 6, 8, 10)),
)

TREES: Final = SweepFigure(
    title="Figure 7 of paper 003: attacks by the number of trees",
    note=_NOTE,
    page="tree-sweeps.md",
    axis="trees",
    readings=_READINGS,
    datasets=(*SMALL, *LARGE),
    shown=SMALL,
    models=tuple({"trees": trees} for trees in (1, 2, 3, 5, 10, 20)),
)
