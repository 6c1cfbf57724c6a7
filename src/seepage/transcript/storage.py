"""Transcripts on disk: JSON for what was said when, safetensors for the arrays, nothing that can run.

The format is documented in ``docs/transcript-format.md`` so that other engines can write it. A run that is over is
written under a temporary name and renamed when whole; one that is still going on is appended to, chunk by chunk
(`seepage.transcript.writer`), and what is there can be read at any time.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from seepage.errors import BadTranscript
from seepage.files import private_folder, write_private
from seepage.messages import NETWORK_KINDS, Kind, Message, ModelKind
from seepage.shapes import Array
from seepage.transcript.arrays import put_aside, read_arrays, refuse_links, write_arrays
from seepage.transcript.left_out import LeftOut
from seepage.transcript.payloads import (
    MOST_EPOCHS,
    check_payload,
    check_place,
    check_snapshot,
    check_widths,
    demand,
    read_answers,
    read_payload,
)
from seepage.transcript.terms import Terms
from seepage.transcript.transcript import Agreement, Snapshot, Transcript

FORMAT: Final = "seepage-transcript"
VERSION: Final = 2
INDEX_FILE: Final = "transcript.json"
ARRAYS_FILE: Final = "transcript.safetensors"
MOST_CLASSES: Final = 100_000
"""More classes than this are a slip: every attack counts with an array of rows by classes."""
LATEST: Final = 4
"""Among so many arrays it is looked for rows that were written already."""


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Offer a folder to write into that becomes `target` only when all went well."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BadTranscript(f"{target} exists already and is not an empty folder. Choose another place.")
    private_folder(target.parent)
    scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        yield scratch
        if target.exists():
            target.rmdir()
        os.replace(scratch, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_transcript(transcript: Transcript, folder: Path) -> None:
    """Write a transcript that is whole into an existing folder."""
    write_chunk(
        folder,
        0,
        transcript.messages,
        transcript.snapshots,
        {**header(transcript.agreement), **({"epochs": transcript.epochs} if transcript.epochs is not None else {})},
    )


def header(agreement: Agreement) -> dict[str, Any]:
    """Return what the first index begins with."""
    return {"format": FORMAT, "version": VERSION, "agreement": asdict(agreement)}


def write_chunk(
    folder: Path,
    number: int,
    messages: Sequence[Message],
    snapshots: Sequence[Snapshot],
    begins: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write some messages and snapshots: the arrays first, so that whatever an index speaks of is there."""
    arrays: dict[str, Array] = {}
    index = {
        **begins,
        "messages": [_message_out(message, f"message.{n}", arrays) for n, message in enumerate(messages)],
        "snapshots": [_snapshot_out(snapshot, f"snapshot.{n}", arrays) for n, snapshot in enumerate(snapshots)],
    }
    index_file, arrays_file = chunk_files(folder, number)
    write_arrays(arrays, arrays_file)
    write_private(index_file, json.dumps(index, indent=1))


def chunk_files(folder: Path, number: int) -> tuple[Path, Path]:
    """Return where a chunk lies: the first in ``transcript.json``, others in ``transcript.1.json`` and so on."""
    names = (
        (INDEX_FILE, ARRAYS_FILE) if number == 0 else (f"transcript.{number}.json", f"transcript.{number}.safetensors")
    )
    return folder / names[0], folder / names[1]


def read_transcript(folder: Path) -> Transcript:
    """Read a transcript, or say in one sentence what is wrong with it; of one that broke off, what is there."""
    index = read_index(folder / INDEX_FILE)
    messages: list[Message] = []
    snapshots: list[Snapshot] = []
    place = folder / INDEX_FILE
    first = read_arrays(folder / ARRAYS_FILE)
    try:
        demand(index.get("format") == FORMAT, f"format as '{FORMAT}'")
        agreement = _agreement_in(index["agreement"], index["version"])
        epochs = _epochs_in(index.get("epochs"))
        _left_out_in(index)
        for number in range(_chunks(folder, index.get("chunks"))):
            place, arrays_file = chunk_files(folder, number)
            chunk, arrays = (_read_json(place), read_arrays(arrays_file)) if number else (index, first)
            demand(isinstance(chunk["messages"], list), "messages as a list")
            messages += [_message_in(entry, arrays, agreement) for entry in chunk["messages"]]
            snapshots += [_snapshot_in(entry, arrays, agreement) for entry in chunk.get("snapshots", ())]
            put_aside(arrays)
        check_widths(messages)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise BadTranscript(
            f"{place} does not describe its arrays as docs/transcript-format.md says "
            f"({_said(error)}). Write the transcript again."
        ) from error
    return Transcript(agreement=agreement, messages=tuple(messages), snapshots=tuple(snapshots), epochs=epochs)


def is_closed(folder: Path) -> bool:
    """Say whether whoever wrote a run had finished: one that broke off ends with its last whole chunk."""
    return "chunks" in read_index(folder / INDEX_FILE) or not chunk_files(folder, 1)[0].exists()


def what_was_left_out(folder: Path) -> LeftOut | None:
    """Say what whoever wrote a run could not keep of it."""
    return _left_out_in(read_index(folder / INDEX_FILE))


def _left_out_in(index: Mapping[str, Any]) -> LeftOut | None:
    told = index.get("left_out")
    demand(told is None or isinstance(told, dict), "left_out as a table")
    return LeftOut(**told) if told is not None else None


def _chunks(folder: Path, promised: object) -> int:
    """Return how many chunks there are, one after the other; refuse where one is missing in between."""
    demand(promised is None or (type(promised) is int and promised >= 1), "chunks as a number from 1 on")
    numbers = sorted(
        int(found.group(1))
        for path in folder.glob("transcript.*.json")
        if (found := re.fullmatch(r"transcript\.([1-9][0-9]{0,8})\.json", path.name))
    )
    there = [0, *numbers]
    whole = there == list(range(len(there))) and (promised is None or promised == len(there))
    demand(whole, "a file for each chunk, counted from 1 without a gap")
    return len(there)


def read_index(path: Path) -> dict[str, Any]:
    """Read the JSON part of a stored run and check that this version understands it."""
    if not path.is_file():
        raise BadTranscript(f"{path.parent} holds no {path.name}. Give the folder that a run was stored in.")
    index = _read_json(path)
    version = index.get("version")
    if type(version) is not int or version < 1:
        raise BadTranscript(f"{path} must give its version as a whole number from 1 on. Store the run again.")
    if version > VERSION:
        raise BadTranscript(
            f"{path} has format version {version}, but this version of Seepage reads up to {VERSION}. Update Seepage."
        )
    return index


def _read_json(path: Path) -> dict[str, Any]:
    refuse_links(path)
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise BadTranscript(f"{path} is not a transcript's index. Store the run again.") from error
    if not isinstance(index, dict):
        raise BadTranscript(f"{path} is not a transcript's index. Store the run again.")
    return index


def _message_out(message: Message, name: str, arrays: dict[str, Array]) -> dict[str, Any]:
    latest = islice(reversed(arrays.items()), LATEST)  # what is asked and answered speaks of the same rows
    rows = next((key for key, array in latest if array is message.rows or _same(array, message.rows)), f"{name}.rows")
    arrays[rows] = message.rows
    return {
        "kind": message.kind.value,
        "sender": message.sender,
        "receiver": message.receiver,
        "epoch": message.epoch,
        "step": message.step,
        "rows": rows,
        "payload": _put(message.payload, name, arrays),
    }


def _same(one: Array, other: Array) -> bool:
    return one.dtype == other.dtype and np.array_equal(one, other)


def _put(parts: Mapping[str, Array], name: str, arrays: dict[str, Array]) -> dict[str, str]:
    """Lay arrays beside the others, and return under which names."""
    arrays.update({f"{name}.{key}": array for key, array in parts.items()})
    return {key: f"{name}.{key}" for key in parts}


def _agreement_in(told: Mapping[str, Any], version: int) -> Agreement:
    names = [*told["parties"], told["federation"]]
    demand(isinstance(told["parties"], list) and all(isinstance(name, str) for name in names), "names that are text")
    demand(len(set(told["parties"])) == len(told["parties"]) >= 2, "two or more different parties")
    demand(told["active"] in told["parties"], "an active party among the parties")
    demand(isinstance(told["top_model"], bool), "top_model as true or false")
    classes, outputs = told["classes"], told["outputs"]
    demand(type(classes) is int and 2 <= classes <= MOST_CLASSES, f"classes as a number from 2 to {MOST_CLASSES}")
    demand(type(outputs) is int and outputs >= 1, "outputs as a number of 1 or more")
    logits = {classes, 1} if classes == 2 else {classes}
    demand(told["top_model"] or outputs in logits, "one output for each class where there is no top model")
    settings = told.get("settings", {})
    demand(isinstance(settings, dict), "settings as a table")
    kinds = tuple(Kind(kind) for kind in told.get("kinds", NETWORK_KINDS))
    model = ModelKind(told["model"]) if told.get("model") is not None else None
    terms = Terms(**told.get("terms", {})) if version > 1 else Terms.of(settings)
    return Agreement(**{**told, "parties": tuple(told["parties"]), "kinds": kinds, "model": model, "terms": terms})


def _said(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else f"stumbled over {error}"


def _message_in(entry: Mapping[str, Any], arrays: Mapping[str, Array], agreement: Agreement) -> Message:
    kind, rows = Kind(entry["kind"]), arrays[entry["rows"]]
    sender, receiver, epoch, step = (entry[name] for name in ("sender", "receiver", "epoch", "step"))
    check_place(sender, receiver, epoch, step, rows, agreement)
    rows, payload = read_payload(kind, rows.astype(np.int64, copy=False), _held(entry["payload"], arrays))
    check_payload(kind, rows, payload, agreement, own_widths=True)
    return Message(kind, sender, receiver, epoch, step, rows, payload)


def _held(names: Mapping[str, str], arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {key: arrays[name] for key, name in names.items()}


def _snapshot_out(snapshot: Snapshot, name: str, arrays: dict[str, Array]) -> dict[str, Any]:
    return {
        "party": snapshot.party,
        "epoch": snapshot.epoch,
        "architecture": dict(snapshot.architecture),
        "state": _put(snapshot.state, name, arrays),
        "part": snapshot.part,
        "columns": list(snapshot.columns),
    }


def _epochs_in(epochs: Any) -> int | None:
    demand(epochs is None or (type(epochs) is int and 1 <= epochs <= MOST_EPOCHS), "epochs as a number from 1 on")
    return int(epochs) if epochs is not None else None


def _snapshot_in(entry: Mapping[str, Any], arrays: Mapping[str, Array], agreement: Agreement) -> Snapshot:
    part = entry.get("part", "bottom")
    demand(part in {"bottom", "head"}, "part as bottom or head")
    demand(entry["party"] in agreement.parties, "the party of a model among the parties")
    columns = entry.get("columns", [])
    demand(isinstance(columns, list) and all(isinstance(name, str) for name in columns), "columns as a list of names")
    state = _held(entry["state"], arrays)
    demand(isinstance(entry["architecture"], dict), "the architecture of a model as a table")
    snapshot = Snapshot(entry["party"], entry["epoch"], entry["architecture"], state, part, tuple(columns))
    check_snapshot(snapshot)
    return read_answers(snapshot) if snapshot.recorded else snapshot
