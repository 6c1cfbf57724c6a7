"""The data sets of paper 001 of which everyone has to bring the files: pictures, texts, patches of tissue.

Networks and training follow the paper and its authors' code: ResNet-18 bottom models with one output for each class,
a top model of four layers, first weights of He et al., SGD at 0.1 whose rate falls after 50 % and 85 % of all epochs.
What differs: our top model has no batch normalization; between patches, of which there are two classes, its layers
have four outputs instead of two, since ReLUs that stay at zero would leave nothing. Texts go through a Transformer with
first weights, since a pretrained BERT has to be brought along as well (``encoder``), and through Adam. Bottom models
are frozen and completed by 5,000 steps, as on CIFAR-10 by itself; those of texts are tuned for 300.
"""

from collections.abc import Mapping
from typing import Any, Final

from seepage.papers.labels.label_setting import COUNTS, LabelData
from seepage.scores.labels import TOP5
from seepage.scores.metrics import F1

_SGD: Final = {
    "name": "sgd",
    "learning_rate": 0.1,
    "momentum": 0.9,
    "weight_decay": 5e-4,
    "milestones": [0.5, 0.85],
}
_RESNET_18: Final = {"bottom": "resnet", "planes": [64, 128, 256, 512], "blocks": 2, "first_weights": "he"}
_LONG: Final = {"bottom": "frozen", "learner": {"epochs": 10, "iterations": 500}}


def _pictures(data: str, classes: int, epochs: int, top: list[int], **others: Any) -> LabelData:
    model = {**_RESNET_18, "cut": classes, "top": top, "epochs": epochs, "batch": 128, "optimizer": _SGD}
    return LabelData(data=data, model=model, partition={"kind": "stripes"}, learned=_LONG, **{"seeds": 3, **others})


_OFFICIAL: Final[Mapping[str, Any]] = {"split": "official", "labels": 4}
CIFAR10: Final = _pictures("cifar10", 10, 30, [20, 10, 10], counts=COUNTS, **_OFFICIAL)
CIFAR100: Final = _pictures("cifar100", 100, 150, [200, 100, 100], measure=TOP5, **_OFFICIAL)
CINIC10: Final = _pictures("cinic10", 10, 100, [20, 10, 10], **_OFFICIAL)
BHI: Final = _pictures("bhi", 2, 100, [4, 4, 4], labels=35, all_measures=True, measure=F1.name)
YAHOO: Final = LabelData(
    data="yahoo_answers",
    labels=10,
    model={
        "bottom": "transformer",
        "width": 128,
        "layers": 4,
        "heads": 4,
        "cut": 10,
        "top": [20, 10, 10],
        "epochs": 25,
        "batch": 16,
    },
    partition={"kind": "halves"},
    split="official",
    seeds=3,
)
BROUGHT_ALONG: Final = (CIFAR10, CIFAR100, CINIC10, YAHOO, BHI)
