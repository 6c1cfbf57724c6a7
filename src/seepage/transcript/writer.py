"""A transcript that is written while the run goes on: memory stays flat, and what broke off can be read."""

import json
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from seepage.files import write_private
from seepage.messages import Message
from seepage.shapes import Array
from seepage.transcript.left_out import LeftOut, left_out, warned
from seepage.transcript.payloads import check_payload, check_place, check_snapshot, demand, read_payload, width_of
from seepage.transcript.storage import INDEX_FILE, header, write_chunk
from seepage.transcript.transcript import Agreement, Snapshot

CHUNK: Final = 1 << 26
"""So many bytes are held back before they are written."""
SECONDS: Final = 2.0
"""After so long what is held back is written, so that a killed engine loses no more."""


@dataclass(eq=False)
class TranscriptWriter:
    """Appends messages and models to a folder, chunk by chunk; each chunk is whole or not there.

    Once a run is going on nothing that happens here is raised: what cannot be kept is left out and counted, and where
    the folder cannot be written into any more, everything after that.

    Parameters
    ----------
    folder
        An empty folder, or none yet.
    agreement
        The public terms, as far as they are known; they can be said again.
    chunks
        How many chunks there are already, where somebody goes on.
    """

    folder: Path
    agreement: Agreement
    chunks: int = 0
    epochs: int = field(default=0, init=False)
    lost: LeftOut | None = field(default=None, init=False)
    kept: int = field(default=0, init=False)
    _messages: list[Message] = field(default_factory=list, init=False, repr=False)
    _snapshots: list[Snapshot] = field(default_factory=list, init=False, repr=False)
    _widths: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _held: int = field(default=0, init=False)
    _broken: bool = field(default=False, init=False)
    _written: float = field(default_factory=time.monotonic, init=False, repr=False)
    _agreed: float = field(default_factory=time.monotonic, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.chunks:
            self._write()

    def hear(self, said: Message | Snapshot) -> None:
        """Keep what an engine said, as it crossed, where it can be read again; count it where it cannot."""
        try:
            self._check(said)
        except Exception as error:  # whatever it is, the engine goes on
            self.leave_out(said, error)
        else:
            self.add(said)

    def add(self, said: Message | Snapshot) -> bool:
        """Keep a message or a model, and say whether that filled a chunk, which is written then."""
        if self._broken:
            self.leave_out(said, "nothing can be written any more")
            return False
        arrays: list[Array]
        if isinstance(said, Message):
            self._messages.append(said)
            arrays = [said.rows, *said.payload.values()]
        else:
            self._snapshots.append(said)
            arrays = list(said.state.values())
        self.kept += 1
        self.epochs = max(self.epochs, said.epoch + 1)
        self._held += sum(array.nbytes for array in arrays)
        full = self._held >= CHUNK or time.monotonic() - self._written > SECONDS
        if full:
            self.flush()
        return full and not self._broken

    def leave_out(self, said: Message | Snapshot | str, error: Exception | str) -> None:
        """Count something that could not be kept; where it is the first, write down from where on the run lacks."""
        first = self.lost is None
        self.lost = left_out(self.lost, said, error, self.kept)
        if first or time.monotonic() - self._agreed > SECONDS:
            try:
                self.agree(self.agreement)
            except Exception:  # it will be tried again when the run is over
                self._broken = True

    def take_over(self, lost: LeftOut | None, kept: int) -> None:
        """Remember what somebody could not keep whose messages were added after so many of our own."""
        if lost is not None and self.lost is None:
            self.lost = replace(lost, before=kept + lost.before)

    def flush(self) -> None:
        """Write what is held back; where that cannot be, count it as left out, and all that comes after it."""
        if self._broken or not (self._messages or self._snapshots):
            return
        held: list[Message | Snapshot] = [*self._messages, *self._snapshots]
        try:
            self._write()
        except Exception as error:  # a full disk, or anything else: the engine goes on
            self._broken = True
            self._messages, self._snapshots = [], []
            self.kept -= len(held)
            for said in held:
                self.leave_out(said, error)

    def agree(self, agreement: Agreement, **closing: int) -> None:
        """Say the terms again, and where the run is over how many epochs and chunks there are."""
        self.agreement, self._agreed = agreement, time.monotonic()
        lost = {} if self.lost is None else {"left_out": asdict(self.lost.beside(self.kept))}
        index = {**header(agreement), **closing, **lost, "messages": [], "snapshots": []}
        write_private(self.folder / INDEX_FILE, json.dumps(index, indent=1))

    def close(self, epochs: int | None = None) -> None:
        """Write what is left, and that this is all."""
        self.flush()
        self.agree(self.agreement, chunks=self.chunks, **({} if epochs is None else {"epochs": epochs}))

    def leave(self, epochs: int | None) -> None:
        """Close after so many epochs, or where the engine broke off leave what there is; warn where that fails."""
        self.flush()
        with warned("The recording could not be closed"):
            if epochs is not None:
                self.close(epochs)

    def _check(self, said: Message | Snapshot) -> None:
        if isinstance(said, Snapshot):
            return check_snapshot(said)
        check_place(said.sender, said.receiver, said.epoch, said.step, said.rows, self.agreement)
        rows, payload = read_payload(said.kind, said.rows, said.payload)
        check_payload(said.kind, rows, payload, self.agreement, own_widths=True)
        owner, width = width_of(said) or ("", 0)
        demand(self._widths.setdefault(owner, width) == width, f"{self._widths[owner]} numbers a row of {owner}")
        return None

    def _write(self) -> None:
        begins = {} if self.chunks else header(self.agreement)
        write_chunk(self.folder, self.chunks, self._messages, self._snapshots, begins)
        self._messages, self._snapshots, self._held = [], [], 0
        self.chunks += 1
        self._written = time.monotonic()
