"""Figure 4 of paper 000: how far refinement drives norms of the adversary's outputs apart.

The figure draws two histograms, of rows with the property and of rows without, before refinement and after. What it
shows is counted here from the same histograms, which every report of an audit draws.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from seepage.attacks.steps.norms.norm_divergences import NormSpread
from seepage.papers.order import Order
from seepage.papers.properties.property_setting import (
    ADULT,
    CASES,
    DIGITS,
    PROVFL_B,
    PROVFL_M,
    TOLD,
    PropertyData,
    property_plan,
)
from seepage.papers.readings import Spread
from seepage.papers.rows import our_row
from seepage.papers.table import Cells, Table

OWN_OUTPUTS: Final = "AO"


def apart(histograms: Mapping[str, Any]) -> dict[str, float]:
    """Say how far the norms of rows with a property lie from those of rows without, as a finding holds them.

    `overlap` is the share that both histograms have in common, 1 where they are the same; `ratio` is the mean norm with
    the property over that without.

    >>> told = {"edges": [0.0, 1.0, 2.0], "shares": {"0": [1.0, 0.0], "1": [0.25, 0.75]}}
    >>> {name: round(value, 2) for name, value in apart(told).items()}
    {'overlap': 0.25, 'ratio': 2.5, 'KL': 1.39, 'JS': 0.62, 'BC': 0.5}
    """
    edges, with_it, without = (
        np.array(values) for values in (histograms["edges"], histograms["shares"]["1"], histograms["shares"]["0"])
    )
    middles = (edges[:-1] + edges[1:]) / 2
    kl, js, bc = NormSpread(edges, with_it, without).divergences(1.0)
    overlap, ratio = float(np.minimum(with_it, without).sum()), float(middles @ with_it / (middles @ without))
    return {"overlap": overlap, "ratio": ratio, "KL": kl, "JS": js, "BC": bc}


def driven_apart(asked: Sequence[PropertyData], order: Order, *, property_: str) -> Iterator[Cells]:
    """The norms of the adversary's own outputs, honest and refined, in both cases."""
    for data in asked:
        for case in CASES:
            plan = property_plan(data, [PROVFL_B, PROVFL_M], case=case, seeds=5, properties=[property_])
            findings = order.run(plan, f"{data.folder}/{case}")
            for outputs, reading in (("plain", PROVFL_B), ("refined", PROVFL_M)):
                mine = reading.among(findings)
                found = [apart(one.pictures[OWN_OUTPUTS]) for one in mine if OWN_OUTPUTS in one.pictures]
                start = {"data": data.label, "property": property_, "case": case, "outputs": outputs}
                names = ("overlap", "ratio", "KL", "JS", "BC")
                numbers = {name: Spread.of([one[name] for one in found]).written(DIGITS) for name in names}
                yield our_row(start, numbers, mine)


FIGURE4: Final = Table.told(TOLD["figure4"], datasets=(ADULT,), rows=partial(driven_apart, property_="A-sex"))
