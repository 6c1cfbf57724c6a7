"""All defenses by name."""

from typing import TYPE_CHECKING, Final

from seepage.catalogs import Catalog, Entry
from seepage.hooks import Defense

DEFENSES: Final[Catalog[type[Defense]]] = Catalog(
    kind="defense",
    group="seepage.defenses",
    demands=("acts_on", "rewrites", "start"),
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
        "sign-gradients": Entry(
            "seepage.defenses.gradients.sign_gradients:SignGradients",
            "Send only the sign of every gradient value, times one number.",
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
        "rounding": Entry(
            "seepage.defenses.predictions.rounding:Rounding",
            "Round released confidences down to a few decimal digits.",
        ),
        "dropout": Entry(
            "seepage.defenses.predictions.dropout:Dropout",
            "Drop hidden units of every network at random while training, and none when predicting.",
        ),
        "feature-screening": Entry(
            "seepage.defenses.predictions.feature_screening:FeatureScreening",
            "Before training, leave out columns that go with those of others, and warn of parties with few columns.",
        ),
        "output-verification": Entry(
            "seepage.defenses.predictions.output_verification:OutputVerification",
            "Mimic an attack before predictions are released, and withhold those that would give too much away.",
        ),
        "randomized-response": Entry(
            "seepage.defenses.embeddings.randomized_response:RandomizedResponse",
            "Send a randomized response of ε instead of each coordinate of an embedding or a gradient.",
        ),
        "shuffling": Entry(
            "seepage.defenses.tables.shuffling:Shuffling",
            "Before training, permute a share of the victim's rows among themselves, out of step with all others.",
        ),
        "withdrawal": Entry(
            "seepage.defenses.tables.withdrawal:Withdrawal",
            "Withdraw rows that have the property after ids are aligned and before training begins.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.defenses.embeddings.randomized_response import RandomizedResponse
    from seepage.defenses.gradients.discrete_gradients import DiscreteGradients
    from seepage.defenses.gradients.laplace_noise import LaplaceNoise
    from seepage.defenses.gradients.privacy_preserving_dl import PrivacyPreservingDL
    from seepage.defenses.gradients.sign_gradients import SignGradients
    from seepage.defenses.gradients.top_k import TopK
    from seepage.defenses.predictions.dropout import Dropout
    from seepage.defenses.predictions.feature_screening import FeatureScreening
    from seepage.defenses.predictions.output_verification import OutputVerification
    from seepage.defenses.predictions.rounding import Rounding
    from seepage.defenses.tables.shuffling import Shuffling
    from seepage.defenses.tables.withdrawal import Withdrawal
    from seepage.defenses.trees.first_trees_alone import FirstTreesAlone
    from seepage.defenses.trees.grafting import Grafting
    from seepage.defenses.trees.label_dp import LabelDP
    from seepage.defenses.trees.purity_limit import PurityLimit

    _FITTING: tuple[type[Defense], ...] = (
        DiscreteGradients,
        Dropout,
        FeatureScreening,
        FirstTreesAlone,
        Grafting,
        LabelDP,
        LaplaceNoise,
        OutputVerification,
        PrivacyPreservingDL,
        PurityLimit,
        RandomizedResponse,
        Rounding,
        Shuffling,
        SignGradients,
        TopK,
        Withdrawal,
    )
