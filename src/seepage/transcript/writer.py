"""A transcript that is written while the run goes on: memory stays flat, and what broke off can be read."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from seepage.files import write_private
from seepage.messages import Message
from seepage.shapes import Array
from seepage.transcript.storage import INDEX_FILE, header, write_chunk
from seepage.transcript.transcript import Agreement, Snapshot

CHUNK: Final = 1 << 26
"""So many bytes are held back before they are written."""
SECONDS: Final = 2.0
"""After so long what is held back is written, so that a killed engine loses no more."""


@dataclass(eq=False)
class TranscriptWriter:
    """Appends messages and models to a folder, chunk by chunk; each chunk is whole or not there.

    Parameters
    ----------
    folder
        An empty folder, or none yet.
    agreement
        The public terms, as far as they are known; they can be said again.
    """

    folder: Path
    agreement: Agreement
    _messages: list[Message] = field(default_factory=list, init=False, repr=False)
    _snapshots: list[Snapshot] = field(default_factory=list, init=False, repr=False)
    _held: int = field(default=0, init=False)
    _chunks: int = field(default=0, init=False)
    _written: float = field(default_factory=time.monotonic, init=False, repr=False)

    def __post_init__(self) -> None:
        self.flush()

    def add(self, said: Message | Snapshot) -> bool:
        """Keep a message or a model, and say whether that filled a chunk, which is written then."""
        arrays: list[Array]
        if isinstance(said, Message):
            self._messages.append(said)
            arrays = [said.rows, *said.payload.values()]
        else:
            self._snapshots.append(said)
            arrays = list(said.state.values())
        self._held += sum(array.nbytes for array in arrays)
        full = self._held >= CHUNK or time.monotonic() - self._written > SECONDS
        if full:
            self.flush()
        return full

    def flush(self) -> None:
        """Write what is held back."""
        if self._chunks and not (self._messages or self._snapshots):
            return
        begins = {} if self._chunks else header(self.agreement)
        write_chunk(self.folder, self._chunks, self._messages, self._snapshots, begins)
        self._messages, self._snapshots, self._held = [], [], 0
        self._chunks += 1
        self._written = time.monotonic()

    def agree(self, agreement: Agreement, **closing: int) -> None:
        """Say the terms again, and where the run is over how many epochs and chunks there are."""
        self.agreement = agreement
        index = {**header(agreement), **closing, "messages": [], "snapshots": []}
        write_private(self.folder / INDEX_FILE, json.dumps(index, indent=1))

    def close(self, epochs: int | None = None) -> None:
        """Write what is left, and that this is all."""
        self.flush()
        self.agree(self.agreement, chunks=self._chunks, **({} if epochs is None else {"epochs": epochs}))
