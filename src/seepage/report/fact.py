"""Something by name, with what there is to say about it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A name with what there is to say about it."""

    name: str
    texts: tuple[str, ...]


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return different texts, without empty ones.

    >>> distinct(["forest", "", "boosting", "forest"])
    ('forest', 'boosting')
    """
    return tuple(text for text in dict.fromkeys(texts) if text)
