"""The data sets that have a name."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from seepage.catalogs import Catalog, Entry
from seepage.data.sets.described import DESCRIBED

if TYPE_CHECKING:  # listing must not import what reads tables
    from seepage.data.table import Table

DATASETS: Final[Catalog[Callable[..., "Table"]]] = Catalog(
    kind="data set",
    group="seepage.datasets",
    own={name: Entry(f"seepage.data.sets.{told['place']}", told["summary"]) for name, told in DESCRIBED.items()},
)


def load_dataset(name: str, *, impute: bool = False) -> "Table":
    """Load a data set by its name, or make one up from ``synthetic:rows=…,features=…,classes=…,seed=…``.

    Parameters
    ----------
    impute
        Whether missing numbers are kept, to be filled by the encoding, instead
        of refused.

    Examples
    --------
    >>> load_dataset("iris").classes
    ('setosa', 'versicolor', 'virginica')
    >>> load_dataset("synthetic:rows=50,features=4").rows
    50
    """
    from seepage.data.sets.synthetic import PREFIX, synthetic_by_name

    if name.startswith(PREFIX):
        return synthetic_by_name(name)
    return DATASETS[name](impute=impute)
