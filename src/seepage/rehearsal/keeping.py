"""What a side keeps of a turn that is over, and what it says once when all are."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seepage.errors import BadMessage
from seepage.rehearsal.adversary import Scene, Struck, nothing_struck
from seepage.rehearsal.claims import NONCE, Sealed
from seepage.rehearsal.folder import Played
from seepage.rehearsal.plan import Turn
from seepage.rehearsal.side import Side, attempt_of
from seepage.rehearsal.victim import Scored
from seepage.rehearsal.words import Beside, Outcome, Told, Worth
from seepage.scores.metrics import METRICS
from seepage.shapes import Array

UNKNOWN = Worth()


def keep(
    side: Side,
    scene: Scene,
    struck: Mapping[int, Struck],
    theirs: Mapping[int, Outcome],
    worth: Worth = UNKNOWN,
    crossed: Sequence[Mapping[str, Any]] = (),
    bounds: Mapping[str, Any] | None = None,
) -> None:
    """Keep a turn, once both sides have tied themselves down."""
    withdrawn = not np.array_equal(scene.part.rows, scene.before)
    kept = {
        "holders": {one.asked: one.victims[0] for one in scene.attempts if one.asked is not None},
        "held": dict(scene.held),
        "train": scene.part.rows.tolist() if withdrawn else None,
        "crossed": [dict(one) for one in crossed],
        "bounds": dict(bounds or {}),
    }
    played = Played(
        own={number: one.outcome for number, one in struck.items()},
        findings={number: one.finding.to_json() for number, one in struck.items()},
        sealed={(number, victim): one for number, made in struck.items() for victim, one in made.sealed.items()},
        theirs=dict(theirs),
        worth=worth,
        kept=kept,
    )
    side.folder.keep(scene.turn.number, played)


def keep_silent(side: Side, scene: Scene, status: str, reason: str) -> None:
    """Keep a turn in which nothing was tried, and why."""
    struck = nothing_struck(scene, scene.own_attempts, status, reason)
    others = [one for one in scene.attempts if side.name in one.victims]
    theirs = nothing_struck(scene, others, status, reason)
    keep(side, scene, struck, {number: one.outcome for number, one in theirs.items()})


def scene_again(side: Side, turn: Turn, played: Played) -> Scene:
    """Return a turn as it was seen when it was played, as far as a victim needs that."""
    train = played.kept["train"]
    rows = side.dealt(turn.seed).part.rows if train is None else np.array(train, dtype=np.int64)
    return side.scene(turn, rows, played.kept["holders"], played.kept["held"])


def told_once(side: Side, against: Mapping[tuple[int, int], Scored]) -> tuple[Told, ...]:
    """Return what claims of others reached; once it was said, nothing else is said again."""
    told = tuple(against[place].told for place in sorted(against)) if side.plan.told else ()
    said, kept = [one.model_dump(mode="json") for one in told], side.folder.told()
    if kept is None:
        side.folder.keep_told(said)
    elif kept != said:
        raise BadMessage("Other claims were opened than before. What they reached is told once.")
    return told


def over(side: Side, number: int) -> tuple[Scene, Played]:
    """Return a turn that is over, as it was seen and as it was kept; refuse until all are."""
    if number >= len(side.plan.turns):
        raise BadMessage(f"The plan has no turn {number}.")
    if len(side.folder.done()) < len(side.plan.turns):
        raise BadMessage("Claims are opened once all turns are over.")
    turn, played = side.plan.turns[number], side.folder.played(number)
    return scene_again(side, turn, played), played


def told_of(side: Side, victim: str, told: Sequence[Told]) -> tuple[Told, ...]:
    """Return what a victim says of this side's own claims; refuse what speaks of others, or of one twice."""
    seen: set[tuple[int, int]] = set()
    for one in told:
        scene, played = over(side, one.turn)
        if (one.attempt, victim) not in played.sealed or (one.turn, one.attempt) in seen:
            raise BadMessage(f"'{victim}' speaks of claims that were not made, or twice of one.")
        metrics = [reached.metric for reached in (one.reached, one.reached and one.reached.ranking) if reached]
        if not set(metrics) <= set(METRICS) or attempt_of(scene, one.attempt, side.name).adversary != side.name:
            raise BadMessage(f"'{victim}' measures a claim by something that there is not.")
        seen.add((one.turn, one.attempt))
    return tuple(told)


def beside_of(sealed: Sealed) -> dict[str, Array]:
    """Return a claim as arrays that stand beside what is said."""
    held = {"nonce": sealed.nonce, "claim": sealed.data}
    return {name: np.frombuffer(data, dtype=np.uint8) for name, data in held.items()}


def sealed_from(beside: Beside) -> Sealed:
    """Read a claim, or refuse what is none."""
    nonce, claim = beside.get("nonce"), beside.get("claim")
    if nonce is None or claim is None or nonce.shape != (NONCE,) or nonce.dtype != np.uint8 or claim.dtype != np.uint8:
        raise BadMessage("A claim was opened that is none.")
    return Sealed(claim.tobytes(), nonce.tobytes())
