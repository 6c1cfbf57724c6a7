"""The folder of an audit: results kept as they come, findings written when all is done."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from seepage.audit.findings.finding import FINDINGS_FILE, Finding, write_findings
from seepage.audit.plan.plan import Plan, plan_text
from seepage.audit.stages.work import Record
from seepage.errors import BadOutput
from seepage.files import private_folder, write_private

CELLS_FOLDER: Final = "cells"
PLAN_FILE: Final = "plan.toml"
REPORT_FILE: Final = "report.html"


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
        untrained = record.worth is not None and record.worth.value is None  # another attack may want it trained
        if failed or untrained:
            return
        path = self.path / CELLS_FOLDER / f"{job}.jsonl"
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb", buffering=0) as file:
                file.write(b"\n" + record.model_dump_json().encode() + b"\n")
        except OSError as error:
            raise BadOutput(f"Cannot write {path} ({error.strerror}). Choose another place.") from error

    def finish(self, findings: Iterable[Finding]) -> None:
        """Write the findings."""
        write_findings(self.path, findings)


@contextmanager
def open_folder(path: Path, plan: Plan) -> Iterator[AuditFolder]:
    """Take a folder for one audit.

    Findings and a report of an earlier audit are removed first: were this one
    killed, they would pass for its own.
    """
    private_folder(private_folder(path) / CELLS_FOLDER)
    with os.fdopen(os.open(path / CELLS_FOLDER / ".lock", os.O_RDWR | os.O_CREAT, 0o600)) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BadOutput(f"Another audit is writing to {path}. Wait for it, or choose another --out.") from error
        (path / FINDINGS_FILE).unlink(missing_ok=True)
        (path / REPORT_FILE).unlink(missing_ok=True)
        write_private(path / PLAN_FILE, plan_text(plan))
        yield AuditFolder(path)
