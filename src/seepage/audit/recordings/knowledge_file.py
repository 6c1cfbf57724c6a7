"""What one adversary knows besides messages, on disk: a file of its own for each adversary, and nothing else in it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.errors import BadTranscript
from seepage.files import write_private
from seepage.layouts import layout_from_json, layout_to_json
from seepage.partition import OwnPart, PublicColumns
from seepage.shapes import Array
from seepage.transcript.arrays import read_arrays, write_arrays
from seepage.transcript.storage import VERSION, read_index
from seepage.views import Auxiliary, Knowledge, KnownRows, ThreatModel

KNOWLEDGE_FILE: Final = "knowledge.json"
AUXILIARY: Final = ("rows", "source", "has")
ROW_ARRAYS: Final = ("train", "new", "known_rows", "known_labels", "value_rows")


@dataclass(frozen=True, eq=False)
class KnowledgeFile:
    """One file about one adversary, of which its index alone was read."""

    path: Path
    index: Mapping[str, Any]

    @property
    def adversaries(self) -> frozenset[str]:
        """Whose knowledge it is; nobody's where the file does not say so."""
        try:
            return frozenset(map(str, self.index["threat"]["adversaries"]))
        except (KeyError, TypeError):
            return frozenset()

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a finding says about the run besides."""
        facts = self.index.get("facts", {})
        if not isinstance(facts, dict):
            raise ValueError("facts must be a table")
        return facts

    def read(self, classes: int) -> Knowledge:
        """Read all of it; a ValueError, or what Python raises where a field is not there, says what does not fit."""
        arrays = read_arrays(_arrays_file(self.path))
        return _knowledge(self.index, {name: _plain(name, array) for name, array in arrays.items()}, classes)

    def refused(self, error: Exception) -> BadTranscript:
        """Say that it cannot be used."""
        said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        return BadTranscript(
            f"{self.path} and {_arrays_file(self.path).name} do not fit together ({said}). Store the run again."
        )


def knowledge_files(folder: Path) -> Iterator[KnowledgeFile]:
    """Yield the files about all adversaries: ``knowledge.json``, then ``knowledge.1.json`` and so on."""
    number = 0
    while (path := _index_file(folder, number)).is_file():
        yield KnowledgeFile(path, read_index(path))
        number += 1


def write_knowledge(knowledge: Knowledge, facts: Mapping[str, Any], folder: Path, number: int = 0) -> None:
    """Store what one adversary knows; the arrays come first, so that whatever the index speaks of is there."""
    arrays: dict[str, Array] = {name: getattr(knowledge, name) for name in ROW_ARRAYS}
    own = {}
    for place, (party, part) in enumerate(knowledge.own.items()):
        arrays |= {f"own.{place}.features": part.features, f"own.{place}.attributes": part.attributes}
        if part.labels is not None:
            arrays[f"own.{place}.labels"] = part.labels
        if part.limits is not None:
            arrays[f"own.{place}.limits"] = part.limits
        own[party] = {"columns": part.columns, "names": part.names, **layout_to_json(part.layout)}
    if (known := knowledge.auxiliary) is not None:
        arrays |= {
            "auxiliary.rows": known.rows,
            "auxiliary.source": known.source,
            "auxiliary.has": known.has.astype(np.uint8),
            "auxiliary.exhausted": np.array([known.exhausted], dtype=np.uint8),
        }
    others = {}
    for place, (party, public) in enumerate(knowledge.others.items()):
        arrays[f"others.{place}.limits"] = public.limits
        for granted in ("values", "means"):
            if party in getattr(knowledge, granted):
                arrays[f"others.{place}.{granted}"] = getattr(knowledge, granted)[party]
        others[party] = {"names": public.names, "attributes": public.attributes}
    index = {
        "version": VERSION,
        "threat": asdict(knowledge.threat),
        "own": own,
        "others": others,
        "facts": dict(facts),
    }
    path = _index_file(folder, number)
    write_arrays(arrays, _arrays_file(path))
    write_private(path, json.dumps(index, indent=1))


def _index_file(folder: Path, number: int) -> Path:
    return folder / (KNOWLEDGE_FILE if number == 0 else f"knowledge.{number}.json")


def _arrays_file(index: Path) -> Path:
    return index.with_suffix(".safetensors")


def _knowledge(index: Mapping[str, Any], arrays: Mapping[str, Array], classes: int) -> Knowledge:
    own = {
        party: _part(party, place, entry, index, arrays, classes)
        for place, (party, entry) in enumerate(index["own"].items())
    }
    others = index.get("others", {})
    granted: dict[str, dict[str, Array]] = {
        kind: {
            party: arrays[f"others.{place}.{kind}"]
            for place, party in enumerate(others)
            if f"others.{place}.{kind}" in arrays
        }
        for kind in ("values", "means")
    }
    return Knowledge(
        threat=_threat(index["threat"]),
        own=own,
        train=arrays["train"],
        new=arrays["new"],
        known_rows=arrays["known_rows"],
        known_labels=arrays["known_labels"],
        value_rows=arrays.get("value_rows", np.zeros(0, dtype=np.int64)),
        others={
            party: PublicColumns(
                _texts(entry["names"]),
                arrays.get(f"others.{place}.limits", np.zeros((0, 2))),
                _texts(entry.get("attributes", [])),
            )
            for place, (party, entry) in enumerate(others.items())
        },
        values=granted["values"],
        means=granted["means"],
        auxiliary=_auxiliary(arrays),
    )


def _plain(name: str, array: Array) -> Array:
    """Return whole numbers in 64 bits, however they were written: rows, classes and places."""
    return array.astype(np.int64, copy=False) if array.dtype.kind in "iu" and name != "auxiliary.has" else array


def _part(
    party: str,
    place: int,
    entry: Mapping[str, Any],
    index: Mapping[str, Any],
    arrays: Mapping[str, Array],
    classes: int,
) -> OwnPart:
    return OwnPart(
        party=party,
        columns=_texts(entry["columns"]),
        features=arrays[f"own.{place}.features"],
        names=_texts(entry["names"]),
        attributes=arrays[f"own.{place}.attributes"],
        labels=arrays.get(f"own.{place}.labels"),
        layout=layout_from_json(entry),
        classes=classes,
        limits=arrays.get(f"own.{place}.limits"),
        train=arrays["train"],  # who takes part is known to everybody
        asked=index["threat"].get("property") is not None,
    )


def _threat(told: Mapping[str, Any]) -> ThreatModel:
    threat = {**told, "adversaries": _texts(told["adversaries"])}
    if (asked := threat.get("auxiliary")) is not None:
        if type(asked.get("aligned", True)) is not bool or type(asked.get("rows")) not in {int, type(None)}:
            raise ValueError("auxiliary must say how many rows as a whole number, and aligned as true or false")
        threat["auxiliary"] = Auxiliary(**asked)
    if not all(type(threat.get(name, True)) is bool for name in ("model", "predictions", "means", "complete")):
        raise ValueError("model, predictions, means and complete must be true or false")
    counts = [threat.get(name, 0) for name in ("labels_per_class", "known_values")]
    if not all(type(count) is int for count in counts):
        raise ValueError("labels_per_class and known_values must be whole numbers")
    if not isinstance(threat.get("property"), str | None):
        raise ValueError("a property must be a text, COLUMN=VALUE")
    return ThreatModel(**threat)


def _texts(names: Any) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("names must be a list of texts")
    return tuple(names)


def _auxiliary(arrays: Mapping[str, Array]) -> KnownRows | None:
    if not any(f"auxiliary.{name}" in arrays for name in AUXILIARY):
        return None
    rows, source, has = (arrays[f"auxiliary.{name}"] for name in AUXILIARY)
    exhausted = bool(arrays["auxiliary.exhausted"].any()) if "auxiliary.exhausted" in arrays else False
    return KnownRows(rows, source, has.astype(np.bool_), exhausted=exhausted)
