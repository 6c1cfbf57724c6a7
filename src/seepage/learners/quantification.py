"""Estimate which fraction of a population has a property: quantification, as the statisticians call it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.learners.small_network import SmallNetwork
from seepage.randomness import small_seed
from seepage.shapes import Floats, Mask, Matrix

Classifier: TypeAlias = Literal["boosting", "logistic", "network"]
FOLDS: Final = 5
SURE: Final = 2.0
"""How many standard errors apart the two sides must be scored before a correction is trusted."""


@dataclass(frozen=True, kw_only=True)
class Quantified:
    """What counting says about rows whose property is not known.

    Parameters
    ----------
    probabilistic
        The mean score, corrected by the mean scores of known rows of both sides
        that were held out (probabilistic adjusted count).
    adjusted
        The share classified as having it, corrected by hit rate and false alarm
        rate on held-out rows (adjusted count).
    counted, averaged
        Both without a correction.
    separation
        How far apart both sides are scored on average, between 0 and 1.
    informative
        Whether that is more than chance; otherwise both corrected numbers are
        the share of the known rows, since there is nothing to correct with.
    largest
        The largest score of a held-out row: how sure the classifier ever is.
    """

    probabilistic: float
    adjusted: float
    counted: float
    averaged: float
    separation: float
    informative: bool
    largest: float


def quantify(
    known: Matrix, has: Mask, unknown: Matrix, rng: Generator, classifier: Classifier = "boosting", folds: int = FOLDS
) -> Quantified:
    r"""Estimate the fraction among unknown rows from known ones, whatever fraction the known ones have.

    A classifier is fitted to all folds of the known rows but one; its mean
    scores on that fold, :math:`s_1` for rows with the property and :math:`s_0`
    for those without, correct its mean score :math:`s` of the unknown rows,

    .. math:: \hat t = \frac{s - s_0}{s_1 - s_0},

    all three in the mean over folds, so that what is corrected is the mean of
    the classifiers. The result is clipped to [0, 1]. This holds as long as known
    rows of either side are drawn from that side at random [1]_ [2]_. With fewer than two known
    rows of a side none can be held out, and there is nothing to correct with; nor
    is there anything to count without unknown rows.

    Notes
    -----
    Correcting each fold by itself and weighing folds by how well they tell the
    sides apart has the noise of each fold twice in the sum of weights: the result
    is then pulled towards the share of the known rows, by 0.1 and more where
    the sides are close.

    References
    ----------
    .. [1] G. Forman, "Quantifying counts and costs via classification", Data
       Mining and Knowledge Discovery 17, 2008.
    .. [2] A. Bella et al., "Quantification via Probability Estimators", ICDM 2010.
    """
    from sklearn.model_selection import StratifiedKFold

    splits, prior = min(folds, int(has.sum()), int((~has).sum())), float(has.mean())
    if splits < 2 or len(unknown) == 0:
        alike = dict.fromkeys(("probabilistic", "adjusted", "counted", "averaged", "largest"), prior)
        return Quantified(**alike, separation=0.0, informative=False)
    deal = StratifiedKFold(splits, shuffle=True, random_state=small_seed(rng))
    held, on_unknown = np.zeros(len(has)), np.zeros((splits, len(unknown)))
    for fold, (fitted, left_out) in enumerate(deal.split(known, has)):
        score = fitted_scores(known[fitted], has[fitted], classifier, rng)
        held[left_out], on_unknown[fold] = score(known[left_out]), score(unknown)
    with_it, without = held[has], held[~has]
    scores = float(with_it.mean()), float(without.mean())
    separation = scores[0] - scores[1]
    informative = separation > SURE * float(np.sqrt(with_it.var() / len(with_it) + without.var() / len(without)))
    averaged, counted = float(on_unknown.mean()), float((on_unknown > 0.5).mean())
    rates = float((with_it > 0.5).mean()), float((without > 0.5).mean())
    return Quantified(
        probabilistic=corrected(averaged, *scores) if informative else prior,
        adjusted=corrected(counted, *rates) if informative else prior,
        counted=counted,
        averaged=averaged,
        separation=max(0.0, separation),
        informative=informative,
        largest=float(held.max()),
    )


def corrected(found: float, with_it: float, without: float) -> float:
    """Return the fraction at which a score would be what was found, between its means of either side.

    Where both are the same it is one half.

    >>> corrected(0.375, with_it=0.75, without=0.25)
    0.25
    """
    if with_it <= without:
        return 0.5
    return min(1.0, max(0.0, (found - without) / (with_it - without)))


def fitted_scores(rows: Matrix, has: Mask, classifier: Classifier, rng: Generator) -> Callable[[Matrix], Floats]:
    """Fit a classifier and return what scores rows: near 1 for those that should have the property."""
    if classifier == "network":
        return SmallNetwork().fitted(rows, has, rng)
    if classifier == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        fitted: Any = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(rows, has)
    else:
        from xgboost import XGBClassifier

        fitted = XGBClassifier(
            n_estimators=100, max_depth=4, learning_rate=0.1, subsample=0.8, n_jobs=1, random_state=small_seed(rng)
        ).fit(rows, has)
    return lambda others: np.asarray(fitted.predict_proba(others)[:, 1], dtype=np.float64)


def with_known(fraction: float, has: Mask, unknown: int) -> float:
    """Return the fraction among all rows, those whose property is known counted as what they are.

    >>> with_known(0.5, np.array([True, True, True, False]), unknown=4)
    0.625
    """
    return float((has.sum() + fraction * unknown) / (len(has) + unknown))
