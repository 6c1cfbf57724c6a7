"""What one side keeps of a rehearsal, so that the same command goes on where it was stopped."""

import hashlib
import io
import json
import secrets
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.audit.findings.finding import FINDINGS_FILE
from seepage.audit.findings.folder import REPORT_FILE
from seepage.audit.findings.locks import alone_in
from seepage.errors import BadMessage, BadOutput
from seepage.files import check_file, check_place, private_folder, write_private
from seepage.rehearsal.claims import NONCE, Sealed
from seepage.rehearsal.plan import RehearsalPlan
from seepage.rehearsal.words import Outcome, Worth
from seepage.shapes import Rows

KEPT: Final = "rehearsal"
KEY_FILE: Final = "secret"
"""What a party's chance is keyed with: it never leaves this folder."""
ABOUT: Final = "about.json"
SHARED: Final = "shared.json"
TOLD: Final = "told.json"
DEALT: Final = "dealt.json"
PLAYS: Final = "plays.json"
OPENED: Final = "opened"
"""Says that claims were opened: from then on no turn is played again."""


@dataclass(frozen=True, eq=False)
class Played:
    """One turn as this side remembers it once both sides have committed themselves.

    Parameters
    ----------
    own
        How this side's own attempts ended, by number, with the findings they become once they are scored.
    sealed
        The claims behind them, by victim.
    theirs
        How the attempts of others against this side ended, by number.
    worth
        What the joint model was worth.
    kept
        What the findings of all attempts say besides, such as what crossed.
    """

    own: dict[int, Outcome] = field(default_factory=dict)
    findings: dict[int, dict[str, Any]] = field(default_factory=dict)
    sealed: dict[tuple[int, str], Sealed] = field(default_factory=dict)
    theirs: dict[int, Outcome] = field(default_factory=dict)
    worth: Worth = Worth()
    kept: dict[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Write it as an archive that nothing in it can run."""
        held = {
            "own": {number: one.model_dump(mode="json") for number, one in self.own.items()},
            "theirs": {number: one.model_dump(mode="json") for number, one in self.theirs.items()},
            "findings": self.findings,
            "worth": self.worth.model_dump(mode="json"),
            "kept": self.kept,
        }
        with io.BytesIO() as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("turn.json", json.dumps(held))
                for (number, victim), sealed in self.sealed.items():
                    archive.writestr(f"{number}/{victim}", sealed.nonce + sealed.data)
            return file.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Played":
        """Read what `to_bytes` wrote."""
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            held = json.loads(archive.read("turn.json"))
            claims = {tuple(name.split("/", 1)): archive.read(name) for name in archive.namelist() if "/" in name}

        def outcomes(name: str) -> dict[int, Outcome]:
            return {int(number): Outcome.model_validate_json(json.dumps(one)) for number, one in held[name].items()}

        return cls(
            own=outcomes("own"),
            findings={int(number): one for number, one in held["findings"].items()},
            sealed={
                (int(number), victim): Sealed(data[NONCE:], data[:NONCE]) for (number, victim), data in claims.items()
            },
            theirs=outcomes("theirs"),
            worth=Worth.model_validate_json(json.dumps(held["worth"])),
            kept=held["kept"],
        )


@dataclass(frozen=True)
class RehearsalFolder:
    """Where one side keeps its secret, which rows are shared, and the turns that are over; its owner alone reads it."""

    path: Path

    @property
    def inside(self) -> Path:
        """Where all that is kept lies."""
        return self.path / KEPT

    @property
    def secret(self) -> str:
        """What this side's chance is keyed with, made once: a turn that is repeated says the same again."""
        file = self.inside / KEY_FILE
        if not file.exists():
            write_private(file, secrets.token_hex(32))
        return file.read_text(encoding="ascii")

    def shared(self) -> tuple[str, Rows] | None:
        """Return under which session which of the own rows are shared, in the common order; None before that."""
        held = self._json(SHARED)
        return None if held is None else (str(held["session"]), np.array(held["rows"], dtype=np.int64))

    def keep_shared(self, session: str, rows: Rows) -> None:
        """Remember which rows are shared; nothing that was done with others is forgotten for it."""
        if self.done() or self.told() is not None:
            raise BadOutput(f"{self.path} holds turns that were played with other rows. Choose another --out.")
        for old in (DEALT, PLAYS):
            (self.inside / old).unlink(missing_ok=True)
        write_private(self.inside / SHARED, json.dumps({"session": session, "rows": rows.tolist()}))

    def keep_dealt(self, seed: int, digest: str) -> None:
        """Remember how the rows of a seed were dealt; another way is refused, since each would tell more."""
        dealt = self._json(DEALT) or {}
        if dealt.setdefault(str(seed), digest) != digest:
            raise BadMessage("Rows were dealt in another way than before.")
        write_private(self.inside / DEALT, json.dumps(dealt))

    def played_again(self, turn: int) -> int:
        """Count that a turn is begun, and return how often it was: noise is drawn anew each time."""
        plays = self._json(PLAYS) or {}
        plays[str(turn)] = plays.get(str(turn), 0) + 1
        write_private(self.inside / PLAYS, json.dumps(plays))
        return int(plays[str(turn)])

    def plays(self, turn: int) -> int:
        """Return how often a turn was begun."""
        return int((self._json(PLAYS) or {}).get(str(turn), 0))

    @property
    def opened(self) -> bool:
        """Whether claims were opened."""
        return (self.inside / OPENED).exists()

    def open(self) -> None:
        """Remember that claims are opened."""
        if not self.opened:
            write_private(self.inside / OPENED, "")

    def done(self) -> tuple[int, ...]:
        """Return the numbers of the turns that are over."""
        return tuple(sorted(int(path.stem) for path in self._turns()))

    def keep(self, turn: int, played: Played) -> None:
        """Remember a turn, whole or not at all."""
        write_private(self.inside / f"{turn}.turn", played.to_bytes())

    def played(self, turn: int) -> Played:
        """Return a turn that is over."""
        path = self.inside / f"{turn}.turn"
        try:
            return Played.from_bytes(path.read_bytes())
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise BadOutput(f"{path} cannot be read. Remove it, and the turn is played again.") from error

    def told(self) -> list[Any] | None:
        """Return what was said once of all that others reached; None before that."""
        held = self._json(TOLD)
        return None if held is None else list(held["told"])

    def keep_told(self, told: list[Any]) -> None:
        """Remember what was said of what others reached: it is said once, and no other way again."""
        write_private(self.inside / TOLD, json.dumps({"told": told}))

    def _turns(self) -> list[Path]:
        return list(self.inside.glob("*.turn"))

    def _json(self, name: str) -> Any:
        path = self.inside / name
        if not path.exists():
            return None
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise BadOutput(f"{path} cannot be read. Choose another --out to begin anew.") from error


@contextmanager
def open_rehearsal(path: Path, plan: RehearsalPlan, party: str, checksum: str) -> Iterator[RehearsalFolder]:
    """Take a folder for one side of one rehearsal; refuse one that holds another.

    Findings and a report of before are removed first: were this one killed, they would pass for its own.
    """
    for name in (FINDINGS_FILE, REPORT_FILE):
        check_file(check_place(path) / name)
    inside = private_folder(private_folder(path) / KEPT)
    with alone_in(path, inside=inside):
        mine = {"plan": plan.digest, "party": party, "table": hashlib.sha256(checksum.encode()).hexdigest()}
        about = inside / ABOUT
        if about.exists() and about.read_text(encoding="utf-8") != json.dumps(mine):
            raise BadOutput(
                f"{path} holds a rehearsal of another plan, party or table. Choose another --out to begin anew."
            )
        write_private(about, json.dumps(mine))
        for name in (FINDINGS_FILE, REPORT_FILE):
            (path / name).unlink(missing_ok=True)
        yield RehearsalFolder(path)
