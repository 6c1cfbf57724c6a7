"""Findings of a table in one compressed file, so that its page is drawn by a command and never typed."""

import hashlib
import json
import lzma
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from pydantic import ValidationError

from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import Plan
from seepage.errors import BadOutput
from seepage.files import write_private

Work: TypeAlias = tuple[str, str]
"""The folder of a plan, and what tells the plan from another one there."""
ENDING: Final = ".jsonl.xz"


@dataclass(frozen=True)
class Stored:
    """What was found for a table, plan by plan; lines of plans that are not held stay without numbers.

    >>> from seepage.papers.plans import table_plan
    >>> from seepage.papers.readings import Reading
    >>> plan = table_plan([("forest", {})], [Reading("V", "union")], data={"name": "iris"}, seeds=2)
    >>> Stored({}).found(plan, "here") is None, Stored({work_of(plan, "here"): ("iris", [])}).found(plan, "here")
    (True, [])
    """

    held: Mapping[Work, tuple[str, list[Finding]]]

    def found(self, plan: Plan, folder: str) -> list[Finding] | None:
        """Return what is held of a plan, under all its seeds; None where it was not run."""
        _, findings = self.held.get(work_of(plan, folder), ("", None))
        return findings

    @property
    def data(self) -> frozenset[str]:
        """The data sets of which something is held, by name."""
        return frozenset(name for name, _ in self.held.values())


def work_of(plan: Plan, folder: str) -> Work:
    """Name a plan by where its results go and by what is asked in it; seeds and device make no other plan of it."""
    asked = plan.model_dump(mode="json", exclude={"seeds", "device"}, exclude_defaults=True)
    return folder, hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def read_stored(path: Path) -> Stored:
    """Read what `keep` wrote."""
    if not path.is_file():
        raise BadOutput(f"There is no file {path}. Give one that 'seepage reproduce --keep' wrote.")
    held: dict[Work, tuple[str, list[Finding]]] = {}
    try:
        for line in lzma.decompress(path.read_bytes()).decode().splitlines():
            values: dict[str, Any] = json.loads(line)
            findings = [Finding.from_json(one) for one in values["findings"]]
            held[values["folder"], values["plan"]] = values["data"], findings
    except (OSError, lzma.LZMAError, UnicodeDecodeError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise BadOutput(
            f"{path} holds no findings of a table. Write it anew with 'seepage reproduce --keep'."
        ) from error
    return Stored(held)


def keep(path: Path, plan: Plan, folder: str, findings: Iterable[Finding]) -> None:
    """Put what was found for a plan into a file, in the place of what the file held of it."""
    held = dict(read_stored(path).held) if path.exists() else {}
    held[work_of(plan, folder)] = (plan.data.name or plan.data.title, list(findings))
    lines = [
        {"folder": place, "plan": mark, "data": data, "findings": [one.to_json() for one in found]}
        for (place, mark), (data, found) in sorted(held.items())
    ]
    text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
    write_private(path, lzma.compress(text.encode(), preset=9))
