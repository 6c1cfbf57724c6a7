"""The folder of an audit: one writer at a time, finished cells kept, results written when all is done."""

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
from seepage.audit.stages.cell import CellResult
from seepage.errors import BadOutput
from seepage.files import private_folder, write_private

CELLS_FOLDER: Final = "cells"
PLAN_FILE: Final = "plan.toml"
REPORT_FILE: Final = "report.html"


@dataclass(frozen=True)
class AuditFolder:
    """Where one audit keeps what it has done so far, and what it found."""

    path: Path

    def finished(self, key: str) -> CellResult | None:
        """Read a stored cell; one that cannot be read is simply done again."""
        path = self.path / CELLS_FOLDER / f"{key}.json"
        if not path.is_file():
            return None
        try:
            return CellResult.model_validate_json(path.read_bytes())
        except ValidationError:
            return None

    def keep(self, key: str, result: CellResult) -> None:
        """Store a finished cell at once; one that failed is not kept, so that it is tried again."""
        failed = any(finding.status == "failed" for finding in result.findings)
        empty = not result.findings and result.utility is None
        if not failed and not empty:
            write_private(self.path / CELLS_FOLDER / f"{key}.json", result.model_dump_json())

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
