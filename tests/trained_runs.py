"""Federations that are trained for a test, and what adversaries see of them."""

from dataclasses import replace

from seepage.federations import FEDERATIONS
from seepage.federations.passive_party import PassiveParty
from seepage.federations.screening import Screener, screen
from seepage.hooks import Hooks, begin
from seepage.links import InProcessLink
from seepage.messages import veiled
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.transcript import Recording
from seepage.views import ThreatModel, View, grant, observe

EVERYTHING, NOTHING = Recording.everything(), Recording()


def guarded(defense, data: PartitionedTable, seed=0) -> Hooks:
    """Let every party begin with a defense."""
    return Hooks({party: begin(defense, data.parts[party], stream(seed, "defense", party)) for party in data.parties})


def trained(federation, data: PartitionedTable, *, hooks=None, record=EVERYTHING, seed=0, purpose="test"):
    """Train a federation, which may be a name; everything is recorded."""
    made = FEDERATIONS[federation]() if isinstance(federation, str) else federation
    return made.train(data, hooks=hooks or Hooks(), record=record, rng=stream(seed, purpose))


def released(federation, data: PartitionedTable, **how):
    """Train a federation, release its model, and predictions for the test rows."""
    run = trained(federation, data, **how)
    run.release_model()
    run.release(data.test)
    return run


def address(said) -> tuple:
    """Return what kind of message it is, between whom, and when it was sent."""
    return said.kind, said.sender, said.receiver, said.epoch, said.step


def carried(said) -> tuple:
    """Return the rows and arrays of a message, down to their bytes."""
    arrays = {"rows": said.rows, **said.payload}
    return tuple((name, array.dtype, array.shape, array.tobytes()) for name, array in sorted(arrays.items()))


def screened(data: PartitionedTable, hooks: Hooks, tap=lambda message: None) -> PartitionedTable:
    """Let parties leave columns out, as before every training; nobody builds a model."""
    passive = {p: PassiveParty(Screener(data.parts[p], hooks.of(p)), build=lambda part: part) for p in data.passive}
    links = {p: InProcessLink(party, lambda message: tap(veiled(message))) for p, party in passive.items()}
    screen(data.parts[data.active], links)
    return replace(data, parts={**data.parts, **{p: party.screener.part for p, party in passive.items()}})


def seen(run, data: PartitionedTable, *adversaries: str, **known) -> View:
    """Return what adversaries hold after a run; without any, the active party is one."""
    threat = ThreatModel(adversaries=adversaries or (data.active,), **known)
    return observe(run.transcript, grant(data, threat, stream(0, "knowledge")))
