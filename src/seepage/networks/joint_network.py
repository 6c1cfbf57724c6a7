"""The whole network, once every party has released its part."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from seepage.json_arrays import from_array, to_array
from seepage.networks.architectures import Architecture, load_state, state_of, to_json, without_encoder
from seepage.networks.architectures import from_json as architecture_from_json
from seepage.networks.heads import Head, TopModel, head_from_json, head_to_json
from seepage.networks.losses import CrossEntropy
from seepage.shapes import Array

ABOUT = "about"
"""What a released part calls its description."""


def pack_part(
    columns: Sequence[str],
    bottom: tuple[Architecture, nn.Module] | None,
    head: tuple[Head, nn.Module] | None = None,
) -> dict[str, Array]:
    """Return one party's part of a network as named arrays: what it is, and its parameters."""
    about: dict[str, Any] = {"columns": list(columns), "bottom": None, "head": None}
    arrays: dict[str, Array] = {}
    if bottom is not None:
        about["bottom"] = to_json(bottom[0])
        arrays |= {f"bottom.{name}": array for name, array in state_of(bottom[1]).items()}
    if head is not None:
        about["head"] = head_to_json(head[0])
        arrays |= {f"head.{name}": array for name, array in state_of(head[1]).items()}
    return {ABOUT: to_array(about), **arrays}


class JointNetwork(nn.Module):
    """Bottom models and head put together again: from all encoded columns to confidences.

    Parameters
    ----------
    bottoms
        The bottom models in the order of the parties, with the number of columns each reads.
    head
        What the active party put on top.
    outputs
        How many logits the head gives.
    """

    def __init__(self, bottoms: Sequence[tuple[nn.Module, int]], head: nn.Module, outputs: int) -> None:
        super().__init__()
        self.bottoms = nn.ModuleList(bottom for bottom, _ in bottoms)
        self.widths = [width for _, width in bottoms]
        self.head = head
        self.loss = CrossEntropy(outputs)

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the parameters."""
        return next(self.parameters()).dtype

    def logits(self, columns: Tensor) -> Tensor:
        """Return what the head says of some rows."""
        own = torch.split(columns, self.widths, dim=1)
        logits: Tensor = self.head([bottom(part) for bottom, part in zip(self.bottoms, own, strict=True)])
        return logits

    def forward(self, columns: Tensor) -> Tensor:
        """Return the confidences of some rows."""
        return self.loss.probabilities(self.logits(columns))


def unpack_parts(parts: Sequence[Mapping[str, Array]], outputs: int) -> JointNetwork:
    """Put released parts together, in the order of the parties; the result is not trained any further.

    A ValueError says in plain words what does not fit.

    >>> from seepage.networks.architectures import Dense
    >>> from seepage.networks.heads import Sum
    >>> bank, shop = Dense(2, (), 1, bias=False), Dense(1, (), 1, bias=False)
    >>> ones = [nn.Linear(2, 1, bias=False), nn.Linear(1, 1, bias=False)]
    >>> _ = [nn.init.ones_(layer.weight) for layer in ones]
    >>> parts = [pack_part(["age", "income"], (bank, nn.Sequential(ones[0])), (Sum(1, False), nn.Module())),
    ...          pack_part(["visits"], (shop, nn.Sequential(ones[1])))]
    >>> unpack_parts(parts, outputs=1).logits(torch.tensor([[1.0, 2.0, 3.0]]))
    tensor([[6.]])
    """
    precision = _precision(parts)
    bottoms: list[tuple[nn.Module, int]] = []
    head: nn.Module | None = None
    embeddings: list[int] = []
    reads: Head | None = None
    for part in parts:
        columns, bottom, top = _described(part)
        if bottom is not None:
            network = filled(bottom, _state(part, "bottom."), precision, "a bottom model")
            bottoms.append((network, len(columns)))
            embeddings.append(bottom.outputs)
        if top is not None:
            reads, head = top, filled(top, _state(part, "head."), precision, "the head")
    if head is None or reads is None:
        raise ValueError("nobody released a head")
    _check_head(reads, embeddings, outputs)
    return JointNetwork(bottoms, head, outputs).requires_grad_(requires_grad=False).eval()


def unpack_bottom(part: Mapping[str, Array]) -> tuple[list[str], nn.Module] | None:
    """Return the columns that one party's bottom model reads, and the model; None where the party has none.

    A ValueError says in plain words what does not fit.
    """
    columns, bottom, _ = _described(part)
    if bottom is None:
        return None
    return columns, filled(bottom, _state(part, "bottom."), _precision([part]), "a bottom model")


def _described(part: Mapping[str, Array]) -> tuple[list[str], Architecture | None, Head | None]:
    """Read what a part says of itself, and see that it reads the columns that it names."""
    try:
        about = from_array(part[ABOUT])
        columns = list(about["columns"])
        bottom = without_encoder(architecture_from_json(about["bottom"])) if about["bottom"] is not None else None
        head = head_from_json(about["head"]) if about["head"] is not None else None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError("the description of a part cannot be read") from error
    twice = [name for place, name in enumerate(columns) if name in columns[:place]]
    if twice:
        raise ValueError(f"a part names the column '{twice[0]}' twice")
    inputs = bottom.inputs if bottom is not None else 0
    if inputs != len(columns):
        raise ValueError(f"a bottom model reads {inputs} columns, but its part names {len(columns)}")
    return columns, bottom, head


def filled(described: Architecture | Head, state: Mapping[str, Array], precision: torch.dtype, name: str) -> nn.Module:
    """Build what is described and fill it with released parameters, once they are known to fit."""
    try:
        with torch.device("meta"):  # shapes alone: what is described may be too large to be built
            expected = {key: tuple(tensor.shape) for key, tensor in described.build().state_dict().items()}
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise ValueError(f"the description of {name} is not that of a network") from error
    if expected != {key: array.shape for key, array in state.items()}:
        raise ValueError(f"the parameters of {name} do not fit the network that is described")
    return load_state(described.build().to(precision), state)


def _check_head(head: Head, embeddings: Sequence[int], outputs: int) -> None:
    fits = sum(embeddings) == head.inputs if isinstance(head, TopModel) else set(embeddings) == {head.outputs}
    if not fits:
        raise ValueError("the head reads other numbers of outputs than the bottom models have")
    if head.outputs != outputs:
        raise ValueError(f"the head gives {head.outputs} outputs instead of {outputs}")


def _state(part: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in part.items() if name.startswith(prefix)}


def _precision(parts: Sequence[Mapping[str, Array]]) -> torch.dtype:
    """Return the widest precision in which parameters were released."""
    wide = any(array.dtype == "float64" for part in parts for array in part.values())
    return torch.float64 if wide else torch.float32
