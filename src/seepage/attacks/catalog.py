"""All attacks by name."""

from typing import TYPE_CHECKING, Any, Final

from seepage.attacks.attack import Attack
from seepage.catalogs import Catalog, Entry

ATTACKS: Final[Catalog[type[Attack[Any]]]] = Catalog(
    kind="attack",
    group="seepage.attacks",
    own={
        "gradient-sign": Entry(
            "seepage.attacks.labels.gradient_sign:GradientSign",
            "Take the class whose logit is pulled up: the direct label inference attack of paper 001.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.attacks.labels.gradient_sign import GradientSign

    _FITTING: tuple[type[Attack[Any]], ...] = (GradientSign,)
