"""Federations, attacks, defenses and their settings in a sentence each, for whoever meets them for the first time."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from seepage.attacks.catalog import ATTACKS
from seepage.audit.findings.finding import CHOSEN
from seepage.audit.findings.survey import Survey
from seepage.catalogs import Catalog
from seepage.citations import authors, by_author
from seepage.defenses.catalog import DEFENSES
from seepage.federations.catalog import FEDERATIONS

SETTINGS: Final[dict[str, dict[str, str]]] = {
    "confusional-autoencoder": {"weight": "λ, what it is worth that codes of classes look alike"},
    "discrete-gradients": {
        "intervals": "how many levels there are",
        "warm_up": "what the first epoch sends: nothing (silent) or the gradients as they are (clear)",
    },
    "distance-correlation": {
        "alpha": "α, what it is worth that distances say less",
        "against": "what is protected: the columns of other parties, or labels",
    },
    "dropout": {"rate": "the share of hidden units that sits out"},
    "embedding-noise": {
        "bound": "the length that embeddings are cut off at",
        "noise": "how wide the noise is, as a share of that length",
        "epsilon": "ε of all embeddings of one row, weights given: smaller is noisier",
        "delta": "δ, by how much ε may be missed",
        "messages": "how often one row is sent",
    },
    "feature-screening": {
        "limit": "the largest correlation with another party's column that a column may have",
        "few_columns": "what a party with too few columns does",
    },
    "first-trees-alone": {"trees": "how many rounds the label holder grows alone"},
    "grafting": {
        "epsilon": "ε, how much a label may show: smaller is noisier",
        "stages": "how many parts the rows are dealt into",
    },
    "information-bottleneck": {
        "weight": "λ, what each nat costs that gets through (a nat is 1.44 bits)",
        "against": "what is protected: the columns of other parties, or labels",
    },
    "label-dp": {
        "epsilon": "ε, how much a label may show: smaller is noisier",
        "stages": "how many parts the rows are dealt into",
    },
    "laplace-noise": {
        "scale": "how wide the noise is",
        "both_sides": "whether the label holder's own values pass it as well",
    },
    "gradient-dp": {
        "epsilon": "ε, how much all of training may tell of one label: smaller is noisier",
        "delta": "δ, how probable it may be that more is told",
        "clip": "C, how strongly a row may pull at most",
    },
    "max-norm": {},
    "marvell": {"ratio": "the power of the noise, by the squared distance of the means of both classes"},
    "output-verification": {
        "limit": "the error below which a prediction is withheld",
        "mimic": "the attack that predictions are tried out on",
    },
    "privacy-preserving-dl": {
        "theta_u": "θ_u, the share of gradient values that is sent",
        "tau": "τ, the size that a value must reach to be sent",
        "epsilon": "ε, how much a value may show: smaller is noisier",
        "sensitivity": "Δ, by how much one row is taken to change a value",
        "gamma": "γ, the size that values are cut off at",
        "unselected": "what is sent in the place of other values",
        "both_sides": "whether the label holder's own values pass it as well",
    },
    "purity-limit": {"limit": "how much a node may tell about labels, in nats (a nat is 1.44 bits)"},
    "randomized-response": {
        "epsilon": "ε of each number: smaller is noisier",
        "bound": "the size that embeddings are cut off at",
        "gradient_bound": "the size that gradients are cut off at",
        "response": "how values are answered",
        "both_sides": "whether the label holder's own values pass it as well",
    },
    "rounding": {"digits": "how many decimal digits are left"},
    "shuffling": {"share": "the share of rows that is mixed up"},
    "sign-gradients": {"scale": "the number that stands for every size"},
    "top-k": {"share": "the share of gradient values that is sent, the largest ones"},
    "withdrawal": {
        "share": "the share of rows with the property that is withdrawn",
        "until": "the fraction down to which rows are withdrawn",
        "property": "the property",
    },
}
"""What the settings of our own defenses mean."""


@dataclass(frozen=True)
class Entry:
    """A name with what it stands for, who came up with it, and what its settings mean."""

    name: str
    summary: str
    authors: str
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Glossary:
    """All federations, attacks and defenses that findings name."""

    federations: tuple[Entry, ...]
    attacks: tuple[Entry, ...]
    defenses: tuple[Entry, ...]


def glossary(survey: Survey) -> Glossary:
    """Explain what the page names; whatever comes from outside explains itself elsewhere."""
    attacks = dict.fromkeys(one.attack for one in survey.findings if one.role != CHOSEN)
    defenses = dict.fromkeys(part for one in survey.findings if one.defense for part in DEFENSES.parts(one.defense))
    federations = dict.fromkeys(one.federation for one in survey.findings)
    return Glossary(_entries(federations, FEDERATIONS), _entries(attacks, ATTACKS), _entries(defenses, DEFENSES))


def named_in(text: str, words: Glossary) -> tuple[Entry, ...]:
    """Return what a text names, with those settings alone that stand in it."""
    every = (*words.federations, *words.attacks, *words.defenses)
    return tuple(
        replace(entry, settings=tuple(one for one in entry.settings if f"{one[0]}=" in text))
        for entry in every
        if re.search(rf"(?<![\w-]){re.escape(entry.name)}(?![\w-])", text)
    )


def _entries(names: Iterable[str], catalog: Catalog[Any]) -> tuple[Entry, ...]:
    return tuple(_entry(name, catalog) for name in sorted(names))


def _entry(name: str, catalog: Catalog[Any]) -> Entry:
    summary = by_author(catalog.own[name].summary) if name in catalog.own else "From outside this package."
    named = authors(name)
    return Entry(name, summary, "" if named in summary else named, tuple(SETTINGS.get(name, {}).items()))
