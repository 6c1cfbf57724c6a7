"""What can be said about a plan before any training."""

import warnings
from typing import Any

from seepage.attacks import ATTACKS
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.defaults import READING
from seepage.audit.plan.plan import AttackChoice, Choice, Plan
from seepage.audit.plan.settings import build, settings_of
from seepage.audit.stages.cell import Cell
from seepage.audit.stages.chaining import asked_by, unmet
from seepage.audit.stages.preparation import default_adversaries, parties_of
from seepage.audit.stages.running import attacks_of, defense_of, federation_of, prepared_for, threats_of
from seepage.audit.stages.suitability import unsuited
from seepage.catalogs import Catalog
from seepage.defenses import DEFENSES
from seepage.errors import BadPlan, Remark
from seepage.federations import FEDERATIONS
from seepage.randomness import stream
from seepage.views import grant


def cell_of(
    plan: Plan,
    federation: Choice,
    defense: Choice | None,
    attacks: tuple[AttackChoice, ...],
    seed: int,
    asked: tuple[str, ...] = (),
) -> Cell:
    """Return one cell of a plan, and which of its properties are asked about there."""
    return Cell(
        data=plan.data,
        partition=plan.partition,
        encoding=plan.encoding,
        scaling=plan.scaling,
        split=plan.split,
        federation=federation,
        defense=defense,
        attacks=attacks,
        adversary=plan.adversary,
        seed=seed,
        threads=plan.threads,
        device=plan.device,
        model=plan.model,
        properties=plan.properties,
        asked=asked,
        isolation=plan.isolation,
    )


def applicable(plan: Plan, federation: Choice) -> list[AttackChoice]:
    """Return the attacks that can be run on a federation.

    Building everything once finds unknown names and impossible settings before any work is done.
    """
    first = cell_of(plan, federation, None, plan.attacks, plan.seeds[0])
    for defense in plan.defenses:
        defense_of(cell_of(plan, federation, defense, (), plan.seeds[0]))
    built, prepared = federation_of(first), prepared_for(first)
    agreement = built.agreement(prepared.data)
    possible = []
    for choice, attack in zip(first.attacks, attacks_of(first), strict=True):
        threats = threats_of(attack, plan.adversary, prepared.partition, plan.properties, model=plan.model)
        if any(unmet(attack, agreement, threat) is None for threat in threats):
            possible.append(choice)
        for threat in threats:
            if threat.auxiliary is not None and threat.auxiliary.rows is not None:
                grant(prepared.data, threat, stream(plan.seeds[0], "knowledge"))  # more than there are were asked for
    return possible


def suited(plan: Plan, federation: Choice) -> list[Choice]:
    """Return the defenses of a plan that can act in a federation."""
    first = cell_of(plan, federation, None, (), plan.seeds[0])
    built = federation_of(first)
    agreement = built.agreement(prepared_for(first).data)
    return [
        choice
        for choice in plan.defenses
        if unsuited(build(DEFENSES, choice.name, choice.settings), choice.name, built, agreement) is None
    ]


def without_idle_defenses(plan: Plan) -> Plan:
    """Leave out defenses that nobody asked for and that can act in none of the federations."""
    acting = [choice for federation in plan.federations for choice in suited(plan, federation)]
    return plan.model_copy(update={"defenses": tuple(choice for choice in plan.defenses if choice in acting)})


def first_applicable(plan: Plan) -> Plan:
    """Return the plan with the first federation of the catalog to which one of its attacks applies.

    Texts are read by those alone that can have Transformers.
    Where none does, the plan is returned as it is: its findings will say why.
    """
    for name in FEDERATIONS if plan.data.text is None else READING:
        federation = Choice(name=name, settings=plan.federations[0].settings)
        if applicable(plan, federation):
            return plan.model_copy(update={"federations": (federation,)})
    return plan


def with_share_holder(plan: Plan) -> Plan:
    """Name the adversary where it is the one whose share of the columns is set, and all attacks have the same.

    Where they have not, the share is that of the party named last, as `Dealing` has it, and that is said.
    """
    if plan.partition.adversary_share is None or plan.adversary:
        return plan
    names = parties_of(plan.partition)
    holders = {default_adversaries(built_attack(one.name, one.settings), names) for one in plan.attacks}
    if len(holders) == 1:
        return plan.model_copy(update={"adversary": holders.pop()})
    others = ", ".join(sorted(f"'{name}'" for holder in holders for name in holder if name != names[-1]))
    share = plan.partition.adversary_share
    warnings.warn(
        Remark(
            f"The share of {share:g} is that of '{names[-1]}', but some attacks are those of {others}, who then has "
            "what is left. Name the adversary (--adversary), or audit these attacks by themselves."
        ),
        stacklevel=2,
    )
    return plan


def is_honest(cell: Cell) -> bool:
    """Whether nobody misbehaves in the training of a cell."""
    return all(attack.tampering is None for attack in attacks_of(cell))


def refuse_repeats(plan: Plan) -> None:
    """Refuse the same thing asked for twice: it would count every seed twice."""
    asked: tuple[tuple[Catalog[type[Any]], tuple[Choice, ...]], ...] = (
        (FEDERATIONS, plan.federations),
        (ATTACKS, plan.attacks),
        (DEFENSES, plan.defenses),
    )
    for catalog, choices in asked:
        seen: set[str] = set()
        for choice in choices:
            built = (
                built_attack(choice.name, choice.settings)
                if catalog is ATTACKS
                else build(catalog, choice.name, choice.settings)
            )
            described = f"{choice.name} {settings_of(built)}"
            if described in seen:
                raise BadPlan(f"{catalog.kind} {choice.name} is asked for twice with the same settings. Ask once.")
            seen.add(described)


def refuse_idle_properties(plan: Plan) -> None:
    """Refuse properties that no attack asks about, and attacks that ask about a property where none is named."""
    asking = [one.name for one in plan.attacks if built_attack(one.name, one.settings).steals == "properties"]
    if plan.properties and not asking:
        names = ", ".join(dict.fromkeys(one.name for one in plan.attacks))
        raise BadPlan(
            f"No attack estimates how many have {plan.properties[0]}: {names} steals something else. "
            "Leave --property out, or add an attack on properties ('seepage list attacks')."
        )
    if asking and not plan.properties:
        raise BadPlan(f"{asking[0]} estimates how many have a property: name one with --property COLUMN=VALUE.")


def groups(plan: Plan) -> list[tuple[tuple[AttackChoice, ...], tuple[str, ...]]]:
    """Group attacks by training: honest adversaries share one, each that misbehaves needs its own for each property."""
    honest: list[AttackChoice] = []
    alone: list[tuple[tuple[AttackChoice, ...], tuple[str, ...]]] = []
    for choice in plan.attacks:
        attack = built_attack(choice.name, choice.settings)
        if attack.tampering is None:
            honest.append(choice)
        else:
            alone += [((choice,), (one,) if one is not None else ()) for one in asked_by(attack, plan.properties)]
    return [(tuple(honest), plan.properties), *alone]
