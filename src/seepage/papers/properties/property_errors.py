"""Errors of attacks on properties: a line of the paper's and one of ours for each property and case."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any, TypeAlias

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.properties.property_setting import C1, CASES, DIGITS, Case, PropertyData, of_property, property_plan
from seepage.papers.readings import Reading, Spread
from seepage.papers.rows import our_row, printed_row, seeds_of
from seepage.papers.table import Cells

Printed: TypeAlias = Mapping[tuple[str, Case], Mapping[str, float]]
"""Abbreviation of a property and case → heading of a column → what the paper prints."""


def as_printed(printed: Mapping[str, Any]) -> Printed:
    """Read what a paper prints: names of columns, and by case and property a number for each of them."""
    return {
        (name, case): dict(zip(printed["columns"], numbers, strict=True))
        for case in CASES
        for name, numbers in printed.get(case, {}).items()
    }


def inferred(
    asked: Sequence[PropertyData],
    order: Order,
    *,
    columns: Sequence[Reading],
    dealt: Mapping[str, Mapping[str, Any]] | None = None,
    seeds: int | None = None,
    printed: Printed | None = None,
    cases: Sequence[Case] = (C1,),
    averaged: bool = False,
) -> Iterator[Cells]:
    """Run every data set in every case; each property has a line of the paper's, where it prints one, and ours.

    Parameters
    ----------
    dealt
        Heading of a column → what is different in the partition of the data for it, which takes a run of its own.
    averaged
        Whether to end with means over all properties whose data are the paper's.
    """
    ours: dict[tuple[str, Case], Mapping[str, Spread]] = {}
    printed = printed or {}
    ways = {one.label: (dealt or {}).get(one.label, {}) for one in columns}
    words = {heading: _word(way) for heading, way in ways.items()}
    for data in asked:
        found: dict[Case, dict[str, list[Finding]]] = {case: {} for case in cases}
        for case, word in product(cases, dict.fromkeys(words.values())):
            together = [one for one in columns if words[one.label] == word]
            plan = property_plan(
                data, together, case=case, seeds=seeds or data.seeds, partition=ways[together[0].label]
            )
            found[case][word] = order.run(plan, "/".join(filter(None, (data.data, case, word))))
        for (name, property_), case in product(data.properties.items(), cases):
            mine = {word: of_property(findings, property_) for word, findings in found[case].items()}
            read = {one.label: one.of(mine[words[one.label]]) for one in columns}
            start = {"data": data.label, "property": name, "case": case}
            if (name, case) in printed:
                yield printed_row(start, printed[name, case], DIGITS)
            written = {heading: spread.written(DIGITS) for heading, spread in read.items()}
            yield our_row({**start, "whose": "ours"}, written, *mine.values())
            if not data.remark and any(map(seeds_of, mine.values())):  # of what was not run there is no mean
                ours[name, case] = read
    if averaged:
        yield from _means(ours, printed, cases)


def _word(partition: Mapping[str, Any]) -> str:
    """Name a partition in the folder of its results."""
    return "-".join(f"{key}-{value}" for key, value in partition.items())


def _means(
    ours: Mapping[tuple[str, Case], Mapping[str, Spread]], printed: Printed, cases: Sequence[Case]
) -> Iterator[Cells]:
    """Average over properties what the paper prints, and what we found, where every property has a number."""
    for case in cases:
        names = [name for name, there in ours if there == case]
        start = {"data": "mean", "property": f"{len(names)} properties", "case": case}
        theirs = [printed.get((name, case), {}) for name in names]
        means = [{key: read.mean for key, read in ours[name, case].items()} for name in names]
        for whose, lines in (("paper", theirs), ("ours", means)) if names else ():
            averages = {heading: [line.get(heading) for line in lines] for heading in ours[names[0], case]}
            full = {heading: [value for value in values if value is not None] for heading, values in averages.items()}
            yield {
                **start,
                "whose": whose,
                **{key: f"{fmean(values):.{DIGITS}f}" for key, values in full.items() if len(values) == len(names)},
            }
