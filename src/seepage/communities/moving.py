"""The inner loops of Louvain on cliques, compiled."""

import numpy as np
from numba import njit

from seepage.shapes import Array


@njit(cache=True, nogil=True)
def same_cliques(starts: Array, members: Array, longest: int) -> Array:
    """Number rows alike that agree in their first `longest` cliques; rows in no clique stand alone."""
    rows = len(starts) - 1
    size = 1
    while size < 2 * rows + 2:
        size *= 2
    table = np.full(size, -1, dtype=np.int64)
    labels = np.empty(rows, dtype=np.int64)
    known = 0
    for row in range(rows):
        start = starts[row]
        length = min(starts[row + 1] - start, longest)
        if length == 0:
            labels[row] = known
            known += 1
            continue
        mixed = np.uint64(length)
        for place in range(start, start + length):
            mixed = (mixed ^ np.uint64(members[place])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64(mixed & np.uint64(size - 1))
        while True:
            other = table[slot]
            if other < 0:
                table[slot] = row
                labels[row] = known
                known += 1
                break
            first = starts[other]
            alike = min(starts[other + 1] - first, longest) == length
            for place in range(length):
                if not alike:
                    break
                alike = members[first + place] == members[start + place]
            if alike:
                labels[row] = labels[other]
                break
            slot = (slot + 1) & (size - 1)
    return labels


@njit(cache=True, nogil=True)
def fill(order: Array, starts: Array, cliques: Array, counts: Array, labels: Array, slots: Array, held: Array,
         amounts: Array, lengths: Array) -> None:  # fmt: skip
    """List for every clique which communities it holds, and how many rows of each; `order` sorts nodes by label."""
    lengths[:] = 0
    for node in order:
        label = labels[node]
        for place in range(starts[node], starts[node + 1]):
            clique = cliques[place]
            end = slots[clique] + lengths[clique]
            if lengths[clique] > 0 and held[end - 1] == label:
                amounts[end - 1] += counts[place]
            else:
                held[end] = label
                amounts[end] = counts[place]
                lengths[clique] += 1


@njit(cache=True, nogil=True)
def move_each(order: Array, starts: Array, cliques: Array, counts: Array, weights: Array, degrees: Array, total: float,
              labels: Array, totals: Array, occupants: Array, slots: Array, held: Array, amounts: Array,
              lengths: Array) -> float:  # fmt: skip
    """Move each node, in this order, to the community that gains most; return what modularity gained.

    The gain of putting node i, taken out first, into community c is
    Σ_l w_l n_il n_cl − k_i tot_c / 2m, and 0 for a community of its own.
    """
    pull = np.zeros(len(totals))
    touched = np.empty(len(totals), dtype=np.int64)
    free = np.flatnonzero(occupants == 0)
    spare = np.empty(len(totals), dtype=np.int64)
    spares = len(free)
    spare[:spares] = free
    gained = 0.0
    for node in order:
        home, degree, own, seen = labels[node], degrees[node], 0.0, 0
        for place in range(starts[node], starts[node + 1]):
            clique = cliques[place]
            force = weights[clique] * counts[place]
            own += force * counts[place]
            for slot in range(slots[clique], slots[clique] + lengths[clique]):
                community = held[slot]
                if pull[community] == 0.0:
                    touched[seen] = community
                    seen += 1
                pull[community] += force * amounts[slot]
        stay = pull[home] - own - degree * (totals[home] - degree) / total
        margin = 1e-12 * (abs(stay) + own)
        best, target = stay, home
        for index in range(seen):
            community = touched[index]
            gain = pull[community] - degree * totals[community] / total
            if community != home and gain > best + margin:
                best, target = gain, community
            pull[community] = 0.0
        if best < -margin and occupants[home] > 1:
            spares -= 1
            best, target = 0.0, spare[spares]
        if target == home:
            continue
        gained += 2.0 * (best - stay) / total
        labels[node] = target
        totals[home] -= degree
        totals[target] += degree
        occupants[target] += 1
        occupants[home] -= 1
        if occupants[home] == 0:
            totals[home] = 0.0
            spare[spares] = home
            spares += 1
        for place in range(starts[node], starts[node + 1]):
            _carry(counts[place], home, target, slots[cliques[place]], cliques[place], held, amounts, lengths)
    return gained


@njit(cache=True, nogil=True)
def _carry(count: int, home: int, target: int, first: int, clique: int, held: Array, amounts: Array,
           lengths: Array) -> None:  # fmt: skip
    """Move `count` rows from one community to another in the list of one clique."""
    end = first + lengths[clique]
    source, goal = -1, -1
    for slot in range(first, end):
        if held[slot] == home:
            source = slot
        elif held[slot] == target:
            goal = slot
    amounts[source] -= count
    if goal >= 0:
        amounts[goal] += count
        if amounts[source] == 0:
            held[source], amounts[source] = held[end - 1], amounts[end - 1]
            lengths[clique] -= 1
    elif amounts[source] == 0:
        held[source], amounts[source] = target, count
    else:
        held[end], amounts[end] = target, count
        lengths[clique] += 1


@njit(cache=True, nogil=True)
def turned(names: Array, communities: int, slots: Array, held: Array, amounts: Array, lengths: Array) -> tuple[
    Array, Array, Array
]:  # fmt: skip
    """Turn the lists of cliques into a graph whose nodes are the communities: starts, cliques, counts."""
    starts = np.zeros(communities + 1, dtype=np.int64)
    for clique in range(len(lengths)):
        for slot in range(slots[clique], slots[clique] + lengths[clique]):
            starts[names[held[slot]] + 1] += 1
    starts = np.cumsum(starts)
    ends = starts[:-1].copy()
    cliques = np.empty(starts[-1], dtype=np.int32)
    counts = np.empty(starts[-1], dtype=np.int64)
    for clique in range(len(lengths)):
        for slot in range(slots[clique], slots[clique] + lengths[clique]):
            node = names[held[slot]]
            cliques[ends[node]] = clique
            counts[ends[node]] = amounts[slot]
            ends[node] += 1
    return starts, cliques, counts
