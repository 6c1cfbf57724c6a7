"""What the joint model is worth to those who train it."""

from seepage.scores.labels import auc, top1
from seepage.scores.metrics import ACCURACY, AUC
from seepage.shapes import Labels, Matrix


def utility(truth: Labels, confidences: Matrix) -> tuple[str, float, dict[str, float]]:
    """Return the metric, its value, and both accuracy and AUC: AUC leads for two classes, accuracy for more."""
    both = {ACCURACY.name: top1(truth, confidences.argmax(axis=1)), AUC.name: auc(truth, confidences)}
    metric = (AUC if confidences.shape[1] == 2 else ACCURACY).name
    return metric, both[metric], both
