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
        "label-dp": Entry(
            "seepage.defenses.trees.label_dp:LabelDP",
            "Train on labels that were noised once, so that no single one can be told apart by more than e^ε.",
        ),
        "grafting": Entry(
            "seepage.defenses.trees.grafting:Grafting",
            "Train on noisy labels as `label-dp` does, then let the active party repair each tree on its own.",
        ),
        "purity-limit": Entry(
            "seepage.defenses.trees.purity_limit:PurityLimit",
            "Keep a node from passive parties when its classes, or those outside it, differ too much from all rows'.",
        ),
        "first-trees-alone": Entry(
            "seepage.defenses.trees.first_trees_alone:FirstTreesAlone",
            "Let the active party grow the first trees with its own columns; no passive party sees any of their nodes.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.defenses.gradients.discrete_gradients import DiscreteGradients
    from seepage.defenses.gradients.laplace_noise import LaplaceNoise
    from seepage.defenses.gradients.privacy_preserving_dl import PrivacyPreservingDL
    from seepage.defenses.gradients.top_k import TopK
    from seepage.defenses.trees.first_trees_alone import FirstTreesAlone
    from seepage.defenses.trees.grafting import Grafting
    from seepage.defenses.trees.label_dp import LabelDP
    from seepage.defenses.trees.purity_limit import PurityLimit

    _FITTING: tuple[type[Defense], ...] = (
        DiscreteGradients,
        FirstTreesAlone,
        Grafting,
        LabelDP,
        LaplaceNoise,
        PrivacyPreservingDL,
        PurityLimit,
        TopK,
    )
