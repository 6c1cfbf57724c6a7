"""CIFAR-10 of paper 001 as it was measured on a GPU: stored numbers, and what is missing of them where the files are.

The numbers come from `seepage.papers.label_cifar10`, which runs where little is installed. They lie in a checkout,
in ``docs/reproductions``; with a folder to keep results in, they are copied there, and what is asked for and
not among them is measured, where CIFAR-10 is.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from seepage.data.sets.cifar10 import SHA256
from seepage.data.sources import find_file, wanted
from seepage.papers.label_cifar10_file import first_lines, read
from seepage.papers.label_cifar10_further import DIFFERENCES, FIGURE_5, TABLE_6
from seepage.papers.labels.label_setting import TOLD
from seepage.papers.order import Order
from seepage.papers.table import Cells, Table

FILE: Final = "label-cifar10.jsonl"
STORED: Final = Path(__file__).parents[4] / "docs" / "reproductions" / FILE
"""Where they are in a checkout."""
EPOCHS, BATCH = 30, 128
Held = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class OnGpu:
    """CIFAR-10, which takes a GPU."""

    data: str = "cifar10"


def first_tables(asked: Sequence[OnGpu], order: Order) -> Iterator[Cells]:
    """Tables 2, 3 and 4, under the authors' optimizer."""
    from seepage.papers.label_cifar10 import key_of, run
    from seepage.papers.label_cifar10_table import HEADINGS, rows
    from seepage.papers.label_cifar10_training import cifar10

    def measure(out: Path) -> None:
        run(cifar10(order.device, EPOCHS, BATCH), range(order.seeds or 3), out)

    def told(held: Held) -> Iterable[Sequence[str]]:
        mine = [one for one in first_lines(held) if key_of(one)[4:] == (EPOCHS, BATCH, "sgd", 5000)]
        return rows([one for one in mine if order.seeds is None or one["seed"] < order.seeds])

    yield from _lines(asked, order, HEADINGS, told, measure)


def further_tables(asked: Sequence[OnGpu], order: Order, *, table: str) -> Iterator[Cells]:
    """What each choice is worth, Table 6 or Figure 5."""
    from seepage.papers.label_cifar10_further_tables import further_headings, further_rows
    from seepage.papers.label_cifar10_training import cifar10
    from seepage.papers.label_cifar10_work import run_further

    def measure(out: Path) -> None:
        run_further(
            cifar10(order.device, EPOCHS, BATCH), [table], range(order.seeds or 1), out, None, max(1, order.jobs)
        )

    yield from _lines(asked, order, further_headings(table), partial(further_rows, table), measure)


def _lines(
    asked: Sequence[OnGpu],
    order: Order,
    headings: Sequence[str],
    told: Callable[[Held], Iterable[Sequence[str]]],
    measure: Callable[[Path], None],
) -> Iterator[Cells]:
    missing = next((file for file in SHA256 if find_file(file) is None), None)
    for _ in asked:
        out = STORED
        if order.out is not None and missing is None:
            out = order.out / FILE
            out.parent.mkdir(parents=True, exist_ok=True)
            if STORED.is_file() and not out.is_file():
                shutil.copy(STORED, out)
            measure(out)
        found = [dict(zip(headings, row, strict=True)) for row in told(read(out))]
        remark = wanted(missing) if missing is not None else "--out FOLDER measures it" if not found else ""
        yield from found or [{headings[0]: "nothing is stored", "remark": remark}]


CIFAR10: Final = Table.told(TOLD["cifar10"], datasets=(OnGpu(),), rows=first_tables)
CIFAR10_CHOICES: Final = Table.told(
    TOLD["cifar10-choices"], datasets=(OnGpu(),), rows=partial(further_tables, table=DIFFERENCES)
)
CIFAR10_TABLE6: Final = Table.told(
    TOLD["cifar10-table6"], datasets=(OnGpu(),), rows=partial(further_tables, table=TABLE_6)
)
CIFAR10_FIGURE5: Final = Table.told(
    TOLD["cifar10-figure5"], datasets=(OnGpu(),), rows=partial(further_tables, table=FIGURE_5)
)
