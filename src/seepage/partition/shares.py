"""How many columns each party gets."""

from collections.abc import Mapping, Sequence

from seepage.errors import BadPartition


def sizes_of(
    total: int, parties: Sequence[str], adversary: str, share: float | None, *, unit: str = "columns"
) -> Mapping[str, int]:
    """Divide columns between parties: the adversary gets its share, the others split the rest evenly.

    Without a share everybody gets the same. What does not divide goes to the
    parties named first. A share below 1 leaves everybody else at least one
    column; a share of 1 leaves the others none, which only an active party may
    be asked to bear.

    >>> dict(sizes_of(10, ["active", "shop", "lab"], "lab", 0.5))
    {'active': 3, 'shop': 2, 'lab': 5}
    """
    if total < len(parties):
        raise BadPartition(
            f"{total} {unit} cannot be dealt to {len(parties)} parties; name fewer parties, or bring more {unit}."
        )
    if share is None:
        return dict(zip(parties, _evenly(total, len(parties)), strict=True))
    if not 0 < share <= 1:
        raise BadPartition(f"The adversary's share of the {unit} must be above 0 and at most 1, got {share}.")
    others = [party for party in parties if party != adversary]
    most = total if share == 1 else total - len(others)
    own = min(max(1, round(share * total)), most)
    rest = dict(zip(others, _evenly(total - own, len(others)), strict=True))
    return {party: own if party == adversary else rest[party] for party in parties}


def _evenly(total: int, parts: int) -> list[int]:
    each, left = divmod(total, parts)
    return [each + (place < left) for place in range(parts)]
