"""Tables made up on the spot."""

from typing import Final

import numpy as np

from seepage.data.table import Column, Table
from seepage.errors import BadSetting, UnknownName

DIGITS: Final = 18
PREFIX: Final = "synthetic:"
LEAST: Final = {"rows": 4, "features": 2, "classes": 2, "seed": 0}
MOST: Final = {"rows": 10**9, "features": 10**6, "classes": 1000, "seed": 2**32 - 1}
MOST_CELLS: Final = 500_000_000
"""Rows times features of the largest table that is drawn: 4 GB."""


def synthetic(*, rows: int = 1000, features: int = 20, classes: int = 2, seed: int = 0, name: str = "") -> Table:
    """Draw a classification problem with scikit-learn's ``make_classification``.

    Each class is one Gaussian cluster around a corner of a cube. Half of the
    features span that cube, a quarter are linear combinations of these, and the
    rest is noise; columns are shuffled. The combinations are what gives columns
    of different parties something in common, as columns of real tables have.

    >>> table = synthetic(rows=100, features=8, classes=3)
    >>> table.rows, len(table.columns), table.classes
    (100, 8, ('0', '1', '2'))
    """
    for setting, value in {"rows": rows, "features": features, "classes": classes, "seed": seed}.items():
        if value < LEAST[setting]:
            raise BadSetting(f"A synthetic table needs {setting} of {LEAST[setting]} or more, got {value}.")
        if value > MOST[setting]:
            raise BadSetting(f"A synthetic table has {setting} of {MOST[setting]} at most, got {value:.4g}.")
    if rows * features > MOST_CELLS:
        raise BadSetting(
            f"A synthetic table of {rows} rows and {features} features has {rows * features:.4g} cells, but at most "
            f"{MOST_CELLS:,} are drawn. Ask for fewer rows or features."
        )
    from sklearn.datasets import make_classification

    # A cube needs a corner for each class.
    informative = max(features // 2, int(np.ceil(np.log2(classes))))
    if informative > features or rows < 2 * classes:
        raise BadSetting(
            f"{classes} classes need at least {informative} features and {2 * classes} rows, "
            f"got {features} features and {rows} rows."
        )
    values, labels = make_classification(
        n_samples=rows,
        n_features=features,
        n_informative=informative,
        n_redundant=min(features // 4, features - informative),
        n_classes=classes,
        n_clusters_per_class=1,
        random_state=seed,
    )
    return Table(
        name=name or f"{PREFIX}rows={rows},features={features},classes={classes},seed={seed}",
        columns=tuple(Column(f"x{place}", column) for place, column in enumerate(np.ascontiguousarray(values.T))),
        labels=labels.astype(np.int64),
        classes=tuple(map(str, range(classes))),
        ids=np.arange(rows),
    )


def synthetic_by_name(name: str) -> Table:
    """Read the parameters from a name such as ``synthetic:rows=2000,features=20,classes=3``."""
    settings: dict[str, int] = {}
    for part in filter(None, name.removeprefix(PREFIX).split(",")):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key not in LEAST:
            raise UnknownName("key", key, known=LEAST)
        if not value.isdecimal():
            raise BadSetting(f"'{part}' in data set '{name}' should be {key}= and a whole number.")
        settings[key] = int(value) if len(value) <= DIGITS else 10**DIGITS  # too large, whatever it is
    return synthetic(**settings, name=name)


def load_synthetic_1(*, impute: bool = False) -> Table:
    """Draw the first synthetic table of Luo et al. (ICDE 2021, Table II): 100 000 × 25, 10 classes.

    The paper gives sizes only; what else `synthetic` chooses is ours.
    """
    del impute  # no value is missing
    return synthetic(rows=100_000, features=25, classes=10, seed=1, name="synthetic-1")


def load_synthetic_2(*, impute: bool = False) -> Table:
    """Draw the second synthetic table of Luo et al. (ICDE 2021, Table II): 100 000 × 50, 5 classes."""
    del impute  # no value is missing
    return synthetic(rows=100_000, features=50, classes=5, seed=2, name="synthetic-2")
