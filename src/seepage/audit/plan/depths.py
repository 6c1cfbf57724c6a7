"""How deep an audit goes where nobody says what to try: a look, the default, or everything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from seepage.audit.plan.ladders import LADDERS
from seepage.audit.plan.plan import Depth

SETTINGS: Final[Mapping[str, tuple[Mapping[str, Any], ...]]] = {
    name: tuple(settings for ladder in ladders for settings in ladder.some) for name, ladders in LADDERS.items()
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
    "information-bottleneck": "columns under networks: at most 0.27 was left on four data sets of five, at no cost",
    "feature-screening": "columns anywhere: what goes with a column of the partner is left out",
}
"""The two defenses for each asset and kind of model that left least in docs/results/strongest.md and defenses.md."""


SEEN_THROUGH: Final[Mapping[str, str]] = {
    "max-norm": "the line on which a row is pulled, epoch by epoch",
    "marvell": "which of two classes is noisy in directions that gradients do not fill",
    "confusional-autoencoder": "that rows of a class share one target",
}
"""Defenses through which docs/results/defenses.md reads most labels on every data set, and by what."""


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
        Whether attacks are left out that others outdo, those whose number stands beside others anyway, and defenses
        that are seen through.
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
        says="all rows, every attack that says something new, one setting of each defense that is not seen through",
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
