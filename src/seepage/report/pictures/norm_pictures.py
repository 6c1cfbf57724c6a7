"""How norms of intermediate results are spread in populations of known shares.

Figures 2 and 4 and Table II of paper 000, for the run that was audited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.report.plain_table import NUMBER, Column, PlainTable, table
from seepage.report.wording import together
from seepage.scores.digits import NO_NUMBER

WIDTH, HEIGHT = 240.0, 100.0
KINDS: Final = {
    "AO": "adversary's outputs (AO)",
    "AG": "adversary's gradients (AG)",
    "VO": "victim's outputs (VO)",
    "VG": "victim's gradients (VG)",
}
COLORS: Final = ("#2f7ed8", "#6f76c4", "#9c6cae", "#bb6194", "#d64550")
"""From a population without the property to one in which all have it."""
GAPS: Final = {"25": "25 %", "100": "100 %"}
COLUMNS: Final = (
    Column("Shares differ by"), Column("KL divergence", NUMBER, "KL"), Column("JS distance", NUMBER, "JS"),
    Column("Bhattacharyya coefficient", NUMBER, "BC"),
)  # fmt: skip
"""Those of Table II: how far two populations are apart whose shares differ by a gap."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One population: its share, and the outline of its histogram as points of a picture."""

    share: str
    color: str
    points: str
    filled: bool


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The histograms of one kind of results."""

    kind: str
    low: str
    high: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, kw_only=True)
class NormPictures:
    """All pictures of one property."""

    title: str
    pictures: tuple[Picture, ...]
    divergences: PlainTable


def norm_pictures(survey: Survey) -> list[NormPictures]:
    """Draw one seed of the undefended run that got nearest, for each property and adversary; honest ones first."""
    bare = (line for scene in survey.scenes if scene.undefended for line in scene.undefended.fine)
    drawn = (line for line in bare if line.first.asset == "properties" and line.first.pictures)
    return [_pictures(min(lines, key=_error)) for lines in grouped(drawn, lambda one: one.circumstances.aim).values()]


def _error(line: SummaryLine) -> tuple[bool, float]:
    return (line.tampering_cost is not None, line.value if line.value is not None else float("inf"))


def _pictures(line: SummaryLine) -> NormPictures:
    first = line.first
    return NormPictures(
        title=(
            f"{first.property}: {first.attack} on {first.federation}, by {together(first.adversary)}, seed {first.seed}"
        ),
        pictures=tuple(
            picture for kind, held in first.pictures.items() if (picture := _picture(kind, held)) is not None
        ),
        divergences=table(
            COLUMNS,
            (
                (written, *(_fine(first.other_metrics.get(f"{kind}_{gap}")) for kind in ("kl", "js", "bc")))
                for gap, written in GAPS.items()
                if f"kl_{gap}" in first.other_metrics
            ),
        ),
    )


def _picture(kind: str, held: Mapping[str, Any]) -> Picture | None:
    """Draw the histograms of one kind on one scale; None where they cannot be drawn."""
    edges = [float(edge) for edge in held.get("edges", ())]
    shares = {str(share): [float(bin_) for bin_ in bins] for share, bins in held.get("shares", {}).items()}
    tallest = max((max(bins, default=0.0) for bins in shares.values()), default=0.0)
    fitting = all(len(bins) == len(edges) - 1 for bins in shares.values())
    if len(edges) < 2 or edges[-1] <= edges[0] or tallest <= 0 or not fitting:
        return None
    return Picture(
        kind=KINDS.get(kind, kind),
        low=f"{edges[0]:.3g}",
        high=f"{edges[-1]:.3g}",
        curves=tuple(
            Curve(
                share=f"{float(share):.0%}",
                color=COLORS[round(min(1.0, max(0.0, float(share))) * (len(COLORS) - 1))],
                points=_outline(edges, bins, tallest),
                filled=float(share) in {0.0, 1.0},
            )
            for share, bins in sorted(shares.items(), key=lambda entry: float(entry[0]))
        ),
    )


def _outline(edges: Sequence[float], bins: Sequence[float], tallest: float) -> str:
    """Return the corners of a histogram, left to right, from the ground up and back to it."""
    span = edges[-1] - edges[0]
    places = [WIDTH * (edge - edges[0]) / span for edge in edges]
    corners = [(places[0], HEIGHT)]
    for number, share in enumerate(bins):
        top = HEIGHT * (1 - share / tallest)
        corners += [(places[number], top), (places[number + 1], top)]
    corners.append((places[-1], HEIGHT))
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _fine(value: float | None) -> str:
    """Write four decimals, as Table II does."""
    return NO_NUMBER if value is None else f"{value:.4f}"
