"""All attacks by name."""

from typing import TYPE_CHECKING, Any, Final

from seepage.catalogs import Catalog, Entry

if TYPE_CHECKING:  # listing must not import what attacks need
    from seepage.attacks.attack import Attack

ATTACKS: Final[Catalog[type["Attack[Any]"]]] = Catalog(
    kind="attack",
    group="seepage.attacks",
    demands=("name", "steals", "role", "rows", "needs", "tampering", "run"),
    own={
        "active-completion": Entry("seepage.attacks.labels.active_completion:ActiveCompletion"),
        "adjusted-count": Entry("seepage.attacks.properties.adjusted_count:AdjustedCount"),
        "attribute-inference": Entry("seepage.attacks.properties.attribute_inference:AttributeInference"),
        "bounded-equality-solving": Entry("seepage.attacks.features.bounded_equality_solving:BoundedEqualitySolving"),
        "correlation-augmentation": Entry(
            "seepage.attacks.properties.correlation_augmentation:CorrelationAugmentation"
        ),
        "direct-completion": Entry("seepage.attacks.labels.direct_completion:DirectCompletion"),
        "distribution-comparison": Entry("seepage.attacks.properties.distribution_comparison:DistributionComparison"),
        "embedding-clustering": Entry("seepage.attacks.labels.embedding_clustering:EmbeddingClustering"),
        "embedding-inversion": Entry("seepage.attacks.features.embedding_inversion:EmbeddingInversion"),
        "embedding-regression": Entry("seepage.attacks.features.embedding_regression:EmbeddingRegression"),
        "equality-solving": Entry("seepage.attacks.features.equality_solving:EqualitySolving"),
        "generative-regression": Entry("seepage.attacks.features.generative_regression:GenerativeRegression"),
        "gradient-direction": Entry("seepage.attacks.labels.gradient_direction:GradientDirection"),
        "gradient-sign": Entry("seepage.attacks.labels.gradient_sign:GradientSign"),
        "id2graph": Entry("seepage.attacks.labels.id2graph:ID2Graph"),
        "label-chain": Entry("seepage.attacks.features.label_chain:LabelChain"),
        "leaf-labels": Entry("seepage.attacks.labels.leaf_labels:LeafLabels"),
        "linear-probe": Entry("seepage.attacks.labels.linear_probe:LinearProbe"),
        "local-clustering": Entry("seepage.attacks.labels.local_clustering:LocalClustering"),
        "model-completion": Entry("seepage.attacks.labels.model_completion:ModelCompletion"),
        "path-restriction": Entry("seepage.attacks.features.path_restriction:PathRestriction"),
        "prediction-distillation": Entry("seepage.attacks.labels.prediction_distillation:PredictionDistillation"),
        "semi-supervised": Entry("seepage.attacks.labels.semi_supervised:SemiSupervised"),
        "shadow-models": Entry("seepage.attacks.properties.shadow_models:ShadowModels"),
        "split-sides": Entry("seepage.attacks.features.split_sides:SplitSides"),
        "union": Entry("seepage.attacks.labels.union:Union"),
        "union-clustering": Entry("seepage.attacks.labels.union_clustering:UnionClustering"),
    },
)
