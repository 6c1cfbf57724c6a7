"""An audit of a run that is over: everything that applies is tried, and the usual report is written."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.attacks import ATTACKS
from seepage.audit.findings.finding import FINDINGS_FILE, Finding
from seepage.audit.findings.folder import (
    CELLS_FOLDER,
    PLAN_FILE,
    REPORT_FILE,
    AuditFolder,
    check_folder,
)
from seepage.audit.findings.locks import alone_in
from seepage.audit.findings.notes import NOTES_FILE, RECORDING, Notes
from seepage.audit.findings.unfinished import UNFINISHED_FILE
from seepage.audit.recordings.applying import Tried, missing, tried
from seepage.audit.recordings.guess_file import write_guess
from seepage.audit.recordings.recorded_run import RecordedRun, read_runs
from seepage.audit.stages.attacking import Outcome, attack_run, circumstances_of, not_applicable
from seepage.audit.stages.chaining import Memory
from seepage.audit.stages.choosing import Candidate, picked, weighed
from seepage.audit.stages.work import Evidence
from seepage.errors import BadOutput
from seepage.files import private_folder
from seepage.guesses import Guess, LabelGuess
from seepage.reasons import Refused, of_a_recording
from seepage.transcript.storage import is_closed

GUESSES: Final = "guesses"
UNSCORED: Final = (
    "The truth is not known, so no guess is scored. Guesses lie in the folder guesses, for whoever can check them; how "
    "sure each adversary is of its own stands with the findings (confidence, evidence)."
)
OPEN: Final = "The recording was not closed: what was written before it broke off was attacked."

Told = Callable[[str, str], None]


def _silent(who: str, attack: str) -> None:
    del who, attack


@dataclass(frozen=True)
class RecordingAudit:
    """What is to be audited, and by whom.

    Parameters
    ----------
    folder
        What a recorder or an audit wrote.
    adversaries
        Who is curious; by default every party whose knowledge was recorded, each by itself.
    attacks
        What is tried; by default everything that applies.
    truth
        What to score against, where it does not lie with the recording.
    """

    folder: Path
    adversaries: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    truth: Path | None = None

    def run(self, out: Path, told: Told = _silent) -> list[Finding]:
        """Try what applies, store the findings in a folder, and return them; guesses where nothing can be scored."""
        for name in self.attacks:
            ATTACKS.entry(name)
        if (out / PLAN_FILE).is_file():
            raise BadOutput(f"{out} holds an audit that trains federations. Choose another --out for a recording.")
        runs = read_runs(self.folder, self.adversaries, self.truth)
        with alone_in(out, inside=private_folder(private_folder(check_folder(out)) / CELLS_FOLDER)):
            for name in (FINDINGS_FILE, NOTES_FILE, REPORT_FILE, UNFINISHED_FILE):
                (out / name).unlink(missing_ok=True)
            for earlier in (out / GUESSES).glob("*.parquet"):
                earlier.unlink()
            findings = [finding for run in runs for finding in self._attacked(run, out, told)]
            unscored = (UNSCORED,) if runs[0].truth is None else ()
            broken = () if is_closed(self.folder) else (OPEN,)
            lacking = missing(self.folder, runs[0].transcript)
            AuditFolder(out).finish(findings, Notes((RECORDING, *unscored, *broken, *lacking)))
        return findings

    def _attacked(self, run: RecordedRun, out: Path, told: Told) -> Iterator[Finding]:
        """Yield what one adversary finds, and what it would claim had it picked its attack by its own evidence."""
        memory, seed = Memory(), run.surroundings.seed
        candidates: list[Candidate] = []
        findings: list[Finding] = []
        for number, one in enumerate(tried(run, self.attacks) if self.attacks else _to_learn(run)):
            told(" and ".join(run.knowledge.threat.adversaries), one.name)
            outcome = _outcome(run, one, memory)
            finding = outcome.finding
            if run.truth is None and outcome.guess is not None:
                finding = _unscored(finding, outcome.guess)
                write_guess(outcome.guess, _guess_file(out, finding.adversary, one.name, number))
            findings.append(finding)
            weighs = one.attack.rows == "train" and one.attack.role == "attack" and outcome.guess is not None
            key = str(number) if weighs else None
            candidates.append(Candidate(one.name, one.attack, run.knowledge, outcome, run.truth, key))
        evidence = dict(weighed(candidates, seed, memory))
        checked = [
            (_with_evidence(finding, evidence.get(candidate.key or "")), evidence.get(candidate.key or ""))
            for finding, candidate in zip(findings, candidates, strict=True)
        ]
        yield from (finding for finding, _ in checked)
        if run.truth is not None:
            yield from picked([(finding, found) for finding, found in checked if found is not None])


def _to_learn(run: RecordedRun) -> tuple[Tried, ...]:
    """Return all attacks but those on what the adversary holds itself, and on properties where nobody asked for one."""
    threat, active = run.knowledge.threat, run.transcript.agreement.active
    held = {"labels"} if active in threat.adversaries else set()
    held |= {"properties"} if threat.property is None else set()
    every = tuple(tried(run))
    return tuple(one for one in every if one.attack.steals not in held) or every


def _outcome(run: RecordedRun, one: Tried, memory: Memory) -> Outcome:
    """Attack once, or say why that cannot be, in words for a run that is over."""
    if one.reason is not None:
        circumstances = circumstances_of(run.surroundings, one.attack, one.name, run.knowledge.threat)
        return Outcome(not_applicable(circumstances, Refused(of_a_recording(one.reason)), run.account))
    outcome = attack_run(run, one.attack, one.name, memory)
    if outcome.finding.status != "not applicable":
        return outcome
    said = of_a_recording(Refused(str(outcome.finding.reason)))
    return replace(outcome, finding=outcome.finding.model_copy(update={"reason": said}))


def _guess_file(out: Path, adversary: tuple[str, ...], attack: str, number: int) -> Path:
    """Return where a guess is put; names are other people's, and stay inside the folder."""
    who = re.sub(r"[^\w-]", "_", "-".join(adversary))[:60]
    return out / GUESSES / f"{who}-{number}-{attack}.parquet"


def _unscored(finding: Finding, guess: Guess) -> Finding:
    """Say how sure the adversary is itself, where nobody can say how right it is."""
    if not isinstance(guess, LabelGuess) or not len(guess.rows):
        return finding
    scores = np.clip(guess.scores, 0.0, None)
    surest = scores.max(axis=1) / np.maximum(scores.sum(axis=1), np.finfo(np.float64).tiny)
    named = ~guess.abstained
    told: dict[str, Any] = {"named": float(named.mean())}
    if named.any():
        told["confidence"] = float(surest[named].mean())
    return finding.model_copy(update={"other_metrics": {**finding.other_metrics, **told}})


def _with_evidence(finding: Finding, evidence: Evidence | None) -> Finding:
    """Add what the adversary could check itself, on rows whose label or values it knows."""
    if finding.value is not None or evidence is None or evidence.state != "checked":
        return finding
    return finding.model_copy(update={"other_metrics": {**finding.other_metrics, "evidence": evidence.first}})
