"""The side with the labels: it drives, turn after turn, and says at the end what others reached."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seepage.audit.scoring.visible_bounds import visible_bounds
from seepage.data import stratified_split
from seepage.errors import AuditError, BadMessage, BadOutput, BadPeer, BadPlan, BadSetting, BadTable
from seepage.federations import Run
from seepage.federations.dialogue import CarefulLink, Rules, in_a_sentence
from seepage.federations.withdrawing import Withdrawing, withdraw
from seepage.hooks import Hook
from seepage.links.alignment import Ids, align
from seepage.links.tapped import TappedLink
from seepage.messages import Link
from seepage.partition import PublicColumns
from seepage.rehearsal.adversary import Scene, outcome_for, strike
from seepage.rehearsal.grants import Telling, heard_telling
from seepage.rehearsal.keeping import beside_of, keep, keep_silent, over, sealed_from, told_of, told_once
from seepage.rehearsal.plan import Turn
from seepage.rehearsal.side import Side, public_columns, recorded, refusal
from seepage.rehearsal.table import check_sample
from seepage.rehearsal.victim import Scored, scored
from seepage.rehearsal.waiting import EVERY, meanwhile
from seepage.rehearsal.words import (
    WORDS,
    Answered,
    Ask,
    Columns,
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
    Outcome,
    Prepare,
    Prepared,
    Said,
    Show,
    Skip,
    Strike,
    Tell,
    Told,
    Train,
    Worth,
    ask,
)  # fmt: skip
from seepage.rehearsal.worth import Alone, told_worth, worth_of
from seepage.shapes import Array, Rows
from seepage.transcript import Recorder, Transcript
from seepage.views import Knowledge, ThreatModel, observe

A_MOMENT = 0.05
LONGEST = 4 * 3600.0
"""Seconds that others may take for their attempts of one turn."""


@dataclass(eq=False)
class Driving:
    """A rehearsal as the side with the labels drives it.

    Parameters
    ----------
    links
        The roads to all others.
    say
        Hears, in a few words, what happens.
    version
        Of the program, which has to be the same on all sides.
    """

    side: Side
    links: Mapping[str, Link]
    version: str
    say: Callable[[str], None]
    told: dict[tuple[int, int], list[Told]] = field(default_factory=dict)
    """What victims said of this side's own claims."""
    against: dict[tuple[int, int], Scored] = field(default_factory=dict)
    """What others reached, by turn and attempt: exactly, for this side's own report."""
    _consents: dict[str, frozenset[str]] = field(default_factory=dict)
    _columns: dict[int, dict[str, PublicColumns]] = field(default_factory=dict)
    _holders: dict[str, str] = field(default_factory=dict)
    _held: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _alone: Alone = field(default_factory=Alone)

    def rehearse(self) -> None:
        """Play all turns that are not over yet, then open all claims and score them."""
        try:
            done = self._begin()
            for seed in self.side.plan.seeds:
                self._deal(seed)
            for turn in self.side.plan.turns:
                if turn.number not in done:
                    self.say(f"turn {turn.number + 1} of {len(self.side.plan.turns)}: {turn.name}, seed {turn.seed}")
                    self._play(turn)
            self._open_all()
        except AuditError as error:
            self._end(str(error))
            raise

    def _ask(self, party: str, request: Any, answer: type[Said], beside: Mapping[str, Array] | None = None) -> Said:
        return self._asked(party, request, answer, beside)[0]

    def _asked(
        self, party: str, request: Any, answer: type[Said], beside: Mapping[str, Array] | None = None
    ) -> tuple[Said, dict[str, Array]]:
        return ask(self.links[party], self.side.name, party, request, answer, beside)

    def _tell_all(self, request: Any) -> None:
        for party in self.links:
            self._ask(party, request, Nothing)

    def _end(self, reason: str) -> None:
        """Let everybody know that it is over, as far as they can still be reached."""
        for party in self.links:
            try:
                self._ask(party, End(reason=reason[:WORDS]), Nothing)
            except AuditError as error:
                self.say(f"'{party}' could not be told: {error}")

    def _begin(self) -> set[int]:
        """Compare plans, find the shared rows unless they are known, and return the turns that all have done."""
        plan, folder, shared = self.side.plan, self.side.folder, self.side.folder.shared()
        hello = Hello(
            plan=plan.digest,
            version=self.version,
            consents=tuple(sorted(self.side.consents)),
            session=shared[0] if shared is not None else None,
            done=folder.done(),
        )
        heard = {party: self._ask(party, hello, Heard) for party in self.links}
        self._consents = {party: frozenset(said.consents) for party, said in heard.items()}
        nobody = [party for party, said in heard.items() if not said.consents]
        if nobody:
            raise BadPlan(f"'{nobody[0]}' has consented to nothing.")
        if shared is not None and all(said.session == shared[0] for said in heard.values()):
            done = set(folder.done()).intersection(*(said.done for said in heard.values()))
            if done:
                self.say(f"{len(done)} of {len(plan.turns)} turns are done already")
            return done
        if folder.done():
            raise BadOutput(
                f"{folder.path} holds turns that not all remember. To begin anew, all sides choose another --out."
            )
        session = secrets.token_hex(32)
        self._tell_all(FindShared(session=session))
        self.say("finding shared rows")
        rows = align(Ids(self.side.name, self.side.table.table.ids.tolist(), most=plan.most_ids), self.links)
        self.side.begin_anew(session, rows)
        if plan.decoys:
            self.say(f"decoys: {self.side.unchanged:.0%} of the labels are still the true ones")
        self.say(f"{len(rows):,} rows are shared, of which {min(len(rows), plan.rows):,} take part")
        return set()

    def _deal(self, seed: int) -> None:
        """Set rows aside, let everybody encode its own columns, and hear what each tells of these."""
        plan, few = self.side.plan, self.side.few
        split = stratified_split(few.table, self.side.chance(seed, "split"), plan.test)
        check_sample(few, split)
        self.side.deal(seed, split.train, split.test)
        own, limits = self.side.columns(seed)
        told, beside = {self.side.name: own}, {self.side.name: limits}
        for party in self.links:
            rows = {"train": split.train, "new": split.test, **limits}
            told[party], beside[party] = self._asked(party, Deal(seed=seed, columns=own), Columns, rows)
        self._columns[seed] = {party: public_columns(said, beside[party], party) for party, said in told.items()}
        names = [name for said in told.values() for name in set(said.attributes or said.names)]
        both = next((name for name in names if names.count(name) > 1), None)
        if both is not None:
            raise BadTable(
                f"More than one party has a column '{both}'. If it says the same, all but one leave it out "
                "(--columns); if it does not, give it another name."
            )
        self._held = {party: tuple(dict.fromkeys(said.attributes or said.names)) for party, said in told.items()}
        for asked in plan.properties:
            holder = next((party for party, said in told.items() if asked in said.properties), None)
            if holder is None:
                raise BadPlan(f"Nobody holds the column of the property '{asked}'. Mend the plan on every host.")
            self._holders[asked] = holder

    def _play(self, turn: Turn) -> None:
        """Play one turn, or say to everybody why it is not played."""
        side, dealt = self.side, self.side.dealt(turn.seed)
        prepare = Prepare(turn=turn.number, holders=self._holders, held=self._held)
        refusals = [self._ask(party, prepare, Prepared).refusal for party in self.links]
        mine = None if turn.name in side.consents else f"'{side.name}' did not consent to {turn.name}."
        side.folder.played_again(turn.number)
        stopped = next(filter(None, (mine, *refusals, refusal(side, turn))), None)
        scene = None
        if stopped is None:
            hook = side.hook(turn, dealt.part)
            try:
                scene = self._granted(turn, hook)
                self._played(scene, hook)
                return
            except BadSetting as error:  # a defense may refuse what a party holds, or lacks
                stopped = str(error)
            except ArithmeticError as error:
                self._skip(scene or self._bare(turn), "failed", str(error))
                return
        self._skip(scene or self._bare(turn), "not applicable", stopped)

    def _bare(self, turn: Turn) -> Scene:
        return self.side.scene(turn, self.side.dealt(turn.seed).part.rows, self._holders, self._held)

    def _skip(self, scene: Scene, status: Any, reason: str) -> None:
        told = reason[:WORDS]
        self._tell_all(Skip(turn=scene.turn.number, status=status, reason=told))
        keep_silent(self.side, scene, status, told)
        self.say(f"not played: {told}")

    def _granted(self, turn: Turn, hook: Hook) -> Scene:
        """Let parties withdraw rows, and tell each other what was agreed."""
        side, part = self.side, self.side.dealt(turn.seed).part
        train: Rows = part.rows
        if turn.withdraws:
            train = withdraw(Withdrawing(side.name, part.rows, hook), self.links)
            if len(np.unique(side.few.table.labels[train])) < side.plan.classes:
                raise BadSetting("So many rows were withdrawn that a class has none left. Withdraw a smaller share.")
        bare = side.scene(turn, train, self._holders, self._held)
        people, beside = bare.tellings[side.name].beside()
        others: dict[str, Telling] = {}
        for party in self.links:
            request = Grant(turn=turn.number, people=people)
            said, arrays = self._asked(party, request, Granted, beside)
            columns = self._columns[turn.seed][party]
            others[party] = heard_telling(side.plan, turn.seed, party, columns, said.people, arrays, part.rows, train)
        return side.scene(turn, train, self._holders, self._held, others)

    def _played(self, scene: Scene, hook: Hook) -> None:
        """Train, attack on all sides at once, and tie everybody down to what it claims."""
        side, turn = self.side, scene.turn
        rules = turn.rules(side.plan, side.few.table.rows)
        self._tell_all(Train(turn=turn.number))
        run, transcript, worth = self._trained(scene, hook, rules)
        self._tell_all(Strike(turn=turn.number))
        struck = meanwhile(lambda: strike(scene, transcript), self._stay(turn))
        for party in self.links:
            self._wait_for(party, turn)
        theirs: dict[int, Outcome] = {}
        for party in self.links:
            mine = [one for one in scene.own_attempts if party in one.victims]
            outcomes = tuple(outcome_for(scene, one, struck[one.number], party) for one in mine)
            said = self._ask(
                party, Commit(turn=turn.number, outcomes=outcomes, worth=told_worth(side, turn, worth)), Committed
            )
            expected = scene.attempts_by(party)
            if len(said.outcomes) != len(expected):
                raise BadMessage(f"'{party}' sealed {len(said.outcomes)} claims where {len(expected)} are planned.")
            theirs |= {one.number: outcome for one, outcome in zip(expected, said.outcomes, strict=True)}
        bounds = {party: self._bounds(scene, transcript, party) for party in self.links}
        keep(side, scene, struck, theirs, worth, run.crossed, bounds)

    def _stay(self, turn: Turn) -> Callable[[], None]:
        def stay() -> None:
            for party in self.links:
                self._ask(party, Ask(turn=turn.number), Done)

        return stay

    def _wait_for(self, party: str, turn: Turn) -> None:
        """Wait until a party is done; whoever is done already hears from time to time that somebody is there."""
        began = heard = time.monotonic()
        while not self._ask(party, Ask(turn=turn.number), Done).done:
            if time.monotonic() - began > LONGEST:
                raise BadPeer(f"'{party}' was still attacking after {LONGEST / 3600:g} hours.")
            time.sleep(A_MOMENT)
            if time.monotonic() - heard > EVERY:
                self._stay(turn)()
                heard = time.monotonic()

    def _trained(self, scene: Scene, hook: Hook, rules: Rules) -> tuple[Run[Any, Any], Transcript, Worth]:
        """Train the joint model, release what is released, and say what it is worth beside the own columns alone."""
        side, turn = self.side, scene.turn
        recorder = Recorder(recorded(scene, rules.terms), ciphertexts=rules.terms.encrypted)
        roads = {party: CarefulLink(TappedLink(link, recorder.hear), rules) for party, link in self.links.items()}
        with in_a_sentence():
            run = turn.built.drive(
                scene.part,
                rules.terms,
                roads,
                hook=hook,
                tampering=side.tampering(scene),
                chance=side.chance(turn.seed, "federation"),
                recorder=recorder,
            )
            if side.plan.model:
                run.release_model()
            released = run.release(scene.test, hook, shown=side.plan.predictions)
        if not np.isfinite(released).all():
            raise FloatingPointError("The joint model diverged: its predictions are not numbers.")
        transcript = run.transcript
        alone = meanwhile(lambda: self._alone.of(side, turn, self.say), self._stay(turn))
        return run, transcript, worth_of(scene, released, alone)

    def _bounds(self, scene: Scene, transcript: Transcript, party: str) -> dict[str, Any]:
        """Return what the nodes that a party saw can tell about labels at most."""
        known = Knowledge(threat=ThreatModel(adversaries=(party,)), train=scene.part.rows, new=scene.test)
        assert scene.part.labels is not None
        return visible_bounds(observe(transcript, known), scene.part.labels)

    def _open_all(self) -> None:
        """Open all claims, score those about the own labels, and exchange what was reached, once."""
        side = self.side
        side.folder.open()
        for turn in side.plan.turns:
            scene, played = over(side, turn.number)
            for (number, victim), sealed in played.sealed.items():
                self._ask(victim, Open(turn=turn.number, attempt=number), Nothing, beside_of(sealed))
            terms = turn.rules(side.plan, side.few.table.rows).terms
            for attempt in scene.attempts:
                outcome = played.theirs.get(attempt.number)
                if outcome is None or outcome.commitment is None or attempt.adversary == side.name:
                    continue
                request = Show(turn=turn.number, attempt=attempt.number)
                sealed = sealed_from(self._asked(attempt.adversary, request, Nothing)[1])
                self.against[turn.number, attempt.number] = scored(
                    scene, attempt, outcome, sealed, terms, side.folder.secret
                )
        told = told_once(side, self.against)
        for party in self.links:
            mine = [one for one in told if self.against[one.turn, one.attempt].finding.adversary == (party,)]
            answered = self._ask(party, Tell(told=tuple(mine)), Answered).told
            for one in told_of(side, party, answered):
                self.told.setdefault((one.turn, one.attempt), []).append(one)
