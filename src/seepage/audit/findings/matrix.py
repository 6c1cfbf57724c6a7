"""Who can learn what where: a cell for each aim, federation and adversary, also where nothing applies."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from seepage.audit.findings.circumstances import Circumstances
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.scenes import Scene, Trial
from seepage.data import Property


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One asset or property, one federation, one adversary: what was found there, or why there is nothing.

    `details` tell a federation apart from others of its name. `scene` is None where nothing was tried. `reason` says
    why no attack gave a number; None where one did.
    """

    asset: str
    property: str | None
    federation: str
    details: str
    adversary: tuple[str, ...]
    scene: Scene | None
    reason: str | None

    @cached_property
    def bare(self) -> Trial | None:
        """What was found without a defense; None where nobody looked or got a number."""
        trial = self.scene.undefended if self.scene else None
        return trial if trial and trial.strongest else None


def cell_of(around: Finding, adversary: tuple[str, ...], scene: Scene | None, details: str) -> Cell:
    """Make the cell of a scene, or the empty one for an adversary in the place of another."""
    return Cell(
        asset=around.asset,
        property=around.property,
        federation=around.federation,
        details=details,
        adversary=adversary,
        scene=scene,
        reason=_untried(around, adversary) if scene is None else _reason(scene),
    )


def place_of(finding: Finding) -> tuple[object, ...]:
    """Return what tells federations apart, whatever is asked about them and whoever asks."""
    return Circumstances.of(finding).surroundings.undefended


def _untried(around: Finding, adversary: tuple[str, ...]) -> str:
    active = around.partition.get("active")
    if around.asset == "labels" and active in adversary:
        return f"{active} holds the labels itself."
    column = Property.parse(around.property).column if around.property else None
    for name in adversary:
        held = around.partition.get("columns", {}).get(name, ())
        if isinstance(held, list | tuple) and column in held:  # many columns are only counted
            return f"{name} holds '{column}' itself."
    return "Nothing was tried."


def _reason(scene: Scene) -> str | None:
    """Return the most frequent reason why no attack gave a number; None where one did."""
    if scene.attacked:
        return None
    attacks = [line for line in scene.lines if not line.is_baseline]
    told = [line.first.reason for line in attacks if line.status == "not applicable" and line.first.reason]
    if not told:
        told = [f"Failed: {line.first.reason}" for line in attacks if line.status == "failed" and line.first.reason]
    if told:
        return " ".join(Counter(told).most_common(1)[0][0].split())
    if scene.nothing_to_gain:
        return "Known without the federation already: nothing is left to gain."
    firsts = [trial.first for trial in scene.trials]
    return "The truth is not known." if any(one.status == "ok" for one in firsts) else "No attack could be run."
