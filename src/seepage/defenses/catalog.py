"""All defenses by name."""

from typing import TYPE_CHECKING, Final

from seepage.catalogs import Catalog, Entry
from seepage.hooks import Defense

DEFENSES: Final[Catalog[type[Defense]]] = Catalog(
    kind="defense",
    group="seepage.defenses",
    own={
        "laplace-noise": Entry(
            "seepage.defenses.gradients.laplace_noise:LaplaceNoise",
            "Add Laplace noise of one scale to every gradient value before it is sent.",
        ),
        "top-k": Entry(
            "seepage.defenses.gradients.top_k:TopK",
            "Send only the largest gradient values of a message; the others are set to zero.",
        ),
        "privacy-preserving-dl": Entry(
            "seepage.defenses.gradients.privacy_preserving_dl:PrivacyPreservingDL",
            "Send a random, noisy, clipped selection of gradient values; the others are set to zero.",
        ),
        "discrete-gradients": Entry(
            "seepage.defenses.gradients.discrete_gradients:DiscreteGradients",
            "Round gradient values to a few levels around their mean; outliers are set to zero.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.defenses.gradients.discrete_gradients import DiscreteGradients
    from seepage.defenses.gradients.laplace_noise import LaplaceNoise
    from seepage.defenses.gradients.privacy_preserving_dl import PrivacyPreservingDL
    from seepage.defenses.gradients.top_k import TopK

    _FITTING: tuple[type[Defense], ...] = (DiscreteGradients, LaplaceNoise, PrivacyPreservingDL, TopK)
