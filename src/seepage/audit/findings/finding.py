"""One row of an audit for one seed, as it is written to disk."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from seepage.errors import BadOutput
from seepage.files import write_private

SCHEMA: Final = 1
FINDINGS_FILE: Final = "findings.jsonl"
CHOSEN: Final = "chosen"
"""The name, and the role, of what an adversary picks itself; it is left out of the worst case."""

Status = Literal["ok", "not applicable", "failed"]


class Ranking(BaseModel):
    """How well an adversary ranks people by their label, beside how many labels it names."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    metric: str
    value: float
    blind: float
    blind_kind: str
    ceiling: float | None
    ceiling_kind: str
    advantage: float | None


class Crossing(BaseModel):
    """How much of one kind one party sent another in training and release, and whether the receiver lacks the key.

    Where the encryption is none, `bytes` are those of numbers that stand in for ciphertexts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    sender: str
    receiver: str
    messages: int
    bytes: int
    sealed: bool


class Finding(BaseModel):
    """Who learned what under which circumstances, and what the federation was worth.

    `value` is None where the truth is not known; `advantage` is that of this one
    seed. `ranking` answers the second question about labels; groups rank nobody.
    `tampering` is the attack whose adversary misbehaved in training, with the settings
    that act there; None where nobody did. `view` is a digest of all that the attack was shown: where it is
    the same under a defense, the defense changed nothing that this adversary saw. `utility_alone` is what the label
    holder's own model on its own columns is worth. `audited_rows` of the `all_rows` of a table took part: fewer
    where a sample was audited. `crossed` counts what was sent in training and release, whatever was recorded.
    No field ever holds a record.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), allow_inf_nan=False)

    format: int = SCHEMA
    data: str
    partition: dict[str, Any] = {}
    encoding: str
    scaling: str
    split: str = "stratified"
    federation: str
    model_settings: dict[str, Any] = {}
    parties: int
    adversary: tuple[str, ...]
    knowledge: dict[str, Any] = {}
    view: str | None = None
    attack: str
    attack_settings: dict[str, Any] = {}
    role: str = "attack"
    tampering: str | None = None
    defense: str | None = None
    defense_settings: dict[str, Any] = {}
    seed: int
    rows: str = "train"
    asset: str
    property: str | None = None
    metric: str | None = None
    value: float | None = None
    blind: float | None = None
    blind_kind: str | None = None
    ceiling: float | None = None
    ceiling_kind: str | None = None
    advantage: float | None = None
    ranking: Ranking | None = None
    bounds: dict[str, Any] = {}
    pictures: dict[str, Any] = {}
    other_metrics: dict[str, float] = {}
    utility_metric: str | None = None
    utility: float | None = None
    utility_undefended: float | None = None
    utility_alone: float | None = None
    utility_metrics: dict[str, float] = {}
    traffic: dict[str, int] = {}
    crossed: tuple[Crossing, ...] = ()
    audited_rows: int | None = None
    all_rows: int | None = None
    seconds: float | None = None
    peak_mb: float | None = None
    versions: dict[str, str] = {}
    status: Status = "ok"
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the finding as the contract of the command line has it."""
        values = self.model_dump(mode="json")
        return {"schema": values.pop("format"), **values}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Finding":
        """Read what `to_json` returned."""
        fields = dict(values)
        return cls(format=fields.pop("schema"), **fields)


def to_lines(findings: Iterable[Finding]) -> str:
    """Write findings as JSON lines."""
    return "".join(json.dumps(finding.to_json(), ensure_ascii=False, allow_nan=False) + "\n" for finding in findings)


def write_findings(folder: Path, findings: Iterable[Finding]) -> Path:
    """Write `findings.jsonl` whole or not at all."""
    return write_private(folder / FINDINGS_FILE, to_lines(findings))


def read_findings(folder: Path) -> list[Finding]:
    """Read what an audit found."""
    path = folder / FINDINGS_FILE
    if not path.is_file():
        raise BadOutput(f"{folder} holds no {FINDINGS_FILE}. Give the folder that 'seepage audit' wrote.")
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")  # names may hold other line ends
    except (OSError, UnicodeDecodeError) as error:
        raise BadOutput(f"{path} cannot be read as text. Run the audit again.") from error
    if lines == [""]:
        raise BadOutput(f"{path} is empty: nothing was found. Run the audit again.")
    findings = []
    for number, line in enumerate(lines, start=1):
        try:
            values = json.loads(line)
            schema = values.get("schema")
            if isinstance(schema, int) and schema > SCHEMA:
                raise BadOutput(
                    f"{path} line {number} has format {schema}, but this version of Seepage reads up to {SCHEMA}. "
                    "Update Seepage."
                )
            findings.append(Finding.from_json(values))
        except (json.JSONDecodeError, ValidationError, AttributeError, KeyError, RecursionError) as error:
            raise BadOutput(f"{path} line {number} is not a finding. Run the audit again.") from error
    return findings
