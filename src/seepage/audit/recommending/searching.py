"""How settings are looked for: each search asks for what it wants to know next, and all are answered together."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from seepage.audit.recommending.measured import Arrangement, Measured
from seepage.audit.recommending.measuring import Request
from seepage.audit.recommending.wanted import Wanted

Found = TypeVar("Found")
Search = Generator[Request, Measured, Found]
"""Asks for one measurement after the other, and returns what it found."""
Measure = Callable[[Sequence[Request]], list[Measured]]

SLACK = 0.1
"""So much above its limit one seed may lie without a defense being given up: other seeds may lie below."""


@dataclass(frozen=True)
class Climb:
    """One defense in one federation, rung by rung from its weakest setting to its strongest.

    Parameters
    ----------
    monotone
        Whether each rung leaks no more than the one below.
    """

    rungs: tuple[Arrangement, ...]
    monotone: bool = True

    @property
    def defense(self) -> str:
        """The name of the defense."""
        first = self.rungs[0].defense
        return first.name if first is not None else ""


@dataclass(frozen=True)
class Reached:
    """What a climb came to for one aim.

    Parameters
    ----------
    assets
        What was to be brought below its limit.
    rung
        Where on the ladder it ended.
    closed
        Whether the limits hold there, as far as the seeds of the search tell.
    """

    climb: Climb
    assets: frozenset[str]
    rung: int
    measured: Measured
    closed: bool


def together(searches: Iterable[Search[Found]], measure: Measure) -> list[Found]:
    """Run searches side by side: what all of them want to know next is measured at once.

    >>> def doubling(name):
    ...     first = yield name
    ...     second = yield first
    ...     return second
    >>> together([doubling("a"), doubling("b")], lambda asked: [one * 2 for one in asked])
    ['aaaa', 'bbbb']
    """
    running, results = dict(enumerate(searches)), dict[int, Found]()
    answers: dict[int, Measured | None] = dict.fromkeys(running)
    while running:
        asked: dict[int, Request] = {}
        for number, search in tuple(running.items()):
            try:
                answer = answers[number]
                asked[number] = next(search) if answer is None else search.send(answer)
            except StopIteration as over:
                results[number] = over.value
                del running[number]
        if asked:
            answers.update(zip(asked, measure(list(asked.values())), strict=True))
    return [results[number] for number in sorted(results)]


def climbed(climb: Climb, open_: frozenset[str], wanted: Wanted, seeds: tuple[int, ...]) -> Search[list[Reached]]:
    """Look how strongly a defense has to be switched on to bring down what is open without it.

    One seed at the strongest setting says what the defense can bring down at all. Then the weakest setting is looked
    for that brings down all that is open or, where the defense can do that for some of it only, each by itself, to be
    joined with another defense.
    """
    top = len(climb.rungs) - 1
    every = frozenset(wanted.limits)
    strongest = yield Request(climb.rungs[top], seeds[:1], every)
    within = {asset for asset in open_ if _over(strongest, asset, wanted) <= SLACK}
    if not within and climb.monotone:
        return [Reached(climb, open_, top, strongest, closed=False)]
    # who goes for all that is open must not open what was closed
    goals = [every] if within == open_ or not climb.monotone else [frozenset({asset}) for asset in sorted(within)]
    found = []
    for goal in goals:
        reached = yield from weakest(climb, goal, wanted, seeds)
        found.append(reached)
    return found


def weakest(climb: Climb, goal: frozenset[str], wanted: Wanted, seeds: tuple[int, ...]) -> Search[Reached]:
    """Find the weakest rung on which the limits of some assets hold: by bisection, or by trying all of them."""

    def closed(measured: Measured) -> bool:
        return all(_over(measured, asset, wanted) <= 0 for asset in goal)

    low, high = -1, len(climb.rungs) - 1
    best = yield Request(climb.rungs[high], seeds, goal)
    if not climb.monotone:
        every = [(high, best)]
        for rung in range(high):
            measured = yield Request(climb.rungs[rung], seeds, goal)
            every.append((rung, measured))
        holding = [(rung, one) for rung, one in every if closed(one)]
        rung, best = max(holding or every, key=lambda pair: pair[1].utility or 0.0)
        return Reached(climb, goal, rung, best, closed=bool(holding))
    if not closed(best):
        return Reached(climb, goal, high, best, closed=False)
    while high - low > 1:
        middle = (low + high) // 2
        measured = yield Request(climb.rungs[middle], seeds, goal)
        if closed(measured):
            best, high = measured, middle
        else:
            low = middle
    return Reached(climb, goal, high, best, closed=True)


def paired(one: Reached, other: Reached, wanted: Wanted, seeds: tuple[int, ...]) -> Search[Measured]:
    """Switch two defenses on together, and make that one stronger whose asset stays open, while there are rungs."""
    places = [one.rung, other.rung]
    while True:
        both = joined(one.climb.rungs[places[0]], other.climb.rungs[places[1]])
        measured = yield Request(both, seeds, frozenset(wanted.limits))
        lacking = [
            number
            for number, part in enumerate((one, other))
            if any(_over(measured, asset, wanted) > 0 for asset in part.assets)
            and places[number] < len(part.climb.rungs) - 1
            and part.climb.monotone
        ]
        if not lacking:
            return measured
        for number in lacking:
            places[number] += 1


def joined(one: Arrangement, other: Arrangement) -> Arrangement:
    """Return the same federation under two defenses that act one after the other.

    >>> from seepage.audit.plan.plan import Choice
    >>> network = Choice(name="split-network")
    >>> first, second = Choice(name="top-k", settings={"share": 0.1}), Choice(name="dropout")
    >>> joined(Arrangement(network, first), Arrangement(network, second)).defense
    Choice(name='top-k+dropout', settings={'top-k': {'share': 0.1}, 'dropout': {}})
    """
    assert one.defense is not None
    assert other.defense is not None
    parts = (one.defense, other.defense)
    both = type(one.defense)(
        name="+".join(part.name for part in parts), settings={part.name: part.settings for part in parts}
    )
    return replace(one, defense=both)


def _over(measured: Measured, asset: str, wanted: Wanted) -> float:
    """Return by how much an asset leaks above its limit; all that there is where nobody knows."""
    reach = measured.reaches.get(asset)
    return 1.0 if reach is None else reach - wanted.limits[asset]
