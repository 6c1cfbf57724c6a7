"""The unit of work of an audit: one training, and all attacks on it."""

import hashlib
from typing import Any

from pydantic import BaseModel, ConfigDict

from seepage.attacks.catalog import ATTACKS
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.plan import AttackChoice, Choice, DataPlan, IsolationPlan, PartitionPlan
from seepage.audit.stages.versions import versions
from seepage.catalogs import Catalog
from seepage.defenses.catalog import DEFENSES
from seepage.federations.catalog import FEDERATIONS


class Cell(BaseModel):
    """What one worker is asked to do. Its hash names its result on disk.

    `properties` are those of the plan, whose attributes their victim holds;
    `asked` are those that attacks are tried on here.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: DataPlan
    partition: PartitionPlan
    encoding: str
    scaling: str
    split: str
    federation: Choice
    defense: Choice | None
    attacks: tuple[AttackChoice, ...]
    adversary: tuple[str, ...]
    seed: int
    threads: int
    device: str
    model: bool = True
    properties: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    isolation: IsolationPlan = IsolationPlan()

    def key(self, data_checksum: str) -> str:
        """Return a name that changes with the plan, the data, the versions and code from outside: runs never mix."""
        used: list[tuple[Catalog[Any], Choice]] = [(ATTACKS, attack) for attack in self.attacks]
        used += [(FEDERATIONS, self.federation), *([(DEFENSES, self.defense)] if self.defense is not None else [])]
        outside = [catalog.entry(choice.name).fingerprint for catalog, choice in used]
        described = (
            self.model_dump_json(exclude={"isolation"}),
            data_checksum,
            str(sorted(versions().items())),
            *outside,
        )
        return hashlib.sha256("\n".join(described).encode()).hexdigest()[:24]

    @property
    def undefended_twin(self) -> "Cell":
        """The same training without a defense and without attacks: what the joint model was worth before."""
        return self.model_copy(update={"defense": None, "attacks": (), "asked": ()})


class CellResult(BaseModel):
    """What is left of a cell: the worth of the joint model, one finding for each attack, and what to tell people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    utility_metric: str | None = None
    utility: float | None = None
    findings: tuple[Finding, ...] = ()
    remarks: tuple[str, ...] = ()
