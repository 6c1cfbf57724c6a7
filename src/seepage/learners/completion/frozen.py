"""MixMatch over frozen bottom models: the derivatives of an inference head, written out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
import torch
from torch import Tensor, nn

from seepage.learners.completion.batches import Batches
from seepage.learners.completion.complete_model import Completed, InferenceHead
from seepage.learners.completion.mixmatch import MixMatch
from seepage.shapes import Array

DECAYS: Final = (0.9, 0.999)
TINY: Final = 1e-8
"""Adam's constants, as PyTorch has them."""
PRECISIONS: Final = (torch.float32, torch.float64)


def can_be_written_out(models: Sequence[Completed]) -> bool:
    """Whether heads are of a precision, and in a memory, that NumPy computes with."""
    weights = [next(model.head.parameters()) for model in models]
    return all(one.dtype in PRECISIONS and one.device.type == "cpu" for one in weights)


class FrozenLearner:
    r"""Heads that learn on what frozen bottom models say, and the running average of what they have learned.

    Batch normalization has nothing to learn below it here, so that all batches of an epoch are
    normalized at once, to :math:`\hat x`. Of the head
    :math:`z = W (\gamma \hat x + \beta) + b` with the derivatives :math:`\delta` of the loss by its logits,

    .. math:: A = \delta^\top \hat x, \quad \partial b = \delta^\top 1, \quad \partial W = A \gamma + \partial b \,
              \beta^\top, \quad \partial \gamma = \sum_c W_c A_c, \quad \partial \beta = W^\top \partial b.

    A step is a dozen products of small matrices; recording and replaying them takes about three times as long.

    Parameters
    ----------
    averaged
        Complete models; their heads are filled with the running averages after each epoch.
    settings
        How MixMatch is run.
    """

    def __init__(self, averaged: Sequence[Completed], settings: MixMatch) -> None:
        self._heads = [_LearningHead.of(model.head, settings) for model in averaged]

    def epoch(self, batches: Batches) -> Tensor:
        """Learn from the batches of one epoch; return the mean losses of each model."""
        losses: list[list[tuple[float, float]]] = [[] for _ in self._heads]
        for unlabelled, labels, partners, share, mixed in batches.chunks():
            for place, (head, found) in enumerate(zip(self._heads, losses, strict=True)):
                of = [_of(part, place, len(self._heads)) for part in (unlabelled, labels, partners, share, mixed)]
                found += head.learned(*of)
        for head in self._heads:
            head.fill()
        return torch.tensor(np.array([np.mean(found, axis=0) for found in losses]))


def _of(part: Tensor, place: int, count: int) -> Array:
    """Return what concerns one of several starts; a single one has no dimension of its own."""
    return np.asarray((part if count == 1 else part[:, place]).numpy())


@dataclass(eq=False)
class _LearningHead:
    """One inference head: its parameters in one row, and what Adam and the running average keep of them."""

    head: InferenceHead
    settings: MixMatch
    now: Array
    mean: Array
    first: Array
    second: Array
    step: int = 0

    @classmethod
    def of(cls, head: InferenceHead, settings: MixMatch) -> "_LearningHead":
        row = np.concatenate([part.detach().numpy().ravel() for part in head.parameters()])
        return cls(head, settings, row, row.copy(), np.zeros_like(row), np.zeros_like(row))

    def learned(
        self, unlabelled: Array, labels: Array, partners: Array, share: Array, mixed: Array
    ) -> list[tuple[float, float]]:
        """Take one step of Algorithm 4 for each batch; return the labeled and the unlabeled losses."""
        guessing, *of_guessing = self._normalized(unlabelled)
        learning, *of_learning = self._normalized(mixed)
        self._remember(*(np.stack(pair, axis=1) for pair in zip(of_guessing, of_learning, strict=True)))
        each = zip(guessing, learning, labels, partners[..., 0], share[..., None], strict=True)
        with np.errstate(all="ignore"):  # what diverges is refused by who reads the losses
            return [self._iteration(*batch) for batch in each]

    def _iteration(
        self, guessing: Array, learning: Array, labels: Array, partners: Array, share: Array
    ) -> tuple[float, float]:
        scale, shift, weights, bias = self._parts(self.now)
        count, weight = len(labels), self.settings.ramp(self.step)
        scaled, intercept = (weights * scale).T, weights @ shift + bias
        guessed = np.exp(_log_softmax((guessing @ scaled + intercept) / self.settings.temperature))  # Eq. 4
        given = np.concatenate((labels, guessed))
        other = given[partners]
        meant = other + share * (given - other)
        logs = _log_softmax(learning @ scaled + intercept)
        said = np.exp(logs)
        off = said[count:] - meant[count:]
        labelled = -float(np.vdot(meant[:count], logs[:count])) / count  # Eq. 5
        unlabelled = float(np.vdot(off, off)) / off.size  # Eq. 6
        slopes = np.empty_like(said)
        slopes[:count] = (said[:count] * meant[:count].sum(axis=1, keepdims=True) - meant[:count]) / count
        pulled = off * said[count:] * (2 * weight / off.size)
        slopes[count:] = pulled - said[count:] * pulled.sum(axis=1, keepdims=True)
        by_bias, crossed = slopes.sum(axis=0), slopes.T @ learning
        by_weights = crossed * scale + by_bias[:, None] * shift
        row = ((weights * crossed).sum(axis=0), by_bias @ weights, by_weights.ravel(), by_bias)
        self._adam(np.concatenate(row))
        return labelled, unlabelled

    def _adam(self, slope: Array) -> None:
        """Take a step of AdamW, and average."""
        settings, taken = self.settings, self.step + 1
        one, two = DECAYS
        self.now *= 1 - settings.learning_rate * settings.weight_decay
        self.first += (1 - one) * (slope - self.first)
        self.second += (1 - two) * (slope * slope - self.second)
        root = np.sqrt(self.second) / (1 - two**taken) ** 0.5 + TINY
        self.now -= settings.learning_rate / (1 - one**taken) * self.first / root
        self.mean += (1 - settings.averaging(self.step)) * (self.now - self.mean)
        self.step = taken

    def _parts(self, row: Array) -> tuple[Array, Array, Array, Array]:
        width, classes = self._norm.num_features, self.head.classes
        scale, shift, weights, bias = np.split(row, [width, 2 * width, (2 + classes) * width])
        return scale, shift, weights.reshape(classes, width), bias

    @property
    def _norm(self) -> nn.BatchNorm1d:
        return cast("nn.BatchNorm1d", self.head[0])

    def _normalized(self, rows: Array) -> tuple[Array, Array, Array]:
        """Bring every column of every batch to mean 0 and variance 1; return the means and variances too."""
        mean, variance = rows.mean(axis=1), rows.var(axis=1)
        even = (rows - mean[:, None]) / np.sqrt(variance + self._norm.eps)[:, None]
        return even, mean, variance * (rows.shape[1] / (rows.shape[1] - 1))

    def _remember(self, means: Array, variances: Array) -> None:
        """Let the running mean and variance go by all batches, in the order in which they are seen."""
        norm, momentum = self._norm, self._norm.momentum or 0.0
        seen = means.shape[0] * means.shape[1]
        shares = momentum * (1 - momentum) ** np.arange(seen - 1, -1, -1)
        for running, values in ((norm.running_mean, means), (norm.running_var, variances)):
            assert running is not None
            told = shares.astype(values.dtype) @ values.reshape(seen, -1)
            running.mul_((1 - momentum) ** seen).add_(torch.from_numpy(np.asarray(told, dtype=values.dtype)))
        assert norm.num_batches_tracked is not None
        norm.num_batches_tracked.add_(seen)

    def fill(self) -> None:
        """Put the running average into the head."""
        with torch.no_grad():
            for part, values in zip(self.head.parameters(), self._parts(self.mean), strict=True):
                part.copy_(torch.from_numpy(np.array(values)))


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
