"""A rehearsal finds what one process finds that holds everybody's table, secret and grants."""

from dataclasses import replace

import pytest

from rehearsals import own_tables, plan_of, rehearsed
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.scoring.scoring import score_claim, twins_of
from seepage.audit.scoring.truth import TrueColumns, Truth
from seepage.audit.stages.attacking import attack_run, numbers
from seepage.audit.stages.chaining import Memory
from seepage.federations.withdrawing import Withdrawing, withdraw
from seepage.hooks import Hooks
from seepage.links import InProcessLink
from seepage.partition import PartitionedTable
from seepage.rehearsal.adversary import about
from seepage.rehearsal.claims import Claim
from seepage.rehearsal.grants import knowledge_of
from seepage.rehearsal.side import recorded
from seepage.scores.remembered import Remembered

POOLED = (
    "correlation_own",
    "correlation_prediction",
    "branching_rate",
    "top1_all_labels",
    "ceiling_new",
    "auc_ceiling",
)
"""What takes columns of both sides, or columns of one and labels of another."""
GRANTS = {"labels_per_class": 4, "values": 40, "people": 10}
FEW = {
    "split-network": {"epochs": 3},
    "summed-network": {"epochs": 3},
    "logistic-regression": {"epochs": 30},
    "decision-tree": {"depth": 3},
    "forest": {"trees": 3, "depth": 3},
    "boosting": {"trees": 2, "depth": 3},
}
ATTACKS = (
    {"name": "gradient-direction"}, {"name": "gradient-direction", "settings": {"labels_per_class": 0}},
    {"name": "gradient-sign"}, {"name": "linear-probe"}, {"name": "direct-completion"}, {"name": "leaf-labels"},
    {"name": "id2graph"}, {"name": "embedding-regression", "settings": {"known": 30}},
    {"name": "equality-solving"}, {"name": "path-restriction"}, {"name": "split-sides"},
    {"name": "adjusted-count"},
)  # fmt: skip


def pooled(done, turn):
    """Train a turn in one process, from everybody's part, secret and hook, and return its transcript and scenes."""
    plan, sides = done.driving.side.plan, done.sides
    driver = sides[plan.driver]
    hooks = {name: side.hook(turn, side.dealt(turn.seed).part) for name, side in sides.items()}
    train = driver.dealt(turn.seed).part.rows
    if turn.withdraws:
        own, *others = (Withdrawing(name, train, hooks[name]) for name in sides)
        train = withdraw(own, {one.name: InProcessLink(one, lambda _: None) for one in others})
    bare = {name: side.scene(turn, train, done.driving._holders, done.driving._held) for name, side in sides.items()}
    told = {name: scene.tellings[name] for name, scene in bare.items()}
    scenes = {name: replace(scene, tellings=told) for name, scene in bare.items()}
    data = PartitionedTable(
        "pooled", {name: scene.part for name, scene in scenes.items()}, plan.driver, ("a", "b", "c"),
        driver.dealt(turn.seed).test,
    )  # fmt: skip
    terms = turn.built.agreement(data)
    record = recorded(scenes[plan.driver], terms)
    for scene in scenes.values():
        record |= recorded(scene, terms)
    chances = {name: side.chance(turn.seed, "federation") for name, side in sides.items()}
    tamperings = {name: side.tampering(scenes[name]) for name, side in sides.items()}
    run = turn.built.train(data, hooks=Hooks(hooks, tamperings), record=record, rng=chances)
    if plan.model:
        run.release_model()
    run.release(data.test, hooks[plan.driver], shown=plan.predictions)
    return run.transcript, scenes, data


def found_in_one_process(done, turn):
    """Attack and score with everything at hand: the findings by attempt and victim."""
    plan, (transcript, scenes, data) = done.driving.side.plan, pooled(done, turn)
    memories, found = {}, {}
    for attempt in scenes[plan.driver].attempts:
        scene = scenes[attempt.adversary]
        told = {name: scene.tellings[name] for name in (*attempt.victims, plan.driver)}
        knowledge = knowledge_of(plan, turn.seed, attempt, told, scene.before, scene.part.rows, scene.test, scene.part)
        has = next((data.parts[one].properties.get(attempt.asked) for one in attempt.victims), None)
        truth = Truth(
            data.labels,
            {one: TrueColumns(data.parts[one].names, data.parts[one].features) for one in attempt.victims},
            has=has, before=scene.before if has is not None else None,
        )  # fmt: skip
        run = RecordedRun(transcript, knowledge, truth, scene.surroundings(attempt))
        memory = memories.setdefault(attempt.adversary, Memory())
        made = attack_run(run, attempt.attack, attempt.choice.name, memory)
        for victim in attempt.victims:
            alone = len(attempt.victims) == 1 or made.guess is None
            found[attempt.number, victim] = (
                made.finding if alone else about_one(made, attempt, truth, victim, turn.seed)
            )
    return found


def about_one(made, attempt, truth, victim, seed):
    """Score what one guess says of one of several victims: each can look at its own columns alone."""
    claim = Claim(made.guess, twins_of(made.guess, made.view, attempt.attack.rows, seed, Remembered()))
    claim, knowledge = claim.rewritten(lambda guess: about(victim, guess)), made.view.knowledge
    others = {victim: knowledge.others[victim]}
    cut = replace(knowledge, others=others, values={victim: knowledge.values[victim]} if knowledge.values else {})
    score = score_claim(claim.guess, claim.twins, truth, replace(made.view, knowledge=cut), attempt.attack.rows)
    return made.finding.model_copy(update=numbers(score))


def compared(finding):
    """What both must agree on, bit for bit."""
    values = finding.to_json()
    kept = ("attack", "attack_settings", "adversary", "metric", "value", "blind", "blind_kind", "bounds", "federation",
            "defense", "defense_settings", "seed", "asset", "property", "tampering", "model_settings")  # fmt: skip
    other = {name: value for name, value in values["other_metrics"].items() if not any(part in name for part in POOLED)}
    ranking = values["ranking"]
    if values["rows"] != "train":
        ranking = ranking and {name: ranking[name] for name in ("metric", "value", "blind", "blind_kind")}
    else:
        kept += ("ceiling", "ceiling_kind", "advantage")
    return {**{name: values[name] for name in kept}, "other_metrics": other, "ranking": ranking}


def check(plan, tables, folder):
    """Rehearse, and hold what each victim found against what one process finds; return how often."""
    done = rehearsed(plan, tables, folder)
    scored = 0
    for turn in plan.turns:
        here = found_in_one_process(done, turn)
        for name, side in ((plan.driver, done.driving), *done.answering.items()):
            bounds = done.sides[name].folder.played(turn.number).kept["bounds"]
            for (number, attempt), one in side.against.items():
                if number == turn.number:
                    seen = bounds.get(one.finding.adversary[0], {})
                    there = one.finding.model_copy(update={"bounds": {**seen, **one.finding.bounds}})
                    assert compared(there) == compared(here[attempt, name]), (turn.name, one.finding.attack)
                    scored += 1
    failed = [one for findings in done.findings.values() for one in findings if one.status == "failed"]
    assert [(one.attack, one.reason) for one in failed] == []
    return scored


EVERYTHING = {
    "attacks": ATTACKS, "grants": GRANTS, "model": True, "scores": True, "properties": ["malic_acid=2..9"],
    "simulated": True,
}  # fmt: skip


@pytest.mark.parametrize("federation", FEW)
def test_two_sides_find_what_one_process_finds(federation, tmp_path):
    chosen = [{"name": federation, "settings": FEW[federation]}]
    plan = plan_of(federations=chosen, defenses=[{"name": "label-dp"}], **EVERYTHING)
    assert check(plan, own_tables(2), tmp_path) >= 6


@pytest.mark.parametrize("federation", ["split-network", "boosting"])
def test_three_sides_find_what_one_process_finds(federation, tmp_path):
    chosen = [{"name": federation, "settings": FEW[federation]}]
    assert check(plan_of(3, federations=chosen, **EVERYTHING), own_tables(3), tmp_path) >= 5


def test_five_sides_find_what_one_process_finds(tmp_path):
    chosen = [{"name": name, "settings": FEW[name]} for name in ("logistic-regression", "forest")]
    few = [one for one in ATTACKS if one["name"] in {"gradient-sign", "id2graph", "adjusted-count", "linear-probe"}]
    plan = plan_of(5, federations=chosen, **{**EVERYTHING, "attacks": few})
    assert check(plan, own_tables(5), tmp_path) >= 12


def test_sealed_trees_are_rehearsed_as_in_one_process(tmp_path):
    pytest.importorskip("heu", reason="needs the extra [he]")
    sealed = {**FEW["boosting"], "encryption": "okamoto-uchiyama", "key_bits": 2048}
    chosen = [{"name": "boosting", "settings": sealed}]
    attacks = [{"name": "id2graph"}, {"name": "leaf-labels"}]
    plan = plan_of(federations=chosen, rows=60, **{**EVERYTHING, "simulated": False, "attacks": attacks})
    assert check(plan, own_tables(2), tmp_path) == 2


def test_who_misbehaves_is_rehearsed_as_in_one_process(tmp_path):
    chosen = [{"name": "split-network", "settings": FEW["split-network"]}]
    plan = plan_of(federations=chosen, **{**EVERYTHING, "attacks": [{"name": "active-completion"}]})
    assert [turn.name for turn in plan.turns] == ["split-network", "split-network+active-completion"]
    assert check(plan, own_tables(2), tmp_path) == 1


def test_rows_are_withdrawn_as_in_one_process(tmp_path):
    chosen = [{"name": "logistic-regression", "settings": FEW["logistic-regression"]}]
    attacks = [{"name": "adjusted-count"}, {"name": "gradient-sign"}]
    withdrawing = [{"name": "withdrawal", "settings": {"share": 0.2}}]
    plan = plan_of(federations=chosen, defenses=withdrawing, **{**EVERYTHING, "attacks": attacks})
    assert check(plan, own_tables(2), tmp_path) == 4
