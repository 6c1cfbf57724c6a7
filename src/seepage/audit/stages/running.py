"""Carrying out one cell."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import numpy as np

from seepage.attacks import Attack
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.settings import build, settings_of
from seepage.audit.recordings.recorded_run import RecordedRun, write_run
from seepage.audit.stages.alignment import aligned
from seepage.audit.stages.attacking import Outcome, attack_run, not_applicable
from seepage.audit.stages.cell import Cell, CellResult
from seepage.audit.stages.chaining import asked_by, recording, threat_for, unmet
from seepage.audit.stages.choosing import Candidate, chosen
from seepage.audit.stages.measuring import reset_peak_memory
from seepage.audit.stages.misbehavior import misbehavior
from seepage.audit.stages.preparation import Prepared, adversaries_of, describe, load_table, prepare
from seepage.audit.stages.reliance import run_pictures
from seepage.audit.stages.suitability import idle, unsuited
from seepage.audit.stages.truth import Truth, truth_of
from seepage.audit.stages.verification import Mimicry, Release, mimicry, release, unreleased, unverifiable, worth
from seepage.audit.stages.visible_bounds import seen_nodes
from seepage.data import Encoding, MissingKind
from seepage.defenses import DEFENSES
from seepage.errors import BadOutput, BadSetting, BadTable
from seepage.federations import FEDERATIONS, Federation, Run
from seepage.hooks import Defense, Hook, Hooks, Tampering, begin
from seepage.partition import Partition, PartitionedTable
from seepage.randomness import stream
from seepage.scores.once import Once
from seepage.views import Knowledge, ThreatModel, grant

ReadyAttack: TypeAlias = tuple[str, Attack[Any], ThreatModel]
GrantedAttack: TypeAlias = tuple[str, Attack[Any], Knowledge]
FIRST_SEED: Final = 0
"""Outputs are laid out under this seed alone: a report shows one picture, and t-SNE takes its time."""


def run_cell(cell: Cell, data_checksum: str, store: Path | None = None) -> CellResult:
    """Train once, attack with everything that applies, and score; store the run where asked to."""
    reset_peak_memory()
    prepared = prepared_for(cell)
    if prepared.table.checksum != data_checksum:
        raise BadTable(
            f"{prepared.table.name} was changed while the audit ran. Run it again when the data are at rest."
        )
    federation = federation_of(cell)
    defense = defense_of(cell)
    whole = prepared.data
    facts = _facts(cell, prepared, federation, defense)
    ready, found = _sorted_out(cell, prepared, federation, defense, facts)
    if cell.attacks and not ready:
        return CellResult(findings=tuple(found))
    wanted = mimicry(defense, federation.agreement(prepared.data), cell.adversary, model=cell.model)
    try:
        hooks = _started(cell, prepared, defense)
        prepared = replace(prepared, data=aligned(whole, hooks))
        granted, lacking = _granted(cell, prepared, ready, facts)
        found += lacking
        if cell.attacks and not granted:
            return CellResult(findings=tuple(found))
        prepared = replace(prepared, data=without_strangers(prepared.data, granted))
        facts |= {"tampering": next(filter(None, (misbehavior(one) for _, one, _ in granted)), None)}
        run = _train(cell, prepared, federation, hooks, granted, wanted)
        if cell.model:
            run.release_model()
        released = release(run, prepared.data, hooks, wanted, cell.seed, prepared.table.checksum)
    except BadSetting as error:  # a defense may refuse what a party holds, or lacks
        if defense is None:
            raise
        silent = [not_applicable(facts, attack, name, threat, cell.seed, str(error)) for name, attack, threat in ready]
        return CellResult(findings=(*found, *silent))
    if not np.isfinite(released.confidences).all():
        raise BadSetting("The joint model diverged: its predictions are not numbers. Lower the learning rate.")
    metric, value, metrics = worth(prepared.data.labels[prepared.data.test], released)
    facts |= {"utility_metric": metric, "utility": value, "utility_metrics": metrics, "traffic": dict(run.traffic)}
    if store is not None and len(granted) > 1:
        raise BadOutput("A stored run holds one adversary's knowledge: store the runs of attacks one by one.")
    once = Once()
    tried = [(one, _found(cell, prepared, whole, released, facts, one, store, once)) for one in granted]
    found += [_illustrated(outcome.finding, cell, prepared, run, one, once) for one, outcome in tried]
    truth = Truth(prepared.data.labels)
    picked = chosen([Candidate(name, attack, found, truth) for (name, attack, _), found in tried], cell.seed, once)
    return CellResult(utility_metric=metric, utility=value, findings=(*found, *picked))


def _found(
    cell: Cell,
    prepared: Prepared,
    whole: PartitionedTable,
    released: Release,
    facts: dict[str, Any],
    granted: GrantedAttack,
    store: Path | None,
    once: Once,
) -> Outcome:
    """Attack once what was recorded, and score."""
    name, attack, knowledge = granted
    threat = knowledge.threat
    silent = unreleased(attack, released)
    if silent is not None:
        return Outcome(not_applicable(facts, attack, name, threat, cell.seed, silent))
    knowledge = replace(knowledge, new=prepared.data.test)
    truth = truth_of(
        prepared.data,
        threat.adversaries,
        columns=attack.steals == "features",
        asked=threat.property,
        before=whole.train,
    )
    recorded = RecordedRun(released.transcript, knowledge, truth, facts)
    if store is not None:
        write_run(recorded, store)
    return attack_run(recorded, attack, name, cell.seed, once)


def _illustrated(
    finding: Finding, cell: Cell, prepared: Prepared, run: Run, granted: GrantedAttack, once: Once
) -> Finding:
    """Add pictures of what the adversary's bottom model knows, where one was attacked and nothing was defended."""
    _, attack, knowledge = granted
    if finding.status != "ok" or cell.defense is not None or not attack.needs.bottom:
        return finding
    adversaries = knowledge.threat.adversaries
    pictures = once.of(
        ("pictures", adversaries),
        lambda: run_pictures(
            run.transcript, prepared.data, adversaries, stream(cell.seed, "pictures"), projected=cell.seed == FIRST_SEED
        ),
    )
    return finding.model_copy(update={"pictures": {**finding.pictures, **pictures}})


def _sorted_out(
    cell: Cell, prepared: Prepared, federation: Federation, defense: Defense | None, facts: dict[str, Any]
) -> tuple[list[ReadyAttack], list[Finding]]:
    """Tell attacks that can be run from those that cannot, and say why the latter cannot."""
    agreement = federation.agreement(prepared.data)
    idle_defense = None
    if defense is not None and cell.defense is not None:
        idle_defense = unsuited(defense, cell.defense.name, federation, agreement) or unverifiable(
            defense, cell.defense.name, agreement, cell.adversary, model=cell.model
        )
    ready: list[ReadyAttack] = []
    idle: list[Finding] = []
    for choice, attack in zip(cell.attacks, attacks_of(cell), strict=True):
        for threat in threats_of(attack, cell.adversary, prepared.partition, cell.asked, model=cell.model):
            reason = idle_defense or unmet(attack, agreement, threat)
            if reason is None:
                ready.append((choice.name, attack, threat))
            else:
                idle.append(not_applicable(facts, attack, choice.name, threat, cell.seed, reason))
    return ready, idle


def _granted(
    cell: Cell, prepared: Prepared, ready: list[ReadyAttack], facts: dict[str, Any]
) -> tuple[list[GrantedAttack], list[Finding]]:
    """Draw what each adversary knows; the table may hold too few rows for what one attack must know."""
    granted: list[GrantedAttack] = []
    lacking: list[Finding] = []
    for name, attack, threat in ready:
        try:
            granted.append((name, attack, grant(prepared.data, threat, stream(cell.seed, "knowledge"))))
        except BadSetting as error:
            lacking.append(not_applicable(facts, attack, name, threat, cell.seed, str(error)))
    return granted, lacking


def without_strangers(data: PartitionedTable, granted: Sequence[GrantedAttack]) -> PartitionedTable:
    """Leave out of the test rows people who stand in for training rows: a model is not tested on what it learned."""
    known = [knowledge.auxiliary for _, _, knowledge in granted if knowledge.auxiliary is not None]
    strangers = [one.source for one in known if not one.aligned]
    return replace(data, test=np.setdiff1d(data.test, np.concatenate(strangers))) if strangers else data


def threats_of(
    attack: Attack[Any], chosen: tuple[str, ...], partition: Partition, asked: tuple[str, ...], *, model: bool
) -> list[ThreatModel]:
    """Return the threat models under which an attack is tried: one, or one for each property."""
    return [
        threat_for(attack, adversaries_of(attack, chosen, partition, one), model=model, asked=one)
        for one in asked_by(attack, asked)
    ]


def prepared_for(cell: Cell) -> Prepared:
    """Load, split, deal and encode the data of a cell."""
    missing: MissingKind = "keep" if cell.data.keep_missing else "fill"
    encoding = Encoding(kind=cell.encoding, scaling=cell.scaling, missing=missing)  # type: ignore[arg-type]
    table = load_table(cell.data)
    return prepare(table, cell.partition, cell.adversary, encoding, cell.split, cell.seed, cell.properties)


def federation_of(cell: Cell) -> Federation:
    """Build the federation of a cell, on its device if it computes on one."""
    name, settings = cell.federation.name, cell.federation.settings
    if any(field.name == "device" for field in fields(cast("Any", FEDERATIONS[name]))):
        return build(FEDERATIONS, name, {"device": cell.device, **settings})
    if cell.device != "cpu":
        raise BadSetting(f"{name} does not compute on a device, but --device {cell.device} is asked for. Leave it out.")
    return build(FEDERATIONS, name, settings)


def defense_of(cell: Cell) -> Defense | None:
    """Build the defense of a cell."""
    return build(DEFENSES, cell.defense.name, cell.defense.settings) if cell.defense is not None else None


def attacks_of(cell: Cell) -> list[Attack[Any]]:
    """Build the attacks of a cell."""
    return [built_attack(choice.name, choice.settings) for choice in cell.attacks]


def _started(cell: Cell, prepared: Prepared, defense: Defense | None) -> dict[str, Hook]:
    """Start the defense of a cell at every party."""
    if defense is None:
        return {}
    parts, secret = prepared.data.parts, prepared.table.checksum
    hooks = {
        party: begin(defense, parts[party], stream(cell.seed, "defense", party, secret=secret))
        for party in prepared.data.parties
    }
    reason = idle(defense, cell.defense.name, hooks) if cell.defense is not None else None
    if reason is not None:
        raise BadSetting(reason)
    return hooks


def _train(
    cell: Cell,
    prepared: Prepared,
    federation: Federation,
    defenses: dict[str, Hook],
    granted: Sequence[GrantedAttack],
    wanted: Mimicry | None,
) -> Run:
    data = prepared.data
    record = seen_nodes(federation.agreement(data))
    if wanted is not None:
        record |= recording(wanted.attack)
    tamperings: dict[str, Tampering] = {}
    for _, attack, knowledge in granted:
        record |= recording(attack)
        if attack.tampering is not None:
            tamperings |= {
                party: attack.tampering(knowledge, stream(cell.seed, "tampering", attack.name, party))
                for party in knowledge.threat.adversaries
            }
    rng = stream(cell.seed, "federation", secret=prepared.table.checksum)
    return federation.train(data, hooks=Hooks(defenses, tamperings), record=record, rng=rng)


def _facts(cell: Cell, prepared: Prepared, federation: Federation, defense: Defense | None) -> dict[str, Any]:
    return {
        "seed": cell.seed,
        "data": cell.data.title,
        "partition": describe(
            prepared.partition,
            cell.partition.kind,
            pictures=prepared.table.image is not None or prepared.table.text is not None,
        ),
        "encoding": cell.encoding,
        "scaling": cell.scaling,
        "split": cell.split,
        "federation": cell.federation.name,
        "model_settings": settings_of(federation),
        "parties": len(prepared.partition.columns),
        "defense": cell.defense.name if cell.defense is not None else None,
        "defense_settings": settings_of(defense) if defense is not None else {},
    }
