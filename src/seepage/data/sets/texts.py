"""Texts that everyone has to bring along."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Final

import numpy as np

from seepage.data.arrow_files import open_table
from seepage.data.sets.described import DESCRIBED, source_of
from seepage.data.sets.stored import SPLIT
from seepage.data.sources import Source
from seepage.data.table import Table
from seepage.data.text_table import text_from_arrow


@dataclass(frozen=True)
class StoredTexts:
    """Texts in a file, and what each is about: call it to read it. Words are hashed to numbers.

    Parameters
    ----------
    text, label
        The columns that hold them; one called ``split`` may say ``train`` or ``test``.
    words
        How many words of each text are read.
    """

    source: Source
    text: str
    label: str
    words: int

    def __call__(self, *, impute: bool = False) -> Table:
        """Read the texts, or say where they come from."""
        del impute  # a text that is not there has no words
        arrow = open_table(self.source.fetch())
        official = np.asarray(arrow[SPLIT]) == "test" if SPLIT in arrow.column_names else None
        return text_from_arrow(
            arrow,
            self.text,
            name=self.source.name,
            label=self.label,
            words=self.words,
            drop=(SPLIT,),
            official_test=official,
        )


STORED: Final = SimpleNamespace(
    **{
        name: StoredTexts(source_of(name), told["text"], told["label"], told["words_of_text"])
        for name, told in DESCRIBED.items()
        if "text" in told
    }
)
"""All of them, by name."""
