"""What a process of its own is asked, and the bytes in which it answers.

The question is ours, so that part of it may be a pickle. The answer is not: it is JSON, and for a guess the bytes
of `seepage.guesses.stored`. Whatever it holds is checked as if it had been written to deceive.
"""

import json
import pickle
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from numpy.random import Generator

from seepage.audit.isolation.limits import Limits
from seepage.views import View

_LENGTH: Final = 8
LONGEST_REASON: Final = 500

Outcome = Literal["guess", "description", "incompatible", "failed"]
OUTCOMES: Final[frozenset[str]] = frozenset({"guess", "description", "incompatible", "failed"})


@dataclass(frozen=True, eq=False)
class Question:
    """What to do, before anything is imported for it.

    Parameters
    ----------
    place, settings
        The attack, as ``package.module:Class``, and its settings, all of them plain JSON values.
    given
        A pickle of the view and of the generator; empty where the attack is only to be described.
    path
        Folders to import from that come after all others.
    writable
        Folders that may be written to beside the working folder.
    """

    place: str
    settings: dict[str, Any]
    limits: Limits
    given: bytes = b""
    threads: int = 1
    path: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Write the question: what is plain first, so that limits hold before anything else is read."""
        plain = {name: value for name, value in asdict(self).items() if name != "given"}
        return _framed(plain, self.given)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Question":
        """Read a question of ours."""
        plain, given = _unframed(content)
        lists = {name: tuple(plain[name]) for name in ("path", "writable")}
        return cls(**{**plain, **lists, "limits": Limits(**plain["limits"])}, given=given)


def given(view: View, rng: Generator) -> bytes:
    """Return a view and a generator as bytes for a process of ours."""
    return pickle.dumps((view, rng), protocol=pickle.HIGHEST_PROTOCOL)


def taken(content: bytes) -> tuple[View, Generator]:
    """Read, in the process that was asked, what `given` wrote."""
    view, rng = pickle.loads(content)  # noqa: S301 (written by the process that started this one)
    return view, rng


@dataclass(frozen=True, eq=False)
class Answer:
    """What came of it.

    Parameters
    ----------
    text
        A description as JSON, or the reason why there is none.
    content
        The bytes of a guess.
    network, files
        Whether it was kept from the network, and from files and other processes.
    remarks
        What the attack wanted somebody to know.
    """

    outcome: Outcome
    text: str = ""
    content: bytes = b""
    network: bool = False
    files: bool = False
    remarks: tuple[str, ...] = field(default=())

    def to_bytes(self) -> bytes:
        """Write the answer."""
        plain = {name: getattr(self, name) for name in ("outcome", "text", "network", "files", "remarks")}
        return _framed(plain, self.content)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Answer":
        r"""Read an answer from anywhere, or raise a ``ValueError``.

        >>> Answer.from_bytes(Answer("failed", "It is \x1b[1mhopeless").to_bytes()).reason
        'It is  [1mhopeless'
        >>> Answer.from_bytes(b"shoulder shrugging")
        Traceback (most recent call last):
            ...
        ValueError: not an answer
        """
        try:
            plain, rest = _unframed(content)
            outcome, text, remarks = plain["outcome"], plain["text"], plain["remarks"]
            if outcome not in OUTCOMES or not all(isinstance(one, str) for one in (text, *remarks)):
                raise TypeError("what should be text is not")
            return cls(
                outcome, text, rest, plain["network"] is True, plain["files"] is True, tuple(map(_readable, remarks))
            )
        except (IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise ValueError("not an answer") from error

    @property
    def reason(self) -> str:
        """The text, short and without anything that a terminal would obey."""
        return _readable(self.text)


def _readable(text: str) -> str:
    shown = "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text).strip()
    return shown if len(shown) <= LONGEST_REASON else f"{shown[:LONGEST_REASON]} …"


def _framed(plain: dict[str, Any], rest: bytes) -> bytes:
    header = json.dumps(plain).encode()
    return len(header).to_bytes(_LENGTH, "little") + header + rest


def _unframed(content: bytes) -> tuple[dict[str, Any], bytes]:
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
    return json.loads(content[_LENGTH:end]), content[end:]
