"""Learn to make up the columns of others so that the joint model says what it said."""

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.generation.generator_settings import LEAST_STEPS, Decay, Dummies, Inputs, generator_size
from seepage.attacks.steps.generation.judged_values import (
    JudgedValues,
    best,
    error_of,
    faded,
    judged,
    total_variance,
    unrounded,
    without_idle_columns,
)
from seepage.checks import (
    check_choice,
    check_counts,
    check_layers,
    check_least,
    check_not_negative,
    check_positive,
    check_shares,
)
from seepage.errors import IncompatibleView
from seepage.guesses import FeatureGuess
from seepage.randomness import some_of
from seepage.shapes import Matrix, Rows
from seepage.views import Kind, ModelKind, Needs, View
from seepage.views.joint_columns import RangedColumns, joint_columns
from seepage.views.released import Predictions, released_predictions

if TYPE_CHECKING:
    from torch import Tensor

    from seepage.attacks.steps.generation.differentiable_model import DifferentiableModel
    from seepage.attacks.steps.generation.generator import FilledModel, GeneratorSettings, Guesser


@dataclass(frozen=True, kw_only=True)
class GenerativeRegression(Attack[FeatureGuess]):
    r"""Train a generator of unknown columns through the released model: the GRN attack of paper 002.

    A generator :math:`f_G` reads what the adversary has of a row and a random
    vector :math:`r`, one normal number for each unknown column, and makes up the
    unknown columns. All predictions together train it, by Eq. 9 of [1]_ (Algorithm 2),

    .. math:: \min_{\theta_G} \frac{1}{n} \sum_t \lVert f(x_{adv}^t, f_G(x_{adv}^t, r^t)) - v^t \rVert^2 + \Omega(f_G),

    where :math:`f` is the released joint model, which stays as it is, and
    :math:`v^t` are the released confidences. :math:`\Omega` keeps generated
    columns from varying too much. A forest is replaced by a network that was
    trained on what the forest says of made-up rows (§V-B).

    Parameters
    ----------
    size
        How large the generator, its budget of steps and the network in a forest's place are, as a
        share of all that is set here: :math:`\sqrt{n / 4000}` for *n* predictions by
        default, but from ¼ to 1, and two thirds of all steps at least. In a forest's place small
        networks are trusted less: `half_weight` is divided by their size.
    steps, batch
        The budget: how many steps, each over how many rows; no more than there are predictions.
    hidden
        The generator's hidden widths, those of the paper.
    learning_rate, decay
        Adam's rate, and whether it falls to 0 (``cosine``) or stays (``none``).
    variance_weight, variance_limit
        :math:`\Omega` is the weight times the mean over generated columns of
        what their variance within a batch is above the limit.
    half_weight
        The weight of the mean squared distance of generated values from ½.
    fade_steps, half_end
        For how many more steps that weight fades, and to which share of itself;
        what comes of it is taken if the confidence error falls by a fifth.
    start
        The first weights of the generator's last layer, in multiples of
        PyTorch's. With small ones every value starts near ½.
    sees_confidences
        Whether the generator also reads the released confidences of the row.
    inputs
        What else it reads: ``both`` own columns and the random vector, or one
        of them (``own``, ``noise``: cases 2 and 1 of Table III).
    generator
        False does without a generator: every unknown value is fitted by itself,
        from a random start, at a rate of 0.05 (case 4 of Table III).
    draws
        The guess is the mean over so many random vectors.
    reset_idle
        Whether a column goes back to ½ in all rows where that takes the
        released model no further from what it released.
    restarts
        How often a run that failed is repeated from a fresh start, at most.
    predictions
        From how many predictions to learn, all by default; the guess is about all.
    dummies
        Made-up rows for a forest: with the own columns of real rows and uniform
        values otherwise (``own-rows``), or uniform throughout (``whole-space``).
    dummy_rows, surrogate_hidden, surrogate_steps
        How many made-up rows there are, the hidden widths of the network in the
        forest's place, and for how many steps, each over 256 rows, it is trained.

    Examples
    --------
    The authors' settings, for 4,000 predictions and 10 unknown columns:

    >>> published = GenerativeRegression.published(predictions=4000, unknown=10)
    >>> published.steps, published.batch, published.learning_rate, round(published.variance_weight, 3)
    (3780, 64, 0.0001, 0.039)

    Notes
    -----
    *What the generator reads.* In the paper it does not read the confidences of the row, so that rows
    with like own columns get like values. The adversary has them, so here the generator reads them.

    *Undetermined directions.* Many values give the same confidences. Values start near ½ and are held there; then
    the weight fades, and what drifts away must explain confidences better. A column that explains nothing goes back.

    *Variance.* The text penalizes a variance that is "too large", the authors' code any variance
    (``variance_limit=0``): 0.25 times the sum over *d* columns beside the sum of squared errors over a
    batch of 64. Here both are means, so that theirs is a `variance_weight` of 0.25 · *d* / 64.

    *Rounded confidences.* What rounding down took from a row is known in sum, and shared out evenly.

    *Failure.* Whether a run has failed is seen without the truth (`judged_values`): most values at 0 or
    1, or confidences no nearer than their mean. The run with the lowest confidence error is kept.

    *Forest.* The target is what the forest released; the authors' code uses the surrogate's output on the true
    row. Trees that were grafted are refused. Networks read missing own values as ½, and compute in float32.

    References
    ----------
    .. [1] X. Luo et al., "Feature Inference Attack on Model Predictions in
       Vertical Federated Learning", ICDE 2021, §V.
    """

    name = "generative-regression"
    steals = "features"
    rows = "new"
    needs = Needs(
        received=frozenset({Kind.MODEL, Kind.PREDICTION}),
        active=True,
        models=frozenset({ModelKind.LINEAR, ModelKind.NETWORK, ModelKind.FOREST}),
    )

    size: float | None = None
    steps: int = 450
    batch: int = 128
    hidden: tuple[int, ...] = (600, 200, 100)
    learning_rate: float = 2e-3
    decay: Decay = "cosine"
    variance_weight: float = 1.0
    variance_limit: float = 1 / 12
    half_weight: float = 0.3
    fade_steps: int = 250
    half_end: float = 1e-3
    start: float = 0.1
    sees_confidences: bool = True
    inputs: Inputs = "both"
    generator: bool = True
    draws: int = 10
    reset_idle: bool = True
    restarts: int = 2
    predictions: int | None = None
    dummies: Dummies = "own-rows"
    dummy_rows: int = 40_000
    surrogate_steps: int = 400
    surrogate_hidden: tuple[int, ...] = (500, 200)

    def __post_init__(self) -> None:
        check_counts(steps=self.steps, draws=self.draws, surrogate_steps=self.surrogate_steps)
        check_least(2, batch=self.batch, predictions=self.predictions, dummy_rows=self.dummy_rows)
        check_least(0, restarts=self.restarts, fade_steps=self.fade_steps)
        check_not_negative(variance_weight=self.variance_weight, variance_limit=self.variance_limit)
        check_not_negative(half_weight=self.half_weight)
        check_shares(size=self.size, half_end=self.half_end)
        check_positive(learning_rate=self.learning_rate, start=self.start)
        check_choice(Decay, decay=self.decay)
        check_choice(Inputs, inputs=self.inputs)
        check_choice(Dummies, dummies=self.dummies)
        check_layers(hidden=self.hidden, surrogate_hidden=self.surrogate_hidden)

    @classmethod
    def published(cls, *, predictions: int, unknown: int) -> Self:
        """Return the settings of the authors' code for so many predictions and unknown columns.

        A forest's surrogate has as many passes as theirs, but over batches of 256 and without dropout.
        """
        return cls(
            size=1.0,
            steps=60 * math.ceil(predictions / 64),
            batch=64,
            learning_rate=1e-4,
            decay="none",
            variance_weight=0.25 * unknown / 64,
            variance_limit=0.0,
            half_weight=0.0,
            fade_steps=0,
            start=1.0,
            sees_confidences=False,
            draws=1,
            reset_idle=False,
            restarts=0,
            dummies="whole-space",
            dummy_rows=10 * predictions,
            surrogate_steps=5 * math.ceil(10 * predictions / 256),
            surrogate_hidden=(2000, 200),
        )

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Guess all unknown columns of all rows with a prediction."""
        columns, released = joint_columns(view), released_predictions(view)
        count = len(released.rows)
        learned = some_of(np.arange(count), self.predictions or count, rng)  # the predictions to learn from
        forest = view.agreement.model is ModelKind.FOREST
        return self.sized(len(learned), forest=forest)._guessed(view, columns, released, learned, rng)

    def sized(self, predictions: int, *, forest: bool = False) -> Self:
        """Return the attack as it is run on so many predictions.

        >>> few = GenerativeRegression().sized(114, forest=True)
        >>> few.hidden, few.steps, few.fade_steps, few.half_weight
        ((150, 50, 25), 300, 167, 1.2)
        >>> GenerativeRegression().sized(4000) == GenerativeRegression(size=1.0)
        True
        """
        size = self.size or generator_size(predictions)
        steps = max(size, LEAST_STEPS)
        return replace(
            self,
            size=1.0,
            steps=math.ceil(steps * self.steps),
            fade_steps=math.ceil(steps * self.fade_steps),
            half_weight=self.half_weight / (size if forest else 1.0),
            hidden=tuple(math.ceil(size * width) for width in self.hidden),
            surrogate_hidden=tuple(math.ceil(size * width) for width in self.surrogate_hidden),
        )

    def _guessed(
        self, view: View, columns: RangedColumns, released: Predictions, learned: Rows, rng: Generator
    ) -> FeatureGuess:
        """Start generators until one does not fail, and return what the best of them makes up."""
        from seepage.networks.seeding import torch_seeded

        confidences = unrounded(released.confidences)
        target = confidences[learned]
        attempts: list[JudgedValues] = []
        with torch_seeded(rng):
            model = self._model(view, columns, released.rows, rng)
            while not attempts or (attempts[-1].failed and len(attempts) <= self.restarts):
                made = self._generated(model, confidences, learned)
                attempts.append(faded([judged(units, model.says(units)[learned], target) for units in made]))
        kept = best(attempts)
        if not math.isfinite(kept.confidence_error):
            raise IncompatibleView("The generator diverged: its values are not numbers.\nLower the learning rate.")
        units = kept.units
        if self.reset_idle:
            middle = columns.middle[columns.unknown]
            units = without_idle_columns(units, middle, lambda trial: model.says(trial)[learned], target)
        notes = {
            "confidence_error": error_of(model.says(units)[learned], target),
            "confidence_variance": total_variance(target),
            "saturated": kept.saturated,
            "restarts": float(len(attempts) - 1),
            "failed": float(kept.failed),
            **model.notes,
        }
        return FeatureGuess(released.rows, columns.targets, units, notes)

    def _model(self, view: View, columns: RangedColumns, rows: Rows, rng: Generator) -> "DifferentiableModel":
        from seepage.attacks.steps.generation.differentiable_model import (
            SurrogateSettings,
            differentiable_forest,
            differentiable_network,
        )

        if view.agreement.model is not ModelKind.FOREST:
            return differentiable_network(view, columns, rows)
        settings = SurrogateSettings(
            dummies=self.dummies, dummy_rows=self.dummy_rows, hidden=self.surrogate_hidden, steps=self.surrogate_steps
        )
        return differentiable_forest(view, columns, rows, settings, rng)

    def _generated(self, model: "DifferentiableModel", confidences: Matrix, learned: Rows) -> list[Matrix]:
        """Train from a fresh start, and generate; then while the pull to ½ fades, and generate again."""
        import torch

        from seepage.attacks.steps.generation.generator import Problem, generated, train_generator

        released = model.tensor(confidences)
        known = model.own[:, :0] if self.inputs == "noise" else model.own
        read = torch.cat((known, released), dim=1) if self.sees_confidences else known  # next to the random vector
        guesser = self._guesser(read, model.completion).to(read.device)
        problem = Problem(model.completion, model.own, read, released)
        rows, first = torch.as_tensor(learned, device=read.device), self._settings()
        fading = replace(first, steps=self.fade_steps, half_end=self.half_end)
        made: list[Matrix] = []
        for settings in (first, fading) if self.fade_steps and self.half_weight else (first,):
            train_generator(guesser, problem, rows, settings)
            made.append(np.asarray(generated(guesser, read, self.draws).cpu().numpy(), dtype=np.float64))
        return made

    def _guesser(self, read: "Tensor", completion: "FilledModel") -> "Guesser":
        from seepage.attacks.steps.generation.generator import FreeValues
        from seepage.attacks.steps.generation.generator import Generator as Network

        if not self.generator:
            return FreeValues(len(read), completion.unknown)
        middle = completion.middle if self.half_weight else None  # the authors start without one
        noise = self.inputs != "own"
        return Network(
            read.shape[1], completion.unknown, noise=noise, start=self.start, middle=middle, hidden=self.hidden
        )

    def _settings(self) -> "GeneratorSettings":
        from seepage.attacks.steps.generation.generator import GeneratorSettings

        held = {field.name: getattr(self, field.name) for field in fields(GeneratorSettings)}
        return GeneratorSettings(**{**held, "half_end": 1.0})
