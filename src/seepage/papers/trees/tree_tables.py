"""Tables 2 and 3 of paper 003: what attacks on instance spaces learn about labels, and what defenses cost.

Our Parkinson has 148 of the 753 columns and our Drive 200 rows of each class, so these two are shown beside the
paper's numbers but not judged by them. In Table 3 grafting sends what `label-dp` sends, so the paper prints one line
for both; it averages nine data sets, of which three are run here unless another one is named.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Final, TypeAlias

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import NOTHING, Spread, spreads
from seepage.papers.rows import seeds_of, why_not
from seepage.papers.table import Cells, Table
from seepage.papers.trees.tree_setting import (
    ALL,
    CHUNKS,
    COMMUNITIES,
    FIRST_TREE_ALONE,
    FOUR_ATTACKS,
    ID2GRAPH,
    LITERAL,
    MODELS,
    NINE,
    SMALL,
    TOLD,
    TreeData,
    label_dp,
    on_model,
    purity_limit,
    tree_plan,
)

LEAST_TOLERANCE: Final = 0.06
READINGS: Final = (*FOUR_ATTACKS, COMMUNITIES, LITERAL, CHUNKS)
"""All columns of Table 2; reading in chunks is left out where the authors did without."""


def holds(printed: Spread, ours: Spread) -> bool:
    """Say whether our mean is no lower than the paper's, less one printed deviation or 0.06 if that is more.

    >>> holds(Spread(0.555, 0.035), Spread(0.5, 0.1)), holds(Spread(0.555, 0.035), Spread(0.49, 0.1))
    (True, False)
    """
    assert printed.mean is not None
    return ours.mean is not None and ours.mean >= printed.mean - max(LEAST_TOLERANCE, printed.deviation or 0.0)


def attacked(asked: Sequence[TreeData], order: Order) -> Iterator[Cells]:
    """Run every data set with its own number of seeds; each model has a line of the paper's and one of ours."""
    for data in asked:
        readings = [reading for reading in READINGS if reading != CHUNKS or data.chunks]
        findings = order.run(tree_plan(data, readings, seeds=data.seeds), data.folder)
        for model in MODELS:
            printed, mine = PRINTED[data.data][model], on_model(findings, model)
            start = {"data": data.label, "model": model}
            theirs = {reading.label: str(printed.get(reading.label, NOTHING)) for reading in READINGS}
            yield {**start, "whose": "paper", "seeds": "5", **theirs, "verdict": ""}
            verdict = "holds" if holds(printed[ID2GRAPH.label], ID2GRAPH.of(mine)) else "below"
            verdict = why_not(mine) or ("not its data" if data.partial else verdict)
            ours = {"seeds": str(seeds_of(mine)), **spreads(READINGS, mine)}
            yield {**start, "whose": "ours", **ours, "verdict": verdict}


def _printed(row: str) -> Mapping[str, Mapping[str, Spread]]:
    """Read one row of the table: CL, which depends on no model, then three attacks on forests and three on boosting."""
    clustering, *others = (Spread(*map(float, cell.split("±"))) for cell in row.split())
    labels = [reading.label for reading in FOUR_ATTACKS]
    return {
        "forest": dict(zip(labels, (clustering, *others[:3]), strict=True)),
        "boosting": dict(zip(labels, (clustering, *others[3:]), strict=True)),
    }


PRINTED: Final = {name: _printed(row) for name, row in TOLD["table2"]["printed"].items()}
"""Data set → model → label of a reading → what the paper prints."""

TABLE2: Final = Table.told(TOLD["table2"], datasets=ALL, rows=attacked)

Ratio: TypeAlias = tuple[str, Variant, float]
"""A model, a defense of it, and the ratio that the paper prints for it."""


def ciphertexts(asked: Sequence[TreeData], order: Order, *, ratios: Sequence[Ratio]) -> Iterator[Cells]:
    """Lay ratios on every data set beside the paper's mean.

    Training is in the clear, where every number that would be encrypted counts as one ciphertext.
    """
    variants = {variant.label: variant for _, variant, _ in ratios}
    defenses = (UNDEFENDED, *variants.values())
    found = {data.label: order.run(tree_plan(data, defenses=defenses), data.folder) for data in asked}
    missing = {label: why_not(findings) for label, findings in found.items() if not seeds_of(findings)}
    for model, variant, printed in ratios:
        ours = {label: ratio(model, variant, findings) for label, findings in found.items()}
        held = [value for value in ours.values() if value is not None]
        yield {
            "model": model,
            "defense": variant.label,
            "paper: mean of nine": f"{printed:.3f}",
            "ours: mean": f"{fmean(held):.3f}" if held else NOTHING,
            **{label: NOTHING if value is None else f"{value:.3f}" for label, value in ours.items()},
            "remark": "; ".join(f"{label}: {why}" for label, why in missing.items()),
        }


def ratio(model: str, variant: Variant, findings: Sequence[Finding]) -> float | None:
    """Return ciphertexts under a defense over those without, averaged over seeds, None where it could not be run."""
    mine = [found for found in on_model(findings, model) if found.status == "ok"]
    without = {found.seed: sum(found.traffic.values()) for found in UNDEFENDED.of(mine)}
    with_it = {found.seed: sum(found.traffic.values()) for found in variant.of(mine)}
    return fmean(with_it[seed] / without[seed] for seed in with_it) if with_it else None


RATIOS: Final[tuple[Ratio, ...]] = (
    ("forest", purity_limit(0.5), 0.364),
    ("forest", purity_limit(2.0), 0.820),
    ("forest", label_dp(0.5), 1.16),
    ("forest", label_dp(2.0), 1.14),
    ("boosting", purity_limit(0.5), 0.682),
    ("boosting", purity_limit(2.0), 1.17),
    ("boosting", label_dp(0.5), 1.18),
    ("boosting", label_dp(2.0), 1.17),
    ("boosting", FIRST_TREE_ALONE, 0.798),
)

TABLE3: Final = Table.told(
    TOLD["table3"],
    datasets=NINE,
    shown=SMALL,
    rows=partial(ciphertexts, ratios=RATIOS),
)
