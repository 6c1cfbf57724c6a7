"""Figures 5 to 8 and 11 of paper 002. The paper prints no numbers for them."""

from dataclasses import replace
from typing import Final

from seepage.papers.feature_figure import FeatureFigure
from seepage.papers.feature_setting import DT, GRN, LR, NN, RF
from seepage.papers.readings import Reading
from seepage.papers.variants import UNDEFENDED, Variant

SHARES: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
THREE_SHARES: Final = (0.1, 0.3, 0.6)
_ESA: Final = "equality-solving"
_BOUNDED: Final = "bounded-equality-solving"
_PRA: Final = "path-restriction"
_PAGE: Final = "feature-inference.md"
_DEFENDED: Final = "feature-defenses.md"
_MSE: Final = (
    "MSE per feature in units of each column's range, mean±standard deviation over seeds. ½, uniform and Gaussian are "
    "guesses that need no message; the column mean needs the truth."
)


def _blind(attack: str) -> tuple[Reading, ...]:
    return (
        Reading("uniform", attack, metric="mse_uniform"),
        Reading("Gaussian", attack, metric="mse_gaussian"),
        Reading("½", attack, metric="mse_half"),
        Reading("column mean", attack, metric="mse_column_mean"),
    )


EQUATIONS: Final = FeatureFigure(
    title="Figure 5 of paper 002: equality solving on logistic regression",
    note=_MSE + " Eq. 15: the paper's bound. exact: whether recovery is announced to be exact.",
    page=_PAGE,
    readings=(
        Reading("ESA", _ESA),
        Reading("bounded", _BOUNDED),
        *_blind(_ESA),
        Reading("Eq. 15", _ESA, metric="bounds.equality_solving.mse_bound"),
        Reading("exact", _ESA, metric="exact"),
    ),
    models=(LR,),
    shares=SHARES,
)

PATHS: Final = FeatureFigure(
    title="Figure 6 of paper 002: path restriction on a decision tree",
    note=(
        "Correct branching rate, mean±standard deviation over seeds. expected: over all candidate paths instead of one "
        "draw. own columns: a path that own columns allow, without the prediction. any path: the paper's random guess."
    ),
    page=_PAGE,
    readings=(
        Reading("PRA", _PRA),
        Reading("expected", _PRA, metric="branching_rate_expected"),
        Reading("own columns", _PRA, metric="branching_rate_own_columns"),
        Reading("any path", _PRA, metric="branching_rate_any_leaf"),
        Reading("paths left", _PRA, metric="paths_mean"),
    ),
    models=(DT,),
    shares=SHARES,
    digits=3,
    seeds=20,
)

GENERATED: Final = FeatureFigure(
    title="Figure 7 of paper 002: generative regression on three models",
    note=_MSE,
    page=_PAGE,
    readings=(Reading("GRN", GRN), *_blind(GRN), Reading("confidence error", GRN, metric="confidence_error")),
    models=(LR, NN, RF),
    shares=THREE_SHARES,
)

GENERATED_AS_PUBLISHED: Final = replace(
    GENERATED,
    title="Figure 7 of paper 002, with the settings of the authors' code",
    published=True,
    seeds=2,
)

GENERATED_BRANCHES: Final = FeatureFigure(
    title="Figure 8 of paper 002: branches of a forest that generative regression infers",
    note=(
        "Correct branching rate over all trees, mean±standard deviation over seeds: of the guess, of a constant ½ and "
        "of uniform values."
    ),
    page=_PAGE,
    readings=(
        Reading("GRN", GRN, metric="branching_rate"),
        Reading("½", GRN, metric="branching_rate_half"),
        Reading("uniform", GRN, metric="branching_rate_uniform"),
    ),
    models=(RF,),
    shares=THREE_SHARES,
    digits=3,
)


def rounding(digits: int) -> Variant:
    """Released confidences rounded down."""
    return Variant(f"rounding, {digits} digit{'s' * (digits > 1)}", "rounding", {"digits": digits})


def dropout(rate: float) -> Variant:
    """Hidden units left out while training."""
    return Variant(f"dropout {rate:g}", "dropout", {"rate": rate})


ROUNDED: Final = FeatureFigure(
    title="Figure 11, a to d, of paper 002: rounded confidences",
    note=_MSE,
    page=_DEFENDED,
    readings=(
        Reading("ESA", _ESA),
        Reading("bounded", _BOUNDED),
        Reading("GRN", GRN),
        *_blind(_ESA)[2:],
    ),
    models=(LR,),
    shares=(0.3,),
    variants=(UNDEFENDED, rounding(3), rounding(2), rounding(1)),
)

DROPPED: Final = FeatureFigure(
    title="Figure 11, e and f, of paper 002: networks trained with dropout",
    note=_MSE + " The paper does not say which rate it used.",
    page=_DEFENDED,
    readings=(Reading("GRN", GRN), *_blind(GRN)[2:]),
    models=(NN,),
    shares=(0.3,),
    variants=(UNDEFENDED, dropout(0.2), dropout(0.5)),
)
