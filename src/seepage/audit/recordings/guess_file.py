"""A guess on disk, for runs whose truth is known elsewhere."""

from pathlib import Path

import numpy as np

from seepage.files import private_folder, write_private
from seepage.guesses import ClusterGuess, FeatureGuess, FractionGuess, Guess, LabelGuess
from seepage.shapes import Array


def write_guess(guess: Guess, path: Path) -> Path:
    """Write one line for each row: its number and what was guessed of it (class −1: abstained).

    Of a path down a tree that is the leaf, and for every column that the tree
    asks for the interval that the path implies, in units of the column's range.
    Of a fraction there is one line.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Array] = {"row": guess.rows} if not isinstance(guess, FractionGuess) else {}
    if isinstance(guess, FractionGuess):
        columns |= {name: np.array([value]) for name, value in {"fraction": guess.fraction, **guess.others}.items()}
    elif isinstance(guess, LabelGuess):
        columns["label"] = guess.labels
        columns |= {f"score_{index}": guess.scores[:, index] for index in range(guess.scores.shape[1])}
    elif isinstance(guess, ClusterGuess):
        columns["cluster"] = guess.clusters
    elif isinstance(guess, FeatureGuess):
        columns |= {f"{party}.{name}": guess.of(party, name) for party, name in guess.columns}
    else:
        columns["leaf"] = guess.leaf
        low, high = guess.intervals
        for place, (party, name) in enumerate(guess.branches.targets):
            columns |= {f"{party}.{name}.low": low[:, place], f"{party}.{name}.high": high[:, place]}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    private_folder(path.parent)
    return write_private(path, sink.getvalue().to_pybytes())
