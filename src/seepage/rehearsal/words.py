"""What is said in a rehearsal beside the messages of the federation itself: every request with its answer.

A request is a message of kind `rehearsal`: its fields as JSON, checked by the models below, and arrays beside them.
Nothing else is understood, and nothing of it is run.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from seepage.errors import BadMessage
from seepage.json_arrays import from_array, to_array
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.shapes import NO_ROWS, Array

SAID: Final = "said"
"""The array that holds the fields; others go by names of their own."""
WORDS: Final = 1_000
"""Letters of a text that somebody else wrote and that stands in a report."""
LONG: Final = 1 << 22
"""Bytes of the fields of one request."""
MOST: Final = 1_000_000
Text: TypeAlias = Annotated[str, Field(max_length=WORDS)]
Digest: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Number: TypeAlias = Annotated[int, Field(ge=0, le=MOST)]
Share: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Part: TypeAlias = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e6)]


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, protected_namespaces=())


class Hello(_Said):
    """Whoever drives says what it has agreed to, and how far it came when it was stopped."""

    step: Literal["hello"] = "hello"
    plan: Digest
    version: Text
    consents: tuple[Text, ...] = Field(max_length=MOST)
    session: Digest | None
    done: tuple[Number, ...] = Field(max_length=MOST)


class Heard(_Said):
    """The same of whoever answers."""

    consents: tuple[Text, ...] = Field(max_length=MOST)
    session: Digest | None
    done: tuple[Number, ...] = Field(max_length=MOST)


class FindShared(_Said):
    """What follows is the search for rows that all have; what is shared bears the name of a session."""

    step: Literal["find shared rows"] = "find shared rows"
    session: Digest


class Columns(_Said):
    """What a party tells of its columns: their names, and whose properties it holds; limits go beside as an array."""

    names: tuple[Text, ...] = Field(default=(), max_length=MOST)
    attributes: tuple[Text, ...] = Field(default=(), max_length=MOST)
    properties: tuple[Text, ...] = ()


class Deal(_Said):
    """Under this seed these rows train (`train`) and test (`new`), which go beside, counted in the shared order."""

    step: Literal["deal"] = "deal"
    seed: Annotated[int, Field(ge=0)]
    columns: Columns


class Prepare(_Said):
    """A turn comes next: start its defense, and say what stands in the way."""

    step: Literal["prepare"] = "prepare"
    turn: Number
    holders: dict[Text, Text] = {}
    held: dict[Text, tuple[Text, ...]] = {}


class Prepared(_Said):
    """Nothing stands in the way, or this does."""

    refusal: Text | None = None


class People(_Said):
    """For which property, and mistaken in which share of cases, who has it is told; rows go beside by their place."""

    asked: Text
    mislabelled: Share
    exhausted: bool


class Grant(_Said):
    """What is told before training; the arrays beside are labels, values, means and people, as far as agreed."""

    step: Literal["grant"] = "grant"
    turn: Number
    people: tuple[People, ...] = ()


class Granted(_Said):
    """What the other side tells, likewise."""

    people: tuple[People, ...] = ()


class Train(_Said):
    """What follows is the federation itself."""

    step: Literal["train"] = "train"
    turn: Number


class Skip(_Said):
    """A turn is not carried out, and why."""

    step: Literal["skip"] = "skip"
    turn: Number
    status: Literal["not applicable", "failed"]
    reason: Text


class Strike(_Said):
    """Training is over: attack what was seen."""

    step: Literal["attack"] = "attack"
    turn: Number


class Ask(_Said):
    """Ask whether all attempts are over; it also says that somebody is still there."""

    step: Literal["done?"] = "done?"
    turn: Number


class Done(_Said):
    """Whether it is."""

    done: bool


class Outcome(_Said):
    """How an attempt ended: with a claim, which the digest that is told ties down, or why with none."""

    status: Literal["ok", "not applicable", "failed"]
    reason: Text | None = None
    commitment: Digest | None = None
    seconds: Share | None = None


class Worth(_Said):
    """What the joint model is worth, and what the label holder's own one is; others are told round numbers, or none."""

    metric: Text | None = None
    joint: Share | None = None
    alone: Share | None = None


class Commit(_Said):
    """What came of one's own attempts; claims themselves stay sealed until all turns are over."""

    step: Literal["commit"] = "commit"
    turn: Number
    outcomes: tuple[Outcome, ...]
    worth: Worth = Worth()


class Committed(_Said):
    """The same of the other side."""

    outcomes: tuple[Outcome, ...]


class Open(_Said):
    """A claim, to be scored by its victim: its bytes and the nonce of its commitment go beside."""

    step: Literal["open"] = "open"
    turn: Number
    attempt: Number


class Show(_Said):
    """Open your claim: it goes beside in the answer."""

    step: Literal["show"] = "show"
    turn: Number
    attempt: Number


class Reached(_Said):
    """What a claim reached, rounded: between blind and ceiling, one question at a time."""

    metric: Text
    value: Part
    blind: Part
    ceiling: Part | None
    ceiling_kind: Text
    cells: Annotated[int, Field(ge=0)]
    ranking: "Reached | None" = None


class Told(_Said):
    """What came of one attempt, as its victim says; nothing where it could not be scored, and why."""

    turn: Number
    attempt: Number
    reached: Reached | None = None
    reason: Text | None = None


class Tell(_Said):
    """All that was reached against the one who says it; it is said once."""

    step: Literal["tell"] = "tell"
    told: tuple[Told, ...]


class Answered(_Said):
    """All that was reached against the other one."""

    told: tuple[Told, ...]


class End(_Said):
    """It cannot go on, and why."""

    step: Literal["end"] = "end"
    reason: Text


class Nothing(_Said):
    """It came."""


Request: TypeAlias = (
    Hello | FindShared | Deal | Prepare | Grant | Train | Skip | Strike | Ask | Commit | Open | Show | Tell | End
)
_REQUESTS: Final[TypeAdapter[Request]] = TypeAdapter(Annotated[Request, Field(discriminator="step")])
Said = TypeVar("Said", bound=_Said)
Beside: TypeAlias = Mapping[str, Array]


def ask(
    link: Link, own: str, other: str, request: _Said, answer: type[Said], beside: Beside | None = None
) -> tuple[Said, dict[str, Array]]:
    """Say something to another party, and return what it answers, with the arrays beside."""
    message = Message(Kind.REHEARSAL, own, other, OUTSIDE_TRAINING, 0, NO_ROWS, _payload(request, beside))
    fields, arrays = _parted(link.request(message))
    try:
        return answer.model_validate_json(fields), arrays
    except ValidationError as error:
        raise BadMessage(f"'{other}' answered something else than it was asked.") from error


def heard(message: Message) -> tuple[Request, dict[str, Array]]:
    """Return what somebody asked, with the arrays beside; refuse what is no request."""
    fields, arrays = _parted(message)
    try:
        return _REQUESTS.validate_json(fields), arrays
    except ValidationError as error:
        raise BadMessage(f"'{message.sender}' asked something that a rehearsal does not have.") from error


def reply(message: Message, answer: _Said, beside: Beside | None = None) -> Message:
    """Answer a request."""
    return message.reply(_payload(answer, beside))


def _payload(said: _Said, beside: Beside | None) -> dict[str, Array]:
    return {SAID: to_array(said.model_dump(mode="json")), **(beside or {})}


def _parted(message: Message) -> tuple[bytes, dict[str, Array]]:
    """Take the fields and the arrays of a message apart."""
    arrays = dict(message.payload)
    said = arrays.pop(SAID, None)
    if (
        message.kind is not Kind.REHEARSAL
        or said is None
        or said.dtype != np.uint8
        or said.ndim != 1
        or said.size > LONG
    ):
        raise BadMessage(f"'{message.sender}' said something that is no part of a rehearsal.")
    try:
        from_array(said)  # one JSON object
    except ValueError as error:
        raise BadMessage(f"'{message.sender}' said something that is no part of a rehearsal.") from error
    return said.tobytes(), arrays
