"""Complete bottom models to models of the labels: MixMatch on labeled and unlabeled rows (paper 001, §3.3)."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor, nn

from seepage.checks import check_not_negative
from seepage.learners.completion.batches import Batch, Batches, Drawing
from seepage.learners.completion.complete_model import Completed, Start
from seepage.learners.completion.frozen import FrozenLearner, can_be_written_out
from seepage.learners.completion.mixmatch import MixMatch, mixup
from seepage.learners.completion.stacked import Stacked, stacked
from seepage.networks.seeding import torch_seeded
from seepage.shapes import Matrix

Watch = Callable[[int, Sequence[nn.Module]], bool]
"""Told the number of an epoch and the models after it; says whether they have learned enough."""


@dataclass(frozen=True, eq=False)
class Learned:
    """A model that learned, and its losses.

    Parameters
    ----------
    model
        The running average of the parameters, with the buffers of the last step, in eval mode.
    labelled_loss, unlabelled_loss
        Means of Eq. 5 and Eq. 6 over the iterations of the last epoch.
    """

    model: Completed
    labelled_loss: float
    unlabelled_loss: float


def complete(
    starts: Sequence[Start],
    settings: MixMatch,
    *,
    bottom_learning_rate: float,
    rng: Generator,
    watch: Watch | None = None,
) -> list[Learned]:
    """Train complete models by the customized MixMatch; several fully connected ones learn together.

    Each start has a generator of its own, spawned from `rng` in their order, so that it learns the
    same alone and beside others.

    Parameters
    ----------
    starts
        Models of one architecture, each with what it learns from.
    settings
        How MixMatch is run.
    bottom_learning_rate
        The rate of Adam for the bottom models; 0 leaves them as they are, to the last bit.
    rng
        Where chance comes from.
    watch
        Called after each epoch with its number and the averaged models, in eval mode; they change again afterwards,
        unless it says that they have learned enough.

    Examples
    --------
    Two clouds, and two labeled rows of each:

    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], 100)
    >>> rows = torch.tensor(rng.normal(size=(200, 2)) + 4 * truth[:, None]).float()
    >>> with torch_seeded(rng):
    ...     model = Completed.of([(nn.Identity(), 2)], classes=2)
    >>> known = np.array([0, 1, 100, 101])
    >>> start = Start(model, rows, known, truth[known], unlabelled=np.arange(200))
    >>> (learned,) = complete([start], MixMatch(epochs=4), bottom_learning_rate=0.0, rng=rng)
    >>> bool(np.mean(predict(learned.model, rows).argmax(axis=1) == truth) > 0.95)
    True
    """
    check_not_negative(bottom_learning_rate=bottom_learning_rate)
    if not starts:
        return []
    _check_alike([start.model for start in starts])
    drawings = [
        Drawing(len(start.known), len(start.unlabelled), settings, chance)
        for start, chance in zip(starts, rng.spawn(len(starts)), strict=True)
    ]
    averaged = [deepcopy(start.model).to(start.features.device).eval() for start in starts]
    losses = torch.zeros(0, 2)
    with torch_seeded(rng):
        frozen = bottom_learning_rate == 0
        learners: Sequence[FrozenLearner | _Learner] = (
            [FrozenLearner(averaged, settings)]
            if frozen and can_be_written_out(averaged) and not settings.entropy_weight
            else _learners(averaged, settings, bottom_learning_rate)
        )
        together = len(learners) == 1  # all starts have one learner, or each has its own
        shares = [slice(None)] if together else [slice(place, place + 1) for place in range(len(starts))]
        batches = [Batches(starts[some], averaged[some], drawings[some], settings, frozen=frozen) for some in shares]
        for epoch in range(settings.epochs):
            losses = torch.cat([learner.epoch(drawn) for learner, drawn in zip(learners, batches, strict=True)])
            if watch is not None and watch(epoch, averaged):
                break
    return [Learned(model, *map(float, pair)) for model, pair in zip(averaged, losses, strict=True)]


def predict(model: nn.Module, features: Tensor, chunk: int = 8192) -> Matrix:
    """Return the probability of each class for each row, chunk by chunk; the model is put in eval mode."""
    model.eval()
    with torch.no_grad():
        said = [torch.softmax(model(rows).float(), dim=-1) for rows in torch.split(features, chunk)]
    return np.asarray(torch.cat(said).cpu().numpy())


def _learners(averaged: Sequence[Completed], settings: MixMatch, bottom_learning_rate: float) -> "list[_Learner]":
    """Let models learn together where their layers can be stacked, else each by itself."""
    parts: Sequence[nn.Module] = averaged if bottom_learning_rate else [model.head for model in averaged]
    learning = [deepcopy(part).requires_grad_().train() for part in parts]
    whole = stacked(learning)
    if whole is not None:
        return [_Learner(parts, whole, settings, bottom_learning_rate)]
    return [
        _Learner([part], Stacked(alone, count=1), settings, bottom_learning_rate)
        for part, alone in zip(parts, learning, strict=True)
    ]


class _Learner:
    """Models that learn together, and the running average of what they have learned."""

    def __init__(
        self, averaged: Sequence[nn.Module], stack: Stacked, settings: MixMatch, bottom_learning_rate: float
    ) -> None:
        self._averaged, self._stack, self._settings, self._step = averaged, stack, settings, 0
        named = stack.parameters.items()
        bottom = [values for name, values in named if bottom_learning_rate and not name.startswith("head.")]
        head = [values for name, values in named if not bottom_learning_rate or name.startswith("head.")]
        groups: list[dict[str, Any]] = [{"params": head}, {"params": bottom, "lr": bottom_learning_rate}]
        self._optimizer = torch.optim.AdamW(
            groups if bottom else groups[:1], lr=settings.learning_rate, weight_decay=settings.weight_decay, fused=True
        )
        self._now = [values.detach() for _, values in named]
        self._mean = [values.detach().clone() for _, values in named]

    def epoch(self, batches: Batches) -> Tensor:
        """Learn from the batches of one epoch; return the mean losses of each model."""
        labelled, unlabelled = zip(*(self._iteration(batch) for batch in batches.epoch()), strict=True)
        self._stack.fill(self._averaged, dict(zip(self._stack.parameters, self._mean, strict=True)))
        means = torch.stack((torch.stack(labelled).mean(dim=0), torch.stack(unlabelled).mean(dim=0)), dim=-1)
        return means.reshape(-1, 2)

    def _iteration(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Take one step of Algorithm 4; return the labeled and the unlabeled loss."""
        call, settings, count = self._stack.call, self._settings, batch.labels.shape[-2]
        with torch.no_grad():
            guessed = torch.softmax(call(batch.unlabelled) / settings.temperature, dim=-1)  # Eq. 4, of a softmax
            given = torch.cat((batch.labels, guessed), dim=-2)
            meant = mixup(given, given.gather(-2, batch.partners), batch.share)
        said = torch.log_softmax(call(*batch.mixed), dim=-1)
        labelled = (meant[..., :count, :] * said[..., :count, :]).sum(dim=-1).mean(dim=-1).neg()  # Eq. 5
        unlabelled = (meant[..., count:, :] - said[..., count:, :].exp()).square().mean(dim=(-2, -1))  # Eq. 6
        loss = labelled + settings.ramp(self._step) * unlabelled  # Eq. 7
        if settings.entropy_weight:
            loss = loss + settings.entropy_ramp(self._step) * unsure(said[..., count:, :], settings.entropy_margin)
        self._optimizer.zero_grad()
        torch.autograd.backward(loss.sum())
        self._optimizer.step()
        torch._foreach_lerp_(self._mean, self._now, 1 - settings.averaging(self._step))
        self._step += 1
        return labelled.detach(), unlabelled.detach()


def unsure(logs: Tensor, margin: float) -> Tensor:
    """Return by how much the entropy of rows exceeds a margin in the mean: MixText's loss on entropy.

    >>> logs = torch.log(torch.tensor([[0.5, 0.5], [1.0 - 1e-9, 1e-9]]))
    >>> round(float(unsure(logs, margin=0.1)), 4)  # (ln 2 − 0.1 + 0) / 2
    0.2966
    """
    entropy = -(logs.exp() * logs).sum(dim=-1)
    return (entropy - margin).clamp(min=0).mean(dim=-1)


def _check_alike(models: Sequence[Completed]) -> None:
    """Refuse models that cannot be stacked."""
    built = [(repr(model), [values.shape for values in model.state_dict().values()]) for model in models]
    if any(other != built[0] for other in built[1:]):
        raise ValueError("models that are completed together must have one architecture, got different ones")
