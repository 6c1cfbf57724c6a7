"""One attempt: an attack is given a view, and its guess is checked before anybody scores it."""

import sys
from contextlib import redirect_stdout
from typing import Any

from numpy.random import Generator

from seepage.attacks import Attack
from seepage.audit.isolation.limits import isolation
from seepage.audit.isolation.outside import OutsideAttack, guessed_apart
from seepage.audit.plan.settings import settings_of
from seepage.audit.scoring.guess_checks import check_guess
from seepage.errors import AuditError, FailedAttempt, IncompatibleView
from seepage.guesses import Guess
from seepage.views import View


def attempt(attack: Attack[Any], view: View, rng: Generator) -> Guess:
    """Let an attack guess from a view, and return a guess that can be scored.

    An attack from outside runs in a process of its own, and so does every other inside
    ``isolating(Isolation(ours=True))``; the guess is the same. What it prints goes to standard error.

    Raises
    ------
    IncompatibleView
        The view lacks what the attack needs.
    FailedAttempt
        It raised, exited, took too much, or (`BadGuess`) returned what cannot be scored. One sentence says which;
        no other attack has to suffer for it.
    """
    try:
        guess = _guessed(attack, view, rng)
    except IncompatibleView:
        raise
    except AuditError as error:  # a process that failed, or an attack of ours that refuses in words of its own
        raise FailedAttempt(f"{attack.name} came to no guess: {error}") from error
    except SystemExit as error:
        raise FailedAttempt(f"{attack.name} came to no guess: it called sys.exit({error.code!r}).") from error
    except Exception as error:  # whatever an attack does costs its own finding and no other
        raise FailedAttempt(f"{attack.name} came to no guess: it raised {type(error).__name__}: {error}") from error
    return check_guess(guess, attack, view)


def _guessed(attack: Attack[Any], view: View, rng: Generator) -> object:
    if isolation().ours and not isinstance(attack, OutsideAttack):
        made = type(attack)
        return guessed_apart(f"{made.__module__}:{made.__qualname__}", settings_of(attack), view, rng)
    with redirect_stdout(sys.stderr):
        return attack.run(view, rng)
