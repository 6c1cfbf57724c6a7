"""The folder of an audit: results kept as they come, findings written when all is done."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from seepage.audit.findings.finding import FINDINGS_FILE, Finding, write_findings
from seepage.audit.findings.locks import alone_in, among_slices
from seepage.audit.findings.notes import NO_NOTES, NOTES_FILE, Notes
from seepage.audit.findings.unfinished import UNFINISHED_FILE, Unfinished
from seepage.audit.plan.comparing import differences, extended
from seepage.audit.plan.plan import Plan, plan_text, read_plan
from seepage.audit.plan.slices import Slice
from seepage.audit.stages.work import Record
from seepage.errors import BadOutput
from seepage.files import check_file, check_place, private_folder, write_private

CELLS_FOLDER: Final = "cells"
PLAN_FILE: Final = "plan.toml"
REPORT_FILE: Final = "report.html"
SLICES_FILE: Final = "slices"
"""Holds into how many slices the audit is divided."""


@dataclass(frozen=True)
class AuditFolder:
    """Where one audit keeps what it has done so far, and what it found.

    Records lie in one file for each job, a line each, under keys that say what they were made of and by which code:
    what another plan, other data or other code left there answers nothing.
    """

    path: Path

    def stored(self) -> dict[str, Record]:
        """Read all records by their keys; a line that was cut off is simply made again."""
        found: dict[str, Record] = {}
        for path in sorted((self.path / CELLS_FOLDER).glob("*.jsonl")):
            for line in path.read_bytes().splitlines():
                try:
                    record = Record.model_validate_json(line)
                except ValidationError:
                    continue
                found[record.key] = record
        return found

    def keep(self, job: str, record: Record) -> None:
        """Store a record at once; a finding that failed is not kept, so that it is tried again.

        A line begins on a new one: what was cut off before it spoils nothing.
        """
        failed = record.finding is not None and record.finding.status == "failed"
        worth = record.worth
        untrained = worth is not None and worth.value is None and worth.reason is None  # others may want it trained
        if failed or untrained:
            return
        path = self.path / CELLS_FOLDER / f"{job}.jsonl"
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb", buffering=0) as file:
                file.write(b"\n" + record.model_dump_json().encode() + b"\n")
        except OSError as error:
            raise BadOutput(f"Cannot write {path} ({error.strerror}). Choose another place.") from error

    def finish(self, findings: Iterable[Finding], notes: Notes = NO_NOTES) -> None:
        """Write the findings, and what to know when reading them."""
        notes.write(self.path)
        write_findings(self.path, findings)

    def stop(self, findings: Sequence[Finding], unfinished: Unfinished, notes: Notes = NO_NOTES) -> None:
        """Write the findings that there are, marked as unfinished, so that they can be looked at."""
        unfinished.write(self.path)  # first: findings without the mark would pass for all of them
        notes.write(self.path)
        if findings:
            write_findings(self.path, findings)


def check_folder(path: Path) -> Path:
    """Say before any work whether an audit can write its results there."""
    check_place(path)
    for name in (FINDINGS_FILE, NOTES_FILE, PLAN_FILE, REPORT_FILE, UNFINISHED_FILE):
        if (path / name).is_dir():
            check_file(path / name)
    return path


def admitted(path: Path, plan: Plan, *, add: bool = False) -> Plan:
    """Return the plan to carry out in a folder: the one asked for, or what it adds to the one that is there.

    A folder that holds results of another plan is refused, since one page and one
    gate would speak for both. Where nothing was finished yet, nothing is lost.

    Parameters
    ----------
    add
        Whether to extend the plan that is there.
    """
    if not (path / PLAN_FILE).is_file() or not _holds_results(path):
        return plan
    there = read_plan(path / PLAN_FILE)
    apart = differences(there, plan)
    if not apart or add:
        return extended(there, plan) if apart else plan
    more = f" ({len(apart) - 2} more differences)" if len(apart) > 2 else ""
    raise BadOutput(
        f"{path} holds an audit of another plan: {' '.join(apart[:2])}{more} "
        "Choose another --out, or extend that audit with --add."
    )


def _holds_results(path: Path) -> bool:
    return (path / FINDINGS_FILE).exists() or any((path / CELLS_FOLDER).glob("*.jsonl"))


@contextmanager
def open_folder(path: Path, plan: Plan, *, slices: int | None = None) -> Iterator[AuditFolder]:
    """Take a folder for one audit.

    Findings and a report of an earlier audit are removed first: were this one
    killed, they would pass for its own.

    Parameters
    ----------
    slices
        Into how many slices the audit was divided whose results are there; None where it is not.
    """
    with alone_in(path, inside=private_folder(private_folder(check_folder(path)) / CELLS_FOLDER)):
        _begin(path, plan, slices)
        yield AuditFolder(path)


@contextmanager
def open_slice(path: Path, plan: Plan, part: Slice) -> Iterator[AuditFolder]:
    """Take a folder for one slice of an audit, beside other slices of the same audit.

    Who comes first begins; all others have to agree on the plan and into how many slices it is divided.
    """
    inside = private_folder(private_folder(check_folder(path)) / CELLS_FOLDER)
    with among_slices(path, str(part), part.number, inside=inside) as (first, door):
        with door:
            if first:
                _begin(path, plan, part.of)
            else:
                _refuse_strangers(path, plan, part)
        yield AuditFolder(path)


def slices_of(path: Path) -> int | None:
    """Return into how many slices the audit in a folder is divided; None where it is not."""
    try:
        return int((path / CELLS_FOLDER / SLICES_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _begin(path: Path, plan: Plan, slices: int | None) -> None:
    for name in (FINDINGS_FILE, NOTES_FILE, REPORT_FILE, UNFINISHED_FILE):
        (path / name).unlink(missing_ok=True)
    write_private(path / PLAN_FILE, plan_text(plan))
    if slices is None:
        (path / CELLS_FOLDER / SLICES_FILE).unlink(missing_ok=True)
    else:
        write_private(path / CELLS_FOLDER / SLICES_FILE, f"{slices}\n")


def _refuse_strangers(path: Path, plan: Plan, part: Slice) -> None:
    """Refuse a slice of another audit than the one whose slices are at work."""
    apart, slices = differences(read_plan(path / PLAN_FILE), plan), slices_of(path)
    if apart:
        raise BadOutput(f"Slices of another plan are at work in {path}: {apart[0]} Choose another --out.")
    if slices != part.of:
        raise BadOutput(f"The audit in {path} is at work in {slices} slices, so {part} is none of them.")
