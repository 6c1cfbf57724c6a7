"""Files of stored runs that a test changes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file


@contextmanager
def changed_json(path: Path) -> Iterator[dict[str, Any]]:
    """Let what a file says in JSON be changed, and write it back."""
    index = json.loads(path.read_text())
    yield index
    path.write_text(json.dumps(index))


@contextmanager
def changed_arrays(path: Path) -> Iterator[dict[str, np.ndarray]]:
    """Let the arrays in a file be changed, and write them back."""
    arrays = load_file(path)
    yield arrays
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path)
