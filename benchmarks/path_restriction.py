"""Path restriction of 100,000 rows on a full tree of depth 10, against Algorithm 1 row by row.

The tree is random: 1,024 leaves, 20 columns of which the adversary holds half,
five classes. Timed is all that the attack does once tree and predictions are
read: which leaves can be reached, which of them fit, and the choice of one.
The peer is Algorithm 1 of paper 002 as printed, a queue for each row, in plain
Python; it is timed on a sample in the same run and taken times the number of
rows. Both must name the same candidates.

    python benchmarks/path_restriction.py
"""

import time
from pathlib import Path

import numpy as np

from seepage.attacks.features.path_restriction import PathRestriction
from seepage.shapes import Labels, Mask, Matrix
from seepage.trees.paths import one_of, paths_to_leaves, possible_leaves, reachable_leaves
from seepage.trees.whole_tree import WholeTree

ROWS, DEPTH, COLUMNS, CLASSES, SAMPLE, TURNS = 100_000, 10, 20, 5, 200, 5
KNOWN = np.arange(0, COLUMNS, 2)


def full_tree(rng: np.random.Generator) -> WholeTree:
    inner, nodes = 2**DEPTH - 1, 2 ** (DEPTH + 1) - 1
    number = np.arange(nodes)
    leaf = number >= inner
    return WholeTree(
        column=np.where(leaf, -1, rng.integers(COLUMNS, size=nodes)),
        threshold=rng.uniform(0.2, 0.8, nodes).astype(np.float32),
        missing_left=rng.random(nodes) < 0.5,
        left=np.where(leaf, -1, 2 * number + 1),
        right=np.where(leaf, -1, 2 * number + 2),
        values=np.where(leaf[:, None], rng.dirichlet(np.ones(CLASSES), nodes), 0.0),
        grafted=np.zeros(nodes, dtype=np.bool_),
    )


def ours(tree: WholeTree, own: Matrix, confidences: Matrix) -> tuple[Labels, Mask]:
    """Do what the attack does, in its words."""
    paths = paths_to_leaves(tree, np.setdiff1d(np.arange(COLUMNS), KNOWN))
    reachable = reachable_leaves(tree, KNOWN, own)
    reachable[:, ~possible_leaves(tree, paths)] = False
    candidates, _ = PathRestriction().fitting(tree, reachable, confidences)
    return one_of(candidates, np.random.default_rng(0)), candidates


def row_by_row(tree: WholeTree, rows: Matrix, classes: Labels, dead: set[int]) -> list[set[int]]:
    """Follow Algorithm 1 for one row after the other."""
    column, threshold = tree.column.tolist(), tree.threshold.tolist()
    missing, labels = tree.missing_left.tolist(), tree.labels.tolist()
    known, found = set(KNOWN.tolist()), []
    for row, label in zip(rows.tolist(), classes.tolist(), strict=True):
        beta, queue = [0] * len(column), [0]
        beta[0] = 1
        for node in queue:  # what is appended below is visited too
            if column[node] < 0:
                continue
            left, right = 2 * node + 1, 2 * node + 2
            if column[node] in known:
                value = row[column[node]]
                goes_left = missing[node] if value != value else value <= threshold[node]
                beta[left], beta[right] = (beta[node], 0) if goes_left else (0, beta[node])
            else:
                beta[left] = beta[right] = beta[node]
            queue += [left, right]
        leaves = range(len(column) // 2, len(column))
        found.append({leaf for leaf in leaves if beta[leaf] and labels[leaf] == label and leaf not in dead})
    return found


def peak_megabytes() -> float:
    (peak,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(peak.split()[1]) / 1024


def main() -> None:
    rng = np.random.default_rng(0)
    tree, rows = full_tree(rng), rng.random((ROWS, COLUMNS)).astype(np.float32)
    classes = tree.labels[tree.leaf_of(rows)]
    confidences, own = np.eye(CLASSES)[classes], rows[:, KNOWN]
    possible = possible_leaves(tree, paths_to_leaves(tree, np.setdiff1d(np.arange(COLUMNS), KNOWN)))
    dead, sample = set(tree.leaves[~possible].tolist()), slice(0, SAMPLE)
    before, mine, plain = peak_megabytes(), [], []
    for _ in range(TURNS):
        start = time.perf_counter()
        _, candidates = ours(tree, own, confidences)
        middle = time.perf_counter()
        expected = row_by_row(tree, rows[sample], classes[sample], dead)
        mine.append(middle - start)
        plain.append((time.perf_counter() - middle) * ROWS / SAMPLE)
    assert [set(tree.leaves[fits].tolist()) for fits in candidates[sample]] == expected
    seconds, other = float(np.median(mine)), float(np.median(plain))
    print(
        f"path restriction, {ROWS:,} rows × {len(tree.leaves):,} leaves: {seconds:.2f} s, "
        f"{peak_megabytes() - before:.0f} MB on top; bar 2 s\n"
        f"{other / seconds:.0f} × faster than Algorithm 1 row by row ({other:.0f} s, from {SAMPLE} rows)"
    )


if __name__ == "__main__":
    main()
