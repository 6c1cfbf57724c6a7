"""How names are put into sentences."""

from collections.abc import Sequence
from typing import Final

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.scenes import Scene


def subject(asset: str, asked: str | None) -> str:
    """Name what is learned: an asset, or the share of people with a property.

    >>> subject("labels", None), subject("properties", "sex=Male")
    ('labels', 'share of sex=Male')
    """
    return asset if asked is None else f"share of {asked}"


SUBJECTS: Final = {"features": "feature values"}
NAMED: Final = 2
"""So many properties are named in a sentence; more are counted."""


def subjects(scenes: Sequence[Scene]) -> str:
    """Name what an adversary is after, of one asset: a few properties by name, more of them by their number."""
    first = scenes[0].first
    asked = list(dict.fromkeys(scene.first.property for scene in scenes if scene.first.property is not None))
    if not asked:
        return SUBJECTS.get(first.asset, first.asset)
    if len(asked) > NAMED:
        return f"{len(asked)} properties"
    return listed([f"how many have {one}" for one in asked])


def opening(text: str) -> str:
    """Begin a sentence; names inside it keep their capitals.

    >>> opening("share of sex=Male")
    'Share of sex=Male'
    """
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """Write several names as part of a sentence.

    >>> listed(["forest"]), listed(["decision-tree", "forest", "boosting"])
    ('forest', 'decision-tree, forest and boosting')
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def together(names: Sequence[str]) -> str:
    """Name parties that act as one.

    >>> together(["lab"]), together(["lab", "shop"])
    ('lab', 'lab and shop together')
    """
    return listed(names) + " together" * (len(names) > 1)


def called(first: Finding) -> str:
    """Name an attack, and say so where it is a baseline."""
    return f"the baseline {first.attack}" if first.role == "baseline" else first.attack


def picked(names: Sequence[str]) -> str:
    """Name the attacks that an adversary chose, one for each seed.

    >>> picked(["union", "union"]), picked(["union", "leaf-labels", "union"])
    ('union', 'union (2 of 3 seeds) and leaf-labels (1 of 3 seeds)')
    """
    different = dict.fromkeys(names)
    times = {name: f" ({names.count(name)} of {len(names)} seeds)" * (len(different) > 1) for name in different}
    return listed([f"{name}{often}" for name, often in times.items()])


def marked(sentence: str, marks: Sequence[str]) -> str:
    """Put behind a sentence with numbers what has to be known of them.

    >>> marked("The advantage is 0.412.", ["1 seed"]), marked("", ["1 seed"]), marked("The advantage is 0.412.", [])
    ('The advantage is 0.412 (1 seed).', '', 'The advantage is 0.412.')
    """
    return f"{sentence.removesuffix('.')} ({'; '.join(marks)})." if sentence and marks else sentence
