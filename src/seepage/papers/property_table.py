"""A table of attacks on properties: a line of the paper's and one of ours for each property and case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final, TypeAlias

from seepage.audit.findings.finding import Finding
from seepage.papers.order import Order
from seepage.papers.paper_table import Line
from seepage.papers.property_setting import C1, Case, PropertyData, about, property_plan
from seepage.papers.readings import Reading, Spread, auc_of, seeds_of, why_not

DIGITS: Final = 4

Printed: TypeAlias = Mapping[tuple[str, Case], Mapping[str, float]]
"""Abbreviation of a property and case → heading of a column → what the paper prints."""


@dataclass(frozen=True)
class Column:
    """One number of every line: the error of an attack, or what the joint model was worth when it was run.

    Parameters
    ----------
    worth
        Whether the AUC of the joint model is read instead of the error.
    partition
        What is different in how columns are dealt.
    """

    label: str
    reading: Reading
    worth: bool = False
    partition: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dealt(self) -> str:
        """A word on the partition for the folder of the results."""
        return "-".join(f"{key}-{value}" for key, value in self.partition.items())

    def of(self, findings: Sequence[Finding]) -> Spread:
        """Read the number of one property over all seeds."""
        return auc_of(self.reading.among(findings)) if self.worth else self.reading.of(findings)


def errors(*readings: Reading) -> tuple[Column, ...]:
    """Return a column for the error of each attack."""
    return tuple(Column(reading.label, reading) for reading in readings)


def worths(*readings: Reading) -> tuple[Column, ...]:
    """Return a column for what the joint model was worth under each attack."""
    return tuple(Column(f"AUC, {reading.label}", reading, worth=True) for reading in readings)


@dataclass(frozen=True)
class PropertyTable:
    """The mean absolute error of attacks on every property, in one or both cases.

    Parameters
    ----------
    datasets
        All there are; those that are not the paper's are run only when they are named.
    seeds
        Data set → how many seeds.
    averaged
        Whether to end with the mean over all properties whose data are the paper's.
    """

    title: str
    note: str
    page: str
    columns: tuple[Column, ...]
    datasets: tuple[PropertyData, ...]
    seeds: Mapping[str, int]
    printed: Printed = field(default_factory=dict)
    cases: tuple[Case, ...] = (C1,)
    averaged: bool = False

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets, by name."""
        return tuple(dataset.data for dataset in self.datasets)

    def lines(self, order: Order) -> list[Line]:
        """Run every data set in every case; each property has a line of the paper's, where it prints one, and ours."""
        lines: list[Line] = []
        ours: dict[tuple[str, Case], dict[str, Spread]] = {}
        for dataset in self.datasets:
            if order.wants(dataset.data, by_default=not dataset.remark):
                found = {case: self._run(dataset, case, order) for case in self.cases}
                for name, asked in dataset.properties.items():
                    for case in self.cases:
                        mine = {dealt: about(findings, asked) for dealt, findings in found[case].items()}
                        read = {column.label: column.of(mine[column.dealt]) for column in self.columns}
                        lines += self._pair(dataset.label, name, case, read, mine)
                        if not dataset.remark:
                            ours[name, case] = read
        return lines + (self._means(ours) if self.averaged else [])

    def _run(self, dataset: PropertyData, case: Case, order: Order) -> dict[str, list[Finding]]:
        """Run one plan for each way to deal the columns."""
        found: dict[str, list[Finding]] = {}
        for dealt, partition in {column.dealt: column.partition for column in self.columns}.items():
            readings = [column.reading for column in self.columns if column.dealt == dealt]
            seeds = self.seeds[dataset.data]
            plan = property_plan(dataset, order, readings, case=case, seeds=seeds, partition=partition)
            found[dealt] = order.run(plan, "/".join(filter(None, (dataset.data, case, dealt))))
        return found

    def _pair(
        self, label: str, name: str, case: Case, read: Mapping[str, Spread], mine: Mapping[str, Sequence[Finding]]
    ) -> list[Line]:
        findings = [found for some in mine.values() for found in some]
        seeds = str(min(map(seeds_of, mine.values())))
        printed = {heading: f"{value:.{DIGITS}f}" for heading, value in self.printed.get((name, case), {}).items()}
        written = {heading: spread.written(DIGITS) for heading, spread in read.items()}
        start = {"data": label, "property": name, "case": case}
        theirs = [self._line({**start, "whose": "paper", "seeds": ""}, printed, "")] if printed else []
        return [*theirs, self._line({**start, "whose": "ours", "seeds": seeds}, written, why_not(findings))]

    def _means(self, ours: Mapping[tuple[str, Case], Mapping[str, Spread]]) -> list[Line]:
        """Average over properties what the paper prints, and what we found."""
        lines = []
        for case in self.cases:
            names = [name for name, there in ours if there == case]
            if names:
                printed = [self.printed.get((name, case), {}) for name in names]
                means = [{key: read.mean for key, read in ours[name, case].items()} for name in names]
                start = {"data": "mean", "property": f"{len(names)} properties", "case": case}
                lines += [
                    self._line({**start, "whose": whose, "seeds": ""}, self._averages(cells), "")
                    for whose, cells in (("paper", printed), ("ours", means))
                ]
        return lines

    def _averages(self, cells: Sequence[Mapping[str, float | None]]) -> dict[str, str]:
        """Return the mean of each column that has a number for every property."""
        averages = {}
        for column in self.columns:
            values = [found for cell in cells if (found := cell.get(column.label)) is not None]
            if len(values) == len(cells):
                averages[column.label] = f"{fmean(values):.{DIGITS}f}"
        return averages

    def _line(self, start: Mapping[str, str], cells: Mapping[str, str], remark: str) -> Line:
        filled = {**start, **{column.label: cells.get(column.label, "") for column in self.columns}, "remark": remark}
        return Line(tuple(filled), tuple(filled.values()))
