"""A run that can be attacked again: in memory or on disk."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.errors import BadTranscript
from seepage.files import write_private
from seepage.partition import OwnPart
from seepage.shapes import Array, ImageShape, Labels
from seepage.transcript import Transcript
from seepage.transcript.storage import (
    VERSION,
    read_arrays,
    read_index,
    read_transcript,
    whole_folder,
    write_arrays,
    write_transcript,
)
from seepage.views import Knowledge, ThreatModel

KNOWLEDGE_FILE: Final = "knowledge.json"
KNOWLEDGE_ARRAYS: Final = "knowledge.safetensors"
TRUTH_FILE: Final = "truth.safetensors"


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """What was said, what the adversary knew besides, and the truth to score against.

    Parameters
    ----------
    truth
        The labels of all rows; None for a run from elsewhere, which can be
        attacked but not scored.
    facts
        What a finding says about data, partition and settings.
    """

    transcript: Transcript
    knowledge: Knowledge
    truth: Labels | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


def write_run(run: RecordedRun, folder: Path) -> None:
    """Store a run; the truth lies in a file of its own that no attack is given."""
    with whole_folder(folder) as scratch:
        write_transcript(run.transcript, scratch)
        arrays: dict[str, Array] = {
            name: getattr(run.knowledge, name) for name in ("train", "new", "known_rows", "known_labels")
        }
        own = {}
        for number, (party, part) in enumerate(run.knowledge.own.items()):
            arrays |= {f"own.{number}.features": part.features, f"own.{number}.attributes": part.attributes}
            if part.labels is not None:
                arrays[f"own.{number}.labels"] = part.labels
            image = asdict(part.image) if part.image is not None else None
            own[party] = {"columns": part.columns, "names": part.names, "image": image}
        index = {"version": VERSION, "threat": asdict(run.knowledge.threat), "own": own, "facts": dict(run.facts)}
        write_arrays(arrays, scratch / KNOWLEDGE_ARRAYS)
        write_private(scratch / KNOWLEDGE_FILE, json.dumps(index, indent=1))
        if run.truth is not None:
            write_arrays({"labels": run.truth}, scratch / TRUTH_FILE)


def read_run(folder: Path, adversaries: tuple[str, ...] = ()) -> RecordedRun:
    """Read a stored run; only the transcript itself must be there.

    Without stored knowledge, or for another adversary than the stored one, the
    adversary holds messages alone.
    """
    if not folder.is_dir():
        raise BadTranscript(f"{folder} is not a folder. Give the folder that a run was stored in.")
    transcript = read_transcript(folder)
    truth = read_arrays(folder / TRUTH_FILE)["labels"] if (folder / TRUTH_FILE).is_file() else None
    if not (folder / KNOWLEDGE_FILE).is_file():
        return RecordedRun(transcript, _bare(transcript, adversaries), truth, _public_facts(transcript))
    index = read_index(folder / KNOWLEDGE_FILE)
    arrays = read_arrays(folder / KNOWLEDGE_ARRAYS)
    try:
        knowledge = _knowledge(index, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise BadTranscript(f"{folder / KNOWLEDGE_FILE} and {KNOWLEDGE_ARRAYS} do not fit together.") from error
    if adversaries and adversaries != knowledge.threat.adversaries:
        knowledge = Knowledge(threat=ThreatModel(adversaries=adversaries), train=knowledge.train, new=knowledge.new)
    return RecordedRun(transcript, knowledge, truth, {**_public_facts(transcript), **index.get("facts", {})})


def _public_facts(transcript: Transcript) -> dict[str, Any]:
    terms = transcript.agreement
    settings = dict(terms.settings)
    return {
        "data": "unknown",
        "federation": terms.federation,
        "model_settings": settings,
        "parties": len(terms.parties),
    }


def _bare(transcript: Transcript, adversaries: tuple[str, ...]) -> Knowledge:
    spoken = [message.rows for message in transcript.messages if message.epoch >= 0]
    train = np.unique(np.concatenate(spoken)) if spoken else np.zeros(0, dtype=np.int64)
    chosen = adversaries or transcript.agreement.passive[-1:]
    return Knowledge(threat=ThreatModel(adversaries=chosen), train=train)


def _knowledge(index: Mapping[str, Any], arrays: Mapping[str, Array]) -> Knowledge:
    own = {}
    for number, (party, entry) in enumerate(index["own"].items()):
        own[party] = OwnPart(
            party=party,
            columns=tuple(entry["columns"]),
            features=arrays[f"own.{number}.features"],
            names=tuple(entry["names"]),
            attributes=arrays[f"own.{number}.attributes"],
            labels=arrays.get(f"own.{number}.labels"),
            image=ImageShape(**entry["image"]) if entry["image"] else None,
        )
    threat = {**index["threat"], "adversaries": tuple(index["threat"]["adversaries"])}
    return Knowledge(
        threat=ThreatModel(**threat),
        own=own,
        **{name: arrays[name] for name in ("train", "new", "known_rows", "known_labels")},
    )
