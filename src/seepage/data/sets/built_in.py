"""The data sets that come with scikit-learn."""

from typing import Any

import numpy as np

from seepage.data.sets.pictures import picture_table
from seepage.data.table import Column, Table


def load_breast_cancer(*, impute: bool = False) -> Table:
    """Load Breast Cancer Wisconsin: 569 tumors, 30 measurements each; malignant or benign."""
    from sklearn import datasets

    del impute  # no value is missing
    return _table("breast_cancer", datasets.load_breast_cancer())


def load_iris(*, impute: bool = False) -> Table:
    """Load 150 irises, 4 measurements each; three species."""
    from sklearn import datasets

    del impute  # no value is missing
    return _table("iris", datasets.load_iris())


def load_wine(*, impute: bool = False) -> Table:
    """Load 178 wines, 13 measurements each; three growers."""
    from sklearn import datasets

    del impute  # no value is missing
    return _table("wine", datasets.load_wine())


def load_digits(*, impute: bool = False) -> Table:
    """Load 1 797 handwritten digits as gray pictures of 8 × 8 pixels with values 0 to 16."""
    from sklearn import datasets

    del impute  # no value is missing
    digits = datasets.load_digits()
    return picture_table(
        "digits",
        digits.images.astype(np.uint8)[:, np.newaxis],
        digits.target,
        tuple(map(str, digits.target_names)),
        limits=(0.0, 16.0),
    )


def _table(name: str, bundle: Any) -> Table:
    columns = zip(bundle.feature_names, np.ascontiguousarray(bundle.data.T), strict=True)
    return Table(
        name=name,
        columns=tuple(Column(str(column), values) for column, values in columns),
        labels=bundle.target.astype(np.int64),
        classes=tuple(map(str, bundle.target_names)),
        ids=np.arange(len(bundle.target)),
    )
