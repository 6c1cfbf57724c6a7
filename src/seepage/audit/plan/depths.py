"""How deep an audit goes where nobody says what to try: a look, the default, or everything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.plan.plan import Depth

SETTINGS: Final[Mapping[str, tuple[Mapping[str, Any], ...]]] = {
    "laplace-noise": ({"scale": 0.001}, {"scale": 0.01}, {"scale": 0.1}),
    "top-k": ({"share": 0.05}, {"share": 0.1}, {"share": 0.25}),
    "privacy-preserving-dl": ({"theta_u": 0.1}, {"theta_u": 0.5}, {"theta_u": 1.0}),
    "discrete-gradients": ({"intervals": 6}, {"intervals": 12}, {"intervals": 24}),
    "sign-gradients": ({"scale": 1.0}, {"scale": "mean"}),
    "label-dp": ({"epsilon": 0.1}, {"epsilon": 0.5}, {"epsilon": 1.0}, {"epsilon": 2.0}),
    "grafting": ({"epsilon": 0.1}, {"epsilon": 0.5}, {"epsilon": 1.0}, {"epsilon": 2.0}),
    "purity-limit": ({"limit": 0.1}, {"limit": 0.25}, {"limit": 0.5}),
    "first-trees-alone": ({"trees": 1}, {"trees": 2}, {"trees": 3}),
    "rounding": ({"digits": 1}, {"digits": 2}, {"digits": 3}),
    "dropout": ({"rate": 0.25}, {"rate": 0.5}, {"rate": 0.75}),
    "feature-screening": ({"limit": 0.7}, {"limit": 0.8}, {"limit": 0.9}),
    "output-verification": ({"limit": 0.001}, {"limit": 0.01}, {"limit": 0.1}),
    "randomized-response": ({"epsilon": 0.5}, {"epsilon": 1.0}, {"epsilon": 2.0}, {"epsilon": 4.0}),
    "shuffling": ({"share": 0.1}, {"share": 0.2}, {"share": 0.5}),
    "withdrawal": ({"share": 0.1}, {"share": 0.2}, {"share": 0.5}),
    "distance-correlation": ({"alpha": 0.3}, {"alpha": 1.0}, {"alpha": 10.0}),
    "information-bottleneck": ({"weight": 0.001}, {"weight": 0.01}, {"weight": 0.1}),
    "embedding-noise": ({"noise": 0.1}, {"noise": 0.25}, {"noise": 1.0}),
    "confusional-autoencoder": ({"weight": 0.1}, {"weight": 0.5}, {"weight": 1.0}),
}
"""Settings of each defense that a thorough audit tries: the default among them, and what papers try."""


STRONGEST: Final[Mapping[str, str]] = {
    "gradient-direction": "labels of training rows under networks: all of them on four data sets",
    "gradient-sign": "the same without any known label, and furthest under top-k and discrete-gradients on some",
    "direct-completion": "labels of new rows, and what is left under label-dp and laplace-noise",
    "prediction-distillation": "labels under defenses that act in training alone",
    "leaf-labels": "labels under trees, with a few known ones",
    "id2graph": "labels under trees, as groups, where none is known",
    "embedding-inversion": "columns under networks with hidden layers, whose model is released",
    "embedding-regression": "columns under networks, with a few known rows: to the last digit where they are linear",
    "path-restriction": "columns under a single tree",
    "split-sides": "columns under forests and boosting",
    "adjusted-count": "shares of a property, under all federations",
}
"""Attacks that got furthest somewhere in docs/results/strongest.md and property-table5.md, and on what."""


PROMISING: Final[Mapping[str, str]] = {
    "privacy-preserving-dl": "labels under networks: at most 0.19 was left on four data sets, predictions kept",
    "label-dp": "labels of training rows, under networks and trees",
    "purity-limit": "labels under trees, where it acts before a leaf gets pure",
    "dropout": "columns under networks: what lowered them most",
    "feature-screening": "columns anywhere: what goes with a column of the partner is left out",
}
"""The two defenses for each asset and kind of model that left least in docs/results/strongest.md, at their defaults."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What one depth tries unless told otherwise.

    Parameters
    ----------
    says
        The depth in a few words.
    seeds
        How many.
    rows
        Of larger tables so many rows are drawn, of each class its share; None takes all.
    attacks, defenses
        Names; None is every one.
    spares
        Whether attacks are left out that others outdo, and those whose number stands beside others anyway.
    settings
        Which settings of a defense are tried; others have their default.
    properties
        About how many columns with few values it is asked how many have one of these.
    colluding
        Whether all parties but one collude as well, where there are more than two.
    """

    says: str
    seeds: int
    rows: int | None = None
    attacks: frozenset[str] | None = None
    defenses: frozenset[str] | None = None
    spares: bool = True
    settings: Mapping[str, tuple[Mapping[str, Any], ...]]
    properties: int
    colluding: bool = True


DEFAULT_DEPTH: Final[Depth] = "standard"

SCOPES: Final[Mapping[Depth, Scope]] = {
    "quick": Scope(
        says="a sample of 5,000 rows, the strongest attacks, the most promising defenses",
        seeds=3,
        rows=5_000,
        attacks=frozenset(STRONGEST),
        defenses=frozenset(PROMISING),
        settings={},
        properties=3,
        colluding=False,
    ),
    "standard": Scope(
        says="all rows, every attack that says something new, one setting of each defense",
        seeds=3,
        settings={},
        properties=10,
    ),
    "thorough": Scope(
        says="all rows, every attack and baseline, several settings of each defense",
        seeds=5,
        spares=False,
        settings=SETTINGS,
        properties=10,
    ),
}
"""The three depths; docs/depths.md says what each took."""
