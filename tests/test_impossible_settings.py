"""Settings that make no sense are refused in one sentence, which names the setting and what was found."""

from math import inf, nan

import pytest

from seepage.attacks import ATTACKS
from seepage.attacks.steps.norms.distribution_comparison import Comparison
from seepage.attacks.steps.tampering.acceleration import Acceleration
from seepage.data import Encoding
from seepage.defenses import DEFENSES
from seepage.learners.small_network import SmallNetwork
from seepage.networks.optimizers import OptimizerSettings
from seepage.views import Auxiliary, ThreatModel


def each(thing, key, values, said):
    """One setting at several values, of which the same is said."""
    return [(thing, {key: value}, said) for value in values]


NO_BUDGET = (0.0, -0.5, inf, nan)
ATTACKS_REFUSE = [
    ("active-completion", {"bottom_learning_rate": 0}, "bottom_learning_rate must be above 0 and finite, got 0"),
    ("bounded-equality-solving", {"center": "median"}, "center must be 'half' or 'mean', got 'median'"),
    ("correlation-augmentation", {"refine": False, "replace_labels": False}, "nothing would be augmented"),
    ("correlation-augmentation", {"weight": -0.1}, "weight must be 0 or more and finite, got -0.1"),
    *each("correlation-augmentation", "weight", (inf, nan), "weight must be 0 or more"),
    ("correlation-augmentation", {"head": (8, 0)}, "head must be widths of 1 or more"),
    ("correlation-augmentation", {"head_learning_rate": 0.0}, "head_learning_rate must be above 0"),
    ("correlation-augmentation", {"dropout": 1.0}, "dropout must be 0 or more and below 1, got 1.0"),
    ("direct-completion", {"inputs": "columns", "bottom": "tuned"}, "inputs=columns learns from own columns alone"),
    ("direct-completion", {"inputs": "x"}, "inputs must be one of auto, columns, outputs, got 'x'"),
    ("direct-completion", {"bottom": "x"}, "bottom must be one of auto, frozen, tuned, got 'x'"),
    ("direct-completion", {"labels": "direct-completion"}, "labels must be another attack on labels"),
    *each("equality-solving", "floor", (0.0, -1.0, 1.0, nan), "floor must be None or between 0 and 1"),
    ("generative-regression", {"steps": 0}, "steps must be 1 or more, got 0"),
    ("generative-regression", {"batch": 1}, "batch must be 2 or more, got 1"),
    ("generative-regression", {"draws": 0}, "draws must be 1 or more, got 0"),
    ("generative-regression", {"restarts": -1}, "restarts must be 0 or more, got -1"),
    ("generative-regression", {"predictions": 1}, "predictions must be 2 or more, got 1"),
    ("generative-regression", {"dummy_rows": 1}, "dummy_rows must be 2 or more, got 1"),
    ("generative-regression", {"surrogate_steps": 0}, "surrogate_steps must be 1 or more, got 0"),
    ("generative-regression", {"learning_rate": 0.0}, "learning_rate must be above 0 and finite, got 0.0"),
    ("generative-regression", {"start": nan}, "start must be above 0 and finite, got nan"),
    ("generative-regression", {"variance_weight": -1.0}, "variance_weight must be 0 or more and finite, got -1.0"),
    ("generative-regression", {"variance_limit": nan}, "variance_limit must be 0 or more and finite, got nan"),
    ("generative-regression", {"half_weight": inf}, "half_weight must be 0 or more and finite, got inf"),
    ("generative-regression", {"decay": "step"}, "decay must be one of cosine, none, got 'step'"),
    ("generative-regression", {"inputs": "all"}, "inputs must be one of both, own, noise, got 'all'"),
    ("generative-regression", {"dummies": "none"}, "dummies must be one of own-rows, whole-space, got 'none'"),
    ("generative-regression", {"size": 0.0}, r"size must be above 0 and at most 1, got 0.0"),
    ("generative-regression", {"hidden": (3, 0)}, r"hidden must be widths of 1 or more, got \(3, 0\)"),
    ("generative-regression", {"surrogate_hidden": ()}, r"surrogate_hidden must be widths of 1 or more, got \(\)"),
    *each("gradient-sign", "epochs", ((), (-1,)), "epochs must be"),
    ("id2graph", {"eta": 0.0}, "eta must be above 0 and at most 1, got 0.0"),
    ("id2graph", {"eta": 1.5}, "eta must be above 0 and at most 1, got 1.5"),
    ("id2graph", {"eta": nan}, "eta must be above 0"),
    ("id2graph", {"alpha": 0.0}, "alpha must be above 0 and finite, got 0.0"),
    ("id2graph", {"chunk": 1}, "chunk must be 2 or more, got 1"),
    ("id2graph", {"chunk_weight": -1.0}, "chunk_weight must be above 0 and finite, got -1.0"),
    ("id2graph", {"clustering": "guessing"}, "clustering must be one of k-means, communities, got 'guessing'"),
    ("id2graph", {"visibility": "xray"}, "visibility must be one of subtraction, literal, got 'xray'"),
    ("label-chain", {"known": 1}, "known must be"),
    ("label-chain", {"labels": "label-chain"}, "labels must be"),
    ("prediction-distillation", {"labels_per_class": 0}, "labels_per_class must be 1 or more, got 0"),
    ("leaf-labels", {"labels_per_class": 0}, "labels_per_class must be 1 or more, got 0"),
    ("leaf-labels", {"learner": "x"}, "learner must be one of both, spreading, wide-spreading, regression, got 'x'"),
    ("leaf-labels", {"visibility": "xray"}, "visibility must be one of subtraction, literal, got 'xray'"),
    ("linear-probe", {"labels_per_class": -1}, "labels_per_class must be 1 or more, got -1"),
    ("model-completion", {"labels_per_class": 0}, "labels_per_class must be 1 or more, got 0"),
    ("model-completion", {"bottom": "x"}, "bottom must be one of auto, frozen, tuned, got 'x'"),
    ("model-completion", {"bottom_learning_rate": inf}, "bottom_learning_rate must be above 0 and finite"),
    ("path-restriction", {"match": "leaf"}, "match must be one of class, confidences, got 'leaf'"),
    ("semi-supervised", {"labels_per_class": 0}, "labels_per_class must be 1 or more, got 0"),
]
DEFENSES_REFUSE = [
    *each("confusional-autoencoder", "weight", (-0.1, inf, nan), "weight must be 0 or more and finite"),
    *each("distance-correlation", "alpha", (-0.1, inf, nan), "alpha must be 0 or more and finite"),
    ("distance-correlation", {"against": "all"}, "against must be one of features, labels, got 'all'"),
    *each("embedding-noise", "epsilon", NO_BUDGET, "epsilon must be above 0 and finite"),
    *each("embedding-noise", "bound", NO_BUDGET, "bound must be above 0 and finite"),
    *each("embedding-noise", "noise", (-0.1, inf, nan), "noise must be 0 or more and finite"),
    *each("embedding-noise", "delta", (0.0, -1.0, 1.0), "delta must be above 0 and below 1"),
    ("embedding-noise", {"messages": 0}, "messages must be 1 or more, got 0"),
    *each("information-bottleneck", "weight", (-0.1, inf, nan), "weight must be 0 or more and finite"),
    ("information-bottleneck", {"against": "all"}, "against must be one of features, labels, got 'all'"),
    *each("dropout", "rate", (-0.1, 1.0, nan), "rate must be 0 or more and below 1"),
    *each("feature-screening", "limit", (0.0, -0.5, 1.1, nan), "limit must be above 0 and at most 1"),
    *each("gradient-dp", "epsilon", NO_BUDGET, "^epsilon must be above 0 and finite"),
    *each("gradient-dp", "delta", (0.0, 1.0, -0.1, nan), "^delta must be above 0 and below 1"),
    *each("gradient-dp", "clip", (0.0, -1.0, inf, nan), "^clip must be above 0 and finite"),
    *each("marvell", "ratio", (0.0, -4.0, inf, nan), "^ratio must be above 0 and finite"),
    ("first-trees-alone", {"trees": 0}, "trees must be 1 or more, got 0"),
    *each("grafting", "epsilon", NO_BUDGET, "epsilon must be above 0 and finite"),
    ("grafting", {"stages": 0}, "stages must be 1 or more, got 0"),
    *each("label-dp", "epsilon", NO_BUDGET, "epsilon must be above 0 and finite"),
    ("label-dp", {"stages": 0}, "stages must be 1 or more, got 0"),
    *each("output-verification", "limit", (-0.1, inf, nan), "limit must be 0 or more and finite"),
    *each("purity-limit", "limit", (0.0, -1.0, inf, nan), "limit must be above 0 and finite"),
    *each("randomized-response", "epsilon", (0.0, -1.0, inf, nan), "^epsilon must be above 0 and finite"),
    *each("randomized-response", "bound", (0.0, -1.0, inf, nan), "^bound must be above 0 and finite"),
    *each("randomized-response", "gradient_bound", (0.0, -1.0, inf, nan), "^gradient_bound must be above 0 and finite"),
    ("rounding", {"digits": -1}, "digits must be between 0 and 15, got -1"),
    ("rounding", {"digits": 16}, "digits must be between 0 and 15, got 16"),
    *each("shuffling", "share", (-0.1, 1.1, nan), "share must be between 0 and 1"),
    *each("withdrawal", "share", (-0.1, 1.1), "^share must be"),
    *each("withdrawal", "until", (-0.1, 1.0), "^until must be"),
]
PARTS_REFUSE = [
    (Acceleration, {"least": 2.0, "most": 1.0}, "least must not be above most, got least 2.0 and most 1.0"),
    (Acceleration, {"reset": nan}, "reset must be 0 or more and finite, got nan"),
    (Acceleration, {"reset": inf}, "reset must be 0 or more and finite, got inf"),
    (Acceleration, {"reset": -1.0}, "reset must be 0 or more and finite, got -1.0"),
    (Acceleration, {"least": -0.5}, "least must be 0 or more and finite, got -0.5"),
    (Acceleration, {"most": inf}, "most must be 0 or more and finite, got inf"),
    (Auxiliary, {"rows": 4}, "auxiliary.rows must be 5 or more, got 4"),
    (Auxiliary, {"mislabelled": 0.5}, "mislabelled must be 0 or more and below 0.5, got 0.5"),
    (Auxiliary, {"mislabelled": -0.1}, "mislabelled must be 0 or more"),
    (Comparison, {"step": 3}, "step is in percent and must divide 100, as 1, 2.5 or 10 do, got 3"),
    (Comparison, {"step": 0}, "must divide 100, .* got 0"),
    (Comparison, {"step": 200}, "must divide 100, .* got 200"),
    (Comparison, {"population": 0}, "population must be 1 or more, got 0"),
    (Comparison, {"populations": 0}, "populations must be 1 or more, got 0"),
    (Comparison, {"queries": -1}, "queries must be 1 or more, got -1"),
    (Comparison, {"quantiles": 1}, "quantiles must be 2 or more, got 1"),
    (Comparison, {"norm": "l3"}, "norm must be one of l1, l2, linf, got 'l3'"),
    (Comparison, {"regressor": "forest"}, "regressor must be one of xgboost, tree, linear, svr, got 'forest'"),
    (Encoding, {"kind": "onehot"}, "kind"),
    (Encoding, {"scaling": "none"}, "scaling"),
    (Encoding, {"hash_width": 0}, "hash_width"),
    *each(
        OptimizerSettings, "milestones", ((0.5, 1.0), (15,)), "milestones must be shares of training between 0 and 1"
    ),
    (OptimizerSettings, {"factor": 0.0}, "factor must be above 0"),
    (SmallNetwork, {"hidden": (4, 0)}, r"network\.hidden must be"),
    (SmallNetwork, {"passes": 0}, r"network\.passes must be 1 or more, got 0"),
    (SmallNetwork, {"batch": 0}, r"network\.batch must be 1 or more, got 0"),
    (SmallNetwork, {"learning_rate": 0.0}, r"network\.learning_rate must be above 0 and finite, got 0\.0"),
    (SmallNetwork, {"weight_decay": -1.0}, r"network\.weight_decay must be 0 or more and finite, got -1\.0"),
    (ThreatModel, {"adversaries": ()}, "adversar"),
    (ThreatModel, {"adversaries": ("a",), "labels_per_class": -1}, "labels_per_class"),
]
REFUSED = [
    *((ATTACKS[name], settings, said) for name, settings, said in ATTACKS_REFUSE),
    *((DEFENSES[name], settings, said) for name, settings, said in DEFENSES_REFUSE),
    *PARTS_REFUSE,
]


@pytest.mark.parametrize(("made", "settings", "said"), REFUSED)
def test_impossible_settings_are_refused_in_a_sentence(made, settings, said):
    with pytest.raises(ValueError, match=said):
        made(**settings)
