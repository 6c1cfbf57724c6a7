"""Small federations in which a party holds a property that another one is curious about."""

from functools import lru_cache
from typing import Any

import numpy as np

from samples import small_data
from seepage.attacks import Attack
from seepage.audit.stages.chaining import recording, threat_for
from seepage.federations import FEDERATIONS
from seepage.hooks import Hooks
from seepage.randomness import stream
from seepage.views import View, grant, observe

LARGE = "mean radius=15.."
"""A property that about a third of the tumors have."""


def observed(attack: Attack[Any], federation: str, *adversary: str, **partition: object) -> tuple[View, float]:
    """Train as the attack wants it; return what its adversary holds, and the true fraction among training rows."""
    return _observed(attack, federation, adversary, tuple(sorted(partition.items())))


@lru_cache(maxsize=64)
def _observed(
    attack: Attack[Any], federation: str, adversary: tuple[str, ...], partition: tuple[tuple[str, object], ...]
) -> tuple[View, float]:
    dealt = dict(partition)
    favored = () if dealt.get("labels_only") else adversary  # who has labels alone has no share of the columns
    data = small_data("breast_cancer", adversary=favored, properties=(LARGE,), **dealt)
    threat = threat_for(attack, adversary, asked=LARGE)
    knowledge = grant(data, threat, stream(0, "knowledge"))
    tamperings = {}
    if attack.tampering is not None:
        tamperings = {party: attack.tampering(knowledge, stream(0, "tampering", party)) for party in adversary}
    trained = FEDERATIONS[federation]
    run = (trained(epochs=5) if "epochs" in trained.__dataclass_fields__ else trained()).train(
        data, hooks=Hooks({}, tamperings), record=recording(attack), rng=stream(0, "federation")
    )
    run.release(data.test)
    (holder, *_) = data.holders(LARGE)
    return observe(run.transcript, knowledge), float(np.mean(data.parts[holder].properties[LARGE][data.train]))
