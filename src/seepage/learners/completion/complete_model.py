"""Bottom models with an inference head on top: the complete model of paper 001, §3.3."""

from collections.abc import Sequence
from typing import Protocol, cast, runtime_checkable

import torch
from torch import Tensor, nn

from seepage.learners.completion.mixmatch import mixup


@runtime_checkable
class Hidden(Protocol):
    """A bottom model whose rows are mixed somewhere inside it, since what comes in cannot be mixed."""

    def lower(self, rows: Tensor) -> Tensor:
        """Return what may be mixed of some rows."""
        ...

    def upper(self, mixable: Tensor) -> Tensor:
        """Return the outputs for rows of which `lower` made something."""
        ...


class InferenceHead(nn.Sequential):
    """What an adversary puts on its bottom models: batch normalization, then one linear layer.

    Parameters
    ----------
    inputs
        How many outputs all bottom models have together.
    classes
        How many logits there are.

    Notes
    -----
    The authors' code has a ReLU between the two, and starts from weights that are all 1. The paper says
    randomly initialized layers, and a ReLU would throw away what is below a bottom model's mean.

    Examples
    --------
    >>> InferenceHead(4, 2)(torch.zeros(8, 4)).shape
    torch.Size([8, 2])
    """

    def __init__(self, inputs: int, classes: int) -> None:
        super().__init__(nn.BatchNorm1d(inputs), nn.Linear(inputs, classes))
        self.classes = classes

    @property
    def precision(self) -> torch.dtype:
        """The type of its numbers."""
        return next(self.parameters()).dtype


class Completed(nn.Module):
    """Bottom models side by side under one inference head: from an adversary's columns to logits.

    Rows are mixed between `lower` and `upper`. For numbers and pictures nothing lies below:
    the columns themselves are mixed. A bottom model of text has methods `lower` and
    `upper` of its own, since token numbers cannot be mixed but what is made of them can (MixText).

    Parameters
    ----------
    bottoms
        The bottom models, each with the number of columns it reads.
    head
        From all their outputs side by side to logits.

    Examples
    --------
    >>> model = Completed([(nn.Linear(2, 3), 2), (nn.Linear(1, 1), 1)], InferenceHead(4, classes=5)).eval()
    >>> model(torch.zeros(8, 3)).shape
    torch.Size([8, 5])
    >>> [columns.shape[1] for columns in model.lower(torch.zeros(8, 3))]
    [2, 1]
    """

    def __init__(self, bottoms: Sequence[tuple[nn.Module, int]], head: InferenceHead) -> None:
        super().__init__()
        self.bottoms = nn.ModuleList(bottom for bottom, _ in bottoms)
        self.widths = [width for _, width in bottoms]
        self.head = head
        self.hidden = [isinstance(bottom, Hidden) for bottom in self.bottoms]

    @classmethod
    def of(cls, bottoms: Sequence[tuple[nn.Module, int]], classes: int) -> "Completed":
        """Put a fresh inference head on bottom models, all in eval mode; how many outputs they have is tried out."""
        bare = cls(bottoms, InferenceHead(1, classes)).eval()
        example = next((parameter for parameter in bare.bottoms.parameters()), torch.zeros(1))
        with torch.no_grad():
            tried = bare.outputs(bare.lower(torch.zeros(2, sum(bare.widths), device=example.device)))
        bare.head = InferenceHead(tried.shape[1], classes).to(tried)
        return bare.eval()

    @property
    def plain(self) -> bool:
        """Whether columns are mixed as they are, in every bottom model."""
        return not any(self.hidden)

    def lower(self, rows: Tensor) -> list[Tensor]:
        """Return what may be mixed of some rows, for each bottom model."""
        parts = torch.split(rows, self.widths, dim=-1) if len(self.widths) > 1 else (rows,)
        return [
            cast("Hidden", bottom).lower(part) if hidden else part.to(_precision(bottom, self.head))
            for bottom, part, hidden in zip(self.bottoms, parts, self.hidden, strict=True)
        ]

    def outputs(self, mixable: Sequence[Tensor]) -> Tensor:
        """Return what the bottom models make of that, side by side."""
        made = [
            cast("Hidden", bottom).upper(part) if hidden else bottom(part)
            for bottom, part, hidden in zip(self.bottoms, mixable, self.hidden, strict=True)
        ]
        return torch.cat(made, dim=-1) if len(made) > 1 else made[0]

    def upper(self, mixable: Sequence[Tensor]) -> Tensor:
        """Return the logits of rows of which `lower` made something."""
        logits: Tensor = self.head(self.outputs(mixable))
        return logits

    def forward(self, rows: Tensor, partners: Tensor | None = None, share: Tensor | None = None) -> Tensor:
        """Return the logits of some rows, or of some rows mixed with each other (`mixed`)."""
        if partners is None or share is None:
            return self.upper(self.lower(rows))
        return self.upper(self.mixed(rows, partners, share))

    def mixed(self, rows: Tensor, partners: Tensor, share: Tensor) -> list[Tensor]:
        """Mix each row with the row at its partner's place, in the space where rows may be mixed."""
        return [mixup(part, part[partners], share) for part in self.lower(rows)]


def _precision(bottom: nn.Module, head: nn.Module) -> torch.dtype:
    return next((values.dtype for part in (bottom, head) for values in part.parameters()), torch.float32)
