"""Attacks and defenses that a Python caller brings along, and attacks from outside beside ours."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import seepage
from made_up_attacks import OnLabels
from seepage.errors import BadPlan, Remark
from seepage.guesses import LabelGuess
from seepage.hooks import Seam, on_message
from seepage.views import Kind
from small_audits import stable

SMALL = {"federations": ["summed-network:epochs=2"], "seeds": 1}


@dataclass(frozen=True, kw_only=True)
class Chance(OnLabels):
    """Guess at random, and say so."""

    times: float = 1.0

    def run(self, view, rng):
        print("said by an attack of the caller's")
        rows = view.knowledge.train
        return LabelGuess(rows, self.times * rng.random((len(rows), view.agreement.classes)))


@dataclass(frozen=True, kw_only=True)
class Silence:
    """Send gradients of nothing."""

    acts_on: ClassVar = frozenset({Seam.MESSAGE})
    rewrites: ClassVar = frozenset({Kind.GRADIENT})

    keep: float = 0.0

    def start(self, own_part, rng):
        def quiet(message):
            return replace(message, payload={name: self.keep * one for name, one in message.payload.items()})

        return on_message(Kind.GRADIENT, quiet)


def test_objects_of_the_caller_run_here_wherever_their_class_was_written(capsys):
    @dataclass(frozen=True, kw_only=True)
    class Local(Chance):
        """Is known to this function alone."""

    findings = seepage.audit("iris", **SMALL, attacks=[Chance(times=2), Local(), "gradient-sign"], defenses=[Silence()])
    assert {found.status for found in findings} == {"ok"}
    places = [f"{__name__}:Chance", f"{__name__}:{Local.__qualname__}", "gradient-sign"]
    assert [found.attack for found in findings if found.defense is None and found.role != "chosen"] == places
    assert findings[0].attack_settings == {"times": 2.0}
    undefended, silent = (found for found in findings if found.attack == "gradient-sign")
    assert undefended.value == 1.0 and silent.defense == f"{__name__}:Silence" and silent.value < 0.5
    printed = capsys.readouterr()
    assert printed.out == "" and "said by an attack of the caller's" in printed.err


def test_our_own_objects_go_by_their_name():
    from seepage.attacks.labels.gradient_sign import GradientSign

    (found,) = seepage.audit("iris", **SMALL, attacks=[GradientSign(combine="sum")], defenses=[])
    assert found.attack == "gradient-sign" and found.attack_settings["combine"] == "sum"


@pytest.mark.parametrize("options", [{"jobs": 1}, {"isolate": True}])
def test_a_class_that_no_other_process_can_import_is_refused_there(options):
    @dataclass(frozen=True, kw_only=True)
    class Local(Chance):
        """Is known to this function alone."""

    with pytest.raises(BadPlan, match=r"Local is defined in a function, where no other process can import it\."):
        seepage.audit("iris", **SMALL, attacks=[Local()], defenses=[], **options)


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (Chance, "objects of frozen dataclasses, such as MyClass.., but got the class Chance"),
        (3, "but got an object of int"),
        (Silence(), "Silence lacks name and steals .*, so it is no attack"),
        (replace(Chance(), times=object()), "a setting that a plan cannot write down"),
    ],
)
def test_what_is_no_attack_is_refused_before_anything_is_trained(thing, reason):
    with pytest.raises(BadPlan, match=reason):
        seepage.audit("iris", **SMALL, attacks=[thing], defenses=[])


def test_an_attack_that_fails_costs_its_own_finding_alone():
    deeds = ["raise", "os._exit", "nan", "guess"]
    hostile = [{"name": "hostile:Hostile", "settings": {"deed": deed}} for deed in deeds]
    findings = seepage.audit("iris", **SMALL, attacks=["gradient-sign", *hostile], defenses=[])
    found = {one.attack_settings.get("deed", one.attack): one for one in findings if one.role == "attack"}
    assert [one.status for one in found.values()] == ["ok", "failed", "failed", "failed", "ok"]
    assert found["gradient-sign"].value == 1.0
    assert found["raise"].reason == "hostile came to no guess: it raised ZeroDivisionError: by  [31mnought"
    assert "exit status 0" in found["os._exit"].reason and "no numbers" in found["nan"].reason


def test_our_own_attacks_guess_the_same_in_processes_of_their_own():
    attacks = ["linear-probe", "id2graph", "embedding-inversion"]  # scikit-learn, Numba, PyTorch
    asked = {"federations": ["split-network:epochs=3", "forest:trees=3"], "attacks": attacks, "defenses": []}
    here, apart = (seepage.audit("iris", **asked, seeds=1, isolate=isolate) for isolate in (False, True))
    assert {found.attack for found in here if found.status == "ok"} == set(attacks)
    assert stable(here) == stable(apart)


def test_what_an_attack_of_the_caller_leaves_behind_is_not_taken_for_new_code(tmp_path):
    def audited(silent):
        @dataclass(frozen=True, kw_only=True)
        class Local(Chance):
            """Guesses in one way or the other under the same name."""

            def run(self, view, rng):
                rows = view.knowledge.train
                return LabelGuess(rows, np.ones((len(rows), 3)), np.full(len(rows), silent))

        (found,) = seepage.audit("iris", **SMALL, attacks=[Local()], defenses=[], out=tmp_path)
        return found.other_metrics["abstained"]

    assert audited(True) == 1.0
    with pytest.warns(Remark, match="Not reused: 1 stored finding"):
        assert audited(False) == 0.0
