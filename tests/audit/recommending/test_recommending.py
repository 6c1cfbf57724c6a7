"""A search for the cheapest arrangement that meets limits, over worlds whose best answer is known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imagined_findings import finding
from seepage.audit.findings.finding import Finding
from seepage.audit.plan.ladders import LADDERS, Ladder
from seepage.audit.plan.plan import Choice, make_plan
from seepage.audit.plan.settings import build, settings_of
from seepage.audit.recommending.measured import Arrangement, Measured
from seepage.audit.recommending.measuring import Request
from seepage.audit.recommending.recommending import Recommending, attacking_only
from seepage.audit.recommending.searching import Climb, together, weakest
from seepage.audit.recommending.wanted import Wanted
from seepage.audit.stages.bench import Bench
from seepage.defenses import DEFENSES
from seepage.errors import BadSetting

NETWORK = "split-network"
STOLEN = {"labels": ("gradient-direction", "shop"), "features": ("embedding-regression", "bank")}
World = Callable[[Choice, Choice | None, int], tuple[dict[str, float], float]]
"""From a federation, a defense and a seed to what leaks of each asset, and what the model is worth."""


@dataclass
class Played:
    """Answers requests as a made-up world would, and counts what it was asked."""

    world: World
    asked: list[Request] = field(default_factory=list)
    answered: dict[object, Measured] = field(default_factory=dict)
    bench: Bench = field(default_factory=Bench)
    build: bool = True

    def __call__(self, requests: Sequence[Request]) -> list[Measured]:
        self.asked += requests
        for one in requests:
            every = (finding for seed in one.seeds for finding in self.findings(one.arrangement, seed))
            found = tuple(finding for finding in every if finding.asset in one.assets)
            self.answered[one.key] = Measured(one.arrangement, one.seeds, found, one.assets)
        return [self.answered[one.key] for one in requests]

    def settings(self, defense: Choice | None) -> dict[str, object]:
        if defense is None or not self.build:
            return defense.settings if defense else {}
        return settings_of(build(DEFENSES, defense.name, defense.settings))

    def findings(self, arrangement: Arrangement, seed: int) -> list[Finding]:
        bare = self.world(arrangement.federation, None, seed)
        defenses = [None, *([arrangement.defense] if arrangement.defense else [])]
        return [
            finding(
                federation=arrangement.federation.name, model_settings=arrangement.federation.settings,
                defense=defense.name if defense else None,
                defense_settings=self.settings(defense),
                asset=asset, attack=STOLEN[asset][0], adversary=(STOLEN[asset][1],), seed=seed, metric="top1",
                value=0.5 + 0.5 * leak, blind=0.5, ceiling=1.0, view=f"{defense} {seed}",
                utility=worth, utility_undefended=bare[1], utility_alone=0.7,
            )
            for defense in defenses
            for leaks, worth in [self.world(arrangement.federation, defense, seed)]
            for asset, leak in leaks.items()
        ]  # fmt: skip


def plan(**changes):
    asked = {
        "data": {"name": "breast_cancer"},
        "federations": [{"name": NETWORK}],
        "attacks": [{"name": name} for name, _ in STOLEN.values()],
        "seeds": 3,
    }
    return make_plan({**asked, **changes})


def searched(world: World, wanted: Wanted, *defenses: str, **changes):
    played = Played(world)
    asked = attacking_only(plan(**changes), list(wanted.limits))
    return Recommending(asked, wanted, defenses, played).run(), played


def strength(defense: Choice | None, name: str) -> float:
    """Return how far up its ladder a defense is, from 0 (off) to 1."""
    if defense is None or name not in defense.name.split("+"):
        return 0.0
    settings = defense.settings.get(name, {}) if "+" in defense.name else defense.settings
    (ladder,) = LADDERS[name]
    return (ladder.rungs.index(settings[ladder.setting]) + 1) / len(ladder.rungs)


def two_knobs(federation: Choice, defense: Choice | None, seed: int) -> tuple[dict[str, float], float]:
    """Noise hides labels, dropout hides features, and each costs what it hides; label-dp hides labels at twice that."""
    noise, dropped, flipped = (strength(defense, name) for name in ("laplace-noise", "dropout", "label-dp"))
    leaks = {"labels": 1 - max(noise, flipped), "features": 1 - dropped}
    return leaks, 0.95 - 0.1 * noise - 0.05 * dropped - 0.2 * flipped + 0.0001 * seed


def test_the_known_best_setting_is_found():
    found, _ = searched(two_knobs, Wanted(limits={"labels": 0.4}), "label-dp", "laplace-noise", "dropout")
    assert found.best is not None
    assert found.best.defense == Choice(name="laplace-noise", settings={"scale": 0.03})  # the fifth of eight rungs
    assert [leak.reach for leak in found.best.leaks] == pytest.approx([0.375])
    assert found.best.utility.mean == pytest.approx(0.8875 + 0.0004)
    assert found.best.missed == ()


def test_what_is_told_was_measured_on_seeds_that_the_search_did_not_use():
    found, played = searched(two_knobs, Wanted(limits={"labels": 0.4}), "laplace-noise")
    assert found.search_seeds == (0, 1, 2)
    assert found.best.seeds == (3, 4, 5)
    fresh = [one for one in played.asked if set(one.seeds) & {3, 4, 5}]
    assert [one.arrangement.defense for one in fresh] == [found.best.defense]


def test_two_assets_take_two_defenses_where_none_closes_both():
    found, _ = searched(two_knobs, Wanted(limits={"labels": 0.4, "features": 0.3}), "laplace-noise", "dropout", "top-k")
    assert found.best.defense.name in {"laplace-noise+dropout", "dropout+laplace-noise"}
    assert found.best.defense.settings == {"laplace-noise": {"scale": 0.03}, "dropout": {"rate": 0.75}}


def test_defenses_that_may_not_act_together_are_tried_apart_alone():
    def half(federation, defense, seed):
        """Let both lower the same leak, neither far enough."""
        on = max((strength(defense, name) for name in ("marvell", "gradient-dp")), default=0.0)
        return {"labels": 1 - 0.5 * on}, 0.9

    found, played = searched(half, Wanted(limits={"labels": 0.1}), "marvell", "gradient-dp")
    assert found.best is None
    assert not [one for one in played.asked if one.arrangement.defense and "+" in one.arrangement.defense.name]


def test_a_pair_gets_stronger_where_one_spoils_the_other():
    def spoiling(federation, defense, seed):
        leaks, worth = two_knobs(federation, defense, seed)
        both = defense is not None and "+" in defense.name
        return {**leaks, "labels": min(1.0, leaks["labels"] + 0.1 * both)}, worth

    found, _ = searched(spoiling, Wanted(limits={"labels": 0.4, "features": 0.3}), "laplace-noise", "dropout")
    assert found.best.defense.settings["laplace-noise"] == {"scale": 0.1}
    assert not found.best.missed


def test_where_nothing_helps_that_is_said_with_what_is_nearest():
    def hopeless(federation, defense, seed):
        return {"labels": 0.9 - 0.2 * strength(defense, "top-k")}, 0.95

    found, _ = searched(hopeless, Wanted(limits={"labels": 0.2}), "top-k", "dropout")
    assert found.best is None
    assert found.nearest.defense == Choice(name="top-k", settings={"share": 0.01})
    assert found.nearest.missed == ("labels leak 0.700, above 0.2",)
    assert found.nearest.seeds == (3, 4, 5)


def test_nothing_is_switched_on_where_nothing_leaks():
    found, played = searched(lambda *_: ({"labels": 0.05}, 0.9), Wanted(limits={"labels": 0.2}), "top-k")
    assert found.best.defense is None
    assert all(one.arrangement.defense is None for one in played.asked)


def test_luck_on_the_seeds_of_the_search_does_not_pass_the_test():
    def lucky(federation, defense, seed):
        """Let top-k hide labels under the first three seeds alone; noise does so under all, at a cost."""
        noise, kept = strength(defense, "laplace-noise"), strength(defense, "top-k")
        hidden = max(noise, kept if seed < 3 else 0.0)
        return {"labels": 1 - hidden}, 0.95 - 0.1 * noise

    found, _ = searched(lucky, Wanted(limits={"labels": 0.2}), "top-k", "laplace-noise")
    assert found.best.defense.name == "laplace-noise"
    assert found.put_to_test == 2


def test_a_defense_that_cannot_win_costs_one_look_at_one_seed():
    _, played = searched(two_knobs, Wanted(limits={"labels": 0.2}), "top-k", "rounding")
    looks = [one for one in played.asked if one.arrangement.defense and "+" not in one.arrangement.defense.name]
    assert [one.seeds for one in looks] == [(0,), (0,)]


def test_what_is_to_close_one_asset_is_attacked_for_that_one_alone():
    _, played = searched(two_knobs, Wanted(limits={"labels": 0.4, "features": 0.3}), "laplace-noise", "dropout")
    bisected = [one for one in played.asked if one.arrangement.defense and one.assets != {"labels", "features"}]
    assert {(one.arrangement.defense.name, *one.assets) for one in bisected} == {
        ("laplace-noise", "labels"),
        ("dropout", "features"),
    }


def test_the_least_gain_is_held():
    wanted = Wanted(limits={"labels": 0.4}, least_kept=0.8)
    dear, _ = searched(two_knobs, wanted, "laplace-noise")
    cheap, _ = searched(two_knobs, Wanted(limits={"labels": 0.7}, least_kept=0.8), "laplace-noise")
    assert dear.best is None  # 0.0625 of 0.25 lost
    assert "of the gain is kept" in dear.nearest.missed[0]
    assert cheap.best.kept.mean >= 0.8


def test_a_federation_worth_less_than_its_label_holder_alone_is_not_searched():
    def worthless(federation, defense, seed):
        leaks, worth = two_knobs(federation, defense, seed)
        return leaks, 0.65 if federation.name == "summed-network" else worth

    two = [{"name": "summed-network"}, {"name": NETWORK}]
    found, played = searched(worthless, Wanted(limits={"labels": 0.4}), "laplace-noise", federations=two)
    assert found.best.federation.name == NETWORK
    assert {one.arrangement.federation.name for one in played.asked if one.arrangement.defense} == {NETWORK}


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"limits": {"labels": 0.2}, "least_utility": 0.99}, "more than any federation is worth without a defense"),
        ({"limits": {"labels": 0.2}, "least_kept": 0.5}, "lies within noise"),
        ({"limits": {"properties": 0.2}}, "no attack of this plan goes for properties"),
    ],
)
def test_what_no_run_can_meet_is_refused_in_a_sentence(wanted, said):
    def useless(federation, defense, seed):
        return {"labels": 0.5}, 0.7 + 0.02 * (seed - 1)

    with pytest.raises(BadSetting, match=said):
        searched(useless, Wanted(**wanted), "top-k")


@pytest.mark.parametrize("wanted", [{}, {"limits": {"labels": 0.1}, "least_kept": 1.5}])
def test_limits_that_say_nothing_are_refused(wanted):
    with pytest.raises(BadSetting):
        Wanted(**wanted)


@given(rungs=st.integers(1, 40), first=st.integers(0, 40))
def test_bisection_finds_the_weakest_rung_that_suffices_with_few_looks(rungs, first):
    ladder = tuple(
        Arrangement(Choice(name=NETWORK), Choice(name="top-k", settings={"share": n + 1})) for n in range(rungs)
    )
    looks = []

    def measure(requests):
        looks.extend(requests)
        return [
            Measured(
                one.arrangement,
                one.seeds,
                tuple(Played(stepped, build=False).findings(one.arrangement, 0)),
                one.assets,
            )
            for one in requests
        ]

    def stepped(federation, defense, seed):
        return {"labels": 0.1 if defense is not None and defense.settings["share"] > first else 0.9}, 0.9

    wanted = Wanted(limits={"labels": 0.2})
    (found,) = together([weakest(Climb(ladder), frozenset({"labels"}), wanted, (0,))], measure)
    assert found.closed == (first < rungs)
    assert found.rung == (first if first < rungs else rungs - 1)
    assert len(looks) <= 1 + ceil(log2(rungs)) if rungs > 1 else len(looks) == 1


@pytest.mark.parametrize("name", sorted(LADDERS))
def test_every_rung_of_every_ladder_is_a_setting_of_its_own(name):
    built = [build(DEFENSES, name, settings) for ladder in LADDERS[name] for settings in ladder.settings]
    assert len({repr(one) for one in built}) == len(built)


def test_rungs_rise_or_fall():
    with pytest.raises(ValueError, match="rise or fall"):
        Ladder("scale", (1, 3, 2), ())
