"""What one side found: what it reached against others, as they told it, and what others reached against it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seepage.audit.findings.finding import Finding, write_findings
from seepage.audit.findings.notes import Notes
from seepage.rehearsal.adversary import Scene
from seepage.rehearsal.folder import Played
from seepage.rehearsal.keeping import scene_again
from seepage.rehearsal.plan import Turn
from seepage.rehearsal.side import Side
from seepage.rehearsal.victim import Scored, as_told, together
from seepage.rehearsal.words import Told

UNTOLD = "Whose data it is about has not said how good it is."


def write_outcome(
    side: Side, told: Mapping[tuple[int, int], Sequence[Told]], against: Mapping[tuple[int, int], Scored]
) -> list[Finding]:
    """Write the findings of one side into its folder, and return them."""
    turns = [(turn, side.folder.played(turn.number)) for turn in side.plan.turns]
    plain = {
        (turn.seed, repr(turn.built)): played.worth.joint
        for turn, played in turns
        if turn.defense is None and turn.tampering is None
    }
    findings = [
        one.model_copy(update=_account(side, played, plain.get((turn.seed, repr(turn.built)))))
        for turn, played in turns
        for one in _found(side, turn, played, told, against)
    ]
    Notes(_remarks(side), reader=side.name).write(side.folder.path)
    write_findings(side.folder.path, findings)
    return findings


def _found(
    side: Side,
    turn: Turn,
    played: Played,
    told: Mapping[tuple[int, int], Sequence[Told]],
    against: Mapping[tuple[int, int], Scored],
) -> Iterator[Finding]:
    scene = scene_again(side, turn, played)
    for attempt in scene.attempts:
        place = (turn.number, attempt.number)
        if attempt.adversary == side.name:
            yield _reached(Finding.from_json(played.findings[attempt.number]), told.get(place, ()))
        elif place in against:
            bounds = played.kept["bounds"].get(attempt.adversary, {}) if attempt.attack.steals == "labels" else {}
            found = against[place].finding
            yield found.model_copy(update={"bounds": {**bounds, **found.bounds}})
        elif side.name in attempt.victims:
            yield _silent(scene, attempt.number, played)


def _reached(finding: Finding, told: Sequence[Told]) -> Finding:
    """Put beside an own claim what its victims said of it; without a word it stays a claim."""
    if finding.status != "ok":
        return finding
    reached = [one.reached for one in told if one.reached is not None]
    if reached:
        return Finding.model_validate({**dict(finding), **as_told(together(reached))})
    reason = next((one.reason for one in told if one.reason is not None), None)
    return finding.model_copy(update={"status": "failed", "reason": reason} if reason else {"reason": UNTOLD})


def _silent(scene: Scene, number: int, played: Played) -> Finding:
    attempt, outcome = scene.attempts[number], played.theirs.get(number)
    if outcome is None or outcome.status == "ok":
        return scene.silent(attempt, "failed", "It was claimed, and not opened.")
    return scene.silent(attempt, outcome.status, outcome.reason or "Its adversary does not say why.")


def _account(side: Side, played: Played, undefended: float | None) -> dict[str, Any]:
    """Return what all findings of a turn say of what the model was worth and of what crossed."""
    worth = played.worth
    crossed = Finding.model_validate(
        {"data": "", "encoding": "", "scaling": "", "federation": "", "parties": 2, "adversary": (), "attack": "",
         "seed": 0, "asset": "", "crossed": played.kept["crossed"]}
    ).crossed  # fmt: skip
    return {
        "utility_metric": worth.metric,
        "utility": worth.joint,
        "utility_alone": worth.alone,
        "utility_undefended": undefended,
        "crossed": crossed,
        "audited_rows": side.few.table.rows,
        "all_rows": side.shared_rows,
    }


def _remarks(side: Side) -> tuple[str, ...]:
    """Say what a reader of the page must know of a rehearsal."""
    plan, name = side.plan, side.name
    others = " and ".join(f"'{party}'" for party in plan.parties if party != name)
    said = [
        f"This is what '{name}' knows of a rehearsal with {others}, each on its own host: what others reached against "
        f"'{name}' is exact, and what '{name}' reached against others is as they told it, in round numbers."
    ]
    if plan.decoys:
        said.append(
            f"Labels were decoys, permuted among {plan.decoys} people whom the label holder's own columns rank alike: "
            "what a federation adds to these columns shows in no number here."
        )
        if name == plan.driver:
            said.append(f"Of the labels that took part {side.unchanged:.0%} were the true ones all the same.")
    if not plan.scores:
        said.append("Claims were labels and values without scores, so nobody says how well people were ranked.")
    return tuple(said)
