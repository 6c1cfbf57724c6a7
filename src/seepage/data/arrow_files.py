"""Open a CSV or Parquet file, or say in one sentence why it cannot be opened."""

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from seepage.data.written_numbers import with_points
from seepage.errors import BadTable

if TYPE_CHECKING:
    import pyarrow as pa

CSV_ENDINGS: Final = (".csv",)
PARQUET_ENDINGS: Final = (".parquet", ".pq")
PARQUET_MAGIC: Final = b"PAR1"


def open_table(path: Path) -> "pa.Table":
    """Read a file by its ending; CSV cells all arrive as text.

    Text is kept as text here because PyArrow guesses the type of a CSV column
    from its first megabyte, so that a bad cell further down would be an error
    about types instead of one about the data.
    """
    if path.is_dir():
        raise BadTable(f"'{path}' is a folder; name one CSV or Parquet file.")
    ending = path.suffix.lower()
    if ending not in CSV_ENDINGS + PARQUET_ENDINGS:
        raise BadTable(
            f"'{path.name}' ends in '{ending}', but a table is read from a CSV (.csv) or Parquet (.parquet, .pq) file. "
            "Convert it to one of the two."
        )
    _refuse_what_is_no_file(path)
    try:
        table = _open_csv(path) if ending in CSV_ENDINGS else _open_parquet(path)
    except OSError as error:
        raise BadTable(f"'{path}' cannot be read ({error.strerror or 'input error'}); check the file.") from None
    _refuse_bad_header(path, table.column_names)
    if table.num_rows == 0:
        _refuse_header_alone(path)
    return table


def _refuse_what_is_no_file(path: Path) -> None:
    if not path.exists():
        raise BadTable(f"There is no file '{path}'; check the path.")
    if path.is_file() and path.stat().st_size == 0:
        raise BadTable(f"'{path.name}' is empty; a table needs a header and rows.")


def _refuse_bad_header(path: Path, names: list[str]) -> None:
    for place, name in enumerate(names):
        if not name.strip():
            raise BadTable(
                f"'{path.name}': column {place + 1} has no name. "
                "Give it one in the header (and choose it as the id column if it only numbers the rows)."
            )
        if name in names[:place]:
            raise BadTable(
                f"'{path.name}': {names.count(name)} columns are called '{name}'; give each column a name of its own."
            )


def _open_csv(path: Path) -> "pa.Table":
    import pyarrow as pa

    delimiter = _delimiter_of(_header_of(path))
    try:
        table = _parse_csv(path, delimiter)
        return table if delimiter == "," else _with_decimal_points(table)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError, UnicodeDecodeError):
        line = _first_line_that_is_not_utf8(path)
        if line:
            raise BadTable(
                f"'{path.name}' is not UTF-8 text (first at line {line}); save it again with UTF-8 encoding."
            ) from None
        _refuse_ragged_rows(path, delimiter)
        raise BadTable(
            f"'{path.name}' is not a complete CSV file: its rows cannot be told apart. "
            "Look for a quotation mark that is never closed, or a file cut short."
        ) from None


def _header_of(path: Path) -> bytes:
    with path.open("rb") as file:
        lines = (line for line in file if line.strip(b"\xef\xbb\xbf \t\r\n"))
        header = next(lines, None)
        if header is None:
            raise BadTable(f"'{path.name}' is empty; a table needs a header and rows.")
        if next(lines, None) is None:
            _refuse_header_alone(path)
    return header


def _refuse_header_alone(path: Path) -> NoReturn:
    raise BadTable(f"'{path.name}' has a header but no rows; an audit needs at least some rows of two classes.")


def _delimiter_of(header: bytes) -> str:
    """Return the comma, unless the header has none but semicolons or tabs, as spreadsheets write them."""
    header = re.sub(rb'"[^"]*"', b"", header)  # a comma inside quotation marks belongs to a name
    for delimiter in (b",", b";", b"\t"):
        if delimiter in header:
            return delimiter.decode()
    return ","


def _parse_csv(path: Path, delimiter: str) -> "pa.Table":
    import pyarrow as pa
    from pyarrow import csv

    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    with csv.open_csv(path, parse_options=parse) as reader:
        names = reader.schema.names
    _refuse_bad_header(path, names)
    as_text = csv.ConvertOptions(column_types={name: pa.string() for name in names}, strings_can_be_null=False)
    return csv.read_csv(path, parse_options=parse, convert_options=as_text)


def _with_decimal_points(table: "pa.Table") -> "pa.Table":
    """Write decimal commas, as spreadsheets in Europe save them, as points where most cells are numbers."""
    for place, name in enumerate(table.column_names):
        cells, found = with_points(table[name], likely="decimal")
        if found is not None and found.comma is not None:
            table = table.set_column(place, name, cells)
    return table


def _refuse_ragged_rows(path: Path, delimiter: str) -> None:
    """Read once more, on one thread so that lines are counted, and name the first line of another width."""
    import pyarrow as pa
    from pyarrow import csv

    ragged: list[tuple[int, int, int]] = []

    def note(row: "csv.InvalidRow") -> str:
        ragged.append((row.number, row.actual_columns, row.expected_columns))
        return "skip"

    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=note)
    # Whatever else is wrong with the file, the rows noted so far are worth naming.
    with suppress(pa.ArrowException):
        csv.read_csv(path, parse_options=parse, read_options=csv.ReadOptions(use_threads=False))
    if ragged:
        line, found, expected = ragged[0]
        more = f" (lines of another width: {len(ragged)})" if len(ragged) > 1 else ""
        raise BadTable(
            f"'{path.name}': line {line} has {found} cells, but the header has {expected}{more}. "
            "The file may be cut short, or a cell may hold a delimiter without quotation marks around it."
        )


def _first_line_that_is_not_utf8(path: Path) -> int | None:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def _open_parquet(path: Path) -> "pa.Table":
    import pyarrow as pa
    from pyarrow import parquet

    with path.open("rb") as file:
        starts = file.read(4) == PARQUET_MAGIC
        size = file.seek(0, 2)
        file.seek(max(0, size - 4))
        ends = file.read(4) == PARQUET_MAGIC and size > 8
    if not starts:
        raise BadTable(f"'{path.name}' is not a Parquet file although its name says so; check how it was written.")
    if not ends:
        raise BadTable(f"'{path.name}' is a Parquet file that was cut short; copy or write it again.")
    try:
        with parquet.ParquetFile(path) as file:
            table = file.read()
        table.validate(full=True)  # damaged words would otherwise only be noticed when they are used
    except (pa.ArrowException, OSError, ValueError):
        raise BadTable(f"'{path.name}' is a damaged Parquet file; copy or write it again.") from None
    return table
