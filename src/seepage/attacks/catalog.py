"""All attacks by name."""

from typing import TYPE_CHECKING, Any, Final

from seepage.attacks.attack import Attack
from seepage.catalogs import Catalog, Entry

ATTACKS: Final[Catalog[type[Attack[Any]]]] = Catalog(
    kind="attack",
    group="seepage.attacks",
    demands=("name", "steals", "role", "rows", "needs", "tampering", "run"),
    own={
        "active-completion": Entry(
            "seepage.attacks.labels.active_completion:ActiveCompletion",
            "Train the own bottom model with a malicious optimizer, then complete it: the active attack of paper 001.",
        ),
        "adjusted-count": Entry(
            "seepage.attacks.properties.adjusted_count:AdjustedCount",
            "Count who has the property with a classifier on intermediate results, corrected by its own confusion.",
        ),
        "attribute-inference": Entry(
            "seepage.attacks.properties.attribute_inference:AttributeInference",
            "Count the rows that a network takes for ones with the property: the baselines AIA and AIA* of paper 000.",
        ),
        "bounded-equality-solving": Entry(
            "seepage.attacks.features.bounded_equality_solving:BoundedEqualitySolving",
            "Solve the equations of equality-solving inside the known range, as near to its middle as they allow.",
        ),
        "correlation-augmentation": Entry(
            "seepage.attacks.properties.correlation_augmentation:CorrelationAugmentation",
            "Teach the property to the model while it is trained, then compare norms: ProVFL-M of paper 000.",
        ),
        "direct-completion": Entry(
            "seepage.attacks.labels.direct_completion:DirectCompletion",
            "Learn from labels that another attack read, to label rows outside training.",
        ),
        "distribution-comparison": Entry(
            "seepage.attacks.properties.distribution_comparison:DistributionComparison",
            "Compare the norms of intermediate results with populations of known fractions: ProVFL-B of paper 000.",
        ),
        "embedding-clustering": Entry(
            "seepage.attacks.labels.embedding_clustering:EmbeddingClustering",
            "Group the own trained bottom model's outputs, which training pulled apart; no label need be known.",
        ),
        "embedding-inversion": Entry(
            "seepage.attacks.features.embedding_inversion:EmbeddingInversion",
            "Find values inside the published ranges whose embedding is the one that was sent.",
        ),
        "embedding-regression": Entry(
            "seepage.attacks.features.embedding_regression:EmbeddingRegression",
            "Learn from embeddings of all epochs to each column, on a few known rows.",
        ),
        "equality-solving": Entry(
            "seepage.attacks.features.equality_solving:EqualitySolving",
            "Solve the linear equations that confidences spell out: the equality solving attack of paper 002.",
        ),
        "generative-regression": Entry(
            "seepage.attacks.features.generative_regression:GenerativeRegression",
            "Train a generator of unknown columns through the released model: the GRN attack of paper 002.",
        ),
        "gradient-direction": Entry(
            "seepage.attacks.labels.gradient_direction:GradientDirection",
            "Name classes by the directions in which gradients pull, from a few known labels; or group rows by them.",
        ),
        "gradient-sign": Entry(
            "seepage.attacks.labels.gradient_sign:GradientSign",
            "Take the class whose logit is pulled up: the direct label inference attack of paper 001.",
        ),
        "id2graph": Entry(
            "seepage.attacks.labels.id2graph:ID2Graph",
            "Cluster rows by the communities of a graph of shared leaves: ID2Graph of paper 003.",
        ),
        "label-chain": Entry(
            "seepage.attacks.features.label_chain:LabelChain",
            "Infer the others' columns from labels that were inferred before: Appendix E of paper 001.",
        ),
        "leaf-labels": Entry(
            "seepage.attacks.labels.leaf_labels:LeafLabels",
            "Learn labels from the sets of rows that a passive party was shown, with a few rows whose label is known.",
        ),
        "linear-probe": Entry(
            "seepage.attacks.labels.linear_probe:LinearProbe",
            "Fit logistic regression to the own bottom model's outputs of a few labelled rows, and read off the rest.",
        ),
        "local-clustering": Entry(
            "seepage.attacks.labels.local_clustering:LocalClustering",
            "Cluster the adversary's own columns with k-means, reading no message: the baseline CL of paper 003.",
        ),
        "model-completion": Entry(
            "seepage.attacks.labels.model_completion:ModelCompletion",
            "Put a head on the own trained bottom model and complete it: the passive attack of paper 001.",
        ),
        "path-restriction": Entry(
            "seepage.attacks.features.path_restriction:PathRestriction",
            "Keep the paths of a tree that own columns and the predicted class allow: path restriction of paper 002.",
        ),
        "semi-supervised": Entry(
            "seepage.attacks.labels.semi_supervised:SemiSupervised",
            'Learn labels with a bottom model that was never trained: the baseline "direct semi" of paper 001.',
        ),
        "shadow-models": Entry(
            "seepage.attacks.properties.shadow_models:ShadowModels",
            "Tell the fraction from confidences, as shadow models of known fractions have them: SM-PIA of paper 000.",
        ),
        "split-sides": Entry(
            "seepage.attacks.features.split_sides:SplitSides",
            "Infer the partner's columns from the side of each of its splits that rows fell on, and a few known rows.",
        ),
        "union": Entry(
            "seepage.attacks.labels.union:Union",
            "Take rows that share a visible leaf of some tree for one class: the union attack (UNI) of SecureBoost.",
        ),
        "union-clustering": Entry(
            "seepage.attacks.labels.union_clustering:UnionClustering",
            "Cluster own columns beside the components that shared leaves make: UNI+CL of paper 003.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.attacks.features.bounded_equality_solving import BoundedEqualitySolving
    from seepage.attacks.features.embedding_inversion import EmbeddingInversion
    from seepage.attacks.features.embedding_regression import EmbeddingRegression
    from seepage.attacks.features.equality_solving import EqualitySolving
    from seepage.attacks.features.generative_regression import GenerativeRegression
    from seepage.attacks.features.label_chain import LabelChain
    from seepage.attacks.features.path_restriction import PathRestriction
    from seepage.attacks.features.split_sides import SplitSides
    from seepage.attacks.labels.active_completion import ActiveCompletion
    from seepage.attacks.labels.direct_completion import DirectCompletion
    from seepage.attacks.labels.embedding_clustering import EmbeddingClustering
    from seepage.attacks.labels.gradient_direction import GradientDirection
    from seepage.attacks.labels.gradient_sign import GradientSign
    from seepage.attacks.labels.id2graph import ID2Graph
    from seepage.attacks.labels.leaf_labels import LeafLabels
    from seepage.attacks.labels.linear_probe import LinearProbe
    from seepage.attacks.labels.local_clustering import LocalClustering
    from seepage.attacks.labels.model_completion import ModelCompletion
    from seepage.attacks.labels.semi_supervised import SemiSupervised
    from seepage.attacks.labels.union import Union
    from seepage.attacks.labels.union_clustering import UnionClustering
    from seepage.attacks.properties.adjusted_count import AdjustedCount
    from seepage.attacks.properties.attribute_inference import AttributeInference
    from seepage.attacks.properties.correlation_augmentation import CorrelationAugmentation
    from seepage.attacks.properties.distribution_comparison import DistributionComparison
    from seepage.attacks.properties.shadow_models import ShadowModels

    _FITTING: tuple[type[Attack[Any]], ...] = (
        ActiveCompletion,
        AdjustedCount,
        AttributeInference,
        BoundedEqualitySolving,
        CorrelationAugmentation,
        DirectCompletion,
        DistributionComparison,
        EmbeddingClustering,
        EmbeddingInversion,
        EmbeddingRegression,
        EqualitySolving,
        GenerativeRegression,
        GradientDirection,
        GradientSign,
        ID2Graph,
        LabelChain,
        LeafLabels,
        LinearProbe,
        LocalClustering,
        ModelCompletion,
        PathRestriction,
        SemiSupervised,
        ShadowModels,
        SplitSides,
        Union,
        UnionClustering,
    )
