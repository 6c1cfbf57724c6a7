"""Take over what an engine wrote on breast cancer, and add what parties know: known.py TOLD RUN [ROWS [TRAIN]]."""

import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer

import seepage
from seepage.transcript.storage import read_transcript

told, run = Path(sys.argv[1]), Path(sys.argv[2])
rows, train = [int(word) for word in (*sys.argv[3:], "569", "569")][:2]
columns, labels = load_breast_cancer(return_X_y=True)
terms = read_transcript(told).agreement
record = seepage.Recorder(
    run, parties=terms.parties, active=terms.active, classes=terms.classes, top_model=terms.top_model,
    federation=terms.federation, kinds=terms.kinds, model=terms.model, data="breast_cancer",
)  # fmt: skip
record.take(told)
record.rows(train=range(train), new=range(train, rows))
halves = (slice(15), slice(15, 30))  # of three parties the first has labels alone
for party, half in zip(terms.parties[-2:], halves, strict=True):
    record.columns(party, columns[:rows, half])
record.truth(labels=labels[:rows])
record.know_labels(per_class=4)
record.know_values(count=40)
print(record.close())
