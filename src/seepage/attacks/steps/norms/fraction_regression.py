"""Learn the fraction of a population from a vector that describes it."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.randomness import small_seed
from seepage.shapes import Array, Matrix

Regressor: TypeAlias = Literal["xgboost", "tree", "linear", "svr"]


def fitted_regressor(
    vectors: Matrix, fractions: Array, regressor: Regressor, rng: Generator
) -> Callable[[Matrix], Array]:
    """Fit a regressor and return what it says of other populations, clipped to [0, 1].

    ``xgboost`` has the settings of paper 000: squared error, 100 rounds, rate 0.1,
    depth 6, exact splits. ``tree`` and ``linear`` are scikit-learn's defaults. For
    ``svr`` every entry of the vector and the fraction are standardized first, and its
    tolerance is 0.01 of that: left at 0.1 of a fraction it would swallow what is
    to be measured. Vectors are put into units of their own spread, since norms of
    gradients can be so small that a tree takes them for constant.

    >>> rng = np.random.default_rng(0)
    >>> fractions = np.linspace(0, 1, 21)
    >>> said = fitted_regressor(fractions[:, None], fractions, "linear", rng)
    >>> said(np.array([[0.25], [1.5]])).round(2)
    array([0.25, 1.  ])
    """
    unit = float(vectors.std()) or 1.0
    fitted = _unfitted(regressor, small_seed(rng)).fit(vectors / unit, fractions)
    return lambda others: np.clip(np.asarray(fitted.predict(others / unit), dtype=np.float64), 0.0, 1.0)


def _unfitted(regressor: Regressor, seed: int) -> Any:  # regressors of three libraries
    if regressor == "xgboost":
        from xgboost import XGBRegressor

        return XGBRegressor(
            objective="reg:squarederror",
            n_estimators=100,
            learning_rate=0.1,
            max_depth=6,
            tree_method="exact",
            n_jobs=1,
            random_state=seed,
        )
    if regressor == "tree":
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(random_state=seed)
    if regressor == "linear":
        from sklearn.linear_model import LinearRegression

        return LinearRegression()
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    return TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR(epsilon=0.01)), transformer=StandardScaler())
