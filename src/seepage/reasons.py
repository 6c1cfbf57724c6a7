"""Why something cannot be tried, as values; here, and nowhere else, they are put into words.

The facts are fields, and `str` gives one or two plain sentences: what was found, and what to choose instead. Most
stand above the facts; a reason whose words depend on them has a `__str__` of its own.

>>> print(HoldsLabels("bank"))
'bank' holds the labels itself; choose an adversary among the other parties.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar, dataclass_transform

T = TypeVar("T")

ACTIONS: Final[Mapping[str, str]] = {
    "table": "changes the columns before training",
    "labels": "changes the labels before training",
    "message": "rewrites messages",
    "release": "rewrites released predictions",
    "model": "changes the parties' networks",
    "signal": "rewrites what the loss says of each row",
    "architecture": "changes the parties' networks",
    "loss": "adds a loss at a party's own bottom model",
    "received_loss": "adds a loss for embeddings that come in",
    "targets": "trains on targets in the place of labels",
    "split": "decides which nodes of a tree are shown",
    "finished_tree": "repairs finished trees",
    "screening": "leaves columns out before training",
    "alignment": "leaves rows out before training",
    "verification": "tries predictions out before they are released",
}
"""What a defense does at each of the seams that it may act on."""


@dataclass_transform(frozen_default=True)
def said(words: str) -> Callable[[type[T]], type[T]]:
    """Make a frozen dataclass of a class; its `str` is these words, with the facts where their names stand."""

    def worded(facts: type[T]) -> type[T]:
        facts.__str__ = lambda self: words.format(**vars(self))  # type: ignore[method-assign]
        return dataclass(frozen=True)(facts)

    return worded


@said(
    "Under {federation} no party trains a bottom model, so there is none to complete. "
    "Choose a federation of networks (split-network, summed-network)."
)
class NoBottomModel:
    """A bottom model is attacked, but parties train none."""

    federation: str


@said("Under {federation} no {kind} messages cross between the parties. Choose a federation that sends them.")
class NoMessages:
    """Messages of a kind are read that never cross."""

    federation: str
    kind: str


@said(
    "Under {federation} a top model stands between the parties and the loss, so the gradients "
    "that come back are not those of the logits. Choose a federation without a top model "
    "(summed-network, logistic-regression)."
)
class TopModelBetween:
    """Gradients of the logits are read, but those of a top model come back."""

    federation: str


@said("No property is named, so there is no fraction to estimate. Name one (--property COLUMN=VALUE).")
class NoPropertyNamed:
    """The share of people with a property is asked for, but no property is named."""


@dataclass(frozen=True)
class LabelsElsewhere:
    """Labels of training rows are read, which only a party outside holds; `otherwise` are settings without them."""

    holder: str
    otherwise: str = ""

    def __str__(self) -> str:
        return (
            f"The labels of the training rows are needed, which '{self.holder}' alone holds. "
            f"Let it be among the adversaries (--adversary {self.holder}){_way_out(self.otherwise)}."
        )


@dataclass(frozen=True)
class NotTwoClasses:
    """Two classes are needed; `otherwise` are settings that do with more."""

    classes: int
    otherwise: str = ""

    def __str__(self) -> str:
        return (
            f"A task of two classes is needed, but there are {self.classes}. "
            f"Choose a table whose label has two{_way_out(self.otherwise)}."
        )


@said("'{holder}' holds the labels itself; choose an adversary among the other parties.")
class HoldsLabels:
    """Labels are stolen, but the adversary has them."""

    holder: str


@said(
    "This adversary sees no model and no prediction: they are released to '{receiver}', who attacks with "
    "--adversary {receiver}."
)
class ReleasedToAnother:
    """Models and predictions are read, which another party gets."""

    receiver: str


@said("The adversaries hold all columns, so there is nothing to infer. Leave at least one party out.")
class NothingToInfer:
    """Others' columns are stolen, but the adversaries hold all."""


@said(
    "Predictions are sent to nobody but '{holder}'. "
    "Release them (predictions = true in the plan, or no --hide-predictions) to see what that would give away."
)
class PredictionsHidden:
    """Released predictions are read by a party that is sent none here."""

    holder: str


@said(
    "The parties' models are hidden from the adversary, and without them predictions say too little. "
    "Release them (model = true in the plan, or no --hide-model) to see what that would give away."
)
class ModelsHidden:
    """Released models are read, but hidden here."""


@dataclass(frozen=True)
class OtherModel:
    """Some kinds of models are understood, and none of them is released."""

    federation: str
    released: str | None
    understood: tuple[str, ...]

    def __str__(self) -> str:
        found = f"what is released is a {self.released}" if self.released else "no model is released"
        understood = " or a ".join(self.understood)
        return f"Under {self.federation} {found}, but a {understood} is needed. Choose another federation."


@dataclass(frozen=True)
class SeamClosed:
    """A defense acts where a federation does not let it; `trees` and `networks` say what that one trains."""

    defense: str
    seam: str
    federation: str
    trees: bool = False
    networks: bool = False

    def __str__(self) -> str:
        return f"{self.defense} {ACTIONS[self.seam]}, but {self._why_not()}"

    def _why_not(self) -> str:
        if self.seam == "finished_tree" and self.trees:
            return (
                f"every tree of {self.federation} is fitted to what the trees before it left over, so that none may "
                "change afterwards. Choose label-dp or purity-limit, or a forest."
            )
        if self.seam in {"split", "finished_tree"}:
            return f"{self.federation} grows none. Choose a federation of trees (decision-tree, forest, boosting)."
        if self.seam == "signal":
            return f"{self.federation} trains no network. Choose label-dp, or a federation of networks."
        if self.seam in {"architecture", "model"}:
            lacking = "has no hidden units" if self.networks else "trains none"
            return f"{self.federation} {lacking}. Choose a federation of networks (split-network, summed-network)."
        if self.seam in {"loss", "received_loss", "targets"}:
            lacking = "steps by its own loss alone" if self.networks else "trains no network"
            return f"{self.federation} {lacking}. Choose a federation of networks (split-network, summed-network)."
        return f"{self.federation} does not allow that. Choose another defense."


@said(
    "{defense} hides one of two classes, but there are {classes}. Choose another defense (max-norm, gradient-dp), or a "
    "table whose label has two."
)
class HidesTwoClasses:
    """A defense is defined for two classes alone."""

    defense: str
    classes: int


@said(
    "{defense} bounds what one label changes, but class weights follow from how many rows each class has, which it "
    "does not bound. Train {federation} without class_weights, or choose another defense."
)
class WeightsTell:
    """A defense acts on what the loss says of single rows, but class weights carry labels past it."""

    defense: str
    federation: str


@said("{defense} rewrites {kind} messages, but {federation} sends none. Choose another defense.")
class NothingToRewrite:
    """A defense rewrites messages of a kind that a federation does not send."""

    defense: str
    kind: str
    federation: str


@said(
    "{defense} " + ACTIONS["alignment"] + ", but no party holds a property that it speaks of. "
    "Name one that is audited (--property COLUMN=VALUE)."
)
class NobodyToLeaveOut:
    """A defense leaves rows out, but no party holds what it goes by."""

    defense: str


@said(
    "{defense} mimics an attack on the released model, but none is known that reads a {model} of "
    "{federation}. Choose another defense, or another federation."
)
class NothingToMimic:
    """A defense mimics an attack on the released model, and none is known."""

    defense: str
    model: str | None
    federation: str


@said(
    "{defense} mimics {attack} on the released model, but under {federation} models are "
    "hidden here, which rules that attack out by itself. Leave {defense} out."
)
class MimicsHidden:
    """A defense mimics an attack on models that are hidden here."""

    defense: str
    attack: str
    federation: str


@said("{defense} mimics {attack}, which cannot be run here. {lacking}")
class MimicLacks:
    """A defense mimics an attack that does not apply itself."""

    defense: str
    attack: str
    lacking: "Reason"


@said(
    "All {predictions} predictions were withheld, so there is none to attack. "
    "Lower the limit of the defense to have some released."
)
class AllWithheld:
    """Predictions are attacked, but a defense released none."""

    predictions: int


@said("It has to misbehave during training, which is over.")
class TrainingIsOver:
    """An attack tampers, but a recording is of a training that is over."""


@said("This run was trained while the adversary tampered ({tampering}), which this attack does not do.")
class TrainedOtherwise:
    """An attack of an honest adversary would be told of a run that was tampered with."""

    tampering: str


@said("No {kind} messages to {who} were recorded.")
class NothingArrived:
    """Messages are read, of which none were recorded."""

    who: str
    kind: str


@said("What the own bottom model of {who} answers at the end of training was not recorded (Recorder.model).")
class NoOwnModel:
    """A bottom model is read, but neither it nor its answers were recorded."""

    who: str


@said("No labels are known to {who} (Recorder.know_labels).")
class NoLabelsKnown:
    """Labels of a few rows are learned from, but none are known."""

    who: str


@said("No values of the others' columns are known to {who} (Recorder.know_values).")
class NoValuesKnown:
    """Values on a few rows are learned from, but none are known."""

    who: str


@said("{who} is not asked about a property (Recorder.know_property).")
class NoPropertyKnown:
    """The share of people with a property is asked for, but of no row it is known whether it has one."""

    who: str


@dataclass(frozen=True)
class Refused:
    """An attack, a defense or the data refused while they were tried, in words of their own."""

    said: str

    def __str__(self) -> str:
        return self.said


Reason: TypeAlias = (
    NoBottomModel | NoMessages | TopModelBetween | NoPropertyNamed | LabelsElsewhere | NotTwoClasses | HoldsLabels
    | ReleasedToAnother | NothingToInfer | PredictionsHidden | ModelsHidden | OtherModel | SeamClosed | NothingToRewrite
    | HidesTwoClasses | WeightsTell | NobodyToLeaveOut | NothingToMimic | MimicsHidden | MimicLacks | AllWithheld
    | TrainingIsOver | TrainedOtherwise | NothingArrived | NoOwnModel | NoLabelsKnown | NoValuesKnown | NoPropertyKnown
    | Refused
)  # fmt: skip

OF_A_RECORDING: Final[Mapping[type, str]] = {
    NoBottomModel: "No party of this recording trains a bottom model.",
    NoMessages: "No {kind} messages cross in this recording.",
    TopModelBetween: "A top model stands between the parties and the loss, so no gradients of the logits come back.",
    NoPropertyNamed: "No property is asked about in this recording (Recorder.know_property).",
    LabelsElsewhere: "The labels of the training rows are needed, which '{holder}' alone holds.",
    NotTwoClasses: "A task of two classes is needed, but there are {classes}.",
    HoldsLabels: "'{holder}' holds the labels itself.",
    ReleasedToAnother: "Messages and models that this reads come to '{receiver}' alone.",
    NothingToInfer: "The adversaries hold all columns, so there is nothing to infer.",
    PredictionsHidden: "Predictions are sent to nobody but '{holder}'.",
    ModelsHidden: "The parties' models are hidden from the adversary.",
    OtherModel: "No model that this attack understands is released.",
}
"""The same facts where nothing is left to be chosen: the run is over."""


def of_a_recording(reason: Reason) -> str:
    r"""Put a reason into words for somebody whose run is over.

    >>> of_a_recording(HoldsLabels("bank"))
    "'bank' holds the labels itself."
    >>> of_a_recording(Refused("Nothing came.\nChoose another adversary."))
    'Nothing came.'
    """
    words = OF_A_RECORDING.get(type(reason))
    return words.format(**vars(reason)) if words is not None else str(reason).partition("\n")[0]


def _way_out(otherwise: str) -> str:
    return f", or do without ({otherwise})" if otherwise else ""
