"""How much a joint network relies on each party: gradient × input at the cut, and GradCAM over pictures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn

CHUNK: Final = 500
BRIGHTEST: Final = 255
FEWEST: Final = 10
"""A mean over fewer pictures than this would come near to showing one of them."""


@dataclass(frozen=True, eq=False)
class Joined:
    """A trained network in its parts, in evaluation mode, and the rows to look at.

    Parameters
    ----------
    bottoms
        Party → bottom model, in the order in which the head reads what they say.
    head
        What turns a list of embeddings into logits; one logit stands for class 1 of two.
    features
        Party → the rows that its bottom model reads; the same people in all of them.
    """

    bottoms: Mapping[str, nn.Module]
    head: nn.Module
    features: Mapping[str, Tensor]

    def __post_init__(self) -> None:
        if not self.bottoms:
            raise ValueError("a joint network needs at least one bottom model, got none")
        counts = {party: len(self.features[party]) for party in self.bottoms}
        if len(set(counts.values())) != 1:
            raise ValueError(f"all parties must bring the same rows, got {counts}")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.features[next(iter(self.bottoms))])

    def chunks(self, size: int) -> Iterator[dict[str, Tensor]]:
        """Return the rows a few at a time, so that memory stays bounded."""
        for start in range(0, self.rows, size):
            yield {party: self.features[party][start : start + size] for party in self.bottoms}


def reliance(joined: Joined) -> dict[str, float]:
    r"""Return each party's share of what decides the prediction, by gradient × input at the cut.

    With embeddings :math:`e_p` and the logit :math:`f_{\hat y}` of the predicted class, party *p* gets

    .. math:: s_p \propto \sum_\text{rows} \sum_j \left| \frac{\partial f_{\hat y}}{\partial e_{pj}} \, e_{pj} \right|

    and shares add up to 1. Where no embedding matters to any row, there is nothing to share, and nobody has a share.

    Examples
    --------
    A head that adds up, of which the bank says three times as much as the shop:

    >>> from seepage.networks.heads import Summed
    >>> rows = {"bank": torch.tensor([[0.0, 3.0]]), "shop": torch.tensor([[0.0, 1.0]])}
    >>> bottoms = {party: nn.Identity() for party in rows}
    >>> reliance(Joined(bottoms, Summed(outputs=2, intercept=False), rows))
    {'bank': 0.75, 'shop': 0.25}
    """
    totals = dict.fromkeys(joined.bottoms, 0.0)
    with torch.enable_grad():
        for part in joined.chunks(CHUNK):
            with torch.no_grad():
                said = [bottom(part[party]) for party, bottom in joined.bottoms.items()]
            cut = [embedding.detach().requires_grad_() for embedding in said]
            slopes = torch.autograd.grad(predicted(joined.head(cut)).sum(), cut, allow_unused=True)
            for party, embedding, slope in zip(totals, cut, slopes, strict=True):
                if slope is not None:  # a head may read nothing of what a party says
                    totals[party] += float((slope * embedding.detach()).abs().sum())
    everything = sum(totals.values())
    return {party: total / everything for party, total in totals.items()} if everything > 0 else {}


def attention(joined: Joined) -> list[dict[str, Any]]:
    r"""Return where in its piece of a picture each party's bottom model finds what decides: GradCAM [1]_, averaged.

    For every row, with the last maps :math:`A_k` of a party's bottom model,

    .. math::

        \alpha_k = \frac1{|A_k|} \sum_{ij} \frac{\partial f_{\hat y}}{\partial A_{kij}}, \qquad
        M = \operatorname{ReLU}\Big(\sum_k \alpha_k A_k\Big);

    the mean of *M* over all rows is kept, which shows nobody's picture. The maps of
    all parties are brought to one scale, 255 being the brightest place of any, so
    that they can be laid side by side.

    Returns
    -------
    list of dict
        ``party`` and ``map`` (rows of whole numbers from 0 to 255), in the order of the bottom models. Empty where
        a bottom model makes no maps, where there are fewer than 10 rows, and where nothing lights up.

    Notes
    -----
    Table 5 of paper 001 shows single pictures. They would be records, which findings never hold.

    References
    ----------
    .. [1] R. R. Selvaraju et al., "Grad-CAM: Visual Explanations from Deep Networks via Gradient-based
       Localization", ICCV 2017.
    """
    if joined.rows < FEWEST:
        return []
    sums: dict[str, Tensor] = {}
    with torch.enable_grad():
        for part in joined.chunks(CHUNK):
            said, maps = [], []
            for party, bottom in joined.bottoms.items():
                embedding, last = _with_last_map(bottom, part[party])
                if last is None:
                    return []
                said.append(embedding)
                maps.append(last)
            slopes = torch.autograd.grad(predicted(joined.head(said)).sum(), maps, allow_unused=True)
            for party, last, slope in zip(joined.bottoms, maps, slopes, strict=True):
                weights = (torch.zeros_like(last) if slope is None else slope).mean(dim=(2, 3), keepdim=True)
                lit = torch.relu((weights * last.detach()).sum(dim=1)).sum(dim=0)
                sums[party] = sums[party] + lit if party in sums else lit
    brightest = max(float(lit.max()) for lit in sums.values())
    if not 0 < brightest < float("inf"):
        return []
    return [
        {"party": party, "map": (lit / brightest * BRIGHTEST).round().int().tolist()} for party, lit in sums.items()
    ]


def predicted(logits: Tensor) -> Tensor:
    """Return the logit of the predicted class, row by row; that of class 0 is the negative of a single one.

    >>> predicted(torch.tensor([[1.0, 4.0], [3.0, 2.0]])), predicted(torch.tensor([[-2.0], [1.0]]))
    (tensor([4., 3.]), tensor([2., 1.]))
    """
    return logits.max(dim=1).values if logits.shape[1] > 1 else logits[:, 0].abs()


def _with_last_map(bottom: nn.Module, rows: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return what a bottom model says, and the last maps on its way there that have more than one place."""
    seen: list[Tensor] = []

    def look(module: nn.Module, inputs: object, output: object) -> None:
        del module, inputs
        if isinstance(output, Tensor) and output.dim() == 4 and output[0, 0].numel() > 1:
            seen[:] = [output]

    handles = [module.register_forward_hook(look) for module in bottom.modules()]
    try:
        embedding: Tensor = bottom(rows.detach().requires_grad_())  # so that maps have gradients, whatever is frozen
    finally:
        for handle in handles:
            handle.remove()
    return embedding, seen[0] if seen else None
