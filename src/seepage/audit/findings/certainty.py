"""How sure one can be of what an audit found: what has to stand wherever one of its numbers is quoted."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.summary import SummaryLine
from seepage.scores.digits import counted

FEWEST_SEEDS: Final = 3
"""Fewer seeds than this are said to be few."""
FEWEST_ROWS: Final = 500
"""Fewer rows than this leave less than a hundred to test on."""


@dataclass(frozen=True)
class Certainty:
    """How many seeds and rows stand behind some numbers.

    `seeds` is the fewest with which anything was measured under one defense, and 0 where nothing was measured;
    `audited_rows` the fewest, of the `all_rows` of that table. Both are None where
    findings do not say it, as older ones do not.

    >>> sampled = Certainty(seeds=1, audited_rows=5000, all_rows=30000)
    >>> sampled.marks
    ('1 seed', 'a sample of 5,000 of 30,000 rows')
    >>> str(sampled), str(Certainty(seeds=5, audited_rows=569, all_rows=569))
    ('1 seed; a sample of 5,000 of 30,000 rows', '')
    """

    seeds: int
    audited_rows: int | None = None
    all_rows: int | None = None

    @classmethod
    def of(cls, lines: Iterable[SummaryLine]) -> "Certainty":
        """Count what stands behind some lines."""
        held = list(lines)
        measured = [line for line in held if line.value is not None]
        trials = grouped(measured, lambda line: line.circumstances.trial).values()
        rows = [(line.first.audited_rows, line.first.all_rows) for line in held if line.first.audited_rows is not None]
        audited, every = min(rows, key=lambda pair: pair[0] or 0, default=(None, None))
        seeds = min((max(line.seeds for line in lines) for lines in trials), default=0)
        return cls(seeds, audited, every)

    @property
    def sampled(self) -> bool:
        """Whether only some rows of the table were audited."""
        return self.audited_rows is not None and self.all_rows is not None and self.audited_rows < self.all_rows

    @property
    def few_rows(self) -> bool:
        """Whether there were too few rows to test anything well."""
        return self.audited_rows is not None and self.audited_rows < FEWEST_ROWS

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What has to be said beside every number; nothing where there is nothing to be careful about."""
        told = (
            counted(self.seeds, "seed") if 0 < self.seeds < FEWEST_SEEDS else "",
            f"a sample of {self.audited_rows:,} of {self.all_rows:,} rows" if self.sampled else "",
            f"{self.audited_rows:,} rows only" if self.few_rows and not self.sampled else "",
        )
        return tuple(filter(None, told))

    @property
    def brief(self) -> tuple[str, ...]:
        """The same in a word or two, for sentences beside which the whole stands.

        >>> Certainty(seeds=1, audited_rows=5000, all_rows=30000).brief
        ('1 seed', 'a sample')
        """
        return tuple("a sample" if mark.startswith("a sample") else mark for mark in self.marks)

    def __str__(self) -> str:
        return "; ".join(self.marks)
