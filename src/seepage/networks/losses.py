"""Cross-entropy over one logit or many, with or without class weights."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True, eq=False)
class CrossEntropy:
    r"""The loss of Eq. 1 and 3 of paper 001.

    .. math:: L(x, c) = -w_c \log \frac{e^{y_c}}{\sum_j e^{y_j}}

    averaged over the rows of a batch (by weight where there are weights). With
    a single logit it is the logistic loss of class 1. The negative log
    likelihood of log-softmax outputs is the same thing.

    >>> loss = CrossEntropy(outputs=2)
    >>> loss(torch.zeros(3, 2), torch.tensor([0, 1, 1]))
    tensor(0.6931)
    >>> CrossEntropy(outputs=1).probabilities(torch.zeros(1, 1))
    tensor([[0.5000, 0.5000]])

    In the place of labels there may be targets, rows by classes, each row a distribution :math:`t`:
    :math:`-\sum_c w_c t_c \log p_c`.

    >>> loss(torch.zeros(1, 2), torch.tensor([[0.25, 0.75]]))
    tensor(0.6931)
    """

    outputs: int
    weights: Tensor | None = None

    def __call__(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the mean loss."""
        if self.outputs > 1 and labels.dim() == 1:
            return F.cross_entropy(logits, labels, weight=self.weights)
        losses = self.of_rows(logits, labels, self.weights)
        return losses.mean() if self.weights is None else losses.sum() / weights_of(self.weights, labels).sum()

    def of_rows(self, logits: Tensor, labels: Tensor, weights: Tensor | None = None) -> Tensor:
        """Return the loss of each row by itself, times the weight of its class where weights are given."""
        if self.outputs > 1:
            return F.cross_entropy(logits, labels, weight=weights, reduction="none")
        target = (labels[:, 1] if labels.dim() == 2 else labels).to(logits.dtype)
        losses = F.binary_cross_entropy_with_logits(logits[:, 0], target, reduction="none")
        return losses if weights is None else weights_of(weights, labels) * losses

    def pulls(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the gradient of each row's own loss at its logits, weights aside: what is said minus what is true.

        >>> CrossEntropy(outputs=2).pulls(torch.zeros(2, 2), torch.tensor([0, 1]))
        tensor([[-0.5000,  0.5000],
                [ 0.5000, -0.5000]])
        """
        if self.outputs > 1:
            told = labels if labels.ndim > 1 else F.one_hot(labels, self.outputs)
            return torch.softmax(logits, dim=1) - told.to(logits.dtype)
        told = labels[:, 1] if labels.ndim > 1 else labels
        return torch.sigmoid(logits) - told.to(logits.dtype)[:, None]

    @property
    def sharpest(self) -> float:
        """How sharply the loss of one row bends by its logits, at most: ¼ for a sigmoid, ½ for a softmax."""
        return 0.25 if self.outputs == 1 else 0.5

    def curvature(self, labels: Tensor) -> float:
        """Return how sharply the loss of any row bends in the mean over some rows, times their number, at most.

        With weights that is `sharpest` times what the heaviest of the rows weighs beside their mean.

        >>> CrossEntropy(outputs=1).curvature(torch.tensor([0, 0, 0, 1]))
        0.25
        >>> weights = torch.tensor([1.0, 3.0])
        >>> CrossEntropy(outputs=1, weights=weights).curvature(torch.tensor([0, 0, 0, 1]))
        0.5
        """
        if self.weights is None:
            return self.sharpest
        row_weights = self.weights[labels].double()
        return self.sharpest * float(row_weights.max() / row_weights.mean())

    def probabilities(self, logits: Tensor) -> Tensor:
        """Return one confidence for each class, also when there is a single logit."""
        if self.outputs > 1:
            return torch.softmax(logits, dim=1)
        return torch.sigmoid(torch.cat((-logits, logits), dim=1))  # 1 - p loses digits where p is near 1


def weights_of(weights: Tensor, labels: Tensor) -> Tensor:
    """Return what rows weigh, by their label or by their target.

    >>> weights = torch.tensor([1.0, 3.0])
    >>> weights_of(weights, torch.tensor([0, 1])), weights_of(weights, torch.tensor([[0.5, 0.5]]))
    (tensor([1., 3.]), tensor([2.]))
    """
    return labels.to(weights) @ weights if labels.dim() == 2 else weights[labels]


def balanced_weights(labels: Tensor, classes: int) -> Tensor:
    r"""Return :math:`w_c = n / (C \, n_c)`, so that every class weighs the same in total.

    >>> balanced_weights(torch.tensor([0, 0, 0, 1]), 2)
    tensor([0.6667, 2.0000])
    """
    counts = torch.bincount(labels, minlength=classes).clamp(min=1)
    return len(labels) / (classes * counts.float())
