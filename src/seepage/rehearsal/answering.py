"""The side without labels: it waits, and takes part in what it has consented to, turn after turn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from seepage.errors import BadMessage
from seepage.federations.dialogue import CarefulParty
from seepage.federations.recorded_party import RecordedParty
from seepage.federations.withdrawing import Withdrawing
from seepage.hooks import Hook
from seepage.links.alignment import Aligner, Ids
from seepage.links.connection import plain_words
from seepage.messages import Kind, Message, Party
from seepage.partition import PublicColumns
from seepage.rehearsal.adversary import Scene, Struck, outcome_for, strike
from seepage.rehearsal.claims import Sealed
from seepage.rehearsal.grants import heard_telling
from seepage.rehearsal.keeping import beside_of, keep, keep_silent, over, sealed_from, told_of, told_once
from seepage.rehearsal.plan import Turn
from seepage.rehearsal.side import Side, attempt_of, public_columns, recorded, refusal
from seepage.rehearsal.victim import Scored, scored
from seepage.rehearsal.waiting import Working
from seepage.rehearsal.words import (
    Answered,
    Ask,
    Beside,
    Commit,
    Committed,
    Deal,
    Done,
    End,
    FindShared,
    Grant,
    Granted,
    Heard,
    Hello,
    Nothing,
    Open,
    Prepare,
    Prepared,
    Request,
    Show,
    Skip,
    Strike,
    Tell,
    Told,
    Train,
    heard,
    reply,
)  # fmt: skip
from seepage.shapes import NO_ROWS, Rows
from seepage.transcript import Recorder

KNOWN: Final = "'{}' knows already which rows are shared. To begin anew, both sides choose another --out."
ANOTHER_PLAN: Final = "The plans differ. Compare the files: both sides need the same one."


@dataclass(eq=False)
class _Playing:
    """One turn while it is played."""

    turn: Turn
    hook: Hook
    withdrawing: Withdrawing | None = None
    scene: Scene | None = None
    party: RecordedParty[Any] | None = None
    striking: Working[dict[int, Struck]] | None = None

    @property
    def known(self) -> Scene:
        """The turn as this side sees it, once everybody has told what was agreed."""
        if self.scene is None:
            raise BadMessage(f"Nobody has told yet what is known in turn {self.turn.number}.")
        return self.scene


@dataclass(eq=False)
class Answering:
    """A party of a rehearsal that is asked: one request after the other, each only where it belongs.

    Parameters
    ----------
    version
        Of the program, which has to be the same on all sides.
    say
        Hears, in a few words, what happens.
    """

    side: Side
    version: str
    say: Callable[[str], None]
    ended: str | None = None
    told: tuple[Told, ...] | None = None
    """What the driver said of this side's own claims, once it was said."""
    against: dict[tuple[int, int], Scored] = field(default_factory=dict)
    """What others reached, by turn and attempt: exactly, for this side's own report."""
    _greeted: bool = False
    _aligning: tuple[str, Aligner] | None = None
    _below: Party | None = None
    _playing: _Playing | None = None
    _columns: dict[int, PublicColumns] = field(default_factory=dict)
    _holders: Mapping[str, str] = field(default_factory=dict)
    _held: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The party's name."""
        return self.side.name

    def answer(self, message: Message) -> Message:
        """Do what was asked, and reply."""
        if message.kind is not Kind.REHEARSAL:
            if self._below is None:
                raise BadMessage(f"'{message.sender}' sent a message of a federation that nobody has begun.")
            return self._below.answer(message)
        request, beside = heard(message)
        if not self._greeted and not isinstance(request, Hello | End):
            raise BadMessage(f"'{message.sender}' did not say first which plan it has.")
        self._check_time(request)
        self._leave_below(request)
        answer, arrays = self._answered(request, beside)
        return reply(message, answer, arrays)

    def _check_time(self, request: Request) -> None:
        """Refuse what comes too late: turns that are over stay as they are, but for the last one, and not once opened.

        The last one may have been kept here, and not where it is driven.
        """
        if not isinstance(request, Prepare | Grant | Train | Skip | Strike | Commit):
            return
        done = self.side.folder.done()
        if self.side.folder.opened or (request.turn in done and request.turn != max(done)):
            raise BadMessage(f"Turn {request.turn} is over.")

    def _leave_below(self, request: Request) -> None:
        """End what was going on below, once something else is asked."""
        if isinstance(request, Ask):
            return
        if self._aligning is not None and isinstance(request, Deal):
            session, aligner = self._aligning
            if aligner.rows is None:
                raise BadMessage("Rows were dealt before it was known which are shared.")
            self.side.begin_anew(session, aligner.rows)
            self._aligning = None
        self._below = None

    def _answered(self, request: Request, beside: Beside) -> tuple[Any, Beside]:
        match request:
            case Hello():
                return self._hello(request), {}
            case FindShared():
                if self.side.folder.shared() is not None or self._aligning is not None:
                    raise BadMessage(KNOWN.format(self.name))
                aligner = Aligner(Ids(self.name, self.side.table.table.ids.tolist(), most=self.side.plan.most_ids))
                self._aligning, self._below = (request.session, aligner), aligner
                self.say("finding shared rows")
                return Nothing(), {}
            case Deal():
                return self._deal(request, beside)
            case Prepare():
                return self._prepare(request), {}
            case Grant():
                return self._grant(request, beside)
            case Train():
                return self._train(request), {}
            case Skip():
                self._skip(request)
                return Nothing(), {}
            case Strike():
                self._strike(request)
                return Nothing(), {}
            case Ask():
                return Done(done=self._is_done(request)), {}
            case Commit():
                return self._commit(request), {}
            case Open():
                self._open(request, beside)
                return Nothing(), {}
            case Show():
                return Nothing(), beside_of(self._sealed(request))
            case Tell():
                return self._tell(request), {}
            case End():
                self.ended = f"'{self.side.plan.driver}' ended the rehearsal: {plain_words(request.reason)}"
                return Nothing(), {}

    def _hello(self, request: Hello) -> Heard:
        if request.plan != self.side.plan.digest:
            raise BadMessage(ANOTHER_PLAN)
        if request.version != self.version:
            raise BadMessage(f"'{self.name}' has version {self.version} of Seepage. Both sides need the same one.")
        self._greeted = True
        shared = self.side.folder.shared()
        return Heard(
            consents=tuple(sorted(self.side.consents)),
            session=shared[0] if shared is not None else None,
            done=self.side.folder.done(),
        )

    def _deal(self, request: Deal, beside: Beside) -> tuple[Any, Beside]:
        if request.seed not in self.side.plan.seeds:
            raise BadMessage(f"The plan has no seed {request.seed}.")
        if not self.side.consents:
            raise BadMessage(f"'{self.name}' has consented to nothing.")
        columns = public_columns(request.columns, beside, self.side.plan.driver)
        self.side.deal(request.seed, beside.get("train", NO_ROWS), beside.get("new", NO_ROWS))
        self._columns[request.seed] = columns
        return self.side.columns(request.seed)

    def _prepare(self, request: Prepare) -> Prepared:
        turn = self._turn(request.turn)
        strangers = set(request.holders.values()) - set(self.side.plan.parties)
        if strangers or not set(request.holders) <= set(self.side.plan.properties):
            raise BadMessage("Properties were told of that the plan does not have.")
        if not set(request.held) <= set(self.side.plan.parties):
            raise BadMessage("Columns were told of parties that the plan does not have.")
        self._holders, self._held, self._playing = request.holders, request.held, None
        if turn.name not in self.side.consents:
            return Prepared(refusal=f"'{self.name}' did not consent to {turn.name}.")
        stopped = refusal(self.side, turn)
        if stopped is not None:
            return Prepared(refusal=f"'{self.name}': {stopped}"[:1_000])
        part = self.side.dealt(turn.seed).part
        self.side.folder.played_again(turn.number)
        self._playing = _Playing(turn, self.side.hook(turn, part))
        if turn.withdraws:
            self._playing.withdrawing = Withdrawing(self.name, part.rows, self._playing.hook)
            self._below = self._playing.withdrawing
        self.say(f"turn {turn.number + 1} of {len(self.side.plan.turns)}: {turn.name}, seed {turn.seed}")
        return Prepared()

    def _train_rows(self, playing: _Playing) -> Rows:
        part = self.side.dealt(playing.turn.seed).part
        return playing.withdrawing.rows if playing.withdrawing is not None else part.rows

    def _grant(self, request: Grant, beside: Beside) -> tuple[Any, Beside]:
        playing, plan = self._at(request.turn), self.side.plan
        turn, train = playing.turn, self._train_rows(playing)
        columns, before = self._columns[turn.seed], self.side.dealt(turn.seed).part.rows
        theirs = heard_telling(plan, turn.seed, plan.driver, columns, request.people, beside, before, train)
        playing.scene = self.side.scene(turn, train, self._holders, self._held, {plan.driver: theirs})
        people, arrays = playing.scene.tellings[self.name].beside()
        return Granted(people=people), arrays

    def _train(self, request: Train) -> Nothing:
        playing = self._at(request.turn)
        turn, scene = playing.turn, playing.known
        rules = turn.rules(self.side.plan, len(self.side.few.table.ids))
        party = turn.built.party(
            scene.part,
            rules.terms,
            hook=playing.hook,
            tampering=self.side.tampering(scene),
            chance=self.side.chance(turn.seed, "federation"),
        )
        playing.party = RecordedParty(party, Recorder(recorded(scene, rules.terms), ciphertexts=rules.terms.encrypted))
        self._below = CarefulParty(playing.party, rules)
        return Nothing()

    def _skip(self, request: Skip) -> None:
        turn = self._turn(request.turn)
        scene = self.side.scene(turn, self.side.dealt(turn.seed).part.rows, self._holders, self._held)
        keep_silent(self.side, scene, request.status, plain_words(request.reason))
        self._playing = None

    def _strike(self, request: Strike) -> None:
        playing = self._at(request.turn)
        if playing.party is None or playing.striking is not None:
            raise BadMessage("Nothing was trained that could be attacked, or it is being attacked already.")
        scene, party = playing.known, playing.party
        terms = playing.turn.rules(self.side.plan, len(self.side.few.table.ids)).terms
        transcript = party.transcript(terms)
        playing.striking = Working(lambda: strike(scene, transcript))

    def _is_done(self, request: Ask) -> bool:
        playing = self._playing
        working = playing.striking if playing is not None and playing.turn.number == request.turn else None
        return working is None or working.done

    def _commit(self, request: Commit) -> Committed:
        playing, driver = self._at(request.turn), self.side.plan.driver
        if playing.striking is None or not playing.striking.done or playing.party is None:
            raise BadMessage("Claims were sealed before anything was attacked.")
        scene, struck = playing.known, playing.striking.result()
        expected = scene.attempts_by(driver)
        if len(request.outcomes) != len(expected):
            raise BadMessage(f"'{driver}' sealed {len(request.outcomes)} claims where {len(expected)} are planned.")
        theirs = {one.number: told for one, told in zip(expected, request.outcomes, strict=True)}
        keep(self.side, scene, struck, theirs, request.worth, playing.party.recorder.tally.crossed())
        self._playing = None
        own = [outcome_for(scene, one, struck[one.number], driver) for one in scene.own_attempts]
        return Committed(outcomes=tuple(own))

    def _turn(self, number: int) -> Turn:
        if number >= len(self.side.plan.turns):
            raise BadMessage(f"The plan has no turn {number}.")
        return self.side.plan.turns[number]

    def _at(self, number: int) -> _Playing:
        if self._playing is None or self._playing.turn.number != number:
            raise BadMessage(f"Turn {number} is not the one that was prepared.")
        return self._playing

    def _open(self, request: Open, beside: Beside) -> None:
        scene, played = over(self.side, request.turn)
        turn, attempt = scene.turn, attempt_of(scene, request.attempt, self.side.plan.driver)
        outcome = played.theirs.get(attempt.number)
        if outcome is None or outcome.commitment is None:
            raise BadMessage(f"'{self.side.plan.driver}' opened a claim that it had not sealed.")
        if (turn.number, attempt.number) not in self.against:
            terms = turn.rules(self.side.plan, len(self.side.few.table.ids)).terms
            sealed = sealed_from(beside)
            self.side.folder.open()
            self.against[turn.number, attempt.number] = scored(
                scene, attempt, outcome, sealed, terms, self.side.folder.secret
            )

    def _sealed(self, request: Show) -> Sealed:
        scene, played = over(self.side, request.turn)
        attempt = attempt_of(scene, request.attempt, self.name)
        sealed = played.sealed.get((attempt.number, self.side.plan.driver))
        if sealed is None:
            raise BadMessage(f"'{self.name}' claims nothing in this attempt.")
        return sealed

    def _tell(self, request: Tell) -> Answered:
        if len(self.side.folder.done()) < len(self.side.plan.turns):
            raise BadMessage("Results were told before all turns were over.")
        self.told = told_of(self.side, self.side.plan.driver, request.told)
        return Answered(told=told_once(self.side, self.against))
