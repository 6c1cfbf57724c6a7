"""What paper 003 says of its results in words, held against findings: a line for each claim, data set and model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeAlias

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import NOTHING, Reading
from seepage.papers.rows import auc_of, our_row
from seepage.papers.table import Cells, Table
from seepage.papers.trees.tree_setting import (
    BUDGETS,
    CL,
    FIRST_TREE_ALONE,
    ID2GRAPH,
    MODELS,
    NINE,
    SMALL,
    TOLD,
    UNI,
    UNI_CL,
    VARIANTS,
    TreeData,
    grafting,
    label_dp,
    on_model,
    purity_limit,
    tree_plan,
)

ONE_CLUSTER: Final = 0.005
"""Below it a V-measure is printed as 0.00: nearly all rows are in one cluster."""


@dataclass(frozen=True)
class Held:
    """Whether a claim holds, None where it says nothing of this model, and the numbers that tell."""

    holds: bool | None
    numbers: str = NOTHING

    @property
    def verdict(self) -> str:
        """Say yes or no, or leave a dash."""
        return {True: "yes", False: "no", None: NOTHING}[self.holds]


Check: TypeAlias = Callable[[Sequence[Finding]], Held]
"""Takes all findings about one model, under every defense."""


def ahead_of_clustering(found: Sequence[Finding]) -> Held:
    """Compare ID2Graph with what own columns give."""
    return _ahead(found, CL)


def ahead_of_unions(found: Sequence[Finding]) -> Held:
    """Compare ID2Graph with the union attacks."""
    return _ahead(found, UNI, UNI_CL)


def _ahead(found: Sequence[Finding], *others: Reading) -> Held:
    mine = UNDEFENDED.of(found)
    ours, theirs = ID2GRAPH.of(mine).mean, [other.of(mine).mean for other in others]
    if ours is None:
        return Held(None)
    known = [mean for mean in theirs if mean is not None]
    return Held(all(ours > mean for mean in known), f"{ours:.3f} for {', '.join(f'{mean:.3f}' for mean in known)}")


def one_cluster(found: Sequence[Finding]) -> Held:
    """Count the seeds under which the union attack joins nearly all rows: the claim is that this happens at all."""
    values = UNI.by_seed(UNDEFENDED.of(found)).values()
    joined = sum(value < ONE_CLUSTER for value in values)
    return Held(joined > 0, f"{joined} of {len(values)} seeds") if values else Held(None)


def grafting_shows_the_same(found: Sequence[Finding]) -> Held:
    """Compare, seed by seed, what ID2Graph learns under grafting and under label-dp at the same ε."""
    pairs = [(label_dp(budget).of(found), grafting(budget).of(found)) for budget in BUDGETS]
    attacked = [(ID2GRAPH.by_seed(noisy), ID2GRAPH.by_seed(grafted)) for noisy, grafted in pairs]
    if not all(grafted for _, grafted in attacked):
        return Held(None)
    gains = [_auc(grafted) - _auc(noisy) for noisy, grafted in pairs]
    numbers = f"test AUC {min(gains):+.3f} to {max(gains):+.3f}"
    return Held(all(noisy == grafted for noisy, grafted in attacked), numbers)


def best_trade_off(found: Sequence[Finding]) -> Held:
    """Compare the best settings of the purity limit with the best of all other defenses.

    One setting is matched by another that leaks no more beyond CL, which the
    adversary has anyway, and leaves a test AUC no lower. Settings that another
    one on their own side matches do not count: nobody would choose them.
    """
    limits = _frontier(_points(found, [purity_limit(budget) for budget in BUDGETS]))
    noises = [make(budget) for make in (label_dp, grafting) for budget in BUDGETS]
    others = _frontier(_points(found, [*noises, FIRST_TREE_ALONE]))
    if not limits or not others:
        return Held(None)
    matched, matching = _matched(others, limits), _matched(limits, others)
    numbers = f"{matched} of {len(others)} best others matched by some ξ, {matching} of {len(limits)} best ξ by others"
    return Held(matched / len(others) > matching / len(limits), numbers)


Point: TypeAlias = tuple[float, float]
"""What leaks beyond CL, and the test AUC."""


def _points(found: Sequence[Finding], variants: Sequence[Variant]) -> list[Point]:
    points = []
    for mine in (variant.of(found) for variant in variants):
        leak, own = ID2GRAPH.of(mine).mean, CL.of(mine).mean
        if leak is not None and own is not None:
            points.append((max(0.0, leak - own), _auc(mine)))
    return points


def _frontier(points: Sequence[Point]) -> list[Point]:
    """Leave out points that another one is no worse than; of equal ones, one stays.

    >>> _frontier([(0.0, 0.9), (0.1, 0.9), (0.1, 0.95), (0.1, 0.95)])
    [(0.0, 0.9), (0.1, 0.95)]
    """
    different = sorted(set(points))
    return [one for one in different if not _matched([one], [other for other in different if other != one])]


def _matched(points: Sequence[Point], by: Sequence[Point]) -> int:
    """Count the points that another one is no worse than in both respects.

    >>> _matched([(0.2, 0.9), (0.1, 0.95)], by=[(0.15, 0.92)])
    1
    """
    return sum(any(leak <= point[0] and auc >= point[1] for leak, auc in by) for point in points)


def _auc(found: Sequence[Finding]) -> float:
    mean = auc_of(found).mean
    assert mean is not None, "a federation that was attacked was worth something"
    return mean


CHECKS: Final[Mapping[str, Check]] = {
    "T23": ahead_of_clustering,
    "T24": ahead_of_unions,
    "T25": one_cluster,
    "T26": grafting_shows_the_same,
    "T27": best_trade_off,
}


def claimed(asked: Sequence[TreeData], order: Order) -> Iterator[Cells]:
    """Hold every claim against both models of every data set; what is trained is what Figure 8 trains."""
    for data in asked:
        findings = order.run(tree_plan(data, defenses=VARIANTS), data.folder)
        for (name, check), model in product(CHECKS.items(), MODELS):
            mine = on_model(findings, model)
            held = check(mine)
            start = {"claim": TOLD["claims"]["printed"][name], "data": data.label, "model": model}
            yield our_row(start, {"numbers": held.numbers, "holds": held.verdict}, mine)


CLAIMS: Final = Table.told(TOLD["claims"], datasets=NINE, shown=SMALL, rows=claimed)
