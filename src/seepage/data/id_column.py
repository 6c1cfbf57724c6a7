"""Turn the column of a file that names its rows into ids."""

from typing import TYPE_CHECKING

import numpy as np

from seepage.data.arrow_columns import is_text
from seepage.errors import BadTable
from seepage.shapes import Array

if TYPE_CHECKING:
    import pyarrow as pa


def ids_of(name: str, id_column: str, cells: "pa.ChunkedArray") -> Array:
    """Return numbers or words, one for each row; refuse where one is missing.

    >>> import pyarrow as pa
    >>> ids_of("people.csv", "id", pa.chunked_array([["a7", "a8"]]))
    array(['a7', 'a8'], dtype='<U2')
    """
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if not kinds.is_integer(cells.type):
        try:
            cells = cells.cast("string")
        except pa.ArrowException:
            raise BadTable(f"{name}: id column '{id_column}' holds neither numbers nor words.") from None
    missing = cells.null_count
    if is_text(cells.type):
        values = np.array([cell or "" for cell in cells.to_pylist()], dtype=np.str_)
        missing = int(np.count_nonzero(values == ""))
    if missing:
        raise BadTable(
            f"{name}: id column '{id_column}' is missing in {missing} of {len(cells)} rows, "
            "but every row needs an id. Fill it in, or choose another id column."
        )
    return values if is_text(cells.type) else np.asarray(cells.to_numpy())
