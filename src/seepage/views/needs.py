"""What an attack requires of its adversary."""

from dataclasses import dataclass, field
from typing import Final

from seepage.messages import OUTSIDE_TRAINING, Kind, Message, ModelKind
from seepage.reasons import (
    HoldsLabels,
    LabelsElsewhere,
    ModelsHidden,
    NoBottomModel,
    NoMessages,
    NoPropertyNamed,
    NothingToInfer,
    NotTwoClasses,
    OtherModel,
    PredictionsHidden,
    Reason,
    ReleasedToAnother,
    TopModelBetween,
)
from seepage.transcript import Agreement, Epochs, Recording
from seepage.transcript.recording import NO_EPOCHS
from seepage.views.auxiliary import Auxiliary
from seepage.views.threat import ThreatModel

LAST_EPOCH: Final = Epochs.only(-1)


@dataclass(frozen=True, kw_only=True)
class Needs:
    """An adversary's shopping list.

    It serves four times: the recorder keeps exactly this, preflight skips what
    cannot be run and says why, the view that the attack is given holds nothing
    else (`View.narrowed`), and the docs print it.

    Parameters
    ----------
    received
        Kinds of messages that must have come to the adversary.
    sent
        Kinds of messages that the adversary itself sent and reads again.
    epochs
        The epochs of training they are read from.
    snapshots
        The epochs whose own bottom model is read.
    logit_gradients
        Whether gradients must be those of the logits, with no top model in between.
    passive
        Whether the adversary must be a party without labels.
    active
        Whether the party with the labels must be among the adversaries: models
        are released to it.
    models
        The kinds of released models that are understood; none where no model is read.
    known_values
        For how many training rows the others' values must be known.
    means
        Whether the means of the others' columns must be known.
    complete
        Whether the others' columns must be known for auxiliary rows and for rows outside training: more than any
        party of a federation has.
    labels_from
        The attack whose guess of the labels is handed over, together with the labels
        that it knew; None where no guess is read.
    labels_per_class
        For how many training rows of each class the label must be known.
    bottom
        Whether the adversary's own bottom models are read, at the end of training.
    weights
        Whether what these have learned is read too, or only how they are built.
    auxiliary
        The rows of which it must be known whether they have a property; None
        where no property is asked about.
    labels
        Whether the adversary must hold the labels of the training rows.
    labels_if_held
        Whether these labels are read by an adversary that holds them, while one without them is served too.
    binary
        Whether the task must have two classes.
    terms
        Whether the terms of the federation are read by an attack that reads none of its messages and models; who
        reads one of these has the terms anyway.
    instead
        What serves as well under federations where the messages above do not
        cross; None where nothing does.
    otherwise
        The settings under which neither labels nor two classes are needed; empty where there are none.
    """

    received: frozenset[Kind] = field(default_factory=frozenset)
    sent: frozenset[Kind] = field(default_factory=frozenset)
    epochs: Epochs = field(default_factory=Epochs.all)
    snapshots: Epochs = NO_EPOCHS
    logit_gradients: bool = False
    passive: bool = False
    active: bool = False
    models: frozenset[ModelKind] = field(default_factory=frozenset)
    known_values: int = 0
    means: bool = False
    complete: bool = False
    labels_from: str | None = None
    labels_per_class: int = 0
    bottom: bool = False
    weights: bool = True
    auxiliary: Auxiliary | None = None
    labels: bool = False
    labels_if_held: bool = False
    binary: bool = False
    terms: bool = False
    instead: "Needs | None" = None
    otherwise: str = ""

    def recording(self) -> Recording:
        """Return what the recorder has to keep for this attack, and for what is known without it.

        Who knows labels could learn from them with a bottom model of the same build, before any federation.
        """
        snapshots = self.snapshots | LAST_EPOCH if self.bottom or self.labels_per_class else self.snapshots
        own = Recording(dict.fromkeys(self.received | self.sent, self.epochs), snapshots)
        return own if self.instead is None else own | self.instead.recording()

    def unmet(self, agreement: Agreement, threat: ThreatModel) -> Reason | None:
        """Say what is lacking; None when the attack can be run.

        >>> split = Agreement(federation="split-network", parties=("bank", "shop"), active="bank",
        ...                   classes=2, top_model=True, outputs=16)
        >>> print(Needs(logit_gradients=True).unmet(split, ThreatModel(adversaries=("shop",))))
        Under split-network a top model stands between the parties and the loss, so the gradients ...
        """
        if self.bottom and Kind.EMBEDDING not in agreement.kinds:
            return NoBottomModel(agreement.federation)
        if (other := self.under(agreement)) is not self:
            return other.unmet(agreement, threat)
        if absent := self._absent(agreement):
            return NoMessages(agreement.federation, absent[0])
        if self.logit_gradients and agreement.top_model:
            return TopModelBetween(agreement.federation)
        if self.auxiliary is not None and threat.property is None:
            return NoPropertyNamed()
        if self.labels and agreement.active not in threat.adversaries:
            return LabelsElsewhere(agreement.active, self.otherwise)
        if self.binary and agreement.classes != 2:
            return NotTwoClasses(agreement.classes, self.otherwise)
        if self.passive and agreement.active in threat.adversaries:
            return HoldsLabels(agreement.active)
        if Kind.PREDICTION in self.received and not threat.predictions and agreement.active not in threat.adversaries:
            return PredictionsHidden(agreement.active)
        return self._unmet_model(agreement, threat)

    def under(self, agreement: Agreement) -> "Needs":
        """Return what is needed under the federation at hand: this, or what serves there instead."""
        if self.instead is None or not self._absent(agreement) or self.instead._absent(agreement):
            return self
        return self.instead

    @property
    def reads_federation(self) -> bool:
        """Whether something is read that another federation would have made otherwise.

        >>> Needs(known_values=4).reads_federation, Needs(bottom=True).reads_federation
        (False, True)
        """
        return self.terms or self.bottom or bool(self.received or self.sent) or self.snapshots != NO_EPOCHS

    def arrived(self, kind: Kind) -> bool:
        """Say whether messages of a kind are read that came to the adversary."""
        return kind in self.received and (kind is not Kind.MODEL or bool(self.models))

    def read(self, messages: tuple[Message, ...], adversaries: tuple[str, ...], trained: int) -> tuple[Message, ...]:
        """Return the messages that are read, of all that these adversaries sent or received.

        Of a kind that is read, messages outside training always are; epochs speak about training.
        """
        epochs = self.epochs.of(trained)
        return tuple(
            message
            for message in messages
            if (message.epoch == OUTSIDE_TRAINING or message.epoch in epochs)
            and (
                (message.receiver in adversaries and self.arrived(message.kind))
                or (message.sender in adversaries and message.kind in self.sent)
            )
        )

    def reads_snapshot(self, part: str, epoch: int, trained: int) -> bool:
        """Say whether the own model at the end of an epoch is read."""
        at_the_end = self.bottom and part == "bottom" and epoch in LAST_EPOCH.of(trained)
        return at_the_end or epoch in self.snapshots.of(trained)

    def _absent(self, agreement: Agreement) -> list[Kind]:
        """Return the kinds of messages that are needed and never cross."""
        return [kind for kind in (*sorted(self.received), *sorted(self.sent)) if kind not in agreement.kinds]

    def _unmet_model(self, agreement: Agreement, threat: ThreatModel) -> Reason | None:
        if self.active and agreement.active not in threat.adversaries:
            return ReleasedToAnother(agreement.active)
        if self.active and set(agreement.parties) <= set(threat.adversaries):
            return NothingToInfer()
        if self.models and not threat.model:
            return ModelsHidden()
        if self.models and agreement.model not in self.models:
            return OtherModel(agreement.federation, agreement.model, tuple(sorted(self.models)))
        return None

    def lines(self) -> list[str]:
        """Write the list out for people."""
        when = "outside training" if self.epochs == NO_EPOCHS else f"of {self.epochs}"
        lines = [f"{kind} messages that came to it, {when}" for kind in sorted(self.received)]
        lines += [f"the {kind} messages that it sent itself" for kind in sorted(self.sent)]
        held = "" if self.labels else ", if it holds them"
        bottom = "its own bottom model at the end of training" if self.weights else "the build of its own bottom model"
        models, known = " or a ".join(sorted(self.models)), self.labels_per_class
        said: tuple[tuple[object, str], ...] = (
            (self.snapshots != NO_EPOCHS, "its own models"),
            (self.logit_gradients, "a federation without a top model"),
            (self.passive, "an adversary without labels of its own"),
            (self.active, "the party with the labels among the adversaries"),
            (self.models, f"the released model of every party: a {models}"),
            (self.known_values, f"the others' values for {self.known_values} training rows"),
            (self.means, "the mean of each of the others' columns"),
            (self.labels or self.labels_if_held, f"the labels of the training rows{held}"),
            (self.binary, "a task of two classes"),
            (self.terms, "the terms of the federation"),
            (self.auxiliary is not None, "rows of which it knows whether they have the property"),
            (self.complete, "the others' columns for the rows just named, and for rows outside training"),
            (self.bottom, bottom),
            (known, f"the labels of {known} training rows of each class"),
            (self.labels_from, f"a guess of the labels, made by {self.labels_from}"),
        )
        lines += [line for holds, line in said if holds]
        if self.instead is not None:
            absent = min((self.received | self.sent) - (self.instead.received | self.instead.sent))
            if absent in self.received:
                lines.append(f"where no {absent} messages cross: {'; '.join(self.instead.lines())}")
            else:
                lines.append(f"where no {absent} messages cross, all of these but them")
        return lines
