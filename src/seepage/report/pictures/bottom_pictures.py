"""What an adversary's bottom model knows, and how much the joint model relies on it.

Figure 4 and Table 5 of paper 001, for the runs that were audited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.audit.reliance.pictures import ATTENTION, PROJECTION, RELIANCE
from seepage.report.plain_table import Bar, Column, PlainTable, small, table
from seepage.report.wording import together
from seepage.scores.digits import NO_NUMBER

SIDE: Final = 240.0
"""The side of a projection, in units of its picture."""
SMALLEST: Final = 0.45
"""The side of the square of a single row, as a share of its cell."""
COLORS: Final = (
    "#2f7ed8", "#e08a1e", "#1f9e89", "#d64550", "#9b6bd3", "#a8714a", "#c2558f", "#7d8a93", "#a3a02a", "#4aa8c9",
)  # fmt: skip
"""One for each class; classes beyond the tenth begin anew."""
BRIGHTEST: Final = 255
PASSIVE, ACTIVE = "honest in training", "tampering in training"
"""Not called passive and active as in the paper: parties often are."""


@dataclass(frozen=True, kw_only=True)
class PictureMark:
    """A rectangle of one color: the rows of one class in one cell."""

    x: str
    y: str
    width: str
    height: str
    color: str


@dataclass(frozen=True, kw_only=True)
class Piece:
    """What one party's bottom model looks at: squares from left to right and from the top, and how bright they are."""

    party: str
    left: float
    width: float
    squares: tuple[tuple[float, float, float, str], ...]


@dataclass(frozen=True, kw_only=True)
class Attention:
    """The pieces of all parties beside each other."""

    width: float
    height: float
    pieces: tuple[Piece, ...]

    @property
    def paths(self) -> tuple[tuple[str, str], ...]:
        """The squares of each brightness as one path; what is dark needs none."""
        squares = grouped((one for piece in self.pieces for one in piece.squares), lambda one: one[3])
        return tuple(
            (bright, "".join(f"M{x:g} {y:g}h{side:g}v{side:g}h-{side:g}z" for x, y, side, _ in held))
            for bright, held in squares.items()
            if float(bright) > 0
        )

    @property
    def cuts(self) -> tuple[float, ...]:
        """Where the picture is cut between parties."""
        return tuple(piece.left for piece in self.pieces[1:])


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One run: how the adversary behaved in it, and what is drawn of it."""

    kind: str
    attack: str
    rows: int
    marks: tuple[PictureMark, ...]
    attention: Attention | None

    @property
    def paths(self) -> tuple[tuple[str, str], ...]:
        """The marks of each color as one path, which takes a third of the room of as many rectangles."""
        colors = grouped(self.marks, lambda mark: mark.color)
        return tuple(
            (color, "".join(f"M{m.x} {m.y}h{m.width}v{m.height}h-{m.width}z" for m in marks))
            for color, marks in colors.items()
        )


@dataclass(frozen=True, kw_only=True)
class BottomPictures:
    """All pictures of one federation and one adversary; `details` tell federations of the same name apart."""

    title: str
    details: str
    adversary: str
    panels: tuple[Panel, ...]
    classes: tuple[tuple[str, str], ...]
    shares: PlainTable


def bottom_pictures(survey: Survey) -> list[BottomPictures]:
    """Draw, for each federation and adversary without a defense, the run in which it behaved and one in which not."""
    undefended = [scene.undefended.fine if scene.undefended else () for scene in survey.scenes]
    held = [[line for line in lines if _held(line)] for lines in undefended]
    found = [_of_scene(lines, survey.federation_details(lines[0].first)) for lines in held if lines]
    return [pictures for pictures in found if pictures.shares or any(p.marks or p.attention for p in pictures.panels)]


def _held(line: SummaryLine) -> bool:
    pictures = line.first.pictures
    return line.first.asset == "labels" and any(name in pictures for name in (PROJECTION, RELIANCE, ATTENTION))


def _of_scene(lines: Sequence[SummaryLine], details: str) -> BottomPictures:
    """Draw the strongest attack of each behavior; attacks that do not tamper have all seen the same run."""
    ordered = sorted(lines, key=lambda line: (line.first.tampering is not None, line.is_baseline, -line.reach))
    behaviors = grouped(ordered, lambda line: PASSIVE if line.first.tampering is None else ACTIVE)
    shown = {kind: group[0] for kind, group in behaviors.items()}
    first = lines[0].first
    classes = max(int(line.first.pictures.get(PROJECTION, {}).get("classes", 0)) for line in shown.values())
    seeds = ", ".join(dict.fromkeys(str(line.first.seed) for line in shown.values()))
    return BottomPictures(
        title=f"{first.data}: {first.federation}, by {together(first.adversary)}, seed {seeds}",
        details=details,
        adversary=together(first.adversary),
        panels=tuple(_panel(kind, line) for kind, line in shown.items()),
        classes=_legend(classes),
        shares=_shares({kind: line.first.pictures.get(RELIANCE, {}) for kind, line in shown.items()}, first.adversary),
    )


def _panel(kind: str, line: SummaryLine) -> Panel:
    projection = line.first.pictures.get(PROJECTION, {})
    return Panel(
        kind=kind,
        attack=line.first.attack,
        rows=int(projection.get("rows", 0)),
        marks=_marks(projection),
        attention=_attention(line.first.pictures.get(ATTENTION, ())),
    )


def _marks(projection: Mapping[str, Any]) -> tuple[PictureMark, ...]:
    """Draw a square for each cell, larger where more rows lie, cut from left to right by their classes."""
    cells = grouped((tuple(map(int, counted)) for counted in projection.get("counts", ())), lambda one: one[:2])
    most = max((sum(count for *_, count in held) for held in cells.values()), default=0)
    if most < 1 or int(projection.get("grid", 0)) < 1:
        return ()
    unit = SIDE / int(projection["grid"])
    marks = []
    for (x, y), held in cells.items():
        total = sum(count for *_, count in held)
        side = unit * (SMALLEST + (1 - SMALLEST) * (total / most) ** 0.5)
        left, top = (x + 0.5) * unit - side / 2, (y + 0.5) * unit - side / 2
        for _, _, kind, count in held:
            width = side * count / total
            color = COLORS[kind % len(COLORS)]
            marks.append(PictureMark(x=_fine(left), y=_fine(top), width=_fine(width), height=_fine(side), color=color))
            left += width
    return tuple(marks)


def _legend(classes: int) -> tuple[tuple[str, str], ...]:
    """Name the classes of each color by their numbers.

    >>> _legend(2)
    (('class 0', '#2f7ed8'), ('class 1', '#e08a1e'))
    >>> _legend(11)[:2]
    (('classes 0, 10', '#2f7ed8'), ('class 1', '#e08a1e'))
    """
    shared = [[str(kind) for kind in range(color, classes, len(COLORS))] for color in range(len(COLORS))]
    return tuple(
        (f"class{'es' * (len(kinds) > 1)} {', '.join(kinds[:3])}{', …' * (len(kinds) > 3)}", color)
        for kinds, color in zip(shared, COLORS, strict=True)
        if kinds
    )


def _shares(held: Mapping[str, Mapping[str, float]], adversaries: Sequence[str]) -> PlainTable:
    """Write how much the joint model relies on each party, beside each other for each behavior."""

    def bar(party: str, share: float | None) -> Bar:
        told = NO_NUMBER if share is None else f"{share:.1%}".replace("%", " %")
        return Bar(told, round(100 * (share or 0.0), 1), "much" if party in adversaries else "unknown")

    parties = dict.fromkeys(party for shares in held.values() for party in shares)
    return table(
        (Column("Party"), *(Column(kind, "told") for kind in held)),
        (
            (
                small(party, "the adversary" * (party in adversaries)),
                *(bar(party, shares.get(party)) for shares in held.values()),
            )
            for party in parties
        ),
    )


def _attention(maps: Sequence[Mapping[str, Any]]) -> Attention | None:
    """Lay the maps of all parties side by side, as high as the highest; None where there is none."""
    if not maps or any(not entry["map"] or not entry["map"][0] for entry in maps):
        return None
    height = float(max(len(entry["map"]) for entry in maps))
    pieces, left = [], 0.0
    for entry in maps:
        unit = height / len(entry["map"])
        squares = tuple(
            (round(left + x * unit, 3), round(y * unit, 3), round(unit, 3), f"{value / BRIGHTEST:.2f}")
            for y, row in enumerate(entry["map"])
            for x, value in enumerate(row)
        )
        width = unit * len(entry["map"][0])
        pieces.append(Piece(party=entry["party"], left=round(left, 3), width=round(width, 3), squares=squares))
        left += width
    return Attention(width=round(left, 3), height=height, pieces=tuple(pieces))


def _fine(value: float) -> str:
    return f"{value:.1f}"
