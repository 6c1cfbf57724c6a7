"""What can be said about a plan before any training."""

import warnings
from dataclasses import dataclass
from typing import Any

from seepage.attacks import ATTACKS
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.defaults import READING
from seepage.audit.plan.plan import Choice, Plan
from seepage.audit.plan.settings import build, settings_of
from seepage.audit.stages.applicability import Guarded, inapplicable, unsuited
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.chaining import asked_by, threat_for
from seepage.audit.stages.coalitions import curious
from seepage.audit.stages.keys import attack_of
from seepage.audit.stages.preparation import adversaries_of, deal, default_adversaries, parties_of, split_rows
from seepage.audit.stages.training import federation_of
from seepage.audit.stages.work import Attempt, Setting, Training
from seepage.catalogs import Catalog
from seepage.data import Property
from seepage.defenses import DEFENSES
from seepage.errors import BadPlan, Remark
from seepage.federations import FEDERATIONS
from seepage.partition import Partition
from seepage.randomness import stream
from seepage.transcript import Agreement
from seepage.views import ThreatModel, grant


def setting_of(plan: Plan, seed: int) -> Setting:
    """Return where rows and columns lie under one seed of a plan."""
    return Setting(
        data=plan.data,
        partition=plan.partition,
        encoding=plan.encoding,
        scaling=plan.scaling,
        split=plan.split,
        adversary=plan.adversary,
        properties=plan.properties,
        properties_kept=plan.properties_kept,
        seed=seed,
    )


@dataclass(frozen=True, eq=False)
class Offer:
    """A federation as the first seed of a plan finds it: what is agreed on there says what can be tried."""

    plan: Plan
    agreement: Agreement

    @classmethod
    def of(cls, plan: Plan, federation: Choice, bench: Bench) -> "Offer":
        """Build everything once: unknown names and impossible settings are found before any work is done."""
        for defense in plan.defenses:
            build(DEFENSES, defense.name, defense.settings)
        setting = setting_of(plan, plan.seeds[0])
        prepared = bench.prepared(setting)
        training = Training(setting=setting, federation=federation, device=plan.device)
        offer = cls(plan, federation_of(training).agreement(prepared.data))
        for attempt in attempts_under(plan, prepared.partition):
            threat = threat_of(plan, attempt, prepared.partition)
            if threat.auxiliary is not None and threat.auxiliary.rows is not None:
                grant(prepared.data, threat, stream(plan.seeds[0], "knowledge"))  # more than there are were asked for
        return offer

    def takes(self, attempt: Attempt, partition: Partition) -> bool:
        """Whether an attempt can be made on the federation."""
        return inapplicable(attack_of(attempt), self.agreement, threat_of(self.plan, attempt, partition)) is None


def threat_of(plan: Plan, attempt: Attempt, partition: Partition) -> ThreatModel:
    """Return who makes an attempt where columns lie like this, and what it knows."""
    attack = attack_of(attempt)
    adversaries = adversaries_of(attack, attempt.adversary or plan.adversary, partition, attempt.asked)
    return threat_for(attack, adversaries, shown=plan, asked=attempt.asked)


def attempts_under(plan: Plan, partition: Partition) -> list[Attempt]:
    """Return all that is tried where columns lie like this: each attack by each adversary, properties one by one."""
    found = []
    for choice in plan.attacks:
        attack = built_attack(choice.name, choice.settings)
        for asked in asked_by(attack, plan.properties):
            coalitions = curious(attack, plan, partition, asked)
            found += [Attempt(attack=choice, asked=asked, adversary=one) for one in coalitions]
    return found


def partition_under(plan: Plan, seed: int, bench: Bench) -> Partition:
    """Return who holds which columns under one seed, or under the first where no attempt depends on it."""
    first = plan.seeds[0]
    if seed == first or not plan.properties or plan.partition.kind == "named":
        return bench.prepared(setting_of(plan, first)).partition
    table = bench.table(plan.data)
    kept = tuple(Property.parse(text).column for text in plan.properties) if plan.properties_kept else ()
    return deal(table, split_rows(table, plan.split, seed), plan.partition, plan.adversary, seed, kept)


def suited(plan: Plan, federation: Choice, bench: Bench) -> list[Choice]:
    """Return the defenses of a plan that can act in a federation."""
    setting = setting_of(plan, plan.seeds[0])
    built = federation_of(Training(setting=setting, federation=federation, device=plan.device))
    agreement = built.agreement(bench.prepared(setting).data)
    return [
        choice
        for choice in plan.defenses
        if unsuited(Guarded(built, build(DEFENSES, choice.name, choice.settings), choice.name), agreement) is None
    ]


def without_idle_defenses(plan: Plan, bench: Bench) -> Plan:
    """Leave out defenses that nobody asked for and that can act in none of the federations."""
    acting = [choice for federation in plan.federations for choice in suited(plan, federation, bench)]
    return plan.model_copy(update={"defenses": tuple(choice for choice in plan.defenses if choice in acting)})


def first_applicable(plan: Plan, bench: Bench) -> Plan:
    """Return the plan with the first federation of the catalog to which one of its attacks applies.

    Texts are read by those alone that can have Transformers.
    Where none does, the plan is returned as it is: its findings will say why.
    """
    for name in FEDERATIONS if plan.data.text is None else READING:
        federation = Choice(name=name, settings=plan.federations[0].settings)
        offer, partition = Offer.of(plan, federation, bench), partition_under(plan, plan.seeds[0], bench)
        if any(offer.takes(one, partition) for one in attempts_under(plan, partition)):
            return plan.model_copy(update={"federations": (federation,)})
    return plan


def with_share_holder(plan: Plan) -> Plan:
    """Name the adversary where it is the one whose share of the columns is set, and all attacks have the same.

    Where they have not, the share is that of the party named last, as `Dealing` has it, and that is said.
    """
    if plan.partition.adversary_share is None or plan.adversary:
        return plan
    if plan.adversaries:  # a plan with a share names one coalition at most
        return plan.model_copy(update={"adversary": plan.adversaries[0], "adversaries": ()})
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
