"""A long run of somebody's engine, recorded and attacked: seconds and peak memory of either, against a bar of 4 GB.

Recording and attacking are processes of their own. Embeddings and gradients of all rows cross in every epoch, which
takes 4 GB of disk.

    python benchmarks/recordings.py [ROWS [EPOCHS]]
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS, EPOCHS, OUTPUTS, COLUMNS, BATCH, CLASSES = 1_000_000, 20, 16, 10, 10_000, 2
BAR_MB = 4096


def record(folder: str, rows: int, epochs: int) -> None:
    """Write down a made-up training: gradients point along the class of a row, and embeddings hold its columns."""
    import seepage

    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, rows)
    columns = rng.normal(size=(rows, COLUMNS)).astype(np.float32) + labels[:, None] / 4
    ways = rng.normal(size=(CLASSES, OUTPUTS)).astype(np.float32)
    mixed = rng.normal(size=(COLUMNS, OUTPUTS)).astype(np.float32)
    with seepage.Recorder(folder, parties=["bank", "shop"], active="bank", classes=CLASSES, top_model=True) as run:
        run.rows(train=np.arange(rows))
        run.columns("shop", columns)
        for epoch in range(epochs):
            order = rng.permutation(rows)
            for start in range(0, rows, BATCH):
                about = order[start : start + BATCH]
                noise = rng.normal(scale=0.5, size=(len(about), OUTPUTS)).astype(np.float32)
                run.embedding("shop", about, columns[about] @ mixed + noise, epoch)
                strength = rng.exponential(size=(len(about), 1)).astype(np.float32)
                run.gradient("shop", about, strength * (ways[labels[about]] + noise), epoch)
        run.truth(labels=labels)
        run.know_labels(per_class=4)


def attack(folder: str, name: str) -> None:
    """Attack as the shop, as ``seepage audit --transcript`` does."""
    from seepage.audit.recordings.auditing import RecordingAudit

    asked = RecordingAudit(Path(folder), adversaries=("shop",), attacks=(name,))
    for finding in asked.run(Path(folder).with_name("found")):
        if finding.status == "ok" and finding.value is not None and finding.blind is not None:
            print(f"    {finding.attack}: {finding.metric} {finding.value:.3f}, blind {finding.blind:.3f}")


def measured(what: str, *words: str) -> None:
    """Run one part in a process of its own, and print what it took."""
    started = time.perf_counter()
    done = subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - started
    *said, peak = done.stdout.splitlines()
    print(f"{what:28} {seconds:6.0f} s {float(peak):6.0f} MB (bar {BAR_MB} MB)", *said, sep="\n")


def main(words: list[str]) -> None:
    rows, epochs = [int(word) for word in (*words, *map(str, (ROWS, EPOCHS)[len(words) :]))]
    with tempfile.TemporaryDirectory() as home:
        folder = str(Path(home) / "run")
        print(f"{rows:,} rows × {epochs} epochs × {OUTPUTS} outputs")
        measured("recorded", "record", folder, str(rows), str(epochs))
        stored = sum(path.stat().st_size for path in Path(folder).iterdir())
        print(f"    {stored / 2**20:.0f} MB on disk")
        measured("gradient-direction", "attack", folder, "gradient-direction")


if __name__ == "__main__":
    if sys.argv[1:2] == ["record"]:
        record(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1:2] == ["attack"]:
        attack(sys.argv[2], sys.argv[3])
    else:
        main(sys.argv[1:])
        sys.exit()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
