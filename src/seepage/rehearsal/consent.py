"""What a side agrees to, in words, before anything starts; and where it finds the others."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from seepage.errors import BadPlan, UnknownName
from seepage.links.keys import Identity, Peer, read_identity, read_peer
from seepage.messages import SEALED_KINDS, Kind
from seepage.rehearsal.plan import RehearsalPlan, Turn

ALL: Final = "all"
CARRIED: Final = {
    Kind.EMBEDDING: "what bottom models make of columns",
    Kind.GRADIENT: "gradients, from which labels may be read",
    Kind.ENCRYPTED: "labels or derivatives under the label holder's key",
    Kind.INSTANCE_SPACE: "which rows are in a node",
    Kind.SPLIT_SUMS: "sums for every possible split",
    Kind.CHILD_SPACES: "which rows fall on which side of a split",
    Kind.DIRECTION: "which way rows turn",
}
"""What crosses in training and tells of people, in the words of somebody who is asked to agree."""


def disclosures(plan: RehearsalPlan) -> list[str]:
    """Say in plain sentences what a rehearsal really discloses.

    >>> plan = RehearsalPlan(parties=("bank", "shop"), classes=2, federations=[{"name": "forest"}], simulated=True)
    >>> for sentence in disclosures(plan): print(sentence)
    Each side learns which ids are shared, and how many the other one has (at most 1,000,000 are compared).
    At most 1,000 shared rows take part. Of these everybody learns which train and which test.
    Names and ranges of columns, levels of categories among them, are told.
    Predictions for the rows that test are told to everybody.
    What a federation sends is really sent; where labels or columns leak, the other side then has them:
      forest: labels or derivatives under the label holder's key (in the clear: numbers stand in for ciphertexts), \
which rows are in a node, sums for every possible split (in the clear: numbers stand in for ciphertexts), which rows \
fall on which side of a split, which way rows turn
    'bank' tells in round numbers what the joint model is worth, and its own one alone.
    Each side opens its claims to whom they are about. Their victim tells in round numbers how good they are, once.
    """
    grants, told = plan.grants, []
    told.append(
        "Each side learns which ids are shared, and how many the other one has "
        f"(at most {plan.most_ids:,} are compared)."
    )
    if len(plan.parties) > 2:
        told.append(f"'{plan.driver}' learns of each other party which of its own ids that party has.")
    told.append(f"At most {plan.rows:,} shared rows take part. Of these everybody learns which train and which test.")
    if plan.columns:
        told.append("Names and ranges of columns, levels of categories among them, are told.")
    each = f", under each of {len(plan.seeds)} seeds anew" if len(plan.seeds) > 1 else ""
    if grants.labels_per_class:
        told.append(f"'{plan.driver}' tells the labels of {grants.labels_per_class} training rows of each class{each}.")
    if grants.values:
        told.append(f"Everybody tells all of its columns of the same {grants.values} training rows{each}.")
    if grants.means:
        told.append(f"Everybody tells the mean of each column{each}.")
    if grants.people and plan.properties:
        told.append(
            f"Who holds a property ({', '.join(plan.properties)}) tells of {grants.people} people that they have it, "
            f"and of as many that they have not{each}."
        )
    if plan.predictions:
        told.append("Predictions for the rows that test are told to everybody.")
    if plan.model:
        told.append(f"Everybody gives its part of the model to '{plan.driver}'.")
    if plan.decoys:
        told.append(
            f"Labels are decoys: permuted among {plan.decoys} people whom the label holder's own columns rank alike. "
            "Many may still be the true ones."
        )
    told.append("What a federation sends is really sent; where labels or columns leak, the other side then has them:")
    told += [f"  {name}: {_carried(plan, turn)}" for name, turn in names_of(plan).items()]
    if plan.told:
        told.append(f"'{plan.driver}' tells in round numbers what the joint model is worth, and its own one alone.")
    verdict = "tells in round numbers how good they are, once" if plan.told else "keeps to itself how good they are"
    told.append(f"Each side opens its claims to whom they are about. Their victim {verdict}.")
    return told


def names_of(plan: RehearsalPlan) -> dict[str, Turn]:
    """Return what can be consented to, each with the first turn of that name."""
    found: dict[str, Turn] = {}
    for turn in plan.turns:
        found.setdefault(turn.name, turn)
    return found


def consented(plan: RehearsalPlan, said: Iterable[str]) -> frozenset[str]:
    """Return the names of the turns that somebody consents to.

    >>> plan = RehearsalPlan(parties=("bank", "shop"), classes=2, federations=[{"name": "split-network"}])
    >>> sorted(consented(plan, ["all"]))
    ['split-network']
    """
    known, named = list(names_of(plan)), [one.strip() for text in said for one in text.split(",") if one.strip()]
    if ALL in named:
        return frozenset(known)
    if not named:
        raise BadPlan("Nothing was consented to, so nothing starts.")
    for name in named:
        if name not in known:
            raise UnknownName("turn", name, known=[ALL, *known])
    return frozenset(named)


def ends(plan: RehearsalPlan, own: str, keys: Path, others: Sequence[str]) -> tuple[Identity, dict[str, Peer]]:
    """Return a side's own keys, and the certificates of others as the plan has their fingerprints."""
    for name in (own, *others):
        if name not in plan.fingerprints:
            raise BadPlan(
                f"The plan has no fingerprint of '{name}'. Make keys there ('seepage keys {name}'), have the "
                "fingerprint read out, and add it under [fingerprints] on every host."
            )
    read_peer(keys / f"{own}.crt", own, plan.fingerprints[own])  # what others expect of us
    return read_identity(keys, own), {
        name: read_peer(keys / f"{name}.crt", name, plan.fingerprints[name]) for name in others
    }


def _carried(plan: RehearsalPlan, turn: Turn) -> str:
    terms = turn.built.terms(plan.parties, plan.classes)
    clear = " (in the clear: numbers stand in for ciphertexts)"
    words = [
        words + (clear if kind in SEALED_KINDS and not terms.encrypted else "")
        for kind, words in CARRIED.items()
        if kind in terms.kinds
    ]
    if turn.tampering is not None:
        choice, party = turn.tampering
        words.append(f"'{party}' misbehaves in training ({choice.name})")
    return ", ".join(words)
