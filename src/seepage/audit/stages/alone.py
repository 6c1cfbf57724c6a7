"""What the label holder reaches without anybody else: the same kind of model, on its own columns."""

from typing import Final

import numpy as np

from seepage.audit.remarks import gathered_remarks
from seepage.audit.stages.assignment import unknown_worth
from seepage.audit.stages.training import federation_of, train
from seepage.audit.stages.work import Record, Training, Worth
from seepage.errors import AuditError, reason_of
from seepage.federations import Federation
from seepage.partition import PartitionedTable
from seepage.scores import utility
from seepage.shapes import Matrix
from seepage.transcript import Recording

DIVERGED: Final = "Its predictions are not numbers."


def worth_alone(training: Training, data: PartitionedTable, key: str, secret: str) -> Record:
    """Train the label holder alone, and say what its model is worth.

    Nobody else takes part, so nothing crosses and nothing is attacked. A federation of another package may refuse to
    train one party: then there is no number, and the record says why.
    """
    try:
        with gathered_remarks() as remarks:
            confidences = confidences_alone(federation_of(training), data.alone, training.setting.seed, secret)
    except (AuditError, ValueError) as error:  # a refusal, which another try would not change
        return _unknown(training, key, reason_of(error))
    if not np.isfinite(confidences).all():
        return _unknown(training, key, DIVERGED)
    metric, value, _ = utility(data.labels[data.test], confidences)
    return Record(key=key, worth=Worth(metric=metric, value=value), remarks=tuple(remarks))


def confidences_alone(federation: Federation, own: PartitionedTable, seed: int, secret: str) -> Matrix:
    """Predict the test rows with own columns; without any, every row has the shares of classes in training."""
    if own.parts[own.active].width:
        return train(federation, own, {}, (), Recording(), seed, secret).predict(own.test)
    shares = np.bincount(own.labels[own.train], minlength=len(own.classes)) / len(own.train)
    return np.tile(shares, (len(own.test), 1))


def _unknown(training: Training, key: str, reason: str) -> Record:
    return Record(key=key, worth=Worth(reason=reason), remarks=(unknown_worth(training, reason),))
