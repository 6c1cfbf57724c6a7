"""What turns the outputs of several networks into logits."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from seepage.networks.architectures import Dense
from seepage.networks.bottleneck import BehindOwn


class Summed(nn.Module):
    """Add the outputs up, with an intercept where asked for; there is no model to train otherwise.

    >>> Summed(outputs=2, intercept=False)([torch.ones(1, 2), torch.ones(1, 2)])
    tensor([[2., 2.]])
    """

    def __init__(self, outputs: int, *, intercept: bool) -> None:
        super().__init__()
        self.intercept = nn.Parameter(torch.zeros(outputs)) if intercept else None

    def forward(self, embeddings: Sequence[Tensor]) -> Tensor:
        """Return the sum."""
        total = embeddings[0]
        for embedding in embeddings[1:]:
            total = total + embedding
        return total if self.intercept is None else total + self.intercept


class Concatenated(nn.Module):
    """Lay the outputs side by side and put a top model on them."""

    def __init__(self, top: nn.Module) -> None:
        super().__init__()
        self.top = top

    def forward(self, embeddings: Sequence[Tensor]) -> Tensor:
        """Return the top model's logits."""
        return self.top(torch.cat(tuple(embeddings), dim=1))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Sum:
    """A head that adds up, as a value.

    >>> Sum(outputs=2, intercept=True).build()
    Summed()
    """

    outputs: int
    intercept: bool

    def build(self) -> nn.Module:
        """Build it; an intercept starts at 0."""
        return Summed(self.outputs, intercept=self.intercept)


@dataclass(frozen=True)
class TopModel:
    """A head that reads embeddings side by side through hidden layers, as a value.

    Parameters
    ----------
    narrowed
        How many numbers of each row, the last ones, pass a bottleneck first.
    """

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    narrowed: int = 0

    def build(self) -> nn.Module:
        """Build it with PyTorch's default initialization."""
        top = Dense(self.inputs, self.hidden, self.outputs).build()
        if not self.narrowed:
            return Concatenated(top)
        return Concatenated(nn.Sequential(BehindOwn(self.inputs - self.narrowed, self.narrowed), top))


Head = Sum | TopModel


def head_to_json(head: Head) -> dict[str, Any]:
    """Return the head as plain values.

    >>> head_from_json(head_to_json(TopModel(4, (8,), 2))) == TopModel(4, (8,), 2)
    True
    """
    values = asdict(head)
    if not values.get("narrowed", True):
        del values["narrowed"]  # as heads without a bottleneck have always been written
    return {"kind": "sum" if isinstance(head, Sum) else "top-model", **values}


def head_from_json(values: Mapping[str, Any]) -> Head:
    """Return the head that `head_to_json` wrote down."""
    if values["kind"] == "sum":
        return Sum(int(values["outputs"]), bool(values["intercept"]))
    if values["kind"] != "top-model":
        raise ValueError(f"no head is called {values['kind']!r}")
    narrowed = int(values.get("narrowed", 0))
    return TopModel(int(values["inputs"]), tuple(values["hidden"]), int(values["outputs"]), narrowed)
