"""What anybody's engine calls to have its messages attacked: a few lines, and a folder in our format."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import numpy as np

from seepage.audit.recordings.applying import Checked, check
from seepage.audit.recordings.knowledge_file import write_knowledge
from seepage.audit.recordings.recorded_run import TRUTH_FILE, check_facts
from seepage.audit.scoring.truth import TrueColumns, Truth
from seepage.errors import BadTranscript
from seepage.files import private_folder
from seepage.layouts import Layout, Plain
from seepage.messages import NETWORK_KINDS, OUTSIDE_TRAINING, Kind, Message, ModelKind
from seepage.partition import OwnPart, PartitionedTable
from seepage.shapes import NO_ROWS, Array, Mask, Rows
from seepage.transcript import RECORDED, Agreement, Snapshot, Terms
from seepage.transcript.arrays import write_arrays
from seepage.transcript.left_out import warned
from seepage.transcript.payloads import (
    MOST_ROWS,
    NUMBERS,
    NotFinite,
    check_payload,
    check_place,
    check_snapshot,
    read_payload,
)
from seepage.transcript.storage import read_transcript, what_was_left_out
from seepage.transcript.writer import TranscriptWriter
from seepage.views import Auxiliary, Knowledge, KnownRows, ThreatModel
from seepage.views.auxiliary import draw_auxiliary
from seepage.views.knowledge import draw_per_class, draw_rows

ASKED_AT_ONCE: Final = 8192
"""So many rows a model is asked about at a time."""


class Recorder:
    """Write down what crosses between the parties of any engine, so that it can be attacked.

    Everything is appended to a folder as it comes: memory stays flat, and what a killed engine leaves can be read.
    Arrays and tensors serve alike; both are copied. Rows are numbered from 0, as all parties number them.

    A mistake in a call is a ValueError. What an engine does is never one: numbers that are not finite, because it
    diverged, and all that comes after a disk is full are left out, counted, and told of by `close` and `check`.

    Parameters
    ----------
    folder
        Where to write: an empty folder, or none yet.
    parties, active
        All parties, and the one that holds the labels.
    classes
        How many classes the labels have.
    top_model
        Whether a model of the active party stands between what parties send and the loss; true for trees.
    federation, data, facts
        What the report calls the engine and the data, and what else it says of the run.
    kinds
        The kinds of messages that cross; by default those of networks.
    model
        What released models make together, as ``boosted forest``; None where none is released, and no trees are grown.
    terms
        What parties agreed on besides, as far as attacks read it (`seepage.transcript.Terms`): ``batch=64``.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Recorder(Path(folder.name) / "run", parties=["bank", "shop"], active="bank", classes=2) as recorder:
    ...     recorder.gradient("shop", [0, 1], [[-0.2, 0.2], [0.1, -0.1]], epoch=0)
    >>> print(check(Path(folder.name) / "run"))
    bank holds the labels of 2 classes, shop no labels; the truth is not known, so guesses cannot be scored.
    1 message and 0 models of 1 epoch, 2 training rows and 0 new rows.
    shop can try gradient-direction, gradient-sign, ... on labels.
    ...
    >>> folder.cleanup()
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        parties: Sequence[str],
        active: str,
        classes: int,
        top_model: bool = False,
        federation: str = "recorded",
        data: str = "unknown",
        facts: Mapping[str, Any] | None = None,
        kinds: Sequence[str] = NETWORK_KINDS,
        model: str | None = None,
        **terms: Any,
    ) -> None:
        self.folder = Path(folder)
        if active not in parties or len(set(parties)) < max(2, len(parties)):
            raise ValueError(f"parties must be two or more, {active!r} among them, got {list(parties)}")
        if classes < 2:
            raise ValueError(f"classes must be 2 or more, got {classes}")
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise BadTranscript(f"{folder} exists already and is not an empty folder. Choose another place.")
        agreement = Agreement(
            federation=federation,
            parties=tuple(parties),
            active=active,
            classes=classes,
            top_model=top_model,
            outputs=classes,
            settings=(facts or {}).get("model_settings", {}),
            kinds=tuple(Kind(kind) for kind in kinds),
            model=ModelKind(model) if model is not None else None,
            terms=Terms(**terms),
        )
        self._facts = {"parties": len(parties), "data": data, "federation": federation, "seed": 0, **(facts or {})}
        check_facts(self._facts)
        self._writer = TranscriptWriter(private_folder(self.folder), agreement)
        self._widths: dict[str, int] = {}
        self._parts: dict[str, OwnPart] = {}
        self._train, self._new = NO_ROWS, NO_ROWS
        self._spoken: dict[bool, Mask] = {True: np.zeros(0, dtype=np.bool_), False: np.zeros(0, dtype=np.bool_)}
        self._truth: Truth | None = None
        self._known: tuple[Rows, Rows] = NO_ROWS, NO_ROWS
        self._value_rows = NO_ROWS
        self._asked: tuple[str, str | None, Auxiliary, KnownRows] | None = None
        self._steps: dict[tuple[Kind, str, int], int] = {}
        self._told = False

    @property
    def agreement(self) -> Agreement:
        """The public terms, as far as they are known."""
        return self._writer.agreement

    def rows(self, *, train: Any, new: Any = ()) -> None:
        """Say which rows take part in training and which do not; unless told, those that messages speak of."""
        self._train, self._new = rows_of(train), rows_of(new)
        self._told = False

    def columns(
        self,
        party: str,
        values: Any,
        names: Sequence[str] | None = None,
        *,
        attributes: Sequence[str] | None = None,
        limits: Any = None,
        layout: Layout | None = None,
    ) -> None:
        """Keep the columns of a party: what it holds, of which others know the names and the limits alone.

        Parameters
        ----------
        values
            All rows of the table by encoded columns, or a data frame, whose columns have names.
        names, attributes
            What the encoded columns are called, and of which attribute each is an indicator.
        limits
            The least and the largest value of each; by default those of the training rows.
        layout
            How columns are to be read together: as an image, or as words.
        """
        self._check_party(party)
        names = [str(name) for name in getattr(values, "columns", ())] if names is None else list(names)
        table = _array(values)
        if table.ndim != 2:
            raise ValueError(f"columns of '{party}' must be rows by columns, got an array of shape {table.shape}")
        table = table if table.dtype == np.float64 else table.astype(np.float32)
        names = names or [f"{party}-{number}" for number in range(table.shape[1])]
        own = list(dict.fromkeys(attributes or names))
        self._parts[party] = OwnPart(
            party=party,
            columns=tuple(own),
            features=table,
            names=tuple(names),
            attributes=np.array([own.index(name) for name in attributes or names], dtype=np.int64),
            layout=layout or Plain(),
            limits=None if limits is None else _array(limits),
        )
        self._told = False

    def embedding(self, party: str, rows: Any, values: Any, epoch: int = OUTSIDE_TRAINING) -> None:
        """Keep what a party sent the active one for some rows; outside training where no epoch is given."""
        self.message(Kind.EMBEDDING, party, self.agreement.active, rows, {"embedding": values}, epoch)

    def gradient(self, party: str, rows: Any, values: Any, epoch: int) -> None:
        """Keep what the active party sent back to a party."""
        self.message(Kind.GRADIENT, self.agreement.active, party, rows, {"gradient": values}, epoch)

    def prediction(self, rows: Any, confidences: Any, to: str | None = None) -> None:
        """Keep predictions that the active party let one of the others know, or all of them; it has them itself."""
        receivers = [to] if to is not None else list(self.agreement.parties)
        for receiver in receivers:
            self.message(Kind.PREDICTION, self.agreement.active, receiver, rows, {"confidence": confidences})

    def message(
        self,
        kind: str,
        sender: str,
        receiver: str,
        rows: Any,
        payload: Mapping[str, Any],
        epoch: int = OUTSIDE_TRAINING,
        step: int | None = None,
    ) -> None:
        """Keep any message: its kind and what it must carry are those of ``docs/transcript-format.md``."""
        self._check_party(sender, receiver)
        told = Kind(kind)
        number = (told, sender, epoch)
        step = self._steps.get(number, 0) if step is None else step
        self._steps[number] = step + 1
        given = {name: _numbers(told, _array(values)) for name, values in payload.items()}
        about, carried = read_payload(told, rows_of(rows), given)
        said = Message(told, sender, receiver, epoch, step, about, carried)
        check_place(sender, receiver, epoch, step, about, self.agreement)
        if told in {Kind.EMBEDDING, Kind.GRADIENT} and told in carried:
            self._fit(sender if told is Kind.EMBEDDING else receiver, carried[told])
        try:
            check_payload(told, about, carried, self.agreement, own_widths=True)
        except NotFinite as error:
            self._writer.leave_out(said, error)
        else:
            self._add(said)

    def leave_out(self, what: str, error: Exception | str) -> None:
        """Count something that the engine said and that cannot be kept: recorders of engines never raise."""
        self._writer.leave_out(what, error)

    def model(self, party: str, net: Callable[[Any], Any], epoch: int, rows: Any = None, inputs: Any = None) -> None:
        """Keep what a party's own bottom model answers, at the end of an epoch, for its own rows.

        Parameters
        ----------
        net
            Anything that can be called, of any architecture.
        rows, inputs
            Which rows it is asked about, and what it reads of them; by default all rows of the party's columns.
        """
        self._check_party(party)
        if inputs is None and party not in self._parts:
            raise ValueError(f"the columns of '{party}' are not known: give inputs, or call columns() first")
        read = self._parts[party].features if inputs is None else inputs
        about = np.arange(len(read)) if rows is None else rows_of(rows)
        asked = read if inputs is not None else read[about]
        self.outputs(party, about, _answers(net, asked), epoch)

    def outputs(self, party: str, rows: Any, values: Any, epoch: int) -> None:
        """Keep what a party's own bottom model answers for some rows at the end of an epoch."""
        about, answers = rows_of(rows), _array(values)
        answers = answers.astype(np.float32) if answers.dtype == np.float16 else answers
        self.snapshot(Snapshot(party, epoch, RECORDED, {"rows": about, "outputs": answers}))

    def snapshot(self, taken: Snapshot) -> None:
        """Keep a party's own model, in a form that can be built again."""
        self._check_party(taken.party)
        try:
            check_snapshot(taken)
        except NotFinite as error:
            self._writer.leave_out(taken, error)
        else:
            self._add(taken)

    def take(self, folder: str | Path) -> None:
        """Take over all messages and models that somebody wrote elsewhere, as recorders of engines do."""
        told, kept = read_transcript(Path(folder)), self._writer.kept
        for said in told.messages:
            self.message(said.kind, said.sender, said.receiver, said.rows, said.payload, said.epoch, said.step)
        for taken in told.snapshots:
            self.snapshot(taken)
        self._writer.take_over(what_was_left_out(Path(folder)), kept)

    def truth(self, *, labels: Any, has: Any = None) -> None:
        """Keep what guesses are scored against, for all rows, in a file that no attack is given.

        Parameters
        ----------
        labels
            The class of each row; the active party holds them too.
        has
            Which rows have the property that is asked about.
        """
        told = _array(labels).astype(np.int64)
        if told.ndim != 1 or not len(told) or told.min() < 0 or told.max() >= self.agreement.classes:
            raise ValueError(f"labels must be classes from 0 to {self.agreement.classes - 1}, one for each row")
        self._truth = Truth(told, has=None if has is None else _array(has).astype(np.bool_))
        self._told = False

    def know_labels(self, *, per_class: int | None = None, seed: int = 0, rows: Any = None, labels: Any = None) -> None:
        """Let adversaries know labels of a few training rows: so many of each class, drawn from the truth, or these."""
        if per_class is not None:
            data = self._table()
            known = draw_per_class(data, per_class, np.random.default_rng(seed))
            self._known = known, data.labels[known]
        else:
            self._known = rows_of(rows), _array(labels).astype(np.int64)
        self._told = False

    def know_values(self, *, count: int | None = None, seed: int = 0, rows: Any = None) -> None:
        """Let adversaries know the others' columns on a few training rows: so many, drawn, or these."""
        drawn = draw_rows(self._table(), count, np.random.default_rng(seed)) if count is not None else rows_of(rows)
        self._value_rows = drawn
        self._told = False

    def know_property(
        self,
        name: str,
        *,
        holder: str | None = None,
        auxiliary: Auxiliary | None = None,
        seed: int = 0,
        rows: Any = None,
        has: Any = None,
        exhausted: bool = False,
    ) -> None:
        """Ask how many people have a property, as ``COLUMN=VALUE``, and let adversaries know it of a few training rows.

        Parameters
        ----------
        holder
            The party that holds the attribute, and need not ask.
        auxiliary
            How many rows are drawn from the truth; as few as in an audit by default.
        rows, has
            The rows instead, and whether each has it.
        exhausted
            Whether there is no other training row with the property.
        """
        asked = auxiliary or Auxiliary()
        if rows is not None:
            about = rows_of(rows)
            known = KnownRows(about, about, _array(has).astype(np.bool_), exhausted=exhausted)
        else:
            if self._truth is None or self._truth.has is None:
                raise ValueError("who has the property is not known: give rows and has, or call truth(has=...) first")
            known = draw_auxiliary(self._table(), asked, self._truth.has, np.random.default_rng(seed))
        self._asked = (name, holder, asked, known)
        self._told = False

    def close(self) -> Checked:
        """Write what is left, and say which attacks apply, which do not, why, and what could not be kept."""
        self._writer.flush()
        self._tell()
        self._writer.close(self._writer.epochs or None)
        return check(self.folder)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close, or where the engine broke off leave what there is; what goes wrong here is a warning."""
        self._writer.flush()
        with warned("The recording could not be closed"):
            if kind is None:
                self.close()
            else:
                self._tell()

    def _add(self, said: Message | Snapshot) -> None:
        if isinstance(said, Message) and len(said.rows) and said.payload:
            self._mark(said.rows, trained=said.epoch >= 0)
        if self._writer.add(said) and not self._told:
            with warned("What parties know could not be written down yet"):
                self._tell()

    def _mark(self, rows: Rows, *, trained: bool) -> None:
        """Remember of which rows messages speak, as long as nobody has said which train."""
        if len(self._train):
            return
        spoken = self._spoken[trained]
        if rows.max() >= len(spoken):
            spoken = np.concatenate((spoken, np.zeros(int(rows.max()) + 1, dtype=np.bool_)))
            self._spoken[trained] = spoken
        spoken[rows] = True

    def _fit(self, party: str, values: Array) -> None:
        """Take the width of a party from the first message, and hold it against all others."""
        width = values.shape[-1] if values.ndim == 2 else 0
        if self._widths.setdefault(party, width) != width:
            raise ValueError(f"'{party}' has {self._widths[party]} numbers a row so far, got {width}")
        agreed = self.agreement
        if width and width != agreed.outputs and (agreed.top_model or (agreed.classes, width) == (2, 1)):
            self._writer.agreement = replace(agreed, outputs=width)
            self._told = False

    def _check_party(self, *parties: str) -> None:
        for party in parties:
            if party not in self.agreement.parties:
                raise ValueError(f"{party!r} is none of the parties {list(self.agreement.parties)}")

    def _trained(self) -> tuple[Rows, Rows]:
        if len(self._train):
            return self._train, self._new
        train, new = (np.flatnonzero(self._spoken[trained]) for trained in (True, False))
        return train, np.setdiff1d(new, train)

    def _table(self) -> PartitionedTable:
        """Put together all that the operator knows, for drawing from it."""
        if self._truth is None:
            raise ValueError("nothing can be drawn without the truth: call truth(labels=...) first, or give the rows")
        train, new = self._trained()
        if not len(train):
            raise ValueError("it is not known which rows train: call rows(train=...) first")
        active = self.agreement.active
        bare = OwnPart(active, (), np.zeros((len(self._truth.labels), 0)), (), NO_ROWS)
        parts = {party: replace(part, train=train) for party, part in {active: bare, **self._parts}.items()}
        parts[active] = replace(parts[active], train=train, labels=self._truth.labels)
        names = tuple(str(number) for number in range(self.agreement.classes))
        return PartitionedTable(str(self._facts["data"]), parts, active, names, new)

    def _tell(self) -> None:
        """Write the terms, what each party knows, and the truth, each into its own file."""
        self._told = True
        self._writer.agree(self._writer.agreement)
        train, new = self._trained()
        if not len(train):
            return
        passive = [party for party in self.agreement.parties if party != self.agreement.active]
        for number, party in enumerate((*reversed(passive), self.agreement.active)):
            write_knowledge(self._knowledge(party, train, new), self._facts, self.folder, number)
        if self._truth is not None:
            columns = {party: TrueColumns(part.names, part.features) for party, part in self._parts.items()}
            before = train if self._truth.has is not None else None
            write_arrays(replace(self._truth, columns=columns, before=before).arrays(), self.folder / TRUTH_FILE)

    def _knowledge(self, party: str, train: Rows, new: Rows) -> Knowledge:
        """Return what one party knows: its own columns, and of the others what they publish or somebody told."""
        active = self.agreement.active
        parts = {name: _ranged(part, train) for name, part in self._parts.items()}
        own = {party: parts[party]} if party in parts else {}
        if party == active and self._truth is not None:
            bare = OwnPart(active, (), np.zeros((len(self._truth.labels), 0), dtype=np.float32), (), NO_ROWS)
            own = {active: replace(own.get(active, bare), labels=self._truth.labels)}
        others = {name: part for name, part in parts.items() if name != party}
        held = min((len(part.features) for part in parts.values()), default=MOST_ROWS)
        if self._value_rows.max(initial=-1) >= held:
            raise ValueError(f"values of row {self._value_rows.max()} are known, but a party has {held} rows")
        rows, labels = self._known if party != active else (NO_ROWS, NO_ROWS)
        name, holder, auxiliary, known = self._asked or (None, None, None, None)
        asked = name is not None and holder != party
        return Knowledge(
            threat=ThreatModel(
                adversaries=(party,),
                labels_per_class=int(np.bincount(labels).max()) if len(labels) else 0,
                known_values=len(self._value_rows) if others else 0,
                property=name if asked else None,
                auxiliary=auxiliary if asked else None,
            ),
            own=own,
            train=train,
            new=new,
            known_rows=rows,
            known_labels=labels,
            others={name: part.public for name, part in others.items()},
            value_rows=self._value_rows if others else NO_ROWS,
            values={name: part.features[self._value_rows] for name, part in others.items() if len(self._value_rows)},
            auxiliary=known if asked else None,
        )


def _array(values: Any) -> Array:
    """Return a copy of what may be an array, a tensor on any device, a data frame or a list."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = (values.float() if "bfloat16" in str(values.dtype) else values).numpy()
    found = np.array(values)
    if found.dtype.hasobject:
        raise ValueError("numbers must be given, not objects")
    return found.astype(np.float64) if found.dtype == np.longdouble else found


def _numbers(kind: Kind, values: Array) -> Array:
    """Return whole numbers as real ones where messages carry these: signs of gradients, or a list that was typed."""
    whole = kind in NUMBERS and values.dtype.kind in "iub"
    return values.astype(np.result_type(values, np.float32)) if whole else values


def rows_of(values: Any) -> Rows:
    """Return a copy of row numbers, or refuse what cannot be some."""
    found = _array(values)
    if found.size and (found.dtype.kind not in "iu" or found.ndim != 1 or found.min() < 0):
        raise ValueError("rows must be whole numbers from 0 on, one after the other")
    return found.astype(np.int64)


def _answers(net: Callable[[Any], Any], inputs: Any) -> Array:
    """Ask a model about rows, a few thousand at a time; a PyTorch module is asked as it would predict."""
    if not len(inputs):
        raise ValueError("a model must be asked about one row or more")
    if not hasattr(net, "parameters"):
        return np.concatenate([_array(net(chunk)) for chunk in _chunks(inputs)])
    import torch

    modules = list(net.modules()) if isinstance(net, torch.nn.Module) else []
    training = [module.training for module in modules]
    first = next(iter(net.parameters()), torch.zeros(0))
    try:
        for module in modules:
            module.training = False
        with torch.no_grad():
            told = [_array(net(torch.as_tensor(chunk).to(first))) for chunk in _chunks(inputs)]
    finally:
        for module, was in zip(modules, training, strict=True):
            module.training = was
    return np.concatenate(told)


def _chunks(inputs: Any) -> list[Any]:
    return [inputs[start : start + ASKED_AT_ONCE] for start in range(0, len(inputs), ASKED_AT_ONCE)]


def _ranged(part: OwnPart, train: Rows) -> OwnPart:
    """Say the limits of columns that nobody told: the least and the largest value of the training rows."""
    if part.limits is not None or not part.width:
        return part
    read = part.features[train[train < len(part.features)]]
    if not len(read):
        return part
    with np.errstate(all="ignore"):
        told = ~np.isnan(read).all(axis=0)
        filled = np.where(told, read, 0.0)
    return replace(part, limits=np.column_stack((np.nanmin(filled, axis=0), np.nanmax(filled, axis=0))))
