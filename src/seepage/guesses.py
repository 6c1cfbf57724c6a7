"""What an attack claims about what it did not see."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from seepage.shapes import Labels, Mask, Matrix, Rows


@dataclass(frozen=True, eq=False)
class LabelGuess:
    """Scores for every class of some rows; the highest is the guessed label.

    Rows that an attack abstains from count as wrong.

    >>> scores = np.array([[0.2, 0.8], [0.5, 0.5]])
    >>> LabelGuess(rows=np.array([5, 9]), scores=scores, abstained=np.array([False, True])).labels
    array([ 1, -1])
    """

    rows: Rows
    scores: Matrix
    abstained: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        if self.abstained.size == 0:
            object.__setattr__(self, "abstained", np.zeros(len(self.rows), dtype=bool))
        if not len(self.rows) == len(self.scores) == len(self.abstained):
            raise ValueError(
                f"a guess needs one line for each row, got {len(self.rows)} rows, "
                f"{len(self.scores)} lines of scores and {len(self.abstained)} abstentions"
            )

    @property
    def labels(self) -> Labels:
        """The guessed class of every row; −1 where the attack abstains."""
        return np.where(self.abstained, -1, self.scores.argmax(axis=1)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class ClusterGuess:
    """Which rows belong together; the numbers of the clusters mean nothing.

    Parameters
    ----------
    steps
        Other clusterings of the same rows that were made on the way, by name;
        they are scored beside.
    """

    rows: Rows
    clusters: Labels
    steps: Mapping[str, Labels] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for clusters in (self.clusters, *self.steps.values()):
            if len(clusters) != len(self.rows):
                raise ValueError(f"a guess needs one cluster for each row, got {len(clusters)} for {len(self.rows)}")


Guess: TypeAlias = LabelGuess | ClusterGuess
