"""Record a split network in Flower: what a server's grid sends and receives, or what crosses at one client.

This runs where Flower does; it imports nothing of Flower, and of Seepage only what writes transcripts.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.shapes import Array
from seepage.transcript import RECORDED, Agreement, Snapshot
from seepage.transcript.left_out import warned
from seepage.transcript.storage import INDEX_FILE, chunk_files, what_was_left_out
from seepage.transcript.writer import TranscriptWriter

FORWARD: Final = "query.generate_embeddings"
BACKWARD: Final = "train.apply_gradients"
SENDING: Final = ("push_messages", "pull_messages", "send_and_receive")


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How an app words its messages; by default as Flower's own vertical example does.

    Parameters
    ----------
    forward, backward
        The types of messages that ask for embeddings, and that bring gradients.
    embedding, gradient
        What the array is called, where a message holds several.
    rows
        What reads the numbers of rows from a message; by default a message is about all rows, in their order.
    """

    forward: str = FORWARD
    backward: str = BACKWARD
    embedding: str = "embedding"
    gradient: str = "local-gradients"
    rows: Callable[[Any], Any] | None = None

    def about(self, kind: Kind, message: Any) -> tuple[Array, dict[str, Array]]:
        """Return the rows that a message of Flower is about, and what it carries for each."""
        held = {name: array for record in message.content.array_records.values() for name, array in record.items()}
        wanted = self.embedding if kind is Kind.EMBEDDING else self.gradient
        if len(held) != 1 and wanted not in held:
            raise ValueError(
                f"a message with one array, or one called {wanted}, got {', '.join(sorted(held)) or 'none'}"
            )
        values = np.array((held[wanted] if wanted in held else next(iter(held.values()))).numpy())
        rows = np.arange(len(values)) if self.rows is None else np.asarray(self.rows(message))
        return rows.astype(np.int64), {kind.value: values}


def position(reply: Any) -> int:
    """Return which of the clients a reply says that it comes from, as in Flower's own vertical example."""
    return int(next(record["pos"] for record in reply.content.config_records.values() if "pos" in record))


class GridRecorder:
    """Hears what a Flower server's grid sends and receives, between `with` and its end.

    The server holds the labels. What a client replies to `forward` is its embedding; what it is sent with `backward`
    came back to it. Set `epoch` as training goes on; replies before that, or after it is set to -1, are predictions.
    What cannot be kept is left out and counted: nothing is raised inside of a call.

    Parameters
    ----------
    grid
        The grid that Flower hands to a server's `main`.
    folder
        Where the transcript is written; take it over with `seepage.Recorder.take`.
    parties, active
        All parties, and the one whose server this is; the others are clients, by their positions.
    classes
        How many classes the labels have.
    wording
        How the app words its messages.
    client
        What reads from a reply which client it comes from: 0 is the first of the others.
    """

    def __init__(
        self,
        grid: Any,
        folder: str | Path,
        *,
        parties: Sequence[str],
        active: str,
        classes: int,
        wording: Wording | None = None,
        client: Callable[[Any], int] = position,
    ) -> None:
        self.epoch = OUTSIDE_TRAINING
        self._grid, self._wording, self._client = grid, wording or Wording(), client
        self._writer = TranscriptWriter(_folder(folder), _terms(parties, active, classes))
        self._named: dict[int, str] = {}
        self._step, self._inside = 0, False

    def __enter__(self) -> "GridRecorder":
        for name in SENDING:
            setattr(self._grid, name, self._hearing(name, getattr(self._grid, name)))
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the grid as it was; where training broke off, leave what was heard."""
        for name in SENDING:
            delattr(self._grid, name)
        self._writer.leave(max(1, self._writer.epochs) if error[0] is None else None)

    def answers(self, party: str, values: Any, epoch: int) -> None:
        """Keep what a party's own bottom model answers for all of its rows, where that is known."""
        if party not in self._writer.agreement.parties:
            raise ValueError(f"{party!r} is none of the parties {list(self._writer.agreement.parties)}")
        self._writer.hear(_answers(party, values, epoch))

    def _hearing(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method that does what it did, and listens; what does both at once calls the other two inside."""

        def heard(given: Iterable[Any], *more: Any, **named: Any) -> Any:
            if self._inside:
                return original(given, *more, **named)
            given = list(given)
            self._inside = True
            try:
                if name != "pull_messages":
                    self._listen(self._sent, given)
                received = original(given, *more, **named)
                if name != "push_messages":
                    received = list(received)
                    self._listen(self._received, received)
                return received
            finally:
                self._inside = False

        return heard

    def _listen(self, hear: Callable[[Any], None], messages: Iterable[Any]) -> None:
        for message in messages:
            try:
                hear(message)
            except Exception as error:  # whatever it is, the server goes on
                self._writer.leave_out("a message that could not be read", error)

    def _sent(self, message: Any) -> None:
        if message.metadata.message_type == self._wording.backward:
            party = self._named[message.metadata.dst_node_id]
            self._keep(Kind.GRADIENT, self._writer.agreement.active, party, message)

    def _received(self, reply: Any) -> None:
        if reply.metadata.message_type == self._wording.forward and reply.has_content():
            party = self._writer.agreement.passive[self._client(reply)]
            self._named[reply.metadata.src_node_id] = party
            self._keep(Kind.EMBEDDING, party, self._writer.agreement.active, reply)

    def _keep(self, kind: Kind, sender: str, receiver: str, message: Any) -> None:
        rows, payload = self._wording.about(kind, message)
        self._writer.hear(Message(kind, sender, receiver, self.epoch, self._step, rows, payload))
        self._step += 1


@dataclass(frozen=True, kw_only=True)
class ClientRecorder:
    """Hears what crosses at one client: put it among the mods of a `ClientApp`.

    A client is begun anew for each message, in whatever process there is, so that each message is a file of its own,
    and the next goes on after the last. An epoch ends with a gradient, unless `epoch` reads it from the message. What
    cannot be kept is warned of: nothing is raised.

    Parameters
    ----------
    folder
        Where the transcript is written: on the client's own host, empty when a run begins.
    party
        Whose client this is.
    parties, active
        All parties, and the one whose server asks.
    classes
        How many classes the labels have, as far as the client was told.
    wording
        How the app words its messages.
    epoch
        What reads the epoch from a message; -1 is a prediction.
    """

    folder: str
    party: str
    parties: tuple[str, ...]
    active: str
    classes: int
    wording: Wording = Wording()
    epoch: Callable[[Any], int] | None = None

    def __post_init__(self) -> None:
        if self.party not in self.parties or self.party == self.active:
            raise ValueError(f"party must be one of the clients among {list(self.parties)}, got {self.party!r}")

    def __call__(self, message: Any, context: Any, call_next: Callable[[Any, Any], Any]) -> Any:
        """Hear a message, let the client do what it does, and hear its reply."""
        self._hear(Kind.GRADIENT, self.wording.backward, message, message)
        reply = call_next(message, context)
        self._hear(Kind.EMBEDDING, self.wording.forward, message, reply)
        return reply

    def answers(self, values: Any) -> None:
        """Keep what the client's own bottom model answers now for all of its rows, inside of the app."""
        with warned("A model was not recorded"):
            self._append(_answers(self.party, values, max(0, self._last()[1])))

    def _hear(self, kind: Kind, wanted: str, asked: Any, message: Any) -> None:
        with warned("A message was not recorded"):
            if asked.metadata.message_type != wanted or not message.has_content():
                return
            step, last, over = self._last()
            epoch = self.epoch(asked) if self.epoch is not None else last + over
            sender, receiver = (self.party, self.active) if kind is Kind.EMBEDDING else (self.active, self.party)
            self._append(Message(kind, sender, receiver, epoch, step, *self.wording.about(kind, message)))

    def _append(self, said: Message | Snapshot) -> None:
        folder, count = _folder(self.folder), self._chunks()
        writer = TranscriptWriter(folder, _terms(self.parties, self.active, self.classes), chunks=count)
        if count:
            writer.kept, writer.lost = count - 1, what_was_left_out(folder)
        writer.hear(said)
        writer.flush()
        if writer.lost is not None:
            writer.agree(writer.agreement)

    def _chunks(self) -> int:
        folder = Path(self.folder)
        return len([*folder.glob("transcript.*.json")]) + (folder / INDEX_FILE).exists()

    def _last(self) -> tuple[int, int, bool]:
        """Return how many files there are, the last epoch, and whether it is over."""
        count = self._chunks()
        for number in range(count - 1, 0, -1):
            for entry in json.loads(chunk_files(Path(self.folder), number)[0].read_text())["messages"]:
                return count, int(entry["epoch"]), entry["kind"] == Kind.GRADIENT
        return count, 0, False


def _folder(folder: str | Path) -> Path:
    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(folder)


def _terms(parties: Sequence[str], active: str, classes: int) -> Agreement:
    return Agreement(
        federation="flower", parties=tuple(parties), active=active, classes=classes, top_model=True, outputs=classes
    )


def _answers(party: str, values: Any, epoch: int) -> Snapshot:
    outputs = np.array(values.detach().cpu().numpy() if hasattr(values, "detach") else values)
    held: dict[str, Array] = {"rows": np.arange(len(outputs)), "outputs": outputs.astype(np.float32)}
    return Snapshot(party, epoch, RECORDED, held)
