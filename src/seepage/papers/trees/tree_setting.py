"""What all experiments of paper 003 have in common: models, data sets, attacks, defenses.

Five trees of depth 6 on 80 % of the columns of each party; forests on 80 % of
the rows, split behind any value; boosting with a learning rate of 0.3 at 32
quantiles of each node, and no least weight of a child, as in the authors' code.
Columns are dealt anew for every seed, half to each party.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan
from seepage.papers.described import described
from seepage.papers.plans import UNDEFENDED, Variant, at, table_plan
from seepage.papers.readings import Reading

TOLD: Final = described("trees")
"""Table → its words, and what the paper prints."""
_TREES: Final = {"trees": 5, "depth": 6, "column_sample": 0.8}
_STEPS: Final = {"learning_rate": 0.3, "l2": 1.0, "gamma": 0.0, "least_weight": 0.0}
MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "forest": {**_TREES, "row_sample": 0.8, "candidates": "all", "release": "ratios"},
    "boosting": {**_TREES, **_STEPS, "candidates": "quantiles-per-node", "bins": 32},
}

CL: Final = Reading("CL", "local-clustering")
UNI: Final = Reading("UNI", "union")
UNI_CL: Final = Reading("UNI+CL", "union-clustering")
ID2GRAPH: Final = Reading("ID2Graph", "id2graph")
COMMUNITIES: Final = Reading("communities alone", "id2graph", metric="v_communities")
LITERAL: Final = Reading("literal leaves", "id2graph", {"visibility": "literal"})
CHUNKS: Final = Reading("in chunks", "id2graph", {"chunk": 1000, "chunk_weight": 100.0})

FOUR_ATTACKS: Final = (CL, UNI, UNI_CL, ID2GRAPH)
"""Every figure runs all four, whichever it shows, so that one training serves several figures in one folder."""


@dataclass(frozen=True, kw_only=True)
class TreeData:
    """A data set of the paper, and how it is run.

    Parameters
    ----------
    seeds
        How many seeds when nobody says otherwise.
    dealt
        How columns are dealt, in a word, where it is not at random.
    chunks
        Whether the authors cut leaves into chunks of 1000 on it.
    partial
        What our edition lacks; None when it is the paper's.
    """

    data: str
    seeds: int = 5
    dealt: str = ""
    partition: Mapping[str, Any] = field(default_factory=dict)
    chunks: bool = False
    partial: str | None = None

    @property
    def pictures(self) -> bool:
        """Whether the paper cuts it into parts of a picture, where it deals other columns."""
        return self.data == "fashion_mnist"

    @property
    def label(self) -> str:
        """What to call it in a line."""
        return ", ".join(filter(None, (self.data, self.dealt, "partial" if self.partial else "")))

    @property
    def folder(self) -> str:
        """Where its results go, below the folder of a table."""
        return "/".join(filter(None, (self.data, self.dealt.replace(" ", "-"))))


SIDE: Final = 28
"""Pixels along each side of a picture of Fashion-MNIST."""


def _pixels(rows: range = range(SIDE), columns: range = range(SIDE)) -> list[str]:
    return [f"pixel_{row}_{column}" for row in rows for column in columns]


BREAST_CANCER: Final = TreeData(data="breast_cancer", seeds=20)
PHISHING: Final = TreeData(data="phishing", seeds=20)
AVILA: Final = TreeData(data="avila", seeds=20)
PARKINSON: Final = TreeData(data="parkinson", partial="148 of 753 columns")
OBESITY: Final = TreeData(data="obesity")
DRIVE: Final = TreeData(data="drive", partial="2,200 of 58,509 rows", chunks=True)
FARS: Final = TreeData(data="fars", chunks=True)
PUCRIO: Final = TreeData(data="pucrio", chunks=True)
FASHION_RIGHT: Final = TreeData(
    data="fashion_mnist", dealt="right half", partition={"kind": "stripes", "parties": 2}, chunks=True
)
FASHION_BOTTOM: Final = TreeData(
    data="fashion_mnist",
    dealt="bottom half",
    partition={"kind": "named", "columns": {"active": _pixels(range(14)), "passive": _pixels(range(14, SIDE))}},
    chunks=True,
)
"""Named for what the curious party holds."""
FASHION_LEFT: Final = TreeData(data="fashion_mnist", dealt="left part", chunks=True)
"""How much of it is held is for who runs it."""
FASHION_WHOLE: Final = TreeData(data="fashion_mnist", dealt="whole pictures", chunks=True)
"""For an active party that holds none of it."""

SMALL: Final = (BREAST_CANCER, PHISHING, AVILA)
"""What figures show unless a data set is named: the paper's data, where they are small."""
NINE: Final = (BREAST_CANCER, PARKINSON, OBESITY, PHISHING, AVILA, DRIVE, FASHION_BOTTOM, FARS, PUCRIO)
"""All data sets of the paper, in the order of its Table 1."""
ALL: Final = (*NINE[:6], FARS, PUCRIO, FASHION_RIGHT, FASHION_BOTTOM)


def nine_with(pictures: TreeData) -> tuple[TreeData, ...]:
    """Return all data sets of the paper, with pictures that are dealt in this way."""
    return tuple(pictures if data.pictures else data for data in NINE)


def label_dp(epsilon: float) -> Variant:
    """LP-MST in two stages."""
    return at("label-dp, ε", "label-dp", "epsilon", epsilon)


def grafting(epsilon: float) -> Variant:
    """Grafting-LDP on top of it."""
    return at("grafting, ε", "grafting", "epsilon", epsilon)


def purity_limit(limit: float) -> Variant:
    """ID-LMID."""
    return at("purity-limit, ξ", "purity-limit", "limit", limit)


def held_share(data: TreeData, share: float) -> dict[str, Any]:
    """Give the curious party a share of the columns: the most important ones, of pictures the left ones."""
    if not data.pictures:
        return {"kind": "by-importance", "adversary_share": share}
    left = round(share * SIDE)
    columns = {"active": _pixels(columns=range(left, SIDE)), "passive": _pixels(columns=range(left))}
    return {"kind": "named", "columns": columns}


FIRST_TREE_ALONE: Final = Variant("first-trees-alone", "first-trees-alone", {"trees": 1})
"""Reduced-Leakage."""
BUDGETS: Final = (0.1, 0.5, 1.0, 2.0)
VARIANTS: Final = (
    UNDEFENDED,
    *(make(budget) for make in (purity_limit, label_dp, grafting) for budget in BUDGETS),
    FIRST_TREE_ALONE,
)
"""All that Figures 8 to 10 show: every defense at every budget."""


def tree_plan(
    data: TreeData,
    readings: Sequence[Reading] = FOUR_ATTACKS,
    *,
    seeds: int = 5,
    partition: Mapping[str, Any] | None = None,
    models: Sequence[Mapping[str, Any]] = ({},),
    defenses: Sequence[Variant] = (UNDEFENDED,),
) -> Plan:
    """Return a plan for both models, each with every variation of its settings, under every defense."""
    return table_plan(
        [(name, {**settings, **model}) for model in models for name, settings in MODELS.items()],
        readings,
        data={"name": data.data},
        partition={**data.partition, **(partition or {})},
        encoding="ordinal",
        defenses=defenses,
        seeds=seeds,
    )


def on_model(findings: Sequence[Finding], model: str) -> list[Finding]:
    """Return the findings about one model."""
    return [found for found in findings if found.federation == model]
