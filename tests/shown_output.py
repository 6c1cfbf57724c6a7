"""What a page shows below a command, compared with what the command prints.

Both are read line by line, without the frames of tables, without blank lines, and with any amount of white space taken
for one space. Then

- words, signs and whole numbers have to be equal;
- a number with a decimal point may be off by 0.02 or by 5 %, whichever is more;
- a number that is written with more than three decimals or with an exponent is an error so small that only its size
  counts: it may be off by a factor of two, and below a millionth all are the same;
- a number of seconds, minutes or bytes is whatever it is that day;
- `…` stands for anything: as a line of its own for any lines, inside a line for any words.
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

Part = TypeVar("Part")

ELLIPSIS = "…"
NEAR = 0.02
NEARLY = 0.05
NOTHING = 1e-6

FRAME = re.compile(r"[\u2500-\u257f]")
"""What the frame of a table is drawn with."""
DECIMAL = re.compile(r"[+-]?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+)")
MEASURED = re.compile(r"\d+(?:\.\d+)? ?(?:seconds?|minutes?|hours?|ms|s|[kMG]B)\b")
TOKEN = re.compile(rf"{ELLIPSIS}|{DECIMAL.pattern}|\d+|[^\W\d]+|[^\w\s]")


def without_frames(output: str) -> list[str]:
    """Return the lines of an output as a page shows them: the cells of a table two spaces apart, and no frame.

    >>> without_frames("┃ who ┃ what ┃\\n┡━━━━━╇━━━━━━┩\\n│ lab │ one  │\\n\\nDone.")
    ['  who  what', '  lab  one', 'Done.']
    """
    lines = []
    for line in output.splitlines():
        bare = FRAME.sub("", line)
        if bare.strip():
            framed = FRAME.match(line.lstrip()) is not None
            lines.append("  " + re.sub(r" [│┃] ", "  ", line.strip()[2:-2]).rstrip() if framed else line.rstrip())
    return lines


def fits(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Say whether lines that a page shows are those that were printed.

    >>> fits(["lab  1.000 top1", "…", "Report: r.html"], ["lab 0.99 top1", "bank 0.2", "Report: r.html"])
    True
    >>> fits(["lab 1.000 top1"], ["lab 0.91 top1"])
    False
    """
    return _fits([line.strip() for line in shown if line.strip()], printed, line_agrees)


def line_agrees(shown: str, printed: str) -> bool:
    """Compare two lines word by word.

    >>> line_agrees("120 rows in 3.1 s, 310 MB", "120 rows  in 9 s, 12 MB"), line_agrees("120 rows", "121 rows")
    (True, False)
    >>> line_agrees('{"data": "iris", … "value": 1.0, …}', '{"data": "iris", "seed": 0, "value": 0.99, "reason": null}')
    True
    """
    return _fits(_tokens(shown), _tokens(printed), _token_agrees)


def numbers_agree(shown: str, printed: str) -> bool:
    """Compare two numbers as they are written.

    >>> numbers_agree("0.806", "0.79"), numbers_agree("0.806", "0.75"), numbers_agree("310.0", "320.0")
    (True, False, True)
    >>> numbers_agree("0.0038", "0.0021"), numbers_agree("0.0038", "0.02"), numbers_agree("5.7e-33", "0.0e+00")
    (True, False, True)
    """
    one, two = float(shown), float(printed)
    if "e" in shown + printed or max(len(number.partition(".")[2]) for number in (shown, printed)) > 3:
        small, large = sorted((abs(one), abs(two)))
        return large < NOTHING or large <= 2 * small
    return abs(one - two) <= max(NEAR, NEARLY * abs(one)) + 1e-9


def refreshed(shown: Sequence[str], printed: Sequence[str]) -> list[str]:
    """Return what a page should show now: everything, or the same excerpt where it shows one.

    A line with an ellipsis inside is left to its author, and so is one whose words are no longer printed.

    >>> refreshed(["lab 0.5", "…"], ["lab  0.7", "bank  0.1"])
    ['lab  0.7', '…']
    """
    if not any(ELLIPSIS in line for line in shown):
        return list(printed)
    rest, lines = list(printed), []
    for line in shown:
        words = _words(line)
        places = [place for place, other in enumerate(rest) if _words(other) == words]
        if ELLIPSIS in line or not places:
            lines.append(line)
        else:
            lines.append(rest[places[0]])
            del rest[: places[0] + 1]
    return lines


def _tokens(line: str) -> list[str]:
    return TOKEN.findall(MEASURED.sub("measured", line))


def _words(line: str) -> list[str]:
    return ["0.0" if DECIMAL.fullmatch(token) else token for token in _tokens(line)]


def _token_agrees(shown: str, printed: str) -> bool:
    if DECIMAL.fullmatch(shown) and DECIMAL.fullmatch(printed):
        return numbers_agree(shown, printed)
    return shown == printed


def _fits(shown: Sequence[Part], printed: Sequence[Part], agrees: Callable[[Part, Part], bool]) -> bool:
    """Match a sequence with another, in which an ellipsis stands for any number of parts."""
    reached = {0}
    for part in shown:
        if part == ELLIPSIS:
            reached = set(range(min(reached, default=len(printed) + 1), len(printed) + 1))
        else:
            reached = {place + 1 for place in reached if place < len(printed) and agrees(part, printed[place])}
    return len(printed) in reached
