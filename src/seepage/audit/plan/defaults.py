"""What is audited when nobody says otherwise."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from seepage.attacks.catalog import ATTACKS
from seepage.audit.plan.attacks import built_attack, usable
from seepage.audit.plan.depths import DEFAULT_DEPTH, SCOPES, SEEN_THROUGH, Scope
from seepage.audit.plan.plan import Depth
from seepage.defenses.catalog import DEFENSES
from seepage.federations.catalog import FEDERATIONS
from seepage.hooks import Seam

EMBEDDED_DATA: Final = "breast_cancer"
EMBEDDED_PARTIES: Final = ("hospital", "lab")


VARIANTS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "direct-completion": ({"labels": "gradient-direction"},),
    "embedding-clustering": ({"method": "k-means"},),
    "embedding-inversion": ({"known": 40},),
    "gradient-direction": ({"labels_per_class": 0}, {"second_opinion": False}),
    "gradient-sign": ({"combine": "sum"},),
    "id2graph": ({"clustering": "communities"},),
    "label-chain": ({"labels": "id2graph"}, {"labels": "gradient-direction"}),
    "leaf-labels": tuple({"learner": name} for name in ("spreading", "wide-spreading", "regression")),
}
"""Settings that an audit tries besides the defaults: stronger against some defenses, or made for other federations."""


SLOW_VARIANTS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "embedding-inversion": ({"rows": "train"}, {"known": 40, "rows": "train"}),
}
"""Settings that a thorough audit alone tries besides: a quick one would take nearly twice its time with them."""


OUTDONE: Final[dict[str, tuple[str, ...]]] = {
    "active-completion": ("gradient-direction",),
    "generative-regression": ("embedding-inversion",),
}
"""Attacks that take long, and those that do better, or as well, with the same knowledge wherever they can be run."""


TWINS: Final = frozenset({"semi-supervised"})
"""Attacks that are the blind guess of others, whose findings say what it reaches."""


ABOUT_PROPERTIES: Final = frozenset({"randomized-response", "shuffling", "withdrawal"})
"""Defenses that were made to hide how many have a property; nobody who asks about none is kept waiting for them."""


ABOUT_ONE: Final = frozenset({"withdrawal"})
"""Those that act on rows with a property: of properties that were found and not named, nearly every row has one."""


ASKING: Final = "adjusted-count"
"""What asks about properties that were found and not named: it errs least of all, and takes a second."""


READING: Final = ("split-network", "summed-network")
"""Federations whose bottom models can be Transformers."""


def default_choices(
    wanted: Collection[str] = ("federations", "attacks", "defenses"),
    *,
    gaps: bool = False,
    properties: bool = False,
    words: bool = False,
    depth: Depth = DEFAULT_DEPTH,
) -> dict[str, Any]:
    """Return every federation, every attack with its variants, every defense, or some of these, as part of a plan.

    How many depends on the depth. An attack that is the blind guess of others is left out, since it stands beside each
    of them, and so is one that others outdo, unless the audit is thorough.

    Where missing values are kept, federations of trees alone can follow them.
    Texts are read by those alone that can have Transformers.
    Attacks on properties, and defenses made to hide them, are left out unless a
    property is named.
    """
    scope = SCOPES[depth]
    made: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "federations": lambda: (
            [_reading(name) for name in READING]
            if words
            else [{"name": name} for name in usable(FEDERATIONS) if not gaps or _grows_trees(name)]
        ),
        "attacks": lambda: [
            {
                "name": name,
                "settings": settings,
                **({"unless": OUTDONE[name]} if name in OUTDONE and scope.spares else {}),
            }
            for name in usable(ATTACKS)
            for settings in ({}, *VARIANTS.get(name, ()), *(() if scope.spares else SLOW_VARIANTS.get(name, ())))
            if _is_tried(name, scope) and (properties or built_attack(name).steals != "properties")
        ],
        "defenses": lambda: defended_by(
            [name for name in usable(DEFENSES) if properties or name not in ABOUT_PROPERTIES], depth
        ),
    }
    return {key: choices() for key, choices in made.items() if key in wanted}


def defended_by(names: Iterable[str], depth: Depth) -> list[dict[str, Any]]:
    """Return those of some defenses that a depth tries, with their settings, as part of a plan.

    >>> defended_by(["label-dp", "rounding"], "quick")
    [{'name': 'label-dp'}]
    >>> defended_by(["rounding"], "thorough")[0]
    {'name': 'rounding', 'settings': {'digits': 1}}
    """
    scope = SCOPES[depth]
    return [
        {"name": name, **({"settings": dict(settings)} if settings else {})}
        for name in names
        if (scope.defenses is None or name in scope.defenses) and not (scope.spares and name in SEEN_THROUGH)
        for settings in scope.settings.get(name, ({},))
    ]


def _is_tried(name: str, scope: Scope) -> bool:
    """Whether a depth tries an attack; those from outside always are."""
    if scope.attacks is not None and name not in scope.attacks and name in ATTACKS.own:
        return False
    return name not in TWINS or not scope.spares


def first_choice(*, words: bool = False) -> dict[str, Any]:
    """Return the federation to begin with where nobody names one.

    >>> first_choice(words=True)
    {'name': 'split-network', 'settings': {'bottom': 'transformer'}}
    """
    return _reading(READING[0]) if words else {"name": next(iter(FEDERATIONS))}


def _reading(name: str) -> dict[str, Any]:
    return {"name": name, "settings": {"bottom": "transformer"}}


def _grows_trees(name: str) -> bool:
    return Seam.SPLIT in FEDERATIONS[name].offers
