"""Record a split network in plain PyTorch: hooks on the modules at whose ends messages cross."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn

from seepage.audit.recordings.recorder import Recorder, rows_of
from seepage.messages import OUTSIDE_TRAINING


class SplitRecorder:
    """Hears what bottom models send and what comes back to them, whatever they are made of.

    Two lines go into a training loop: `batch` before a batch, `epoch_over` after an epoch. What a passive party's
    module returns is the embedding that crosses; the gradient of it is what crosses back. Of the active party's own
    module nothing crosses; what it answers is kept as its own. Passes without gradients in between, as to see how well
    the model does, are not heard, unless `batch` says without an epoch that they are predictions. Nothing is raised
    inside of a pass: what cannot be kept is left out, and `close` of the recorder says from where on.

    Parameters
    ----------
    recorder
        Where everything is written.
    bottoms
        The bottom model of each party that has one.
    inputs
        What each party's bottom model reads of all rows, where that is not the columns that the recorder knows.

    Examples
    --------
    >>> import tempfile, torch
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> recorder = Recorder(Path(folder.name) / "run", parties=["bank", "shop"], active="bank", classes=2)
    >>> shop, told = nn.Linear(3, 2), torch.ones(4, 3)
    >>> with SplitRecorder(recorder, {"shop": shop}, {"shop": told}) as tap:
    ...     tap.batch(rows=[0, 2], epoch=0)
    ...     shop(told[[0, 2]]).sum().backward()
    ...     tap.epoch_over(0)
    >>> from seepage.transcript.storage import read_transcript
    >>> [(message.kind.value, message.rows.tolist()) for message in read_transcript(recorder.folder).messages]
    [('embedding', [0, 2]), ('gradient', [0, 2])]
    >>> folder.cleanup()
    """

    def __init__(
        self, recorder: Recorder, bottoms: Mapping[str, nn.Module], inputs: Mapping[str, Any] | None = None
    ) -> None:
        self.recorder = recorder
        self._bottoms, self._inputs = dict(bottoms), dict(inputs or {})
        self._rows: Any = None
        self._epoch = OUTSIDE_TRAINING
        self._hooks = [
            module.register_forward_hook(self._hearing(party))
            for party, module in self._bottoms.items()
            if party != recorder.agreement.active
        ]

    def batch(self, rows: Any, epoch: int = OUTSIDE_TRAINING) -> None:
        """Say which rows the next pass is about; one without an epoch is a prediction."""
        self._rows, self._epoch = rows_of(rows), epoch

    def epoch_over(self, epoch: int) -> None:
        """Keep what each party's own model answers now."""
        self._rows = None
        for party, module in self._bottoms.items():
            with self._going_on(f"the model of {party} in epoch {epoch}"):
                self.recorder.model(party, module, epoch, inputs=self._inputs.get(party))

    def close(self) -> None:
        """Take the hooks off; the recorder stays open."""
        for hook in self._hooks:
            hook.remove()

    def __enter__(self) -> "SplitRecorder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        self.recorder.__exit__(kind, error, traceback)

    def _hearing(self, party: str) -> Any:
        def hear(module: nn.Module, args: Any, sent: Tensor) -> None:
            del module, args
            rows, epoch = self._rows, self._epoch
            if rows is None or (epoch != OUTSIDE_TRAINING and not torch.is_grad_enabled()):
                return

            def came_back(came: Tensor) -> None:
                with self._going_on(f"the gradient for {party} in epoch {epoch}"):
                    self.recorder.gradient(party, rows, came.flatten(1), epoch)

            with self._going_on(f"the embedding from {party} in epoch {epoch}"):
                self.recorder.embedding(party, rows, sent.flatten(1), epoch)
            with self._going_on(f"the gradient for {party} in epoch {epoch}"):
                if epoch != OUTSIDE_TRAINING and sent.requires_grad:
                    sent.register_hook(came_back)  # type: ignore[no-untyped-call]

        return hear

    @contextmanager
    def _going_on(self, what: str) -> Iterator[None]:
        """Count what goes wrong inside as left out, whatever it is."""
        try:
            yield
        except Exception as error:
            self.recorder.leave_out(what, error)
