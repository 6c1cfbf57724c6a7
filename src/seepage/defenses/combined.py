"""Several defenses of one run."""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields, replace
from functools import reduce
from typing import Any, cast

from numpy.random import Generator

from seepage.hooks import Defense, Hook, Seam, Verifying, begin, no_loss, unchanged
from seepage.messages import Kind, Message, ModelKind
from seepage.partition import OwnPart


@dataclass(frozen=True)
class Combined(Defense):
    """Agree on several defenses at once: each acts on what the one named before it leaves.

    Every party starts each of them on its own part, with chance of its own. At a seam where several act, what the
    first returns is given to the second, and so on; where losses are added, all are. A defense that keeps out of the
    active party's own side keeps out of it beside others too.

    What each promises holds for what it is given: noise that is added last covers what is sent, noise that is added
    first is clipped or compressed with the rest. A guarantee of differential privacy outlasts what comes after, unless
    that reads what it protects once more: `gradient-dp` is refused beside defenses that read labels as they send.

    Parameters
    ----------
    parts
        The defenses with the names that people know them by, in the order in which they act.

    Examples
    --------
    >>> import numpy as np
    >>> from seepage.defenses.predictions.rounding import Rounding
    >>> from seepage.defenses.gradients.top_k import TopK
    >>> both = Combined((("top-k", TopK()), ("rounding", Rounding(digits=1))))
    >>> sorted(both.acts_on), sorted(both.rewrites)
    ([<Seam.MESSAGE: 'message'>, <Seam.RELEASE: 'release'>], [<Kind.GRADIENT: 'gradient'>])
    """

    parts: tuple[tuple[str, Defense], ...]

    @property
    def acts_on(self) -> frozenset[Seam]:
        """All seams that any of them acts on."""
        return frozenset().union(*(part.acts_on for _, part in self.parts))

    @property
    def rewrites(self) -> frozenset[Kind]:
        """All kinds of messages that any of them rewrites."""
        return frozenset().union(*(part.rewrites for _, part in self.parts))

    @property
    def binary(self) -> bool:
        """Whether any of them knows two classes alone."""
        return any(part.binary for _, part in self.parts)

    def mimicked(self, model: ModelKind | None) -> str | None:
        """Return the attack that the one of them that verifies predictions wants mimicked."""
        verifying = (cast("Verifying", part) for _, part in self.parts if Seam.VERIFICATION in part.acts_on)
        return next((part.mimicked(model) for part in verifying), None)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run of each, and let them act one after the other."""
        streams = rng.spawn(len(self.parts))
        return composed(begin(part, own_part, stream) for (_, part), stream in zip(self.parts, streams, strict=True))


def composed(hooks: Iterable[Hook]) -> Hook:
    """Return one hook that does what several do, one after the other.

    >>> doubled, less = Hook(labels=lambda value: 2 * value), Hook(labels=lambda value: value - 1)
    >>> composed([doubled, less]).labels(5), composed([less, doubled]).labels(5)
    (9, 8)
    >>> composed([doubled, Hook()]).table is unchanged
    True
    """
    held = list(hooks)
    aside = any(hook.own_side for hook in held)
    if aside:
        held = [hook if hook.own_side else replace(hook, message=_between_parties(hook.message)) for hook in held]
    acting = {one.name: [getattr(hook, one.name) for hook in held] for one in fields(Hook)}
    usual = {one.name: one.default for one in fields(Hook) if one.default is not MISSING}
    made = {
        name: _all_losses(wanted) if usual[name] is no_loss else reduce(_then, wanted)
        for name, every in acting.items()
        if name != "own_side" and (wanted := [act for act in every if act is not usual[name]])
    }
    return Hook(**made, own_side=aside)


def _then(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda thing: second(first(thing))


def _all_losses(losses: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Add up what each adds; one that adds nothing to a batch is passed over."""

    def added(*about: Any) -> Any:
        told = [value for loss in losses if (value := loss(*about)) is not None]
        return sum(told[1:], told[0]) if told else None

    return added


def _between_parties(rewrite: Callable[[Message], Message]) -> Callable[[Message], Message]:
    if rewrite is unchanged:
        return rewrite
    return lambda message: message if message.sender == message.receiver else rewrite(message)
