"""What an attack requires of its adversary."""

from dataclasses import dataclass, field

from seepage.messages import Kind
from seepage.transcript import Agreement, Epochs, Recording
from seepage.transcript.recording import NO_EPOCHS
from seepage.views.threat import ThreatModel


@dataclass(frozen=True, kw_only=True)
class Needs:
    """An adversary's shopping list.

    It serves three times: the recorder keeps exactly this, preflight skips what
    cannot be run and says why, and the docs print it.

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
    """

    received: frozenset[Kind] = field(default_factory=frozenset)
    sent: frozenset[Kind] = field(default_factory=frozenset)
    epochs: Epochs = field(default_factory=Epochs.all)
    snapshots: Epochs = NO_EPOCHS
    logit_gradients: bool = False
    passive: bool = False

    def recording(self) -> Recording:
        """Return what the recorder has to keep for this attack."""
        return Recording(dict.fromkeys(self.received | self.sent, self.epochs), self.snapshots)

    def unmet(self, agreement: Agreement, threat: ThreatModel) -> str | None:
        """Say in one sentence what is lacking; None when the attack can be run.

        >>> split = Agreement(federation="split-network", parties=("bank", "shop"), active="bank",
        ...                   classes=2, top_model=True, outputs=16)
        >>> print(Needs(logit_gradients=True).unmet(split, ThreatModel(adversaries=("shop",))))
        Under split-network a top model stands between the parties and the loss, so the gradients ...
        """
        absent = [kind for kind in (*sorted(self.received), *sorted(self.sent)) if kind not in agreement.kinds]
        if absent:
            return (
                f"Under {agreement.federation} no {absent[0]} messages cross between the parties. "
                f"Choose a federation that sends them."
            )
        if self.logit_gradients and agreement.top_model:
            return (
                f"Under {agreement.federation} a top model stands between the parties and the loss, so the gradients "
                "that come back are not those of the logits. Choose a federation without a top model "
                "(summed-network, logistic-regression)."
            )
        if self.passive and agreement.active in threat.adversaries:
            return f"'{agreement.active}' holds the labels itself; choose an adversary among the other parties."
        return None

    def lines(self) -> list[str]:
        """Write the list out for people."""
        lines = [f"{kind} messages that came to it, of {self.epochs}" for kind in sorted(self.received)]
        lines += [f"the {kind} messages that it sent itself" for kind in sorted(self.sent)]
        if self.snapshots != NO_EPOCHS:
            lines.append("its own bottom model")
        if self.logit_gradients:
            lines.append("a federation without a top model")
        if self.passive:
            lines.append("an adversary without labels of its own")
        return lines
