"""What applies: which attack and which defense can be tried where."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seepage.attacks import Attack
from seepage.audit.stages.chaining import unmet
from seepage.audit.stages.verification import Released, mimicry
from seepage.federations import Federation
from seepage.hooks import Defense, Hook, Seam, unchanged
from seepage.messages import Kind
from seepage.reasons import (
    AllWithheld,
    HidesTwoClasses,
    MimicLacks,
    MimicsHidden,
    NobodyToLeaveOut,
    NothingToMimic,
    NothingToRewrite,
    Reason,
    SeamClosed,
    WeightsTell,
)
from seepage.transcript import Agreement
from seepage.views import ThreatModel


@dataclass(frozen=True, eq=False)
class Guarded:
    """A federation, and a defense that is to act in it, by the name that users know."""

    federation: Federation
    defense: Defense
    name: str


def inapplicable(
    attack: Attack[Any],
    agreement: Agreement,
    threat: ThreatModel,
    *,
    guarded: Guarded | None = None,
    released: Released | None = None,
) -> Reason | None:
    """Say why an attack cannot be tried; None when it can.

    What stands in the way of the defense comes first: nothing is trained then. The question is asked
    again when predictions are out (`released`), since a defense may have withheld them all.

    >>> from seepage.attacks.labels.gradient_sign import GradientSign
    >>> terms = Agreement(federation="split-network", parties=("bank", "shop"), active="bank", classes=2,
    ...                   top_model=True, outputs=16)
    >>> inapplicable(GradientSign(), terms, ThreatModel(adversaries=("shop",)))
    TopModelBetween(federation='split-network')
    """
    hindered = None
    if guarded is not None:  # can it act at all, and then against this adversary
        hindered = unsuited(guarded, agreement) or unsuited(guarded, agreement, threat.adversaries, model=threat.model)
    return hindered or unmet(attack, agreement, threat) or _unreleased(attack, released)


def unsuited(
    guarded: Guarded, agreement: Agreement, adversary: tuple[str, ...] = (), *, model: bool = True
) -> Reason | None:
    """Say why a defense cannot act in a federation; None when it can.

    >>> from seepage.defenses.trees.grafting import Grafting
    >>> from seepage.federations.boosting import Boosting
    >>> terms = Agreement(federation="boosting", parties=("bank", "shop"), active="bank", classes=2,
    ...                   top_model=True, outputs=2)
    >>> print(unsuited(Guarded(Boosting(), Grafting(), "grafting"), terms))
    grafting repairs finished trees, but every tree of boosting is fitted to what the trees before it left over, ...
    """
    defense, name, federation = guarded.defense, guarded.name, guarded.federation
    closed = sorted(defense.acts_on - federation.offers)
    if closed:
        trees, networks = Seam.SPLIT in federation.offers, Kind.EMBEDDING in agreement.kinds
        return SeamClosed(name, closed[0], federation.name, trees=trees, networks=networks)
    absent = sorted(defense.rewrites - set(agreement.kinds))
    if absent:
        return NothingToRewrite(name, absent[0], federation.name)
    if agreement.classes > 2 and getattr(defense, "binary", False):
        return HidesTwoClasses(name, agreement.classes)
    if Seam.SIGNAL in defense.acts_on and agreement.settings.get("class_weights"):
        return WeightsTell(name, federation.name)
    return _unverifiable(defense, name, agreement, adversary, model=model)


def idle(defense: Defense, name: str, hooks: Mapping[str, Hook]) -> Reason | None:
    """Say why a defense that leaves rows out has nobody to do so; None when somebody has, or it does something else.

    Who holds no property has nothing to withdraw, which is as it should be. Where
    nobody holds one, the defense would change nothing, silently.
    """
    if Seam.ALIGNMENT not in defense.acts_on or any(hook.alignment is not unchanged for hook in hooks.values()):
        return None
    return NobodyToLeaveOut(name)


def _unverifiable(
    defense: Defense, name: str, agreement: Agreement, adversary: tuple[str, ...], *, model: bool
) -> Reason | None:
    """Say why predictions cannot be verified; None when they can, or need not."""
    if Seam.VERIFICATION not in defense.acts_on:
        return None
    wanted = mimicry(defense, agreement, adversary, model=model)
    if wanted is None:
        return NothingToMimic(name, agreement.model, agreement.federation)
    if wanted.attack.needs.models and not model:
        return MimicsHidden(name, wanted.attack.name, agreement.federation)
    lacking = unmet(wanted.attack, agreement, wanted.threat)
    return MimicLacks(name, wanted.attack.name, lacking) if lacking is not None else None


def _unreleased(attack: Attack[Any], released: Released | None) -> Reason | None:
    """Say that an attack on predictions has none to work on; None where some were released, or are still to be."""
    if released is None or Kind.PREDICTION not in attack.needs.received or not released.withheld.all():
        return None
    return AllWithheld(len(released.withheld))
