"""First trees without passive parties."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from seepage.checks import check_counts
from seepage.errors import BadSetting
from seepage.hooks import Defense, Hook, Seam, VisibleNodes
from seepage.partition import OwnPart


@dataclass(frozen=True, kw_only=True)
class FirstTreesAlone(Defense):
    """Let the active party grow the first trees with its own columns; no passive party sees any of their nodes.

    Reduced-Leakage of SecureBoost [1]_, with which paper 003 compares. In
    boosting the first trees are fitted to the labels themselves and later ones
    to what is left of them, so the first are said to tell the most. Later trees are
    grown with everybody and are shown as they are: nothing bounds what they tell, and
    it is enough for who knows a few labels (docs/defenses/first-trees-alone.md).

    In a forest every tree is fitted to the labels, the last as much as the
    first, so all that is saved there is the number of trees seen.

    Parameters
    ----------
    trees
        How many rounds the active party grows alone. An active party without
        columns cannot, and is refused.

    References
    ----------
    .. [1] K. Cheng et al., "SecureBoost: A Lossless Federated Learning
       Framework", IEEE Intelligent Systems, 2021.
    """

    acts_on = frozenset({Seam.SPLIT})

    trees: int = 1

    def __post_init__(self) -> None:
        check_counts(trees=self.trees)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run; there is nothing to remember."""
        del rng
        if own_part.labels is None:
            return Hook()
        if own_part.width == 0:
            raise BadSetting(
                f"first-trees-alone: '{own_part.party}' holds the labels but no columns to grow a tree with; "
                "give it columns or choose another defense."
            )
        return Hook(split=self._alone)

    def _alone(self, visible: VisibleNodes) -> VisibleNodes:
        if visible.tree >= self.trees:
            return visible
        return replace(visible, allowed=np.zeros_like(visible.allowed))
