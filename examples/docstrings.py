"""Write a table of real texts that needs no download.

The question is which library a paragraph of documentation comes from. The texts are the first paragraphs of docstrings
of libraries that come along with Seepage, the label is the library. Names of the libraries themselves are left out.

    python examples/docstrings.py docstrings.csv
"""

import csv
import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MODULES: Final = {
    "numpy": ("numpy", "numpy.linalg", "numpy.ma", "numpy.random"),
    "scipy": ("scipy.optimize", "scipy.signal", "scipy.special", "scipy.stats"),
    "sklearn": ("sklearn.cluster", "sklearn.datasets", "sklearn.ensemble", "sklearn.linear_model", "sklearn.metrics"),
    "torch": ("torch", "torch.distributions", "torch.nn", "torch.nn.functional", "torch.optim"),
}
NAMES: Final = re.compile(r"\b(numpy|np|scipy|sklearn|scikit|learn|torch|pytorch)\b", re.IGNORECASE)
FEWEST: Final = 12
"""Shorter paragraphs are left out."""


def paragraphs(module: str) -> Iterator[str]:
    """Yield the first two paragraphs of prose of everything that can be called in a module."""
    found = importlib.import_module(module)
    for name in sorted(dir(found)):
        called = getattr(found, name, None)
        if name.startswith("_") or not callable(called):
            continue
        written = [" ".join(part.split()) for part in (inspect.getdoc(called) or "").split("\n\n")]
        prose = [text for text in written if len(text.split()) >= FEWEST and ">>>" not in text and "---" not in text]
        yield from (NAMES.sub("", text) for text in prose[:2])


def main(path: Path, most: int = 400) -> None:
    """Write up to `most` paragraphs of every library, each once."""
    with path.open("w", newline="", encoding="utf-8") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some names are deprecated
        writer = csv.writer(file)
        writer.writerow(["text", "library"])
        for library, modules in MODULES.items():
            texts = dict.fromkeys(text for module in modules for text in paragraphs(module))
            spread = list(texts)[:: max(1, len(texts) // most)][:most]
            writer.writerows((text, library) for text in spread)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
