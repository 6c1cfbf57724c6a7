"""Orders of tables that train nothing, and tables that are laid out in small."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from seepage.papers.order import Order


@dataclass(frozen=True, kw_only=True)
class Imagined(Order):
    """An order that makes findings up, and remembers what it was asked to run."""

    made_up: Callable[[Any], list]
    asked: dict = field(default_factory=dict)

    def run(self, plan, folder):
        assert folder not in self.asked, "two plans would share a folder"
        self.asked[folder] = self.adapted(plan)
        return self.made_up(self.asked[folder])


def changed(table, datasets=None, **layout):
    """The same table on other data, or with something else in its lines."""
    return replace(table, datasets=datasets or table.datasets, shown=datasets or table.shown,
                   rows=partial(table.rows, **layout))  # fmt: skip
