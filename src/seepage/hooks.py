"""Where a defense or a tampering may act on a party's own part of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from numpy.random import Generator

from seepage.guesses import BranchGuess, FeatureGuess
from seepage.links import InProcessLink, MakeLink
from seepage.messages import Kind, Message, ModelKind
from seepage.partition import OwnPart
from seepage.shapes import Counts, Labels, Mask, Matrix, Rows

if TYPE_CHECKING:
    import torch

T = TypeVar("T")


class Seam(StrEnum):
    """The places where a defense may act.

    Seams are added together with the federation that offers them.
    """

    TABLE = "table"
    LABELS = "labels"
    MESSAGE = "message"
    RELEASE = "release"
    ARCHITECTURE = "architecture"
    MODEL = "model"
    SIGNAL = "signal"
    LOSS = "loss"
    RECEIVED_LOSS = "received_loss"
    TARGETS = "targets"
    SPLIT = "split"
    FINISHED_TREE = "finished_tree"
    SCREENING = "screening"
    ALIGNMENT = "alignment"
    VERIFICATION = "verification"


def unchanged(thing: T) -> T:
    """Leave a seam alone."""
    return thing


def nothing_added(embedding: object, rows: Rows) -> None:
    """Leave a loss alone."""
    del embedding, rows


def no_loss(embedding: object, secret: object, rows: Rows) -> None:
    """Add nothing for what an embedding tells of anything."""
    del embedding, secret, rows


@dataclass(frozen=True, kw_only=True, eq=False)
class VisibleNodes:
    """Nodes of one tree that passive parties would get to see, by being sent them or by splitting them off.

    Parameters
    ----------
    tree
        The round, counted from 0.
    class_counts
        Returns how many rows of each class each node holds, nodes by classes.
        Asking may cost messages, so a hook asks only when it has to know.
    overall
        How many training rows each class has.
    allowed
        Whether the node may be seen; a hook only ever takes permissions away.
    """

    tree: int
    class_counts: Callable[[], Counts]
    overall: Counts
    allowed: Mask


@dataclass(frozen=True, kw_only=True, eq=False)
class FinishedTree:
    """A finished tree as its active party holds it, open to repairs that nobody else hears of.

    Nodes bear heap numbers: the root is 1, the children of *n* are 2n and 2n + 1.

    Parameters
    ----------
    depth
        The most levels of splits the tree may have.
    rows
        The training rows of every node.
    leaves
        The numbers of those nodes that are leaves.
    labels
        The labels that the tree was trained on, for all rows of the table.
    grafts
        Local models of the active party that replace all that lies below a
        node: each takes row numbers and returns class ratios.
    """

    depth: int
    rows: Mapping[int, Rows]
    leaves: frozenset[int]
    labels: Labels
    grafts: Mapping[int, Callable[[Rows], Matrix]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Signal:
    """What the loss says of the rows of one batch, before any model has learned from it.

    The top model, the active party's own bottom model and all gradients that are sent are made of it: whatever a hook
    puts here in its place is the only road from labels to what anybody sees of training.

    Parameters
    ----------
    pulls
        The gradient of each row's own loss at its logits, rows by logits.
    rounds
        How many times each row is heard in the whole training, at most: once an epoch.
    """

    pulls: Matrix
    rounds: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Screening:
    """What one party learns of its own columns before training, and which of them it brings along.

    Parameters
    ----------
    part
        All that the party holds.
    correlations
        Its encoded columns by those of all other parties: Pearson correlations
        over the training rows, 0 where a column does not vary.
    kept
        Whether each encoded column takes part; a hook only ever leaves columns out.
    """

    part: OwnPart
    correlations: Matrix
    kept: Mask


@dataclass(frozen=True, kw_only=True, eq=False)
class Verification:
    """Predictions about to be released, and what a mimicked attack makes of them about one party's columns.

    Parameters
    ----------
    guess
        The guess, cut down to that party's own columns.
    allowed
        Whether the prediction of each row of the guess may be released; a hook
        only ever takes permissions away.
    """

    guess: FeatureGuess | BranchGuess
    allowed: Mask


@dataclass(frozen=True, kw_only=True)
class Hook:
    """What one defense does for one party during one run.

    Each field takes what the party would have used and returns what it uses
    instead; a field that is not given leaves its seam alone.

    Parameters
    ----------
    table
        Rewrites the party's own columns before training.
    labels
        Rewrites the labels that the active party trains on.
    message
        Rewrites a training message that this party is about to send.
    own_side
        Whether `message` rewrites as well what the active party's own bottom model hands to its own head, and the
        gradient that it gets back: messages from the party to itself, which cross no link and are not recorded.
    release
        Rewrites a prediction that the active party is about to release.
    architecture
        Rewrites what a network of the party is, as a value, before it is built: its bottom model first, then the head.
        Snapshots and released models are built from that again.
    model
        Rewrites the party's own network before training.
    signal
        Rewrites what the loss says of each row to all models of the active party, and through them to everybody.
    loss
        From an embedding of the party's own bottom model and the columns that it was made of to a loss that its bottom
        model learns from besides; None adds nothing.
    received_loss
        From an embedding that the active party received and the labels of its rows to a loss whose gradient is added
        to the one that goes back; None adds nothing.
    targets
        From the labels that the active party trains on to targets that its network learns in their place, rows by
        classes, each row a distribution.
    split
        Says which nodes of a growing tree the passive parties may see.
    finished_tree
        Rewrites what the active party predicts with a tree that is finished.
    screening
        Says which of a passive party's own columns take part in training.
    alignment
        Says which of the aligned rows a party lets take part in training, before
        the federation begins; a hook only ever leaves rows out.
    verification
        Says which predictions may be released, as far as this party's columns go.
    """

    table: Callable[[OwnPart], OwnPart] = unchanged
    labels: Callable[[Labels], Labels] = unchanged
    message: Callable[[Message], Message] = unchanged
    own_side: bool = False
    release: Callable[[Message], Message] = unchanged
    architecture: Callable[[Any], Any] = unchanged
    model: Callable[[Any], Any] = unchanged
    signal: Callable[[Signal], Signal] = unchanged
    loss: Callable[[torch.Tensor, torch.Tensor, Rows], torch.Tensor | None] = no_loss
    received_loss: Callable[[torch.Tensor, torch.Tensor, Rows], torch.Tensor | None] = no_loss
    targets: Callable[[Labels], Any] = unchanged
    split: Callable[[VisibleNodes], VisibleNodes] = unchanged
    finished_tree: Callable[[FinishedTree], FinishedTree] = unchanged
    screening: Callable[[Screening], Screening] = unchanged
    alignment: Callable[[Rows], Rows] = unchanged
    verification: Callable[[Verification], Verification] = unchanged


def on_message(kind: Kind, rewrite: Callable[[Message], Message]) -> Hook:
    """Return a hook that rewrites messages of one kind that carry something."""

    def act(message: Message) -> Message:
        return rewrite(message) if message.kind is kind and message.payload else message

    return Hook(message=act)


def on_gradient(rewrite: Callable[[Matrix], Matrix]) -> Hook:
    """Return a hook that sends other gradients, row for row."""
    return on_message(
        Kind.GRADIENT, lambda message: replace(message, payload={"gradient": rewrite(message.payload["gradient"])})
    )


class Defense(Protocol):
    """Lowers what a run gives away. Each party runs its own copy on its own part."""

    @property
    def acts_on(self) -> frozenset[Seam]:
        """The seams it acts on."""
        ...

    @property
    def rewrites(self) -> frozenset[Kind]:
        """The kinds of messages it rewrites; none for a defense that acts elsewhere."""
        return frozenset()

    @property
    def binary(self) -> bool:
        """Whether it knows how to hide one of two classes, and no more."""
        return False

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run; the hook holds what this run has to remember."""
        ...


class Verifying(Defense, Protocol):
    """A defense that acts on `Seam.VERIFICATION`: the audit hands in the attack that it names."""

    def mimicked(self, model: ModelKind | None) -> str | None:
        """Return the name of the attack to mimic on a kind of released model; None where there is none."""
        ...


def begin(defense: Defense, own_part: OwnPart, rng: Generator) -> Hook:
    """Start a defense for one party, and see that it acts only where it says that it does."""
    hook = defense.start(own_part, rng)
    idle = Hook()
    for seam in Seam:
        if seam not in defense.acts_on and getattr(hook, seam.value) is not getattr(idle, seam.value):
            raise ValueError(f"{type(defense).__name__} acts on {seam} without saying so in acts_on")
    return hook


@dataclass(frozen=True, kw_only=True)
class Tampering:
    """What a malicious party does to its *own* part during training.

    Each field takes what the party would have used and returns what it uses
    instead; a field that is not given changes nothing.

    Parameters
    ----------
    optimizer
        Takes the agreed optimizer, which knows the party's own parameters.
    table
        Rewrites the columns to train on.
    labels
        Rewrites the labels to train on.
    extra_loss
        From the party's own embedding of some rows to a loss that is added for
        its bottom model; None adds nothing.

    Examples
    --------
    >>> flipped = Tampering(labels=lambda labels: 1 - labels)
    >>> flipped.labels(1), flipped.table("own columns")
    (0, 'own columns')
    """

    optimizer: Callable[[torch.optim.Optimizer], torch.optim.Optimizer] = unchanged
    table: Callable[[OwnPart], OwnPart] = unchanged
    labels: Callable[[Labels], Labels] = unchanged
    extra_loss: Callable[[torch.Tensor, Rows], torch.Tensor | None] = nothing_added


@dataclass(frozen=True)
class Hooks:
    """All that acts on one run: the agreed defense at every party, who misbehaves, and the roads between parties."""

    defenses: Mapping[str, Hook] = field(default_factory=dict)
    tamperings: Mapping[str, Tampering] = field(default_factory=dict)
    link: MakeLink = InProcessLink

    def of(self, party: str) -> Hook:
        """Return the hook of one party."""
        return self.defenses.get(party, Hook())

    def tampering(self, party: str) -> Tampering:
        """Return what one party does besides: nothing, for those who behave."""
        return self.tamperings.get(party, Tampering())

    def table(self, part: OwnPart) -> OwnPart:
        """Return the columns that one party trains on, as its defense and then it itself rewrite them."""
        return self.tampering(part.party).table(self.of(part.party).table(part))

    def labels(self, party: str, labels: Labels) -> Labels:
        """Return the labels that the active party trains on, as its defense and then it itself rewrite them."""
        return self.tampering(party).labels(self.of(party).labels(labels))
