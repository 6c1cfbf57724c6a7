"""What a joint model is worth beside the label holder's own: exactly for the label holder, roundly for all others."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from seepage.audit.stages.alone import confidences_alone
from seepage.errors import AuditError
from seepage.partition import PartitionedTable
from seepage.rehearsal.adversary import Scene
from seepage.rehearsal.plan import Turn
from seepage.rehearsal.side import Side
from seepage.rehearsal.victim import LEAST, blurred
from seepage.rehearsal.words import Worth
from seepage.scores import utility
from seepage.shapes import Matrix


@dataclass(frozen=True, eq=False)
class Alone:
    """What own columns are worth to each kind of model alone, trained once under a seed."""

    _known: dict[tuple[int, str], float] = field(default_factory=dict, repr=False)

    def of(self, side: Side, turn: Turn, say: Callable[[str], None]) -> float | None:
        """Train the same kind of model on the own columns, or remember what came of it."""
        key = (turn.seed, repr(turn.built))
        if key not in self._known:
            dealt = side.dealt(turn.seed)
            own = PartitionedTable(side.name, {side.name: dealt.part}, side.name, side.few.table.classes, dealt.test)
            try:
                confidences = confidences_alone(turn.built, own, turn.seed, side.folder.secret)
            except (AuditError, ValueError) as error:
                say(f"what own columns are worth alone is not known: {error}")
                return None
            assert dealt.part.labels is not None
            self._known[key] = utility(dealt.part.labels[dealt.test], confidences)[1]
        return self._known[key]


def worth_of(scene: Scene, released: Matrix, alone: float | None) -> Worth:
    """Return what was released is worth, beside what own columns are alone."""
    assert scene.part.labels is not None
    metric, joint, _ = utility(scene.part.labels[scene.test], released)
    return Worth(metric=metric, joint=joint, alone=alone if alone is None or math.isfinite(alone) else None)


def told_worth(side: Side, turn: Turn, worth: Worth) -> Worth:
    """Return what others are told of that: round numbers, and for one training always blurred alike."""
    rows = len(side.dealt(turn.seed).test)
    if not side.plan.told or rows < LEAST:
        return Worth()

    def told(number: float | None, *what: str) -> float | None:
        return None if number is None else blurred(number, rows, side.chance(turn.seed, "worth", *what))

    joint, alone = told(worth.joint, "joint", turn.name), told(worth.alone, "alone", turn.federation.name)
    return Worth(metric=worth.metric, joint=joint, alone=alone)
