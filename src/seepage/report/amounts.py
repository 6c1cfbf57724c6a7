"""How much an advantage is, in words."""

from typing import Final

from seepage.report.scenes import NOTICEABLE

LEVELS: Final = ((0.9, "all"), (0.5, "much"), (0.2, "some"), (NOTICEABLE, "little"))
AMOUNTS: Final = {
    "all": "learn nearly all {}",
    "much": "learn much about the {}",
    "some": "learn some of the {}",
    "little": "learn a little about the {}",
}
GROUPED: Final = {
    "all": "tell nearly always which rows share {}",
    "much": "largely tell which rows share {}",
    "some": "partly tell which rows share {}",
    "little": "tell a little about which rows share {}",
}
"""What is said of guesses that group rows without naming the groups."""
TURNS: Final = {
    "all": "tell nearly always into which intervals {} fall",
    "much": "largely tell into which intervals {} fall",
    "some": "partly tell into which intervals {} fall",
    "little": "tell a little about the intervals that {} fall into",
}
"""What is said of guesses that say which way values turn at the nodes of a tree."""
FRACTION: Final = "fraction_error"
SHARES: Final = {
    "all": "tell nearly exactly how many they are",
    "much": "tell closely how many they are",
    "some": "tell roughly how many they are",
    "little": "tell a little better how many they are",
}
"""What is said of an estimated share."""
RANKED: Final = {
    "all": "rank people by their {} nearly without error",
    "much": "largely rank people by their {}",
    "some": "partly rank people by their {}",
    "little": "rank people by their {} a little",
}
"""What is said of guesses that rank people better than they name labels."""
WORDS: Final = {"v_measure": GROUPED, "branching_rate": TURNS, "auc": RANKED}
NOUNS: Final = {"features": "feature values"}


def level(advantage: float) -> str:
    """Return the word that the color and the sentence go by.

    >>> [level(value) for value in (1.0, 0.5, 0.2, 0.05, 0.04)]
    ['all', 'much', 'some', 'little', 'none']
    """
    return next((name for least, name in LEVELS if advantage >= least), "none")
