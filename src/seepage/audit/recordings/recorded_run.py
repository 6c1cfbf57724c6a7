"""A run that can be attacked again: in memory or on disk."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import ValidationError

from seepage.audit.findings.circumstances import Account, Surroundings, described
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import first_complaint
from seepage.audit.recordings.knowledge_checks import check_knowledge
from seepage.audit.scoring.truth import Truth, read_truth
from seepage.errors import BadTranscript
from seepage.files import write_private
from seepage.partition import OwnPart, PublicColumns
from seepage.shapes import Array, ImageShape, TextShape
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
from seepage.views import Auxiliary, Knowledge, KnownRows, ThreatModel

KNOWLEDGE_FILE: Final = "knowledge.json"
KNOWLEDGE_ARRAYS: Final = "knowledge.safetensors"
TRUTH_FILE: Final = "truth.safetensors"
AUXILIARY: Final = ("rows", "source", "has")
ROW_ARRAYS: Final = ("train", "new", "known_rows", "known_labels", "value_rows")
DESCRIBING: Final = frozenset(one.name for kind in (Surroundings, Account) for one in fields(kind))
"""What a stored run says of itself; what an attack reached is never taken from a file."""


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """What was said, what the adversary knew besides, and the truth to score against.

    Parameters
    ----------
    truth
        What guesses are scored against; None for a run from elsewhere, which
        can be attacked but not scored.
    surroundings
        What was trained, on which data.
    account
        What that was worth.
    """

    transcript: Transcript
    knowledge: Knowledge
    truth: Truth | None
    surroundings: Surroundings
    account: Account = Account()


def write_run(run: RecordedRun, folder: Path) -> None:
    """Store a run; the truth lies in a file of its own that no attack is given."""
    with whole_folder(folder) as scratch:
        write_transcript(run.transcript, scratch)
        arrays: dict[str, Array] = {name: getattr(run.knowledge, name) for name in ROW_ARRAYS}
        own = {}
        for number, (party, part) in enumerate(run.knowledge.own.items()):
            arrays |= {f"own.{number}.features": part.features, f"own.{number}.attributes": part.attributes}
            if part.labels is not None:
                arrays[f"own.{number}.labels"] = part.labels
            if part.limits is not None:
                arrays[f"own.{number}.limits"] = part.limits
            image = asdict(part.image) if part.image is not None else None
            own[party] = {"columns": part.columns, "names": part.names, "image": image}
            if part.text is not None:
                own[party]["text"] = asdict(part.text)
        if (known := run.knowledge.auxiliary) is not None:
            arrays |= {
                "auxiliary.rows": known.rows,
                "auxiliary.source": known.source,
                "auxiliary.has": known.has.astype(np.uint8),
                "auxiliary.exhausted": np.array([known.exhausted], dtype=np.uint8),
            }
        others = {}
        for number, (party, public) in enumerate(run.knowledge.others.items()):
            arrays[f"others.{number}.limits"] = public.limits
            for granted in ("values", "means"):
                if party in getattr(run.knowledge, granted):
                    arrays[f"others.{number}.{granted}"] = getattr(run.knowledge, granted)[party]
            others[party] = {"names": public.names, "attributes": public.attributes}
        index = {
            "version": VERSION,
            "threat": asdict(run.knowledge.threat),
            "own": own,
            "others": others,
            "facts": {**run.surroundings.facts(), **run.account.facts()},
        }
        write_arrays(arrays, scratch / KNOWLEDGE_ARRAYS)
        write_private(scratch / KNOWLEDGE_FILE, json.dumps(index, indent=1))
        if run.truth is not None:
            write_arrays(run.truth.arrays(), scratch / TRUTH_FILE)


def read_run(folder: Path, adversaries: tuple[str, ...] = ()) -> RecordedRun:
    """Read a stored run; only the transcript itself must be there.

    Without stored knowledge, or for another adversary than the stored one, the
    adversary holds messages alone.
    """
    if not folder.is_dir():
        raise BadTranscript(f"{folder} is not a folder. Give the folder that a run was stored in.")
    transcript = read_transcript(folder)
    truth = _truth(folder / TRUTH_FILE, transcript) if (folder / TRUTH_FILE).is_file() else None
    if not (folder / KNOWLEDGE_FILE).is_file():
        return RecordedRun(transcript, _bare(transcript, adversaries), truth, *described(_public_facts(transcript)))
    index = read_index(folder / KNOWLEDGE_FILE)
    arrays = read_arrays(folder / KNOWLEDGE_ARRAYS)
    try:
        knowledge = _knowledge(index, arrays, transcript.agreement.classes)
        facts = _known_facts(index.get("facts", {}))
        check_knowledge(knowledge, transcript, truth)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadTranscript(
            f"{folder / KNOWLEDGE_FILE} and {KNOWLEDGE_ARRAYS} do not fit together ({error}). Store the run again."
        ) from error
    if adversaries and set(adversaries) != set(knowledge.threat.adversaries):
        knowledge = Knowledge(threat=ThreatModel(adversaries=adversaries), train=knowledge.train, new=knowledge.new)
    return RecordedRun(transcript, knowledge, truth, *described({**_public_facts(transcript), **facts}))


def _truth(path: Path, transcript: Transcript) -> Truth:
    """Read what to score against."""
    most = max((int(message.rows.max()) for message in transcript.messages if len(message.rows)), default=-1)
    return read_truth(read_arrays(path), str(path), classes=transcript.agreement.classes, rows=most + 1)


def _known_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what describes a run, and refuse what cannot."""
    unknown = set(facts) - DESCRIBING
    if unknown:
        raise ValueError(f"unknown facts: {', '.join(sorted(unknown))}")
    blank = {"data": "unknown", "encoding": "unknown", "scaling": "unknown", "federation": "unknown", "parties": 2,
             "adversary": (), "attack": "unknown", "seed": 0, "asset": "labels"}  # fmt: skip
    try:
        Finding(**{**blank, **facts})
    except ValidationError as error:
        raise ValueError(f"facts: {first_complaint(error)}") from error
    return dict(facts)


def _public_facts(transcript: Transcript) -> dict[str, Any]:
    terms = transcript.agreement
    settings = dict(terms.settings)
    return {
        "data": "unknown",
        "federation": terms.federation,
        "model_settings": settings,
        "parties": len(terms.parties),
        "seed": 0,
    }


def _bare(transcript: Transcript, adversaries: tuple[str, ...]) -> Knowledge:
    spoken = [message.rows for message in transcript.messages if message.epoch >= 0]
    train = np.unique(np.concatenate(spoken)) if spoken else np.zeros(0, dtype=np.int64)
    chosen = adversaries or transcript.agreement.passive[-1:]
    return Knowledge(threat=ThreatModel(adversaries=chosen), train=train)


def _knowledge(index: Mapping[str, Any], arrays: Mapping[str, Array], classes: int) -> Knowledge:
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
            classes=classes,
            limits=arrays.get(f"own.{number}.limits"),
            text=TextShape(**entry["text"]) if entry.get("text") else None,
            train=arrays["train"],  # who takes part is known to everybody
            asked=index["threat"].get("property") is not None,
        )
    threat = {**index["threat"], "adversaries": tuple(index["threat"]["adversaries"])}
    if threat.get("auxiliary") is not None:
        threat["auxiliary"] = Auxiliary(**threat["auxiliary"])
    others = index.get("others", {})
    granted: dict[str, dict[str, Array]] = {
        kind: {
            party: arrays[f"others.{number}.{kind}"]
            for number, party in enumerate(others)
            if f"others.{number}.{kind}" in arrays
        }
        for kind in ("values", "means")
    }
    return Knowledge(
        threat=ThreatModel(**threat),
        own=own,
        train=arrays["train"],
        new=arrays["new"],
        known_rows=arrays["known_rows"],
        known_labels=arrays["known_labels"],
        value_rows=arrays.get("value_rows", np.zeros(0, dtype=np.int64)),
        others={
            party: PublicColumns(
                tuple(entry["names"]), arrays[f"others.{number}.limits"], tuple(entry.get("attributes", ()))
            )
            for number, (party, entry) in enumerate(others.items())
        },
        values=granted["values"],
        means=granted["means"],
        auxiliary=_auxiliary(arrays),
    )


def _auxiliary(arrays: Mapping[str, Array]) -> KnownRows | None:
    if not any(f"auxiliary.{name}" in arrays for name in AUXILIARY):
        return None
    rows, source, has = (arrays[f"auxiliary.{name}"] for name in AUXILIARY)
    exhausted = bool(arrays["auxiliary.exhausted"].any()) if "auxiliary.exhausted" in arrays else False
    return KnownRows(rows, source, has.astype(np.bool_), exhausted=exhausted)
