"""Record a split network in NVFlare: the calls between sites, with what goes in and what comes back.

This runs where NVFlare does: it imports NVFlare when it is entered, and of Seepage only what writes transcripts.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.shapes import Array
from seepage.transcript import RECORDED, Agreement, Snapshot
from seepage.transcript.writer import TranscriptWriter

DISPATCHER: Final = "nvflare.collab.runtime.cell_dispatcher"


class CollabRecorder:
    """Hears the calls that the one who drives makes of the sites without labels.

    Messages are found by the names of published functions: what `forward` returns is the embedding of the rows that
    are its first argument; what `backward` is given second came back for the rows given first. Arrays are kept as they
    crossed, in half precision and with rows that were drawn twice. What cannot be kept is left out and counted: nothing
    is raised inside of a call.

    Parameters
    ----------
    folder
        Where the transcript is written; take it over with `seepage.Recorder.take`.
    parties
        The site of each party, the one with labels among them.
    active
        Which of them holds the labels.
    classes
        How many classes these have.
    forward, backward
        What the functions are called.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        parties: Mapping[str, str],
        active: str,
        classes: int,
        forward: str = "forward",
        backward: str = "backward",
    ) -> None:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        terms = Agreement(
            federation="nvflare",
            parties=tuple(parties),
            active=active,
            classes=classes,
            top_model=True,
            outputs=classes,
        )
        self.epoch = OUTSIDE_TRAINING
        self._writer = TranscriptWriter(Path(folder), terms)
        self._named = {site: party for party, site in parties.items()}
        self._active, self._forward, self._backward = active, forward, backward
        self._lock, self._step, self._original = Lock(), 0, None

    def __enter__(self) -> "CollabRecorder":
        dispatcher = import_module(DISPATCHER).CellDispatcher
        original = self._original = dispatcher._call_target

        def heard(
            caller: Any, context: Any, target_name: str, call_opt: Any, func_name: str, *args: Any, **kwargs: Any
        ) -> Any:
            result = original(caller, context, target_name, call_opt, func_name, *args, **kwargs)
            try:
                self._hear(target_name, func_name, (*args, *kwargs.values()), result)
            except Exception as error:  # whatever it is, the job goes on
                with self._lock:
                    self._writer.leave_out(f"what {func_name} said", error)
            return result

        dispatcher._call_target = heard
        return self

    def __exit__(self, *error: object) -> None:
        """Leave NVFlare as it was; where the job broke off, leave what was heard."""
        import_module(DISPATCHER).CellDispatcher._call_target = self._original
        self._writer.leave(max(1, self.epoch + 1) if error[0] is None else None)

    def answers(self, party: str, values: Any, epoch: int) -> None:
        """Keep what a party's own bottom model answers for all of its rows."""
        if party not in self._named.values():
            raise ValueError(f"{party!r} is none of the parties {list(self._named.values())}")
        outputs = _array(values)
        held: dict[str, Array] = {"rows": np.arange(len(outputs)), "outputs": outputs.astype(np.float32)}
        with self._lock:
            self._writer.hear(Snapshot(party, epoch, RECORDED, held))

    def _hear(self, target: str, function: str, given: tuple[Any, ...], result: Any) -> None:
        party = self._named.get(target.partition(".")[0])
        if party is None or party == self._active or function not in {self._forward, self._backward}:
            return
        sends = function == self._forward
        kind = Kind.EMBEDDING if sends else Kind.GRADIENT
        sender, receiver = (party, self._active) if sends else (self._active, party)
        carried = _array(result if sends else given[1])
        with self._lock:
            rows = _array(given[0]).astype(np.int64)
            payload = {kind.value: carried}
            self._writer.hear(Message(kind, sender, receiver, self.epoch, self._step, rows, payload))
            self._step += 1


def _array(values: Any) -> Array:
    """Return a copy of a tensor or an array."""
    return np.array(values.detach().cpu().numpy() if hasattr(values, "detach") else values)
