"""A run that can be attacked again: in memory or on disk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import ValidationError

from seepage.audit.findings.circumstances import Account, Surroundings, described
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.settings import first_complaint
from seepage.audit.recordings.knowledge_checks import check_knowledge
from seepage.audit.recordings.knowledge_file import KnowledgeFile, knowledge_files, write_knowledge
from seepage.audit.scoring.truth import Truth, read_truth
from seepage.errors import BadTranscript, UnknownName
from seepage.transcript import Transcript
from seepage.transcript.arrays import read_arrays, write_arrays
from seepage.transcript.storage import read_transcript, whole_folder, write_transcript
from seepage.views import Knowledge, ThreatModel

TRUTH_FILE: Final = "truth.safetensors"
LIKELY_CLASSES: Final = 1000
"""More classes than this have a row each, or their number is a slip."""
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
        write_knowledge(run.knowledge, {**run.surroundings.facts(), **run.account.facts()}, scratch)
        if run.truth is not None:
            write_arrays(run.truth.arrays(), scratch / TRUTH_FILE)


def read_run(folder: Path, adversaries: tuple[str, ...] = ()) -> RecordedRun:
    """Read a stored run as one adversary holds it; only the transcript itself must be there.

    Without stored knowledge, or for another adversary than the stored ones, the adversary holds messages alone.
    """
    return read_runs(folder, adversaries)[0]


def read_runs(folder: Path, adversaries: tuple[str, ...] = (), truth: Path | None = None) -> tuple[RecordedRun, ...]:
    """Read a stored run once as each adversary holds it whose knowledge was stored, or as one of them does.

    Parameters
    ----------
    adversaries
        Who is asked about: one party, or several that collude.
    truth
        What to score against, where it does not lie with the run.
    """
    if not folder.is_dir():
        raise BadTranscript(f"{folder} is not a folder. Give the folder that a run was stored in.")
    transcript = read_transcript(folder)
    for name in adversaries:
        if name not in transcript.agreement.parties:
            raise UnknownName("party", name, known=transcript.agreement.parties)
    files = list(knowledge_files(folder))
    facts: dict[str, Any] = {}
    held: list[Knowledge] = []
    for file in files:
        try:
            facts = facts or check_facts(file.facts)
            if not adversaries or file.adversaries & set(adversaries):
                held.append(_checked(file, transcript))
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise file.refused(error) from error
    known = _asked_for(held, adversaries, transcript, files)
    rows = 1 + max(
        [*_spoken(transcript), *(int(one.max(initial=-1)) for have in known for one in (have.train, have.new))]
    )
    if (classes := transcript.agreement.classes) > max(LIKELY_CLASSES, rows):
        raise BadTranscript(
            f"{folder} speaks of {classes} classes, but of {rows} rows at most. Say how many there are."
        )
    path = truth or (folder / TRUTH_FILE)
    true = None
    if truth is not None or path.is_file():
        if not path.is_file():
            raise BadTranscript(f"{path} is not a file. Give the file that holds the truth.")
        true = read_truth(read_arrays(path), str(path), classes=transcript.agreement.classes, rows=rows)
    surroundings, account = described({**_public_facts(transcript, known), **facts})
    return tuple(RecordedRun(transcript, one, true, surroundings, account) for one in known)


def _checked(file: KnowledgeFile, transcript: Transcript) -> Knowledge:
    knowledge = file.read(transcript.agreement.classes)
    check_knowledge(knowledge, transcript)
    return knowledge


def _asked_for(
    held: Sequence[Knowledge], adversaries: tuple[str, ...], transcript: Transcript, files: Sequence[KnowledgeFile]
) -> tuple[Knowledge, ...]:
    """Return what each adversary knows that is asked about."""
    if not files:
        return (_bare(transcript, adversaries),)
    if not adversaries:
        return tuple(held)
    exact = [one for one in held if set(one.threat.adversaries) == set(adversaries)]
    if exact:
        return (exact[0],)
    members = [one for one in held if set(one.threat.adversaries) < set(adversaries)]
    if {name for one in members for name in one.threat.adversaries} == set(adversaries):
        return (reduce(_together, members),)
    first = held[0] if held else files[0].read(transcript.agreement.classes)
    return (Knowledge(threat=ThreatModel(adversaries=adversaries), train=first.train, new=first.new),)


def _together(one: Knowledge, other: Knowledge) -> Knowledge:
    """Return what two adversaries know who collude: all columns of both, and the labels that either knows."""
    names = (*one.threat.adversaries, *other.threat.adversaries)
    strangers = [party for party in one.others if party not in names]
    more = ~np.isin(other.known_rows, one.known_rows)
    return replace(
        one,
        threat=replace(one.threat, adversaries=names),
        own={**one.own, **other.own},
        known_rows=np.concatenate((one.known_rows, other.known_rows[more])),
        known_labels=np.concatenate((one.known_labels, other.known_labels[more])),
        others={party: one.others[party] for party in strangers},
        values={party: one.values[party] for party in strangers if party in one.values},
        means={party: one.means[party] for party in strangers if party in one.means},
    )


def _spoken(transcript: Transcript) -> list[int]:
    """Return the largest row number of each message."""
    return [int(message.rows.max(initial=-1)) for message in transcript.messages] or [-1]


def check_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
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
    if facts.get("parties", 2) < 2 or facts.get("seed", 0) < 0:
        raise ValueError("facts: there are two parties or more, and seeds from 0 on")
    return dict(facts)


def _public_facts(transcript: Transcript, known: Sequence[Knowledge]) -> dict[str, Any]:
    """Return what every party knows of a run, and who holds which columns, as far as anybody said."""
    terms = transcript.agreement
    settings = dict(terms.settings)
    columns: dict[str, list[str]] = {terms.active: []}
    for one in known:
        columns |= {
            party: list(dict.fromkeys(public.attributes or public.names)) for party, public in one.others.items()
        }
    for one in known:
        columns |= {party: list(part.columns) for party, part in one.own.items()}
    return {
        "partition": {
            "active": terms.active,
            "columns": {name: columns[name] for name in terms.parties if name in columns},
        },
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
