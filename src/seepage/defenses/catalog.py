"""All defenses by name."""

from typing import TYPE_CHECKING, Final

from seepage.catalogs import Catalog, Entry

if TYPE_CHECKING:  # listing must not import what defenses need
    from seepage.hooks import Defense

DEFENSES: Final[Catalog[type["Defense"]]] = Catalog(
    kind="defense",
    group="seepage.defenses",
    demands=("acts_on", "rewrites", "start"),
    joins=True,
    own={
        "laplace-noise": Entry("seepage.defenses.gradients.laplace_noise:LaplaceNoise"),
        "top-k": Entry("seepage.defenses.gradients.top_k:TopK"),
        "privacy-preserving-dl": Entry("seepage.defenses.gradients.privacy_preserving_dl:PrivacyPreservingDL"),
        "discrete-gradients": Entry("seepage.defenses.gradients.discrete_gradients:DiscreteGradients"),
        "sign-gradients": Entry("seepage.defenses.gradients.sign_gradients:SignGradients"),
        "max-norm": Entry("seepage.defenses.gradients.max_norm:MaxNorm"),
        "marvell": Entry("seepage.defenses.gradients.marvell:Marvell"),
        "gradient-dp": Entry("seepage.defenses.gradients.gradient_dp:GradientDP"),
        "label-dp": Entry("seepage.defenses.labels.label_dp:LabelDP"),
        "grafting": Entry("seepage.defenses.trees.grafting:Grafting"),
        "purity-limit": Entry("seepage.defenses.trees.purity_limit:PurityLimit"),
        "first-trees-alone": Entry("seepage.defenses.trees.first_trees_alone:FirstTreesAlone"),
        "rounding": Entry("seepage.defenses.predictions.rounding:Rounding"),
        "dropout": Entry("seepage.defenses.predictions.dropout:Dropout"),
        "feature-screening": Entry("seepage.defenses.predictions.feature_screening:FeatureScreening"),
        "output-verification": Entry("seepage.defenses.predictions.output_verification:OutputVerification"),
        "randomized-response": Entry("seepage.defenses.embeddings.randomized_response:RandomizedResponse"),
        "distance-correlation": Entry("seepage.defenses.embeddings.distance_correlation:DistanceCorrelation"),
        "information-bottleneck": Entry("seepage.defenses.embeddings.information_bottleneck:InformationBottleneck"),
        "embedding-noise": Entry("seepage.defenses.embeddings.embedding_noise:EmbeddingNoise"),
        "confusional-autoencoder": Entry("seepage.defenses.labels.confusional_autoencoder:ConfusionalAutoencoder"),
        "shuffling": Entry("seepage.defenses.tables.shuffling:Shuffling"),
        "withdrawal": Entry("seepage.defenses.tables.withdrawal:Withdrawal"),
    },
)
