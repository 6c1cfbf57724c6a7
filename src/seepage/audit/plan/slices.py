"""A share of an audit, for job arrays: every slice does its own, and nobody has to tell them apart."""

import re
from dataclasses import dataclass

from seepage.errors import BadPlan


@dataclass(frozen=True)
class Slice:
    """One of so many shares, counted from 1, as a job array counts.

    Jobs are dealt by their place in the plan, one to each slice in turn: seeds of one federation and defense, which
    cost the same, stand side by side, so that shares cost about the same too.

    >>> part = Slice.parse("2/4")
    >>> str(part), [place for place in range(10) if part.takes(place)]
    ('2/4', [1, 5, 9])
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise BadPlan(f"--slice {self} is none: of {self.of} slices the first is 1 and the last is {self.of}.")

    @classmethod
    def parse(cls, text: str) -> "Slice":
        """Read a slice as somebody types it."""
        found = re.fullmatch(r"(\d{1,9})/0*([1-9]\d{0,8})", text.strip(), re.ASCII)
        if found is None:
            raise BadPlan(f"--slice {text} is none: expected I/N, such as 2/4 for the second of four.")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def takes(self, place: int) -> bool:
        """Whether the job at this place of a plan, counted from 0, is one of its own."""
        return place % self.of == self.number - 1
