"""Boosting between a bank and a shop by SecretFlow, recorded. Runs in an environment of its own: make engines.

python examples/engines/secretflow_sgb.py FOLDER [KEY=VALUE …], where keys are rows, or settings of SGB as max_depth.
"""

import json
import sys
from typing import Any

import secretflow
import spu
from secretflow.data.ndarray import FedNdarray, PartitionWay
from secretflow.ml.boost.sgb_v import Sgb
from sklearn.datasets import load_breast_cancer

from seepage.recorders.secretflow import SGBRecorder

folder, told = sys.argv[1], {name: json.loads(value) for name, value in (word.split("=") for word in sys.argv[2:])}
rows = told.pop("rows", 569)
settings = {"num_boost_round": 10, "max_depth": 4, "sketch_eps": 0.1, "objective": "logistic", "seed": 0, **told}
secretflow.init(["bank", "shop"], address="local", debug_mode=True)
bank, shop = secretflow.PYU("bank"), secretflow.PYU("shop")
columns, labels = load_breast_cancer(return_X_y=True)


def laid(**parts: Any) -> FedNdarray:
    """Lay each party's columns with its owner."""
    held = {device: device(lambda told=parts[device.party]: told)() for device in (bank, shop) if device.party in parts}
    return FedNdarray(partitions=held, partition_way=PartitionWay.VERTICAL)


keys = {"schema": "ou", "key_pair": {"generate": {"bit_size": 2048}}}
sealed = {"sk_keeper": {"party": "bank"}, "evaluators": [{"party": "shop"}], "mode": "PHEU", "he_parameters": keys}
with SGBRecorder(folder, parties=["bank", "shop"], active="bank"):
    Sgb(secretflow.HEU(sealed, spu.spu_pb2.FM128)).train(
        {**settings, "enable_packbits": True},
        laid(bank=columns[:rows, :15], shop=columns[:rows, 15:]),
        laid(bank=labels[:rows]),
    )
