"""Who can learn what where, as a table: adversaries and assets from top to bottom, federations from left to right."""

from collections.abc import Sequence
from dataclasses import dataclass

from seepage.audit.findings.certainty import Certainty
from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.matrix import Cell
from seepage.audit.findings.survey import Survey
from seepage.report.plain_table import small
from seepage.report.wording import called, listed, opening, subject, together
from seepage.scores.digits import counted, number

NOT_BARE = "Not measured without a defense."
NOT_TRIED = "Nothing was tried."


@dataclass(frozen=True, kw_only=True)
class Filled:
    """What a cell shows: a number with its interval and the attack behind it, or why there is none."""

    federation: str
    advantage: str = ""
    interval: str = ""
    attack: str = ""
    marks: tuple[str, ...] = ()
    bar: tuple[float, float, float] | None = None
    reason: str = ""


@dataclass(frozen=True)
class MatrixRow:
    """One adversary and one asset or property, on every federation."""

    adversary: str
    learned: str
    cells: tuple[Filled, ...]

    @property
    def words(self) -> str:
        """The row's name inside a sentence."""
        return f"{self.learned[:1].lower()}{self.learned[1:]} by {self.adversary}"

    @property
    def idle(self) -> str:
        """Why nothing applies on any federation, where that is the same on all; empty where something does."""
        reasons = {cell.reason for cell in self.cells}
        return reasons.pop() if len(reasons) == 1 else ""


@dataclass(frozen=True)
class Matrix:
    """The whole table; `untried` says what has no row, and `marks` what to keep in mind of all its numbers."""

    federations: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    untried: tuple[str, ...]
    marks: tuple[str, ...]


def matrix(survey: Survey) -> Matrix | None:
    """Lay out all cells; None where nothing was tried."""
    rows = grouped(survey.matrix, lambda cell: (cell.adversary, cell.asset, cell.property))
    if not rows:
        return None
    ordered = sorted(rows.values(), key=lambda cells: survey.adversaries.index(cells[0].adversary))
    tried = [cells for cells in ordered if any(cell.scene is not None for cell in cells)]
    untried = [_row(cells) for cells in ordered if all(cell.scene is None for cell in cells)]
    return Matrix(
        tuple(small(cell.federation, cell.details) for cell in ordered[0]),
        tuple(_row(cells) for cells in tried),
        tuple(
            f"{reason.removesuffix('.')}: {listed([row.words for row in rows])}."
            for reason, rows in grouped(untried, lambda row: row.idle or NOT_TRIED).items()
        ),
        survey.certainty.marks,
    )


def _row(cells: Sequence[Cell]) -> MatrixRow:
    first = cells[0]
    return MatrixRow(
        together(first.adversary),
        opening(subject(first.asset, first.property)),
        tuple(map(_filled, cells)),
    )


def _filled(cell: Cell) -> Filled:
    reached = cell.bare.advantage if cell.bare else None
    if cell.bare is None or reached is None or cell.bare.strongest is None:
        return Filled(federation=cell.federation, reason=cell.reason or NOT_BARE)
    low = reached.mean if reached.low is None else reached.low
    high = reached.mean if reached.high is None else reached.high
    return Filled(
        federation=cell.federation,
        advantage=number(reached.mean),
        interval=reached.bounds,
        attack=called(cell.bare.strongest.first),
        marks=_marks(Certainty.of(cell.bare.lines)),
        bar=(round(100 * reached.mean, 1), round(100 * low, 1), round(100 * high, 1)),
    )


def _marks(known: Certainty) -> tuple[str, ...]:
    """Say briefly what to keep in mind of one number.

    >>> _marks(Certainty(seeds=1, audited_rows=400, all_rows=9000))
    ('1 seed', 'sample', 'few rows')
    """
    told = (
        counted(known.seeds, "seed") if known.seeds < 3 else "",
        "sample" if known.sampled else "",
        "few rows" if known.few_rows else "",
    )
    return tuple(filter(None, told))
