"""From limits to a recommendation: search on some seeds, confirm on others."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Final

from seepage.audit.findings.certainty import Certainty
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.survey import Survey
from seepage.audit.findings.worth import NEGLIGIBLE, costs_apart
from seepage.audit.plan.ladders import LADDERS, VARIANTS
from seepage.audit.plan.plan import Choice, Plan
from seepage.audit.plan.settings import build
from seepage.audit.recommending.measured import Arrangement, Measured
from seepage.audit.recommending.measuring import Measuring, Request, attacks_on
from seepage.audit.recommending.recommendation import ArrangementTold, LeakTold, Recommendation, Span
from seepage.audit.recommending.searching import Climb, Reached, Search, climbed, joined, paired, together
from seepage.audit.recommending.wanted import Wanted
from seepage.audit.stages.preflight import suited
from seepage.defenses import DEFENSES
from seepage.errors import BadSetting
from seepage.scores.digits import number
from seepage.scores.metrics import metric_of

FEWEST_FRESH: Final = 3
"""So many fresh seeds stand behind what is recommended at least."""
MOST_TESTED: Final = 5
"""So many arrangements are put to the test on fresh seeds before it is said that none holds."""
PARTNERS: Final = 2
"""So many defenses for each asset are tried together with those for another, or for the same."""

Say = Callable[[str], None]


def _silent(text: str) -> None:
    del text


def attacking_only(plan: Plan, assets: Sequence[str]) -> Plan:
    """Leave out attacks on what has no limit, and refuse a limit on what nothing attacks."""
    for asset in assets:
        if not attacks_on(plan, {asset}):
            more = " Name one with --property in the plan." if asset == "properties" else ""
            raise BadSetting(f"--max {asset}: no attack of this plan goes for {asset}, so no limit can be held.{more}")
    return plan.model_copy(update={"attacks": attacks_on(plan, assets)})


@dataclass(frozen=True, eq=False)
class Recommending:
    """Looks for the arrangement that meets what is wanted at the least loss of worth.

    Parameters
    ----------
    plan
        What to search in: its federations, its attacks, its seeds.
    defenses
        What may be switched on.
    measure
        Measures arrangements.
    say
        Told in a few words what is being done.
    """

    plan: Plan
    wanted: Wanted
    defenses: Sequence[str]
    measure: Measuring
    say: Say = _silent

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the search."""
        return self.plan.seeds

    @property
    def assets(self) -> frozenset[str]:
        """What has a limit."""
        return frozenset(self.wanted.limits)

    @property
    def fresh(self) -> tuple[int, ...]:
        """Seeds that the search does not use."""
        first = max(self.seeds) + 1
        return tuple(range(first, first + max(FEWEST_FRESH, len(self.seeds))))

    @property
    def confirmations(self) -> tuple[Finding, ...]:
        """All that was found on fresh seeds, once."""
        fresh = [one for one in self.measure.answered.values() if one.seeds == self.fresh]
        return tuple({finding.model_dump_json(): finding for one in fresh for finding in one.findings}.values())

    def run(self) -> Recommendation:
        """Search, confirm, and say what to switch on; or that nothing suffices."""
        self.say("federations without a defense")
        bare = self._measured([Arrangement(one) for one in self.plan.federations])
        self._refuse_the_impossible(bare)
        worthy = [one for one in bare if self._worth_having(one)] or bare
        variants = self._measured(
            [Arrangement(choice) for one in worthy for choice in _variants(one) if self._fits(choice)]
        )
        self.say("one defense at a time")
        reached = [found for group in together(self._climbs(worthy), self.measure) for found in group]
        self.say("two defenses at a time")
        pairs = together(self._pairs(worthy, reached), self.measure)
        every = [*bare, *variants, *(one.measured for one in reached), *pairs]
        return self._confirmed([one for one in every if one.seeds == self.seeds and one.assets == self.assets], every)

    def _measured(self, arrangements: Sequence[Arrangement]) -> list[Measured]:
        return self.measure([Request(one, self.seeds, self.assets) for one in arrangements])

    def _fits(self, federation: Choice) -> bool:
        """Whether a federation that nobody asked for can be trained on these rows and columns."""
        try:
            suited(self.plan, federation, self.measure.bench)
        except BadSetting:
            return False
        return True

    def _open(self, bare: Measured) -> frozenset[str]:
        """Return what leaks above its limit without a defense, or may."""
        return frozenset(
            asset for asset, limit in self.wanted.limits.items() if bare.reaches.get(asset, 0.0) > limit
        ) | (self.wanted.limits.keys() - bare.reaches.keys())

    def _worth_having(self, bare: Measured) -> bool:
        """Whether a federation can be worth what is wanted, and is worth no less than the label holder has alone."""
        if bare.utility is None:
            return False
        enough = self.wanted.least_utility is None or bare.utility >= self.wanted.least_utility - NEGLIGIBLE
        gains = self.wanted.least_kept is None or bare.gains
        own = bare.worth.own
        return enough and gains and (own is None or bare.utility >= own.mean - NEGLIGIBLE)

    def _refuse_the_impossible(self, bare: Sequence[Measured]) -> None:
        """Refuse a worth that no federation has even without a defense, and a share of a gain that nobody can tell."""
        best = max((one for one in bare if one.utility is not None), key=lambda one: one.utility or 0.0, default=None)
        if best is None or best.utility is None:
            raise BadSetting("No federation of this plan could be trained, so nothing can be recommended.")
        least = self.wanted.least_utility
        if least is not None and best.utility < least:
            raise BadSetting(
                f"--min-utility {least:g} is more than any federation is worth without a defense: "
                f"{best.arrangement.federation.name} reaches {metric_of(best.metric).title} {number(best.utility)}. "
                "Ask for less."
            )
        if self.wanted.least_kept is not None and not any(one.gains for one in bare):
            most = max((one.worth.gain for one in bare if one.worth.gain), key=lambda gain: gain.mean, default=None)
            raise BadSetting(
                f"--min-gain {self.wanted.least_kept:g}: what a federation adds to the label holder's own model lies "
                f"within noise ({most if most is not None else 'not known'} at most), so no share of it can be held. "
                "Ask for a utility instead (--min-utility), or add seeds."
            )

    def _climbs(self, worthy: Sequence[Measured]) -> Iterator[Search[list[Reached]]]:
        for bare in worthy:
            open_ = self._open(bare)
            for climb in self._ladders(bare.arrangement.federation) if open_ else ():
                yield climbed(climb, open_, self.wanted, self.seeds)

    def _ladders(self, federation: Choice) -> Iterator[Climb]:
        """Yield the ladders of all defenses that can act in a federation."""
        for name in self.defenses:
            for ladder in LADDERS.get(name, (None,)):
                settings = ladder.settings if ladder is not None else ({},)
                choices = [Choice(name=name, settings=dict(one)) for one in settings]
                plan = self.plan.model_copy(update={"defenses": (choices[0],)})
                if suited(plan, federation, self.measure.bench):
                    rungs = tuple(Arrangement(federation, one) for one in choices)
                    yield Climb(rungs, monotone=ladder is None or ladder.monotone)

    def _pairs(self, worthy: Sequence[Measured], reached: Sequence[Reached]) -> Iterator[Search[Measured]]:
        """Join what closes one asset with what closes another; where nothing closes one, what lowers it most."""
        for bare in worthy:
            open_ = sorted(self._open(bare))
            here = [one for one in reached if one.measured.arrangement.federation == bare.arrangement.federation]
            if any(one.closed and not self._missed(one.measured) for one in here) or not open_:
                continue  # one alone suffices
            helpers = {asset: self._helpers(asset, here) for asset in open_}
            sides = (
                [pair for first, second in combinations(open_, 2) for pair in product(helpers[first], helpers[second])]
                if len(open_) > 1
                else list(combinations(helpers[open_[0]], 2))
            )
            taken = set()
            for one, other in sides:
                names = frozenset({one.climb.defense, other.climb.defense})
                if len(names) == 2 and names not in taken and _go_together(one, other):
                    taken.add(names)
                    yield paired(one, other, self.wanted, self.seeds)

    def _helpers(self, asset: str, reached: Sequence[Reached]) -> list[Reached]:
        """Return the defenses that close one asset and are worth most, or else those that leave least of it."""
        about = [one for one in reached if asset in one.assets and asset in one.measured.reaches]
        closing = [one for one in about if one.measured.reaches[asset] <= self.wanted.limits[asset]]
        if closing:
            return sorted(closing, key=lambda one: -(one.measured.utility or 0.0))[:PARTNERS]
        return sorted(about, key=lambda one: one.measured.reaches[asset])[:PARTNERS]

    def _missed(self, measured: Measured) -> tuple[str, ...]:
        return tuple(self.wanted.missed(measured.reaches, measured.utility, measured.kept))

    def _confirmed(self, every: Sequence[Measured], looked_at: Sequence[Measured]) -> Recommendation:
        """Put what meets everything to the test on fresh seeds, worth most first; the first that holds is best."""
        told = (one for one in _different(every) if not self._missed(one))
        meeting = sorted(told, key=lambda one: -(one.utility or 0.0))
        tested: list[Measured] = []
        best = None
        for one in meeting[:MOST_TESTED]:
            self.say("fresh seeds")
            (found,) = self.measure([Request(one.arrangement, self.fresh, self.assets)])
            tested.append(found)
            if not self._missed(found):
                best = found
                break
        if best is None and not tested:
            nearest = min(
                (one for one in self.measure.answered.values() if one.assets == self.assets), key=self._distance
            )
            tested = self.measure([Request(nearest.arrangement, self.fresh, self.assets)])
        nearest_told = None if best is not None else self._told(min(tested, key=self._distance))
        return Recommendation(
            data=self.plan.data.title,
            limits=dict(self.wanted.limits),
            least_utility=self.wanted.least_utility,
            least_kept=self.wanted.least_kept,
            best=self._told(best) if best is not None else None,
            nearest=nearest_told,
            tied=tuple(self._tied(best, meeting)) if best is not None else (),
            put_to_test=len(tested),
            looked_at=tuple(map(self._told, _different(looked_at))),
            trained=len(self.measure.answered),
            search_seeds=self.seeds,
            marks=Certainty.of(Survey(tested[-1].findings).tried).marks,
        )

    def _tied(self, best: Measured, meeting: Sequence[Measured]) -> Iterator[str]:
        """Name what meets everything in the search too, and is worth as much as far as its seeds tell."""
        first = next(one for one in meeting if one.arrangement == best.arrangement)
        for one in meeting:
            apart = costs_apart(one.worth, first.worth) if one is not first else None
            if apart is not None and apart.within_noise(NEGLIGIBLE):
                told = self._told(one)
                yield f"{told.called} on {told.place}"

    def _distance(self, measured: Measured) -> tuple[float, int, float]:
        """Sort by how much is missed, then by how many defenses act, then by what the model is worth."""
        short = self.wanted.shortfall(measured.reaches, measured.utility, measured.kept)
        defense = measured.arrangement.defense
        acting = len(DEFENSES.parts(defense.name)) if defense is not None else 0
        return round(short, 3), acting, -(measured.utility or 0.0)

    def _told(self, measured: Measured) -> ArrangementTold:
        worth, defended = measured.worth, measured.arrangement.defense is not None
        return ArrangementTold(
            federation=measured.arrangement.federation,
            defense=measured.arrangement.defense,
            called=measured.label,
            leaks=tuple(
                LeakTold(
                    asset=asset,
                    limit=self.wanted.limits[asset],
                    attack=leak.attack,
                    adversary=leak.adversary,
                    asked=leak.asked,
                    advantage=Span(mean=leak.advantage.mean, low=leak.advantage.low, high=leak.advantage.high),
                    reach=leak.reach,
                )
                for asset, leak in measured.leaks.items()
                if asset in self.wanted.limits
            ),
            metric=measured.metric,
            utility=Span.of(worth.utility),
            cost=Span.of(worth.cost) if defended else None,
            kept=Span.of(worth.kept) if measured.kept is not None else None,
            alone=Span.of(worth.own),
            seeds=measured.seeds,
            missed=self._missed(measured),
        )


def _variants(bare: Measured) -> Iterator[Choice]:
    """Yield the same federation built otherwise: what costs nothing and changes what crosses."""
    federation = bare.arrangement.federation
    for settings in VARIANTS.get(federation.name, ()):
        if not settings.keys() & federation.settings.keys():
            yield federation.model_copy(update={"settings": {**federation.settings, **settings}})


def _go_together(one: Reached, other: Reached) -> bool:
    """Whether two defenses may act together."""
    both = joined(one.climb.rungs[one.rung], other.climb.rungs[other.rung]).defense
    assert both is not None
    try:
        build(DEFENSES, both.name, both.settings)
    except BadSetting:
        return False
    return True


def _different(measured: Sequence[Measured]) -> list[Measured]:
    """Leave out what was measured twice, the later one; under more seeds counts more."""
    ranked = sorted(measured, key=lambda one: (-len(one.assets), -len(one.seeds)))
    kept = {one.arrangement.key: one for one in reversed(ranked)}
    return list(reversed(kept.values()))
