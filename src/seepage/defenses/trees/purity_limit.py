"""Nodes too pure to be seen."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from seepage.checks import check_positive
from seepage.errors import Remark
from seepage.hooks import Defense, Hook, Seam, VisibleNodes
from seepage.mechanisms.purity import largest_leakage, node_leakage
from seepage.partition import OwnPart
from seepage.shapes import Labels


class LimitWithoutEffect(Remark):
    """A limit is so high that no node can reach it; the defense does nothing."""


@dataclass(frozen=True, kw_only=True)
class PurityLimit(Defense):
    r"""Keep a node from passive parties when its classes, or those outside it, differ too much from all rows'.

    ID-LMID of paper 003, §4.2. With :math:`n_w^c` rows of class *c* in node
    *w*, :math:`\bar n_w^c` outside it and :math:`N^c` overall, the node may be
    seen when (Eq. 6)

    .. math::

        \max\left(
          \sum_c \frac{n_w^c}{n_w} \ln \frac{n_w^c / n_w}{N^c / N}, \;
          \sum_c \frac{\bar n_w^c}{\bar n_w} \ln \frac{\bar n_w^c / \bar n_w}{N^c / N}
        \right) \le \xi .

    A split that would make a child too pure is not taken from a passive party.
    Where the active party's own split makes one too pure, it grows both children
    alone, down to their leaves (Algorithm 5).

    By Theorem 2 the label of a row and whether the row is in one given node then
    share at most ξ nats, and by Corollary 1 so do the label and whatever is
    computed from that alone. Both hold for each node by itself: several nodes
    together, or a node and a column of one's own, can tell more, up to the whole
    label, and nothing bounds their sum. Attacks read just that, so neither
    speaks of them.
    That a node was withheld is itself something that passive parties notice.

    Parameters
    ----------
    limit
        :math:`\xi` in nats; paper 003 tries 0.1, 0.5, 1 and 2. No node exceeds
        :math:`-\ln` of the share of the rarest class, so a limit from there on
        does nothing, and the defense warns of it.

    Notes
    -----
    Where purities have to be asked for (boosting), passive parties send the
    class counts left of each candidate, a quarter of the message of Algorithm 6:
    the other three follow from what the active party knows itself. The root is
    held against ξ like any other node, which Algorithm 5 does not do.
    Classes that are absent add exactly 0; the authors' code adds 1e-15 inside
    the logarithm instead. There ξ ≤ 0 turns the defense off; here it is refused.
    """

    acts_on = frozenset({Seam.SPLIT})

    limit: float = 0.5

    def __post_init__(self) -> None:
        check_positive(limit=self.limit)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the active party watches what is shown; there is nothing to remember."""
        del rng
        if own_part.labels is None:
            return Hook()
        self._warn_if_idle(own_part.labels if own_part.train is None else own_part.labels[own_part.train])
        return Hook(split=self._limited)

    def _limited(self, visible: VisibleNodes) -> VisibleNodes:
        if not np.any(visible.allowed):
            return visible
        harmless = node_leakage(visible.class_counts(), visible.overall) <= self.limit  # Eq. 6
        return replace(visible, allowed=visible.allowed & harmless)

    def _warn_if_idle(self, labels: Labels) -> None:
        largest = largest_leakage(np.bincount(labels))
        if self.limit >= largest:
            warnings.warn(
                f"purity-limit: with these classes no node can exceed {largest:.3f}, so a limit of {self.limit:g} "
                "changes nothing. Choose a lower one.",
                LimitWithoutEffect,
                stacklevel=3,
            )
