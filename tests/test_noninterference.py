"""The test that keeps everyone honest.

After knowledge was granted, everything the adversary cannot see is changed in
the recorded run itself, in place, so that any road back to the truth would be
taken; the guess must be bit-identical. Attacks are found through the catalog.
A federation is trained once for all attacks that leave its training alone.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from samples import small_data
from seepage.attacks import ATTACKS
from seepage.attacks.steps.norms.distribution_comparison import Comparison
from seepage.audit.scoring.scoring import score_guess
from seepage.audit.scoring.truth import Truth, truth_of
from seepage.audit.stages.chaining import handed_over, threat_for, unmet
from seepage.audit.stages.preparation import adversaries_of
from seepage.data import load_dataset
from seepage.defenses import DEFENSES
from seepage.federations import FEDERATIONS
from seepage.guesses import FeatureGuess, LabelGuess
from seepage.hooks import Hooks
from seepage.learners.completion.mixmatch import MixMatch
from seepage.messages import Kind, Message
from seepage.partition import Partition
from seepage.randomness import stream
from seepage.transcript import Recording, Transcript
from seepage.views import Auxiliary, ThreatModel, grant, observe
from seepage.views.digest import view_digest

LARGE = "mean radius=15.."
"""A property that about a third of the tumors have."""
FEW = Comparison(populations=40, population=200, queries=10)
SHORT = {"steps": 60, "fade_steps": 30, "draws": 2, "restarts": 1, "dummy_rows": 4_000, "surrogate_steps": 60}
BRIEF = MixMatch(epochs=2, iterations=15, batch=16, learning_rate=0.1, unlabelled_weight=1.0)
QUICKER = {
    "active-completion": {"learner": BRIEF},
    "linear-probe": {"learner": BRIEF},
    "model-completion": {"learner": BRIEF},
    "semi-supervised": {"learner": BRIEF},
    "distribution-comparison": {"comparison": FEW},
    "correlation-augmentation": {"comparison": FEW},
    "generative-regression": SHORT,
    "shadow-models": {"shadows": 20, "population": 200},
}
"""Attacks that need not be at their best here: what must not change a guess must not change a poor one either."""


def made(name, **settings):
    """Build an attack as it comes, or quicker."""
    return ATTACKS[name](**QUICKER.get(name, {}), **settings)


@cache
def small(asked: str | None):
    """Return data of three parties, one of which holds a property where one is asked for."""
    return small_data("breast_cancer", parties=3, properties=(asked,) if asked else ())


def asked_by(attack) -> str | None:
    return LARGE if attack.steals == "properties" else None


def threat_of(attack, data) -> ThreatModel:
    partition = Partition({party: data.parts[party].columns for party in data.parties})
    asked = asked_by(attack)
    return threat_for(attack, adversaries_of(attack, (), partition, asked), asked=asked)


def reason_against(name: str, federation: str) -> str | None:
    """Say why an attack does not apply to a federation; None when it does."""
    attack = made(name)
    data = small(asked_by(attack))
    return unmet(attack, FEDERATIONS[federation]().agreement(data), threat_of(attack, data))


PAIRS = [(name, federation) for federation in FEDERATIONS for name in ATTACKS]
CASES = [pair for pair in PAIRS if reason_against(*pair) is None]


@cache
def trained(federation: str, asked: str | None, tampering: Any, defense: Any = None):
    """Train a federation under a defense, recording everything; an attack that tampers needs a training of its own."""
    data = small(asked)
    networks = Kind.GRADIENT in FEDERATIONS[federation]().agreement(data).kinds
    chosen = FEDERATIONS[federation](epochs=3) if networks else FEDERATIONS[federation]()
    tamperings = {}
    if tampering is not None:
        threat = threat_of(tampering, data)
        knowledge = grant(data, threat, stream(0, "knowledge"))
        tamperings = {party: tampering.tampering(knowledge, stream(0, "tampering")) for party in threat.adversaries}
    noise = DEFENSES["laplace-noise"](scale=0.001) if networks else DEFENSES["label-dp"](epsilon=4.0)
    acting = defense if defense is not None else noise
    started = {party: acting.start(data.parts[party], stream(0, "defense", party)) for party in data.parties}
    run = chosen.train(data, hooks=Hooks(started, tamperings), record=Recording.everything(), rng=stream(0, "test"))
    run.release_model()
    run.release(data.test)
    return run.transcript


def record(name: str, federation: str, **settings):
    """Return an attack, the data, who attacks, and all that was said while a federation was trained."""
    attack = made(name, **settings)
    asked = asked_by(attack)
    data = small(asked)
    return attack, data, threat_of(attack, data), trained(federation, asked, attack if attack.tampering else None)


@dataclass(frozen=True)
class Case:
    """One attack on one federation, and what it guessed while everything was still true."""

    attack: Any
    data: Any
    threat: ThreatModel
    transcript: Transcript
    guess: Any
    arrays: list[np.ndarray]


@pytest.fixture(scope="module", params=CASES, ids="-".join)
def case(request) -> Case:
    """Attack every federation with everything that applies to it, once."""
    attack, data, threat, transcript = record(*request.param)
    guess = guessed(attack, observe(transcript, grant(data, threat, stream(0, "knowledge"))))
    return Case(attack, data, threat, transcript, guess, [array.copy() for array in arrays_of(guess)])


def arrays_of(guess) -> list[np.ndarray]:
    """All arrays of a guess, those inside what it holds too."""
    if is_dataclass(guess):
        guess = [getattr(guess, field.name) for field in fields(guess)]
    if isinstance(guess, Mapping):
        guess = list(guess.values())
    if isinstance(guess, list):
        return [array for value in guess for array in arrays_of(value)]
    return [np.asarray(guess)]


def guessed(attack, view):
    """Attack once what the attack declared, with the guess of an earlier attack handed over where one is needed."""
    return attack.run(shown(attack, view), stream(0, "attack"))


def shown(attack, view):
    """What the attack is shown of all that its adversary holds."""
    return handed_over(attack, view, 0).narrowed(attack.needs)


def changed(array: np.ndarray, rng) -> np.ndarray:
    """Other values of the same kind."""
    return rng.normal(size=array.shape) if array.dtype.kind == "f" else rng.permuted(array.ravel()).reshape(array.shape)


@contextmanager
def scrambled(data, threat, knowledge, transcript) -> Iterator[Transcript]:
    """Change all that the adversary was not given, in place, and put it back when done; others share the run."""
    arrays = [
        array
        for part in data.parts.values()
        for array in (part.features, part.labels, *part.properties.values())
        if array is not None
    ]
    kept = [array.copy() for array in arrays]
    try:
        yield scramble(data, threat, knowledge, transcript, stream(0, "scramble"))
    finally:
        for array, before in zip(arrays, kept, strict=True):
            array[...] = before


def scramble(data, threat, knowledge, transcript, rng) -> Transcript:
    """Change the data in place; return the transcript with others' talk replaced."""
    known = set(knowledge.known_rows.tolist())
    for party, part in data.parts.items():
        if party not in threat.adversaries:
            part.features[...] = rng.normal(size=part.features.shape)
            for has in part.properties.values():
                has[...] = ~has
            if part.labels is not None:
                hidden = np.array([row for row in range(len(part.labels)) if row not in known])
                part.labels[hidden] = rng.integers(len(data.classes), size=len(hidden))
        elif part.labels is not None:  # the label holder knows the labels of training rows; others it wants to predict
            part.labels[data.test] = rng.integers(len(data.classes), size=len(data.test))
    messages = []
    for message in transcript.messages:
        if message.sender in threat.adversaries or message.receiver in threat.adversaries:
            messages.append(message)
        else:
            noise = {key: changed(array, rng) for key, array in message.payload.items()}
            messages.append(replace(message, payload=noise))
    secret = np.arange(5)
    extra = Message(Kind.GRADIENT, data.active, "nobody", 0, 0, secret, {"gradient": rng.normal(size=(5, 2))})
    others = [
        replace(snapshot, state={key: rng.normal(size=array.shape) for key, array in snapshot.state.items()})
        if snapshot.party not in threat.adversaries
        else snapshot
        for snapshot in transcript.snapshots
    ]
    return Transcript(transcript.agreement, (*messages, extra), tuple(others), epochs=transcript.epochs)


def test_every_attack_applies_somewhere():
    assert set(ATTACKS) == {name for name, _ in CASES}


def test_where_an_attack_does_not_apply_it_is_said_why():
    reasons = {pair: reason_against(*pair) for pair in PAIRS if pair not in CASES}
    assert reasons
    assert [pair for pair, reason in reasons.items() if pair[1] not in str(reason)] == []


def test_what_the_adversary_cannot_see_cannot_change_its_guess(case):
    knowledge = grant(case.data, case.threat, stream(0, "knowledge"))
    digest = view_digest(shown(case.attack, observe(case.transcript, knowledge)))
    with scrambled(case.data, case.threat, knowledge, case.transcript) as changed:
        held = observe(changed, knowledge)
        assert view_digest(shown(case.attack, held)) == digest
        after = guessed(case.attack, held)
    for one, two in zip(case.arrays, arrays_of(after), strict=True):
        assert np.array_equal(one, two)


ACTING_IN_TRAINING = [
    ("embedding-inversion", "information-bottleneck", {}),
    ("embedding-inversion", "embedding-noise", {}),
    ("embedding-regression", "distance-correlation", {}),
    ("gradient-direction", "distance-correlation", {"against": "labels"}),
    ("gradient-direction", "information-bottleneck", {"against": "labels"}),
    ("gradient-direction", "confusional-autoencoder", {}),
]
"""Defenses that change networks, losses or targets, each with an attack on what it is there for."""


@pytest.mark.parametrize(("name", "defense", "settings"), ACTING_IN_TRAINING, ids=str)
def test_a_defense_that_acts_in_training_leaves_no_road_either(name, defense, settings):
    attack, data = made(name), small(None)
    threat = threat_of(attack, data)
    transcript = trained("split-network", None, None, DEFENSES[defense](**settings))
    knowledge = grant(data, threat, stream(0, "knowledge"))
    before = [array.copy() for array in arrays_of(guessed(attack, observe(transcript, knowledge)))]
    with scrambled(data, threat, knowledge, transcript) as changed:
        after = arrays_of(guessed(attack, observe(changed, knowledge)))
    assert all(np.array_equal(one, two) for one, two in zip(before, after, strict=True))


OTHER_SETTINGS = [
    ("adjusted-count", {"gradients": "sent"}),
    ("attribute-inference", {"inputs": "columns"}),
    ("bounded-equality-solving", {"center": "mean"}),
    ("correlation-augmentation", {"replace_labels": True}),
    ("direct-completion", {"labels": "gradient-direction"}),
    ("direct-completion", {"learner": BRIEF}),
    ("distribution-comparison", {"auxiliary": Auxiliary(aligned=False)}),
    ("distribution-comparison", {"gradients": "sent"}),
    ("embedding-inversion", {"known": 15}),
    ("embedding-inversion", {"rows": "train"}),
    ("embedding-regression", {"epochs": 2}),
    ("gradient-direction", {"labels_per_class": 0}),
    ("label-chain", {"labels": "gradient-direction"}),
]
"""Attacks whose needs depend on their settings."""


@pytest.mark.parametrize(("name", "settings"), OTHER_SETTINGS, ids=lambda value: str(value))
def test_what_an_attack_declares_under_other_settings_is_all_that_it_reads(name, settings):
    attack, data, threat, transcript = record(name, next(other for one, other in CASES if one == name), **settings)
    held = handed_over(attack, observe(transcript, grant(data, threat, stream(0, "knowledge"))), 0)
    declared = held.narrowed(attack.needs)
    guesses = [attack.run(view, stream(0, "attack")) for view in (held, declared)]
    for one, two in zip(*map(arrays_of, guesses), strict=True):
        assert np.array_equal(one, two)


def shuffled(truth: Truth) -> Truth:
    """The same labels and values, of other rows; and others have the property, since counting knows no order."""
    order = stream(0, "shuffle").permutation(len(truth.labels))
    columns = {party: replace(own, features=own.features[order]) for party, own in truth.columns.items()}
    return Truth(truth.labels[order], columns, has=~truth.has if truth.has is not None else None, before=truth.before)


def test_an_attack_scores_at_chance_when_the_truth_is_shuffled(case):
    attack, guess = case.attack, case.guess
    view = observe(case.transcript, grant(case.data, case.threat, stream(0, "knowledge")))
    truth = truth_of(
        case.data, case.threat.adversaries, columns=attack.steals == "features", asked=case.threat.property
    )
    true = score_guess(guess, truth, view, attack.rows, 0)
    chance = score_guess(guess, shuffled(truth), view, attack.rows, 0)
    if attack.role == "attack" and attack.steals == "labels":  # a baseline may have nothing to say
        assert true.value > chance.value + 0.2
    if isinstance(guess, FeatureGuess):  # the mean of a column may be learned, but nothing of a row beyond it
        assert chance.value > 0.95 * chance.other["mse_column_mean"]
    else:
        assert (chance.advantage or 0.0) < 0.1


def test_the_check_can_fail():
    """An attack that cheats through a shared array is caught by the same procedure."""
    _, data, threat, transcript = record("gradient-sign", "summed-network")
    knowledge = grant(data, threat, stream(0, "knowledge"))
    stolen = data.labels  # the road that must not exist

    class Cheating:
        def run(self, view, rng):
            return LabelGuess(view.knowledge.train, np.eye(2)[stolen[view.knowledge.train]])

    before = Cheating().run(observe(transcript, knowledge), None).labels
    with scrambled(data, threat, knowledge, transcript) as changed:
        assert not np.array_equal(before, Cheating().run(observe(changed, knowledge), None).labels)
    assert np.array_equal(before, Cheating().run(observe(transcript, knowledge), None).labels)


def test_an_attack_that_knows_the_seed_cannot_draw_the_noise_of_a_defense_again():
    table = load_dataset("iris")
    noise = stream(7, "defense", "active", secret=table.checksum).laplace(size=5)
    assert not np.array_equal(noise, stream(7, "defense", "active").laplace(size=5))
    relabeled = replace(table, labels=(table.labels + 1) % 3)
    assert not np.array_equal(noise, stream(7, "defense", "active", secret=relabeled.checksum).laplace(size=5))


def test_the_audit_keys_the_chance_of_parties_with_the_table(monkeypatch):
    from seepage.audit.plan.plan import make_plan
    from seepage.audit.stages import training
    from seepage.audit.sweep import plan_sweep, run_sweep

    drawn = []

    def listening(seed, *purpose, secret=""):
        drawn.append((purpose[0], secret))
        return stream(seed, *purpose, secret=secret)

    monkeypatch.setattr(training, "stream", listening)
    chosen = {"federations": [{"name": "logistic-regression"}], "attacks": [{"name": "gradient-sign"}]}
    plan = make_plan({"data": {"name": "iris"}, **chosen, "defenses": [{"name": "top-k"}], "seeds": 1})
    run_sweep(plan_sweep(plan))
    secret = load_dataset("iris").checksum
    assert {("federation", secret), ("defense", secret)} <= set(drawn)
    assert all(key == secret for purpose, key in drawn if purpose in {"federation", "defense"})


def test_a_view_holds_no_message_between_others():
    _, data, threat, transcript = record("gradient-sign", "summed-network")
    view = observe(transcript, grant(data, threat, stream(0, "knowledge")))
    assert len(view.messages) < len(transcript.messages)
    assert all({message.sender, message.receiver} & set(threat.adversaries) for message in view.messages)
    assert {snapshot.party for snapshot in view.snapshots} == set(threat.adversaries)
    assert set(view.knowledge.own) == set(threat.adversaries)
    assert all(part.labels is None for part in view.knowledge.own.values())
