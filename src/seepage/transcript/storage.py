"""Transcripts on disk: JSON for what was said when, safetensors for the arrays, nothing that can run.

The format is documented in ``docs/transcript-format.md`` so that other engines
can write it. A folder is written under a temporary name and renamed when whole.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.errors import BadTranscript
from seepage.files import private_folder, write_private
from seepage.messages import NETWORK_KINDS, OUTSIDE_TRAINING, Kind, Message, ModelKind
from seepage.shapes import Array
from seepage.transcript.payloads import check_payload, demand
from seepage.transcript.transcript import Agreement, Snapshot, Transcript

FORMAT: Final = "seepage-transcript"
VERSION: Final = 1
INDEX_FILE: Final = "transcript.json"
ARRAYS_FILE: Final = "transcript.safetensors"


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
    """Write a transcript into an existing folder."""
    arrays: dict[str, Array] = {}
    index = {
        "format": FORMAT,
        "version": VERSION,
        "agreement": asdict(transcript.agreement),
        "messages": [_message_out(message, f"message.{n}", arrays) for n, message in enumerate(transcript.messages)],
        "snapshots": [
            _snapshot_out(snapshot, f"snapshot.{n}", arrays) for n, snapshot in enumerate(transcript.snapshots)
        ],
        **({"epochs": transcript.epochs} if transcript.epochs is not None else {}),
    }
    write_arrays(arrays, folder / ARRAYS_FILE)
    write_private(folder / INDEX_FILE, json.dumps(index, indent=1))


def read_transcript(folder: Path) -> Transcript:
    """Read a transcript, or say in one sentence what is wrong with it."""
    index = read_index(folder / INDEX_FILE)
    arrays = read_arrays(folder / ARRAYS_FILE)
    try:
        demand(index.get("format") == FORMAT, f"format as '{FORMAT}'")
        demand(isinstance(index["messages"], list), "messages as a list")
        agreement = _agreement_in(index["agreement"])
        return Transcript(
            agreement=agreement,
            messages=tuple(_message_in(entry, arrays, agreement) for entry in index["messages"]),
            snapshots=tuple(_snapshot_in(entry, arrays) for entry in index.get("snapshots", ())),
            epochs=_epochs_in(index.get("epochs")),
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadTranscript(
            f"{folder / INDEX_FILE} does not describe its arrays as docs/transcript-format.md says "
            f"({_said(error)}). Write the transcript again."
        ) from error


def read_index(path: Path) -> dict[str, Any]:
    """Read the JSON part of a stored run and check that this version understands it."""
    if not path.is_file():
        raise BadTranscript(f"{path.parent} holds no {path.name}. Give the folder that a run was stored in.")
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        version = index["version"]
    except (ValueError, KeyError, TypeError, RecursionError, OSError) as error:
        raise BadTranscript(f"{path} is not a transcript's index. Store the run again.") from error
    if type(version) is not int:
        raise BadTranscript(f"{path} must give its version as a whole number. Store the run again.")
    if version > VERSION:
        raise BadTranscript(
            f"{path} has format version {version}, but this version of Seepage reads up to {VERSION}. Update Seepage."
        )
    return dict(index)


def write_arrays(arrays: Mapping[str, Array], path: Path) -> None:
    """Write named arrays as safetensors."""
    from safetensors.numpy import save

    write_private(path, save({name: np.asarray(array, order="C") for name, array in arrays.items()}))


def read_arrays(path: Path) -> dict[str, Array]:
    """Read named arrays; a safetensors file can hold numbers and nothing else."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.is_file():
        raise BadTranscript(f"{path.parent} lacks {path.name}, which its index speaks of. Copy the folder whole.")
    try:
        return dict(load_file(path))
    except (SafetensorError, OSError, ValueError) as error:
        raise BadTranscript(f"{path} is truncated or not a safetensors file. Copy the folder again.") from error


def _message_out(message: Message, name: str, arrays: dict[str, Array]) -> dict[str, Any]:
    arrays[f"{name}.rows"] = message.rows
    return {
        "kind": message.kind.value,
        "sender": message.sender,
        "receiver": message.receiver,
        "epoch": message.epoch,
        "step": message.step,
        "rows": f"{name}.rows",
        "payload": _put(message.payload, name, arrays),
    }


def _put(parts: Mapping[str, Array], name: str, arrays: dict[str, Array]) -> dict[str, str]:
    """Lay arrays beside the others, and return under which names."""
    arrays.update({f"{name}.{key}": array for key, array in parts.items()})
    return {key: f"{name}.{key}" for key in parts}


def _agreement_in(terms: Mapping[str, Any]) -> Agreement:
    names = [*terms["parties"], terms["federation"]]
    demand(isinstance(terms["parties"], list) and all(isinstance(name, str) for name in names), "names that are text")
    demand(len(set(terms["parties"])) == len(terms["parties"]) >= 2, "two or more different parties")
    demand(terms["active"] in terms["parties"], "an active party among the parties")
    demand(isinstance(terms["top_model"], bool), "top_model as true or false")
    classes, outputs = terms["classes"], terms["outputs"]
    demand(type(classes) is int and classes >= 2, "classes as a number of 2 or more")
    demand(type(outputs) is int and outputs >= 1, "outputs as a number of 1 or more")
    logits = {classes, 1} if classes == 2 else {classes}
    demand(terms["top_model"] or outputs in logits, "one output for each class where there is no top model")
    demand(isinstance(terms.get("settings", {}), dict), "settings as a table")
    kinds = tuple(Kind(kind) for kind in terms.get("kinds", NETWORK_KINDS))
    model = ModelKind(terms["model"]) if terms.get("model") is not None else None
    return Agreement(**{**terms, "parties": tuple(terms["parties"]), "kinds": kinds, "model": model})


def _said(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else f"stumbled over {error}"


def _message_in(entry: Mapping[str, Any], arrays: Mapping[str, Array], agreement: Agreement) -> Message:
    kind, rows = Kind(entry["kind"]), arrays[entry["rows"]]
    demand(type(entry["epoch"]) is int and entry["epoch"] >= OUTSIDE_TRAINING, "epoch as a number from -1 on")
    demand(type(entry["step"]) is int and entry["step"] >= 0, "step as a number from 0 on")
    demand(len(np.unique(rows)) == len(rows), "each row once in a message")
    demand(rows.ndim == 1 and rows.dtype.kind in "iu" and bool((rows >= 0).all()), "row numbers from 0 on")
    payload = {key: arrays[name] for key, name in entry["payload"].items()}
    check_payload(kind, rows, payload, agreement)
    for name in (entry["sender"], entry["receiver"]):
        demand(name in agreement.parties, "sender and receiver among the parties")
    sender, receiver, epoch, step = (entry[name] for name in ("sender", "receiver", "epoch", "step"))
    return Message(kind, sender, receiver, epoch, step, rows.astype(np.int64), payload)


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
    demand(epochs is None or (type(epochs) is int and epochs >= 1), "epochs as a number from 1 on")
    return int(epochs) if epochs is not None else None


def _snapshot_in(entry: Mapping[str, Any], arrays: Mapping[str, Array]) -> Snapshot:
    part = entry.get("part", "bottom")
    demand(part in {"bottom", "head"}, "part as bottom or head")
    columns = entry.get("columns", [])
    demand(isinstance(columns, list) and all(isinstance(name, str) for name in columns), "columns as a list of names")
    state = {key: arrays[name] for key, name in entry["state"].items()}
    return Snapshot(entry["party"], int(entry["epoch"]), entry["architecture"], state, part, tuple(columns))
