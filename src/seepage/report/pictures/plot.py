"""The geometry of a chart: where values lie, where ticks stand, and where labels fit without lying on each other."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

LETTER: Final = 5.5
"""About how wide a letter of a label is, in units of the picture."""
LINE: Final = 12.0
"""How high a line of text is."""
REACH: Final = 9.0
"""How near to its point a label stands where there is room."""
DISTANCES: Final = (REACH, 16.0, 26.0, 38.0, 52.0, 68.0)
"""How far from its point a label is tried, one after the other."""
DIRECTIONS: Final = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))


@dataclass(frozen=True)
class Scale:
    """Takes values to places, from one end of an axis to the other.

    >>> Scale(0.0, 1.0, start=300.0, end=0.0).at(0.25)
    225.0
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the place of a value; one off the axis is put at its end."""
        inside = min(self.high, max(self.low, value))
        return round(self.start + (inside - self.low) / (self.high - self.low) * (self.end - self.start), 1)

    def holds(self, value: float) -> bool:
        """Whether a value lies on the axis."""
        return self.low <= value <= self.high

    def ticks(self, about: int = 5) -> list[float]:
        """Return round values between the ends.

        >>> Scale(0.917, 1.003, start=0.0, end=1.0).ticks()
        [0.92, 0.94, 0.96, 0.98, 1.0]
        """
        rough = (self.high - self.low) / about
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= rough * 0.999)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


def span(values: Sequence[float], reaching: Sequence[float] = (), least: float = 0.02) -> tuple[float, float]:
    """Return where an axis begins and ends: around all values, and as far as possible around what reaches beyond.

    What reaches far beyond is cut off, so that a wide interval does not press all values into one place.

    >>> span([0.9, 1.0]), span([0.9, 1.0], reaching=[0.0, 1.02])
    ((0.892, 1.008), (0.842, 1.028))
    """
    low, high = min(values), max(values)
    room = max(high - low, least)
    middle = (low + high) / 2
    low, high = min(low, middle - room / 2), max(high, middle + room / 2)
    bottom = max(min([low, *reaching]), low - room / 2)
    top = min(max([high, *reaching]), high + room / 2)
    return round(bottom - 0.08 * room, 6), round(top + 0.08 * room, 6)


@dataclass(frozen=True)
class Box:
    """A rectangle that something covers."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: "Box") -> bool:
        """Whether two rectangles share more than an edge."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def inside(self, other: "Box") -> bool:
        """Whether this lies in another altogether."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


@dataclass(frozen=True)
class Label:
    """A text beside its point, `origin`; `leader` is where a line from there ends, if the text stands further away."""

    text: str
    x: float
    y: float
    anchor: str
    leader: tuple[float, float] | None
    box: Box
    origin: tuple[float, float]


def around(x: float, y: float, size: float) -> Box:
    """Return the square that a marker covers."""
    return Box(x - size, y - size, x + size, y + size)


def placed(wanted: Iterable[tuple[str, float, float]], frame: Box, taken: Iterable[Box]) -> list[Label | None]:
    """Find a place for every label, the most important first; None where there is no room for one.

    >>> frame = Box(0, 0, 200, 100)
    >>> one, two = placed([("top-k", 50, 50), ("rounding", 52, 50)], frame, [around(50, 50, 4), around(52, 50, 4)])
    >>> one.box.touches(two.box), one.leader
    (False, None)
    >>> placed([("a text that is far too long for this frame", 50, 50)], frame, [])
    [None]
    """
    covered = list(taken)
    found: list[Label | None] = []
    for text, x, y in wanted:
        free = (one for one in _tries(text, x, y) if one.box.inside(frame) and not _hit(one.box, covered))
        label = next(free, None)
        if label is not None:
            covered.append(label.box)
        found.append(label)
    return found


def _hit(box: Box, covered: Iterable[Box]) -> bool:
    return any(box.touches(other) for other in covered)


def _tries(text: str, x: float, y: float) -> Iterator[Label]:
    """Yield places for a label, the nearest first."""
    width = LETTER * len(text)
    for distance in DISTANCES:
        for across, down in DIRECTIONS:
            near = x + across * distance * (0.7 if across and down else 1.0)
            middle = y + down * distance * (0.8 if across and down else 1.0)
            left = near - {1: 0.0, 0: width / 2, -1: width}[across]
            box = Box(left, middle - LINE / 2, left + width, middle + LINE / 2)
            anchor = {1: "start", 0: "middle", -1: "end"}[across]
            leader = None if distance == REACH else (round(near, 1), round(middle, 1))
            yield Label(text, round(near, 1), round(middle + LINE * 0.3, 1), anchor, leader, box, (x, y))
