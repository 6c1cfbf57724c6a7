"""Find the columns behind embeddings with the released model that made them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.inversion.box_projection import nearest_in_box
from seepage.attacks.steps.inversion.linear_equations import LinearEquations
from seepage.attacks.steps.values.known_values import KnownValues, known_values, own_inputs, own_labels
from seepage.attacks.steps.values.told_rows import ToldNewRows, told_new_rows, told_training_rows
from seepage.checks import check_choice
from seepage.errors import IncompatibleView
from seepage.guesses import FeatureGuess
from seepage.shapes import NO_ROWS, Array, Floats, Matrix, Rows
from seepage.views import Epochs, Kind, ModelKind, Needs, View
from seepage.views.joint_columns import RangedColumns
from seepage.views.received_embeddings import SentEmbeddings, new_embeddings, training_embeddings
from seepage.views.released import ReleasedBottom, released_bottoms

if TYPE_CHECKING:
    from seepage.attacks.steps.inversion.bottom_outputs import BottomOutputs

InvertedRows: TypeAlias = Literal["new", "train"]
EXACT_VARIANCE: Final = 1e-24
"""How far a partial logit may be off, squared: rounding."""
SUM_VARIANCE: Final = 1e-8
"""How far the indicators of one attribute may be from adding up to one, squared, beside partial logits."""
HALF: Final = 0.5
UNIFORM: Final = 1 / 12
LEAST_VARIANCE: Final = 1e-4
"""The first idea of how columns vary: uniform, or as an indicator does; a range of one value hardly does."""
NOTHING_SENT: Final[Mapping[InvertedRows, str]] = {
    "new": "No embeddings of new rows were recorded, so there is nothing to invert.\n"
    "Record a run that makes predictions, or invert training rows (--set rows=train).",
    "train": "No other party sent embeddings of a training row whose values are not known, so there is nothing to "
    "invert.\nLet fewer values be known, or invert new rows (--set rows=new).",
}
"""What to do where there is nothing to invert."""
UNEXPLAINED: Final = 0.1
"""Rows whose embedding is missed by more than this share of its length were not made by the released model."""


@dataclass(frozen=True, kw_only=True)
class EmbeddingInversion(Attack[FeatureGuess]):
    r"""Find values inside the published ranges whose embedding is the one that was sent.

    Once the bottom models are released, an embedding *e* is a set of equations
    about one party's columns of one row, more than confidences give:

    .. math:: f(x) = e, \quad l \le x \le h.

    Linear bottom models are solved exactly: where there are as many outputs as
    columns, nothing is left to guess; otherwise the solution inside the ranges
    nearest to their middle is taken, or, where some rows are known, the likeliest
    one given what these have taught about embeddings (`told_new_rows`). Other models leave many solutions too. Which
    of them is likely shows in all rows together: on each, other units of the
    network are at work and other directions are pinned down. So the
    mean of the columns given own columns, and their covariance, are learned
    from the embeddings alone (empirical Bayes), and each row gets the likeliest
    values that explain its embedding.

    Parameters
    ----------
    known
        For how many training rows the others' values are known. They are where
        learning the population starts, and count in it; none are needed. Eight or more also say how far to trust
        the inversion beside own columns; see `weighed_with_blind`.
    rows
        Which embeddings to invert: those of ``new`` rows, or of ``train`` ones, as the last epoch sent them.

    Notes
    -----
    He et al. [1]_ descend on :math:`\lVert f(x) - e \rVert^2` with a penalty
    on rough pictures. Here Gauss-Newton steps descend for all rows at once
    from the mean of the population, with a tolerance that falls step by step,
    and the population in the penalty's place; see
    `seepage.attacks.steps.inversion.population_inversion`. An output of 0 behind a ReLU says that
    the number before it was 0 or less, and is used as that. Indicators of one
    attribute add up to one. With more than 128 columns they are taken to be
    independent.

    The last epoch's embeddings of *training rows* were made by weights of up to
    an epoch before those released: close to these once training has settled.
    What the difference makes of them counts as noise, which is learned on the
    way. Known rows are not guessed.

    `notes` hold `embedding_error`, how far guessed values' embeddings are from
    those sent as a share of their length, and `unexplained`, the share of rows
    missed by more than a tenth. Either tells an adversary by itself that the
    model is not the one that was trained, or that embeddings were changed on
    their way. With known rows `share_inverted` says how far the inversion was
    trusted, of 1.

    References
    ----------
    .. [1] Z. He, T. Zhang and R. B. Lee, "Model Inversion Attacks Against
       Collaborative Inference", ACSAC 2019.

    Examples
    --------
    >>> EmbeddingInversion(known=15).needs.known_values
    15
    """

    name = "embedding-inversion"
    steals = "features"

    known: int = 0
    rows: InvertedRows = "new"

    def __post_init__(self) -> None:
        if self.known < 0 or self.known == 1:
            raise ValueError(f"known must be 0, or 2 or more, got {self.known}")
        check_choice(InvertedRows, rows=self.rows)

    @property
    def needs(self) -> Needs:
        """The embeddings of new rows or of the last epoch, the models that made them, and values to start from."""
        last = Epochs.only(-1) if self.rows == "train" else Epochs.only()
        return Needs(
            received=frozenset({Kind.EMBEDDING, Kind.MODEL}),
            epochs=Epochs.all() if self.known else last,
            active=True,
            models=frozenset({ModelKind.LINEAR, ModelKind.NETWORK}),
            known_values=self.known,
            labels_if_held=self.known > 0,
        )

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Invert the embeddings of one party after the other."""
        bottoms = {bottom.party: bottom for bottom in released_bottoms(view)}
        sent = [one for one in self._asked(view) if one.party in bottoms and len(one.rows)]
        if not sent:
            raise IncompatibleView(NOTHING_SENT[self.rows])
        known = _known(view, self, rng)
        rows = np.unique(np.concatenate([one.rows for one in sent]))
        parts, errors, weights = zip(
            *(_inverted(view, bottoms[one.party], one, known, rng) for one in sent), strict=True
        )
        read = [bottoms[one.party].columns for one in sent]
        laid = [_laid(part, one.rows, rows, its) for part, one, its in zip(parts, sent, read, strict=True)]
        missed = np.concatenate(errors)
        return FeatureGuess(
            rows=rows,
            columns=tuple(column for its in read for column in its.targets),
            units=np.hstack(laid),
            notes={
                "embedding_error": float(np.sqrt(np.mean(missed**2))),
                "unexplained": float(np.mean(missed > UNEXPLAINED)),
                **({"share_inverted": float(np.mean(weights))} if self.known else {}),
            },
        )

    def _asked(self, view: View) -> tuple[SentEmbeddings, ...]:
        """Return the embeddings to invert: of new rows, or the last ones of training rows that are not known."""
        if self.rows == "new":
            return new_embeddings(view)
        given = view.knowledge.value_rows if self.known else NO_ROWS
        return tuple(one.without(given) for one in _last(view).values())


@dataclass(frozen=True, eq=False)
class _Known:
    """Rows whose values are known, and the values of every column in units."""

    rows: Rows
    units: Mapping[tuple[str, str], Matrix]
    values: KnownValues | None = None
    sent: Mapping[str, SentEmbeddings] = field(default_factory=dict)

    def of(self, view: View, read: RangedColumns) -> Floats:
        """Return the known values of all columns that a model reads."""
        values = read.held(view, self.rows)
        for place in read.unknown:
            values[:, place] = self.units.get(read.columns[place], read.middle[place])
        return values


def _known(view: View, attack: EmbeddingInversion, rng: Generator) -> _Known:
    if not attack.known:
        return _Known(NO_ROWS, {})
    known = known_values(view, attack.known, rng)
    sent = _last(view) if attack.rows == "train" else {}
    return _Known(known.rows, dict(zip(known.targets.columns, known.units.T, strict=True)), known, sent)


def _last(view: View) -> dict[str, SentEmbeddings]:
    """Return what each party sent of training rows in the last epoch."""
    return {one.party: one for one in training_embeddings(view, Epochs.only(-1))}


def _inverted(
    view: View, bottom: ReleasedBottom, sent: SentEmbeddings, known: _Known, rng: Generator
) -> tuple[Matrix, Array, float]:
    """Solve for one party's columns; say how far each row's embedding is missed, and how far to trust the inversion."""
    from seepage.attacks.steps.inversion.bottom_outputs import BottomOutputs

    read = bottom.columns
    outputs = BottomOutputs.of(bottom.network, read.low, read.width)
    embeddings = sent.embeddings.astype(np.float64)
    values, _ = outputs.at(read.middle[None])
    if values.shape[1] != embeddings.shape[1]:
        raise IncompatibleView(
            f"The model that '{bottom.party}' released has {values.shape[1]} outputs, but the embeddings that it sent "
            f"have {embeddings.shape[1]} numbers.\nGive the model that was trained."
        )
    linear = outputs.linear()
    weight = 1.0
    if linear is None:
        units, errors, weight = _likeliest(view, outputs, read, sent, known, rng)
    else:
        held = read.held(view, sent.rows)
        units, errors = _solved(linear, read, embeddings, held, lambda: _taught(view, read, sent, known, rng))
    length = np.sqrt(np.mean(np.sum(embeddings**2, axis=1))) or 1.0
    return units[:, read.unknown], np.linalg.norm(errors, axis=1) / length, weight


def _taught(
    view: View, read: RangedColumns, sent: SentEmbeddings, known: _Known, rng: Generator
) -> tuple[Matrix, Array] | None:
    """Learn what rows are like: expected values, and how far off they are; None where no row is known.

    Of training rows the last embedding is among those that were learned from, so that nothing is left to be added.
    """
    if known.values is None:
        return None
    every = Epochs.all()
    taught = told_training_rows(view, known.values, every, rng)
    told = taught if known.sent else told_new_rows(view, taught, every, rng)
    place = {column: number for number, column in enumerate(known.values.targets.columns)}
    if any(column not in place for column in read.targets) or not np.isin(sent.rows, told.rows).all():
        return None
    columns = [place[column] for column in read.targets]
    variances = told.variances(rng)[columns] if isinstance(told, ToldNewRows) else np.zeros(len(columns))
    return told.units[np.searchsorted(told.rows, sent.rows)][:, columns], variances


def _solved(
    linear: tuple[Matrix, Matrix],
    read: RangedColumns,
    embeddings: Matrix,
    held: Matrix,
    taught: Callable[[], tuple[Matrix, Array] | None],
) -> tuple[Matrix, Matrix]:
    """Solve linear equations: exactly, or as near as they allow to what is expected, or to the middle of the ranges."""
    weights, intercept = linear
    unknown = read.unknown
    given = np.nan_to_num(held) @ weights.T + intercept
    equations = LinearEquations(weights[:, unknown], embeddings - given, np.eye(len(weights)))
    units = held.copy()
    if equations.exact:
        units[:, unknown] = equations.nearest_to_zero()
    else:
        expected = taught()
        units[:, unknown] = _nearest(equations, read) if expected is None else _expected(equations, expected)
    return units, embeddings - units @ weights.T - intercept


def _expected(equations: LinearEquations, taught: tuple[Matrix, Array]) -> Matrix:
    r"""Move what is expected onto the equations, most where it is least certain.

    .. math:: x = \mu + S A^\top (A S A^\top)^{+} (b - A \mu)

    with independent errors: known rows are too few to tell how errors of columns go together, and hardly
    enough to tell how large each is, so that half of every variance is the mean of all.
    """
    matrix = equations.matrix
    expected, variances = taught
    spread = (variances + variances.mean())[:, None] * matrix.T
    gain = spread @ np.linalg.pinv(matrix @ spread)
    return np.asarray(np.clip(expected + (equations.sides - expected @ matrix.T) @ gain.T, 0.0, 1.0))


def _nearest(equations: LinearEquations, read: RangedColumns) -> Matrix:
    """Return the solutions inside the ranges nearest to their middle; indicators of one attribute add up to one."""
    unknown = read.unknown
    groups = [group for group in read.groups if np.isin(group, unknown).all()]
    sums = np.array([np.isin(unknown, group) for group in groups], dtype=np.float64).reshape(-1, len(unknown))
    matrix = np.concatenate((equations.matrix, sums))
    sides = np.hstack((equations.sides, np.ones((len(equations.sides), len(sums)))))
    variances = np.repeat([EXACT_VARIANCE, SUM_VARIANCE], [len(equations.matrix), len(sums)])[None]
    return nearest_in_box(LinearEquations(matrix, sides, np.eye(len(matrix))), read.middle[unknown], variances)


def _likeliest(
    view: View,
    outputs: "BottomOutputs",
    read: RangedColumns,
    sent: SentEmbeddings,
    known: _Known,
    rng: Generator,
) -> tuple[Matrix, Matrix, float]:
    """Find the likeliest values that explain each embedding, how far they are from that, and how far to trust them."""
    from seepage.attacks.steps.inversion.known_weighing import KnownRows, weighed_with_blind
    from seepage.attacks.steps.inversion.population_inversion import PopulationInversion, SentRows

    both = np.concatenate((sent.rows, known.rows))
    own = own_inputs(view)[both]
    spread = own.std(axis=0)
    own = (own - own.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    even = np.where(read.middle < HALF, read.middle * (1 - read.middle), UNIFORM)
    outputs = outputs.heard(sent.embeddings)
    inversion = PopulationInversion(outputs, read.middle, np.maximum(even, LEAST_VARIANCE), read.groups)
    count = len(sent.rows)
    rows = SentRows(sent.embeddings.astype(np.float64) / outputs.unit, own[:count], read.held(view, sent.rows))
    units = known.of(view, read)
    found = inversion.inverted(rows, (units, own[count:]), rng)
    if not len(known.rows):
        return found.units, found.errors, 1.0
    lately, inputs = known.sent.get(sent.party), own_inputs(view)
    if lately is None:
        said = outputs.sent(units, rng)
    else:
        said = np.asarray(lately.at(known.rows) / outputs.unit, dtype=np.float64)
        inputs = np.hstack((inputs, own_labels(view, len(inputs))))
    told = SentRows(said, own[count:], read.held(view, known.rows))
    there = np.flatnonzero(~np.isnan(said).any(axis=1))
    weighed, weight = weighed_with_blind(
        found.units,
        rows,
        np.asarray(inputs[sent.rows], dtype=np.float64),
        KnownRows(units, own[count:], told, np.asarray(inputs[known.rows], dtype=np.float64)).some(there),
        read.unknown,
        lambda asked, start: inversion.inverted(asked, start, rng).units,
        rng,
    )
    return weighed, found.errors, weight


def _laid(found: Matrix, seen: Rows, rows: Rows, read: RangedColumns) -> Matrix:
    """Lay one party's columns out over all rows, with the middle where the party sent nothing."""
    laid = np.tile(read.middle[read.unknown], (len(rows), 1))
    laid[np.searchsorted(rows, seen)] = found
    return laid
