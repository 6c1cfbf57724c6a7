"""Outputs of a network in two dimensions, as counts on a grid: Figure 4 of paper 001."""

from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from seepage.randomness import small_seed
from seepage.shapes import Labels, Matrix

CELLS: Final = 24
MOST: Final = 300
"""Rows that are drawn at most: 300 take less than a second."""
ITERATIONS: Final = 500
PERPLEXITY: Final = 30.0
LEVEL: Final = 1e-9
"""Outputs whose spread is below this share of their size count as all the same."""


def projection_grid(
    outputs: Matrix, labels: Labels, classes: int, rng: Generator, cells: int = CELLS, most: int = MOST
) -> dict[str, Any]:
    """Lay rows out by t-SNE [1]_ and count, for each cell of a square grid, how many rows of which class lie there.

    Counts are kept instead of points, because a finding holds no records. Both
    axes have one scale. The result is the same for the same generator.

    Parameters
    ----------
    outputs
        Rows by outputs of a bottom model, or of several side by side.
    labels
        The true class of each row: the picture is for who audits, and no attack sees it.
    classes
        How many classes there are.
    cells
        How many cells the grid has along each side.
    most
        How many rows to sample at most.

    Returns
    -------
    dict
        Plain values: ``grid`` (cells along a side), ``classes``, ``rows`` (how many
        were sampled), and ``counts``, a sorted list of ``[x, y, class, rows]``, with
        ``x`` counted from the left, ``y`` from the top, and no entry where nobody is.

    Examples
    --------
    Where outputs are all the same, one cell holds all rows, two of each class here:

    >>> labels = np.array([0, 0, 1, 1])
    >>> projection_grid(np.zeros((4, 3)), labels, 2, np.random.default_rng(0), cells=4)
    {'grid': 4, 'classes': 2, 'rows': 4, 'counts': [[2, 2, 0, 2], [2, 2, 1, 2]]}

    References
    ----------
    .. [1] L. van der Maaten and G. Hinton, "Visualizing Data using t-SNE", JMLR 2008.
    """
    if not len(outputs) or len(outputs) != len(labels):
        raise ValueError(f"a projection needs rows with one label each, got {len(outputs)} rows, {len(labels)} labels")
    if cells < 1 or most < 1:
        raise ValueError(f"cells and most must be 1 or more, got {cells} and {most}")
    chosen = np.sort(rng.choice(len(outputs), size=min(most, len(outputs)), replace=False))
    values = np.asarray(outputs[chosen], dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("outputs must be numbers to be laid out, but some are infinite or not numbers")
    places = _cells_of(_embedded(values, small_seed(rng)), cells)
    counted, counts = np.unique(np.column_stack((places, labels[chosen])), axis=0, return_counts=True)
    return {
        "grid": cells,
        "classes": classes,
        "rows": len(chosen),
        "counts": np.column_stack((counted, counts)).tolist(),
    }


def _embedded(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return a place in the plane for each row; all in one place where rows do not differ."""
    rows = len(values)
    centred = values - values.mean(axis=0)
    spread = np.abs(centred).max(initial=0.0)
    if spread <= LEVEL * np.abs(values).max(initial=0.0):  # PCA of nothing has no direction
        return np.zeros((rows, 2))
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    scaled = centred / spread  # neighbors stay neighbors, and nothing overflows
    wide = np.pad(scaled, ((0, 0), (0, max(0, 2 - scaled.shape[1]))))  # PCA needs two columns to begin with
    tsne = TSNE(perplexity=min(PERPLEXITY, (rows - 1) / 3), init="pca", max_iter=ITERATIONS, random_state=seed)
    with threadpool_limits(limits=1):  # threads add up in any order, and a picture must repeat itself
        return np.asarray(tsne.fit_transform(wide), dtype=np.float64)


def _cells_of(places: NDArray[np.float64], cells: int) -> NDArray[np.int64]:
    """Return the cell of each place, on a square around all of them."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = float((high - low).max())
    if span <= 0:
        return np.full(places.shape, cells // 2)
    within = (places - (low + high) / 2) / span + 0.5
    return np.asarray(np.clip((within * cells).astype(np.int64), 0, cells - 1))
