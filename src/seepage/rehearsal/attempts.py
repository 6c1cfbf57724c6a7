"""What is tried in one turn, by whom against whom: the same list on every host, from the plan alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from seepage.attacks import Attack
from seepage.audit.plan.attacks import built_attack
from seepage.audit.plan.plan import AttackChoice
from seepage.audit.stages.applicability import Guarded, inapplicable
from seepage.audit.stages.chaining import labels_granted, threat_for
from seepage.reasons import Reason, Refused
from seepage.rehearsal.plan import RehearsalPlan, Turn
from seepage.transcript import Agreement
from seepage.views import Auxiliary, ThreatModel


@dataclass(frozen=True)
class Attempt:
    """One attack by one party, and whose data it is after.

    Parameters
    ----------
    number
        Its place among all attempts of a turn.
    asked
        The property that it asks about, if any.
    """

    number: int
    choice: AttackChoice
    adversary: str
    victims: tuple[str, ...]
    asked: str | None = None

    @cached_property
    def attack(self) -> Attack[Any]:
        """The attack itself."""
        return built_attack(self.choice.name, self.choice.settings)

    def threat(self, plan: RehearsalPlan) -> ThreatModel:
        """Return what its adversary is supposed to know: what the attack asks for, as far as owners tell it."""
        supposed = threat_for(self.attack, (self.adversary,), shown=plan, asked=self.asked)
        auxiliary = supposed.auxiliary and told_people(plan, supposed.auxiliary)
        return replace(supposed, auxiliary=auxiliary)


def told_people(plan: RehearsalPlan, wanted: Auxiliary) -> Auxiliary | None:
    """Return how many people of each side a holder tells; all attacks learn from the same ones."""
    return replace(wanted, rows=plan.grants.people) if plan.grants.people and wanted.aligned else None


def attempts_of(plan: RehearsalPlan, turn: Turn, holders: Mapping[str, str]) -> tuple[Attempt, ...]:
    """List all attempts of a turn.

    Labels are for those who do not hold them; columns are for the one who receives what is made of them, and a
    property is for the driver, or where that holds it itself for all others. Parties without labels never
    meet, so none of them is after another.

    Parameters
    ----------
    holders
        Who holds the attribute of each property.
    """
    if turn.tampering is not None:
        choice, adversary = turn.tampering
        return tuple(_numbered([one for one in _against(plan, choice, holders) if one[1] == adversary]))
    honest = [one for one in plan.tried if built_attack(one.name, one.settings).tampering is None]
    drafts = tuple(_numbered([draft for choice in honest for draft in _against(plan, choice, holders)]))
    terms = turn.built.terms(plan.parties, plan.classes)
    fit = [one for one in drafts if hindrance(plan, turn, one, terms) is None]
    possible = {(one.choice.name, one.adversary) for one in fit}
    listed = drafts if turn.defense is None or not fit else fit  # what applies nowhere is said once
    kept = [one for one in listed if not any((name, one.adversary) in possible for name in one.choice.unless)]
    return tuple(replace(one, number=number) for number, one in enumerate(kept))


def hindrance(plan: RehearsalPlan, turn: Turn, attempt: Attempt, terms: Agreement) -> Reason | None:
    """Say why an attempt cannot be made, as far as everybody knows; None when it can."""
    attack, needs, grants = attempt.attack, attempt.attack.needs, plan.grants
    guarded = None
    if turn.defending is not None and turn.defense is not None:
        guarded = Guarded(turn.built, turn.defending, turn.defense.name)
    reason = inapplicable(attack, terms, attempt.threat(plan), guarded=guarded)
    if reason is not None:
        return reason
    if (wanted := labels_granted(attack)) > grants.labels_per_class:
        return Refused(
            f"{attempt.choice.name} learns from {wanted} labelled rows of each class, but the plan grants "
            f"{grants.labels_per_class}. Raise grants.labels_per_class, or set labels_per_class of the attack."
        )
    if needs.known_values > grants.values:
        return Refused(
            f"{attempt.choice.name} learns from {needs.known_values} rows whose columns it knows, but the plan grants "
            f"{grants.values}. Raise grants.values."
        )
    if needs.means and not grants.means:
        return Refused("It takes the means of others' columns, which the plan does not grant (grants.means).")
    if needs.complete:
        return Refused("It takes others' columns of people outside training, which nobody tells in a rehearsal.")
    if needs.auxiliary is not None and attempt.threat(plan).auxiliary is None:
        return Refused("It takes people whose property is known, which the plan does not grant (grants.people).")
    if attack.steals == "features" and not plan.columns:
        return Refused("Names and ranges of columns are not told under this plan (columns), so none can be inferred.")
    return None


def _against(
    plan: RehearsalPlan, choice: AttackChoice, holders: Mapping[str, str]
) -> Iterator[tuple[AttackChoice, str, tuple[str, ...], str | None]]:
    """Yield who tries an attack, and against whom."""
    attack, driver = built_attack(choice.name, choice.settings), (plan.driver,)
    if attack.steals == "properties":
        for asked, holder in holders.items():
            curious = plan.others if holder == plan.driver else driver
            yield from ((choice, one, (holder,), asked) for one in curious)
    elif attack.steals == "labels" or attack.needs.passive:
        yield from ((choice, one, driver, None) for one in plan.others)
    else:
        yield choice, plan.driver, plan.others, None


def _numbered(
    drafts: Sequence[tuple[AttackChoice, str, tuple[str, ...], str | None]],
) -> Iterator[Attempt]:
    for number, (choice, adversary, victims, asked) in enumerate(drafts):
        yield Attempt(number, choice, adversary, victims, asked)
