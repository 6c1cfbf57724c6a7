"""Read a column of texts from a CSV or Parquet file."""

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from seepage.data.arrow_columns import is_text, numbers_in
from seepage.data.arrow_files import open_table
from seepage.data.id_column import ids_of
from seepage.data.label_column import classes_of
from seepage.data.readers import ColumnLeftOut
from seepage.data.table import Column, Table
from seepage.data.text import VOCABULARY, WORDS, HashedWords, laid_out
from seepage.data.text_pieces import WordPieces
from seepage.errors import BadTable, UnknownName
from seepage.layouts import TextShape
from seepage.shapes import Mask

if TYPE_CHECKING:
    import pyarrow as pa


def read_text(
    path: Path,
    text: str,
    *,
    label: str,
    id_column: str | None = None,
    words: int = WORDS,
    vocabulary: int | str | Path = VOCABULARY,
) -> Table:
    r"""Read the texts of a file as columns of word numbers, ``word_0`` and so on.

    Columns besides label, id and text are left out, with a warning.

    Parameters
    ----------
    text
        The column that holds the texts. An empty one has no words.
    label
        The column that holds the class of each row.
    id_column
        The column that names each row; row numbers stand in when there is none.
    words
        How many words of each text are read; further ones are left out.
    vocabulary
        To how many numbers words are hashed (`HashedWords`), or the vocab.txt of
        a BERT encoder, whose pieces words are cut into (`WordPieces`).

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mail.csv")
    ...     _ = path.write_text("body,y\nSee you there,no\nWin now,yes\n")
    ...     table = read_text(path, "body", label="y", words=3, vocabulary=100)
    >>> table.layout, table.column_names
    (TextShape(length=3, vocabulary=100), ('word_0', 'word_1', 'word_2'))
    >>> np.stack([column.values for column in table.columns], axis=1)
    array([[ 5, 85, 62],
           [46, 72,  0]], dtype=int32)
    """
    return text_from_arrow(
        open_table(path), text, name=path.name, label=label, id_column=id_column, words=words, vocabulary=vocabulary
    )


def text_from_arrow(
    arrow: "pa.Table",
    text: str,
    *,
    name: str,
    label: str,
    id_column: str | None = None,
    words: int = WORDS,
    vocabulary: int | str | Path = VOCABULARY,
    drop: Collection[str] = (),
    official_test: Mask | None = None,
) -> Table:
    """Read the texts of an Arrow table, as `read_text` does; `drop` names columns that nobody misses."""
    roles = {"label": label, "text": text} | ({} if id_column is None else {"id": id_column})
    for wanted in roles.values():
        if wanted not in arrow.column_names:
            raise UnknownName("column", wanted, known=arrow.column_names)
    if len(set(roles.values())) < len(roles):
        raise BadTable(f"{name}: {' and '.join(roles)} must be different columns, got {', '.join(roles.values())}.")
    tokenizer = HashedWords(vocabulary) if isinstance(vocabulary, int) else WordPieces.read(Path(vocabulary))
    shape = TextShape(words, tokenizer.vocabulary)
    columns = laid_out([tokenizer.tokens(cell) for cell in _texts(name, text, arrow[text])], words)
    if not columns.any():
        raise BadTable(f"{name}: no text in column '{text}' has a word. Name another column (--text COLUMN).")
    labels, classes = classes_of(label, arrow[label])
    others = [column for column in arrow.column_names if column not in {*roles.values(), *drop}]
    return Table(
        name=name,
        columns=tuple(
            Column(f"word_{place}", np.ascontiguousarray(values), limits=(0.0, shape.vocabulary - 1.0))
            for place, values in enumerate(columns.T)
        ),
        labels=labels,
        classes=classes,
        ids=np.arange(arrow.num_rows) if id_column is None else ids_of(name, id_column, arrow[id_column]),
        official_test=official_test,
        label_name=label,
        left_out=_left_out(name, text, others),
        layout=shape,
    )


def _texts(name: str, text: str, cells: "pa.ChunkedArray") -> list[str]:
    import pyarrow.types as kinds

    if kinds.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if not is_text(cells.type) or numbers_in(cells) is not None:
        raise BadTable(f"{name}: column '{text}' holds numbers, not texts. Name another column (--text COLUMN).")
    return [cell or "" for cell in cells.to_pylist()]


def _left_out(name: str, text: str, others: list[str]) -> tuple[str, ...]:
    if others:
        named = ", ".join(f"'{other}'" for other in others)
        warnings.warn(
            f"{name}: {named} {'is' if len(others) == 1 else 'are'} left out, because the text in '{text}' is read "
            "by itself.",
            ColumnLeftOut,
            stacklevel=4,
        )
    return tuple(others)
