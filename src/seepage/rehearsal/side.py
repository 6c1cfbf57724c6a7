"""What one party needs to take part: its table, its folder, its chance, and each turn as it sees it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from seepage.audit.scoring.visible_bounds import seen_nodes
from seepage.audit.stages.chaining import recording
from seepage.data import Split
from seepage.errors import BadMessage, BadSetting
from seepage.hooks import Hook, Tampering, begin
from seepage.partition import OwnPart, PublicColumns
from seepage.randomness import stream
from seepage.rehearsal.adversary import Scene
from seepage.rehearsal.attempts import Attempt, attempts_of
from seepage.rehearsal.folder import RehearsalFolder
from seepage.rehearsal.grants import Telling, knowledge_of, telling
from seepage.rehearsal.plan import RehearsalPlan, Turn
from seepage.rehearsal.table import OwnTable
from seepage.rehearsal.words import Columns
from seepage.shapes import Array, Rows
from seepage.transcript import Agreement, Recording


@dataclass(frozen=True, eq=False)
class Dealt:
    """The rows of one seed, encoded."""

    part: OwnPart
    test: Rows


@dataclass(eq=False)
class Side:
    """One party of a rehearsal, whichever end of the links it stands at.

    Parameters
    ----------
    table
        Its own table, all of it.
    consents
        The names of the turns that it consents to.
    """

    plan: RehearsalPlan
    table: OwnTable
    folder: RehearsalFolder
    consents: frozenset[str]
    _dealt: dict[int, Dealt] = field(default_factory=dict, repr=False)
    _few: OwnTable | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Whose side it is."""
        return self.table.party

    def chance(self, seed: int, *purpose: str) -> Generator:
        """Return a generator that nobody else can make again."""
        return stream(seed, *purpose, self.name, secret=self.folder.secret)

    @property
    def few(self) -> OwnTable:
        """The shared rows that take part, in the common order."""
        if self._few is None:
            shared = self.folder.shared()
            if shared is None:
                raise BadMessage(f"'{self.name}' does not know yet which rows are shared.")
            self._few = self.table.shared(self.plan, shared[1], self.chance(0, "decoys"))
        return self._few

    @property
    def unchanged(self) -> float:
        """Which share of the labels that take part are the true ones; less than all where they are decoys."""
        shared = self.folder.shared()
        assert shared is not None
        few = self.few.table.labels
        return float(np.mean(self.table.table.labels[shared[1][: len(few)]] == few))

    @property
    def shared_rows(self) -> int:
        """How many rows all parties share."""
        shared = self.folder.shared()
        return 0 if shared is None else len(shared[1])

    def begin_anew(self, session: str, rows: Rows) -> None:
        """Remember which rows are shared, and forget what was made of others."""
        self.folder.keep_shared(session, rows)
        self._few = None
        self._dealt.clear()

    def deal(self, seed: int, train: Rows, test: Rows) -> Dealt:
        """Encode the rows of one seed."""
        rows = np.concatenate((train, test))
        fits = train.dtype == test.dtype == np.int64 and train.ndim == test.ndim == 1 and len(train) and len(test)
        if not fits or not np.array_equal(np.sort(rows), np.arange(self.few.table.rows)):
            raise BadMessage("Rows were dealt that are not those that are shared, each once.")
        if abs(len(test) - self.plan.test * len(rows)) > 1:
            raise BadMessage(f"{len(test)} of {len(rows)} rows were set aside, and not {self.plan.test:.0%} of them.")
        self.folder.keep_dealt(seed, hashlib.sha256(np.sort(test).tobytes()).hexdigest())
        self._dealt[seed] = Dealt(self.few.part(self.plan, Split(np.sort(train), np.sort(test))), np.sort(test))
        return self._dealt[seed]

    def dealt(self, seed: int) -> Dealt:
        """Return the rows of one seed, once they were dealt."""
        if seed not in self._dealt:
            raise BadMessage(f"Nobody has dealt the rows of seed {seed} yet.")
        return self._dealt[seed]

    def columns(self, seed: int) -> tuple[Columns, dict[str, Array]]:
        """Return what is told of the own columns, and the array beside."""
        part = self.dealt(seed).part
        if not self.plan.columns:
            return Columns(properties=tuple(part.properties)), {}
        public = part.public
        told = Columns(names=public.names, attributes=public.attributes, properties=tuple(part.properties))
        return told, {"limits": public.limits}

    def hook(self, turn: Turn, part: OwnPart) -> Hook:
        """Start the defense of a turn on the own part: with chance of its own each time that the turn is played."""
        if turn.defending is None:
            return Hook()
        play = f"{turn.number}.{self.folder.plays(turn.number)}"
        return begin(turn.defending, part, self.chance(turn.seed, "defense", play))

    def scene(
        self,
        turn: Turn,
        train: Rows,
        holders: Mapping[str, str],
        held: Mapping[str, Sequence[str]],
        others: Mapping[str, Telling] | None = None,
    ) -> Scene:
        """Return a turn as this side sees it, with the rows that train."""
        dealt = self.dealt(turn.seed)
        part = replace(dealt.part, train=train)
        own = telling(self.plan, turn.seed, dealt.part, dealt.test, self.folder.secret, train)
        tried = attempts_of(self.plan, turn, holders)
        told = {self.name: own, **(others or {})}
        return Scene(self.plan, turn, part, dealt.test, told, tried, dealt.part.rows, dict(held))

    def tampering(self, scene: Scene) -> Tampering:
        """Return what this side does besides, in a turn in which it misbehaves."""
        if scene.turn.tampering is None or scene.turn.tampering[1] != self.name:
            return Tampering()
        (attempt,) = scene.own_attempts
        begin_tampering = attempt.attack.tampering
        assert begin_tampering is not None
        known = knowledge_of(
            self.plan, scene.turn.seed, attempt, scene.tellings, scene.before, scene.part.rows, scene.test, scene.part
        )
        return begin_tampering(known, stream(scene.turn.seed, "tampering", attempt.attack.name, self.name))


def recorded(scene: Scene, terms: Agreement) -> Recording:
    """Return what one side keeps of a turn: what its attacks read, and what bounds are computed from."""
    kept = seen_nodes(terms)
    for one in scene.own_attempts:
        kept |= recording(one.attack)
    return kept


def public_columns(told: Columns, beside: Mapping[str, Array], who: str) -> PublicColumns:
    """Read what another party tells of its columns, or refuse what is no such thing."""
    limits = beside.get("limits", np.zeros((0, 2)))
    fits = limits.dtype == np.float64 and limits.shape == (len(told.names), 2) and bool(np.isfinite(limits).all())
    if not fits or len(set(told.names)) < len(told.names) or len(told.attributes) not in {0, len(told.names)}:
        raise BadMessage(f"'{who}' told something else of its columns than their names and ranges.")
    return PublicColumns(told.names, limits, told.attributes)


def attempt_of(scene: Scene, number: int, adversary: str) -> Attempt:
    """Return an attempt by its number; refuse one that is not its adversary's."""
    for one in scene.attempts:
        if one.number == number and one.adversary == adversary:
            return one
    raise BadMessage(f"'{adversary}' speaks of an attempt that the plan does not have.")


def refusal(side: Side, turn: Turn) -> str | None:
    """Say why a turn cannot be played with the own columns; None when it can."""
    try:
        part = side.dealt(turn.seed).part
        turn.built.check(part)
        side.hook(turn, part)
    except BadSetting as error:
        return str(error)
    return None
