"""The bottom models that others released, and the columns that each reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seepage.errors import IncompatibleView
from seepage.messages import Kind
from seepage.shapes import Array, Rows
from seepage.views.view import View

if TYPE_CHECKING:
    from torch import nn

NOT_OWN = -1


@dataclass(frozen=True, eq=False)
class ReleasedBottom:
    """One party's bottom model.

    Parameters
    ----------
    names
        The columns that it reads.
    attributes
        The attribute of each.
    low, width, middle
        The range of each column, and what one would guess of it in units of that range.
    source
        The place of each column among the adversary's own ones; −1 where it has none.
    """

    party: str
    network: "nn.Module"
    names: tuple[str, ...]
    attributes: tuple[str, ...]
    low: NDArray[np.float64]
    width: NDArray[np.float64]
    middle: NDArray[np.float64]
    source: NDArray[np.int64]

    @property
    def unknown(self) -> NDArray[np.int64]:
        """The places of columns that the adversary lacks."""
        return np.flatnonzero(self.source == NOT_OWN)

    @property
    def groups(self) -> tuple[Array, ...]:
        """The places of columns that are the indicators of one attribute."""
        places: dict[str, list[int]] = {}
        for place, attribute in enumerate(self.attributes):
            places.setdefault(attribute, []).append(place)
        return tuple(np.array(group) for group in places.values() if len(group) > 1)

    def held(self, view: View, rows: Rows) -> NDArray[np.float64]:
        """Return columns of some rows that the adversary holds too, in units, and not a number elsewhere."""
        values = np.full((len(rows), len(self.names)), np.nan)
        own = np.flatnonzero(self.source != NOT_OWN)
        encoded = view.knowledge.features[np.ix_(rows, self.source[own])] if len(own) else np.zeros((len(rows), 0))
        values[:, own] = (encoded - self.low[own]) / self.width[own]
        return values


def released_bottoms(view: View) -> tuple[ReleasedBottom, ...]:
    """Return the bottom model of every party but the adversaries that lacks nothing to be understood; refuse none."""
    if view.agreement.settings.get("bottom") == "transformer":
        raise IncompatibleView(
            "The released models read words, by whose numbers they cannot be differentiated.\n"
            "Choose an attack on labels, or a federation over a table."
        )
    latest = {message.sender: message.payload for message in view.received(Kind.MODEL)}
    found = [_bottom(view, party, latest[party]) for party in view.knowledge.others if party in latest]
    bottoms = tuple(bottom for bottom in found if bottom is not None and len(bottom.unknown))
    if not bottoms:
        raise IncompatibleView(
            "No party released a bottom model that reads columns which the adversary lacks.\n"
            "Record the models of the parties, or choose an attack that needs less."
        )
    return bottoms


def _bottom(view: View, party: str, payload: Mapping[str, Array]) -> ReleasedBottom | None:
    from seepage.networks.joint_network import unpack_bottom

    try:
        unpacked = unpack_bottom(payload)
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        raise IncompatibleView(
            f"The model that '{party}' released cannot be used ({error}). Record it again."
        ) from error
    if unpacked is None:
        return None
    names, network = unpacked
    public = view.knowledge.others[party]
    places = {name: place for place, name in enumerate(public.names)}
    for name in names:
        if name not in places:
            raise IncompatibleView(
                f"The model that '{party}' released reads a column '{name}', which its table does not have "
                f"(it has {', '.join(public.names[:5]) or 'none'}).\nGive the model that was trained on this table."
            )
    read = [places[name] for name in names]
    attributes = public.attributes or public.names
    own = [name for part in view.knowledge.own.values() for name in part.names]
    low, width = public.ranges[read].T
    return ReleasedBottom(
        party,
        network,
        tuple(names),
        tuple(attributes[place] for place in read),
        low.astype(np.float64),
        width.astype(np.float64),
        public.middle[read].astype(np.float64),
        np.array([own.index(name) if name in own else NOT_OWN for name in names], dtype=np.int64),
    )
