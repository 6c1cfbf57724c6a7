"""An attempt is a process that was given a view: whatever an attack does there costs its own finding."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from hand_made import agreed
from seepage.attacks import ATTACKS
from seepage.audit.isolation.limits import Isolation, Limits, isolating
from seepage.audit.isolation.outside import outside_attack
from seepage.audit.plan.settings import settings_of
from seepage.audit.stages.chaining import attempt
from seepage.errors import BadPlugIn, FailedAttempt, IncompatibleView, Remark
from seepage.views import Knowledge, ThreatModel, View

KNOWLEDGE = Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(5))
VIEW = View(agreed("summed-network", top_model=False), KNOWLEDGE)


@pytest.fixture(scope="module")
def hostile():
    """Return what asks the process of an attack to do a deed; the attack is described once."""
    described = outside_attack("hostile:Hostile", {})

    def tried(deed, limits=None, **settings):
        changed = described.described.model_copy(update={"settings": {"deed": deed, **settings}})
        with isolating(Isolation(limits=limits or Limits(seconds=60))):
            return attempt(type(described)(described.place, changed), VIEW, np.random.default_rng(7))

    return tried


def test_it_guesses_what_it_would_have_guessed_here(hostile):
    assert "hostile" not in sys.modules
    guess = hostile("guess")
    assert guess.scores.tobytes() == np.random.default_rng(7).random((5, 2)).tobytes()


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("raise", r"it raised ZeroDivisionError: by  \[31mnought"),
        ("sys.exit", r"it called sys.exit\(0\)"),
        ("os._exit", r"its process ended without a guess \(exit status 0\)"),
        ("exit-3", r"its process ended without a guess \(exit status 3"),
        ("segfault", r"its process crashed \(SIGSEGV\)"),
        ("memory", "it needed more memory than it may use"),
        ("flood", "it printed more than 64 MB"),
        ("forge", "its process answered something that cannot be read"),
        ("dict", "a dict is no guess"),
        ("nan", "the scores hold values that are no numbers"),
        ("twice", "row 0 is named more than once"),
        ("strangers", "row 1000000 does not exist"),
    ],
)
def test_whatever_it_does_is_one_sentence(hostile, deed, reason):
    with pytest.raises(FailedAttempt, match=f"hostile .*: .*{reason}"):
        hostile(deed, Limits(seconds=60, memory_gb=4))


def test_it_is_ended_when_it_takes_too_long(hostile):
    with pytest.raises(FailedAttempt, match=r"hostile came to no guess: it took longer than 3 s\."):
        hostile("sleep", Limits(seconds=3))


def test_what_it_starts_ends_with_it(hostile):
    hostile("child")
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"seepage.audit.isolation.child {os.getpid()} " not in left


def test_it_may_refuse_a_view(hostile):
    with pytest.raises(IncompatibleView, match="saw too little"):
        hostile("refuse")


def test_what_it_prints_goes_to_standard_error_without_what_terminals_obey(hostile, capsys):
    hostile("print")
    printed = capsys.readouterr()
    assert printed.out == "" and "printed by an attack  [31m" in printed.err


def test_what_it_remarks_is_heard(hostile):
    with pytest.warns(Remark, match="an attack remarks"):
        hostile("remark")


def test_it_reaches_no_file_no_other_process_and_no_network(hostile, tmp_path, recwarn):
    secret = tmp_path / "labels.csv"
    secret.write_text("the truth")
    with socket.create_server(("127.0.0.1", 0)) as server:
        notes = dict(hostile("try", target=str(secret), port=server.getsockname()[1]).notes)
    if any("does not let a process be kept" in str(warning.message) for warning in recwarn):
        pytest.skip("this system keeps no process from files or the network")
    assert set(notes.values()) == {0.0}, notes
    assert secret.read_text() == "the truth"


def test_it_dies_with_whoever_asked():
    program = textwrap.dedent(
        """
        import numpy as np
        from test_outside import VIEW
        from seepage.audit.isolation.outside import guessed_apart
        guessed_apart("hostile:Hostile", {"deed": "sleep"}, VIEW, np.random.default_rng(0))
        """
    )
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, os.path.join(here, "..", ".."), *sys.path])
    parent = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path})
    called = f"seepage.audit.isolation.child {parent.pid} "

    def alive():
        shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        return called in shown

    assert _soon(alive)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert _soon(lambda: not alive())


def _soon(holds):
    for _ in range(300):
        if holds():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    ("place", "settings", "reason"),
    [
        ("no_such_package.attack:Attack", {}, "there is no module 'no_such_package'"),
        ("hostile:Absent", {}, "has no attribute 'Absent'"),
        ("hostile:function", {}, "is no class"),
        ("hostile:Lacking", {}, "lacks steals and role and rows and needs and tampering and run"),
        ("hostile:Boasting", {}, "cannot be used: steals: input should be .*, got 'everything'"),
        ("hostile:Leaning", {}, "builds on 'no-such-attack'"),
        ("hostile:Tampering", {}, "acts during training"),
        ("hostile:Hostile", {"dead": "guess"}, "No setting of hostile:Hostile is called 'dead'; did you mean 'deed'"),
        ("exiting_on_import:Attack", {}, "SystemExit: 0"),
        ("dying_on_import:Attack", {}, "ended without a guess"),
    ],
)
def test_an_attack_that_cannot_be_used_is_refused_in_a_sentence(place, settings, reason, tmp_path, monkeypatch):
    (tmp_path / "exiting_on_import.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "dying_on_import.py").write_text("import os\nos._exit(0)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadPlugIn, match=reason):
        outside_attack(place, settings)


def test_a_description_says_all_that_an_audit_asks(hostile):
    described = outside_attack("seepage.attacks.features.embedding_regression:EmbeddingRegression", {})
    ours = ATTACKS["embedding-regression"]()
    for name in ("name", "steals", "role", "rows", "needs"):
        assert getattr(described, name) == getattr(ours, name)
    assert settings_of(described) == settings_of(ours) and described.tampering is None
