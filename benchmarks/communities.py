"""Communities of a forest's leaves: ours without edges, against igraph on the graph written out.

Leaves come from trees of depth 6 fitted on synthetic data of five classes, each on
four fifths of the columns. Both sides are timed from the leaves on, building the
graph included, each in a process of its own, whose peak memory is stated whole,
interpreter and libraries included. The last line is the hardest case for us: leaves drawn at
random and independently, so that no two rows are twins.

    python benchmarks/communities.py [igraph|large|random]
"""

import multiprocessing
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from seepage.shapes import Labels

DEPTH, CLASSES, COLUMNS, FITTED = 6, 5, 30, 50_000


@dataclass(frozen=True)
class Result:
    seconds: float
    modularity: float
    communities: int
    megabytes: float


def leaves_of(rows: int, trees: int) -> list[Labels]:
    """Return the leaf of every row in every tree."""
    from sklearn.datasets import make_classification
    from sklearn.tree import DecisionTreeClassifier

    features, labels = make_classification(rows, COLUMNS, n_informative=12, n_classes=CLASSES, random_state=0)
    features = features.astype(np.float32)
    rng = np.random.default_rng(0)
    fitted = rng.choice(rows, min(rows, FITTED), replace=False)
    leaves = []
    for tree in range(trees):
        columns = rng.choice(COLUMNS, COLUMNS * 4 // 5, replace=False)
        grown = DecisionTreeClassifier(max_depth=DEPTH, random_state=tree)
        grown.fit(features[np.ix_(fitted, columns)], labels[fitted])
        leaves.append(grown.apply(features[:, columns]).astype(np.int64))
    return leaves


def random_leaves(rows: int, trees: int) -> list[Labels]:
    rng = np.random.default_rng(0)
    return [rng.integers(2**DEPTH, size=rows) for _ in range(trees)]


def ours(leaves: list[Labels]) -> tuple[float, float, int]:
    from seepage.communities import Cliques, louvain

    louvain(Cliques.of_leaves([leaf[:500] for leaf in leaves], [1.0] * len(leaves)), np.random.default_rng(0))
    start = time.perf_counter()
    found = louvain(Cliques.of_leaves(leaves, [1.0] * len(leaves)), np.random.default_rng(0))
    return time.perf_counter() - start, found.modularity, len(np.unique(found.labels))


def peer(leaves: list[Labels]) -> tuple[float, float, int]:
    import igraph
    from scipy.sparse import csr_array, triu

    random.seed(0)  # igraph draws from here
    start = time.perf_counter()
    rows = len(leaves[0])
    together = csr_array((rows, rows))
    for leaf in leaves:
        belongs = csr_array((np.ones(rows), (np.arange(rows), leaf)))
        together = together + belongs @ belongs.T
    edges = triu(together, k=1).tocoo()
    graph = igraph.Graph(rows, np.column_stack((edges.row, edges.col)))
    found = graph.community_multilevel(weights=edges.data)
    seconds = time.perf_counter() - start
    return seconds, float(graph.modularity(found.membership, weights=edges.data)), len(found)


def measured(work: str, leaves: list[Labels]) -> Result:
    """Do the work in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_child, (work, leaves))


def _child(work: str, leaves: list[Labels]) -> Result:
    seconds, modularity, communities = {"ours": ours, "peer": peer}[work](leaves)
    # ru_maxrss would not do: a child takes over the peak of the process that started it.
    (peak,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return Result(seconds, modularity, communities, int(peak.split()[1]) / 1024)


def show(title: str, result: Result, bar: str) -> None:
    print(
        f"{title}: {result.seconds:.2f} s, {result.megabytes:.0f} MB, modularity {result.modularity:.4f}, "
        f"{result.communities} communities{bar}",
        flush=True,
    )


def main() -> None:
    chosen = sys.argv[1:] or ["igraph", "large", "random"]
    if "igraph" in chosen:
        leaves = leaves_of(20_000, 5)
        mine, plain = measured("ours", leaves), measured("peer", leaves)
        show("20,000 rows × 5 trees, igraph", plain, "")
        show("20,000 rows × 5 trees, ours", mine, "")
        print(f"{plain.seconds / mine.seconds:.0f} × faster than igraph; bar 100 at no lower modularity", flush=True)
    if "large" in chosen:
        show("1,000,000 rows × 5 trees", measured("ours", leaves_of(1_000_000, 5)), "; bar 10 s, 2048 MB")
        show("165,000 rows × 20 trees", measured("ours", leaves_of(165_000, 20)), "")
    if "random" in chosen:
        show("1,000,000 rows × 5 trees of random leaves", measured("ours", random_leaves(1_000_000, 5)), "")


if __name__ == "__main__":
    main()
