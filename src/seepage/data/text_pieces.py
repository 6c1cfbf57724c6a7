"""Cut words into the pieces that a BERT vocabulary knows (WordPiece)."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from seepage.errors import BadTable

NOTHING: Final = "[PAD]"
UNKNOWN: Final = "[UNK]"
LONGEST: Final = 100
"""Words of more letters are unknown as a whole."""


@dataclass(frozen=True, eq=False)
class WordPieces:
    """Words as the longest pieces that a vocabulary has, from left to right (Wu et al., 2016).

    Pieces that continue a word begin with ``##``. Every punctuation mark is a
    word of its own. Where no piece of the vocabulary has a capital letter, texts
    are read in lower case and without accents.

    Parameters
    ----------
    pieces
        Every piece and its number; ``[PAD]`` is 0 and ``[UNK]`` stands for what cannot be cut.

    Examples
    --------
    >>> names = ("[PAD]", "[UNK]", "play", "##ing", "##ed", "we", ".")
    >>> pieces = WordPieces({name: number for number, name in enumerate(names)})
    >>> pieces.tokens("We played. Wé zap")
    [5, 2, 4, 6, 5, 1]
    """

    pieces: Mapping[str, int] = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> "WordPieces":
        """Read a vocab.txt, one piece on every line; say in a sentence what is wrong with it."""
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise BadTable(
                f"The vocabulary '{path}' cannot be read ({why}); name the vocab.txt of an encoder."
            ) from None
        names = [line.rstrip("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]
        pieces = {name: number for number, name in enumerate(names)}
        if pieces.get(NOTHING) != 0 or UNKNOWN not in pieces:
            raise BadTable(
                f"The vocabulary '{path}' does not begin with {NOTHING}, or lacks {UNKNOWN}: it is not that of a BERT "
                "encoder. Name another one, or a number of words to hash to."
            )
        return cls(pieces)

    @property
    def vocabulary(self) -> int:
        """Piece numbers lie below this."""
        return max(self.pieces.values()) + 1

    @cached_property
    def cased(self) -> bool:
        """Whether capital letters tell words apart."""
        return any(name != name.lower() for name in self.pieces if not (name.startswith("[") and name.endswith("]")))

    def tokens(self, text: str) -> list[int]:
        """Return the pieces of a text as numbers from 1 on."""
        plain = text if self.cased else _without_accents(text.lower())
        return [number for word in _words(plain) for number in self._cut(word)]

    def _cut(self, word: str) -> list[int]:
        found: list[int] = []
        start = 0
        while start < len(word) <= LONGEST:
            before = "##" if start else ""
            stop = next((end for end in range(len(word), start, -1) if before + word[start:end] in self.pieces), None)
            if stop is None:
                break
            found.append(self.pieces[before + word[start:stop]])
            start = stop
        return found if start == len(word) else [self.pieces[UNKNOWN]]


def _without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if unicodedata.category(letter) != "Mn")


def _words(text: str) -> Iterator[str]:
    """Cut at white space; punctuation marks and ideographs stand alone, and control characters are left out."""
    spaced = []
    for letter in text:
        if letter.isspace():
            spaced.append(" ")
        elif _stands_alone(letter):
            spaced.append(f" {letter} ")
        elif letter != "\ufffd" and not unicodedata.category(letter).startswith("C"):
            spaced.append(letter)
    yield from "".join(spaced).split()


def _stands_alone(letter: str) -> bool:
    if letter.isascii():
        return letter.isprintable() and not letter.isalnum() and letter != " "
    return unicodedata.category(letter).startswith("P") or unicodedata.name(letter, "").startswith("CJK ")
