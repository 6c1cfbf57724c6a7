"""Tables: where they come from, and how they are read, split and encoded."""

from typing import TYPE_CHECKING

from seepage.data.catalog import DATASETS, load_dataset
from seepage.lazily import lazily

if TYPE_CHECKING:
    from seepage.data.encoding import Encoded, Encoding, MissingKind, encode
    from seepage.data.property import Property
    from seepage.data.readers import ColumnLeftOut, CommasInNumbers, read_table
    from seepage.data.sampling import sampled
    from seepage.data.sets.synthetic import synthetic
    from seepage.data.split import OFFICIAL, STRATIFIED, TEST_SHARE, Split, official_split, split_of, stratified_split
    from seepage.data.table import Column, Table
    from seepage.data.text_table import read_text

__all__ = [
    "DATASETS",
    "OFFICIAL",
    "STRATIFIED",
    "TEST_SHARE",
    "Column",
    "ColumnLeftOut",
    "CommasInNumbers",
    "Encoded",
    "Encoding",
    "MissingKind",
    "Property",
    "Split",
    "Table",
    "encode",
    "load_dataset",
    "official_split",
    "read_table",
    "read_text",
    "sampled",
    "split_of",
    "stratified_split",
    "synthetic",
]

if not TYPE_CHECKING:  # a type checker would take every name for granted
    __getattr__ = lazily(
        __name__, "encoding", "property", "readers", "sampling", "sets.synthetic", "split", "table", "text_table"
    )
