"""What is audited when nobody says otherwise."""

from typing import Any, Final

from seepage.attacks.catalog import ATTACKS
from seepage.defenses.catalog import DEFENSES
from seepage.federations.catalog import FEDERATIONS

EMBEDDED_DATA: Final = "breast_cancer"
EMBEDDED_PARTIES: Final = ("hospital", "lab")


VARIANTS: Final[dict[str, tuple[dict[str, Any], ...]]] = {"gradient-sign": ({"combine": "sum"},)}
"""Settings that an audit tries besides the defaults, because they are stronger against some defenses."""


def default_choices() -> dict[str, Any]:
    """Return every federation, every attack with its variants, and every defense, as part of a plan."""
    return {
        "federations": [{"name": name} for name in FEDERATIONS],
        "attacks": [
            {"name": name, "settings": settings} for name in ATTACKS for settings in ({}, *VARIANTS.get(name, ()))
        ],
        "defenses": [{"name": name} for name in DEFENSES],
    }


def embedded_plan() -> dict[str, Any]:
    """Return the plan of ``seepage audit`` without arguments: it needs no file and no network."""
    return {
        "data": {"name": EMBEDDED_DATA},
        "partition": {"names": EMBEDDED_PARTIES},
        **default_choices(),
    }
