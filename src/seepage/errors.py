"""What can go wrong, as one family.

::

    AuditError                 a person can cause it and mend it; shown without a traceback
    ├── UnknownName            no such attack, defense, federation, data set, column, party, key
    ├── BadTable               the data cannot be used as they are
    ├── BadPartition           the columns cannot be dealt as asked
    ├── BadSetting             a field of an attack, a defense or a federation has an impossible value
    ├── BadPlan                the plan does not say what to do
    ├── BadTranscript          the folder does not hold a run that can be read
    ├── BadOutput              the results cannot be written or read where asked
    ├── BadPlugIn              an attack, a defense, a federation or a backbone of another package cannot be used
    ├── FailedAttempt          an attack raised, exited, or needed more than it may
    │   └── BadGuess           an attack returned what cannot be scored
    ├── DataUnavailable        a named data set is not here and cannot be fetched
    ├── EngineUnavailable      what is to carry the work out is not installed, or cannot be reached
    ├── IncompatibleView       the adversary lacks what an attack needs
    └── UndeclaredNeed         an attack reads what its needs do not declare

A mistake in a *call* is an ordinary ``ValueError``.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class AuditError(Exception):
    """Something that a person running an audit can cause and mend."""


def reason_of(error: BaseException) -> str:
    """Say why something broke: our own errors say it themselves, of others their kind is told too.

    >>> reason_of(AuditError("There are no rows.")), reason_of(ZeroDivisionError("by nought"))
    ('There are no rows.', 'ZeroDivisionError: by nought')
    """
    return str(error) if isinstance(error, AuditError) else f"{type(error).__name__}: {error}"


class Remark(UserWarning):
    """Something that a person running an audit should know; it is shown once, from wherever it came."""


class Suspicion(Remark):
    """Something about a table or a plan that looks wrong before anything is trained; it stops nothing."""


class BadTable(AuditError):
    """The data cannot be used as they are."""


class BadPartition(AuditError):
    """The columns cannot be dealt as asked."""


class BadSetting(AuditError):
    """A field has an impossible value."""


class BadPlan(AuditError):
    """The plan does not say what to do."""


class BadTranscript(AuditError):
    """The folder does not hold a run that can be read."""


class BadMessage(AuditError):
    """What came over a wire is no message that can be read, or what should be sent is none."""


class BadPeer(AuditError):
    """Another party is not there, is not the one that was expected, or refused."""


class BadOutput(AuditError):
    """The results cannot be written or read where asked."""


class BadPlugIn(AuditError):
    """An attack, a defense, a federation or a backbone from outside cannot be used."""


class FailedAttempt(AuditError):
    """An attack came to no guess; it costs its own finding and no other."""


class BadGuess(FailedAttempt):
    """An attack returned what cannot be scored."""


class DataUnavailable(AuditError):
    """A named data set is not here and cannot be fetched.

    Parameters
    ----------
    brief
        The same where there is room for one sentence, with no folder of this machine in it; by default the message.
    """

    def __init__(self, message: str, brief: str = "") -> None:
        super().__init__(message, brief)
        self.brief = brief or message

    def __str__(self) -> str:
        return str(self.args[0])


class EngineUnavailable(AuditError):
    """What is to carry the work out is not installed, or cannot be reached."""


class IncompatibleView(AuditError):
    """The adversary lacks what an attack needs."""


class UndeclaredNeed(AuditError):
    """An attack reads what its needs do not declare: a mistake in the attack, whatever the adversary holds.

    >>> raise UndeclaredNeed("gradient messages", "Add Kind.GRADIENT to needs.received")
    Traceback (most recent call last):
        ...
    seepage.errors.UndeclaredNeed: The attack reads gradient messages, which its needs do not declare.
    Add Kind.GRADIENT to needs.received.
    """

    def __init__(self, what: str, remedy: str) -> None:
        self.what, self.remedy = what, remedy
        super().__init__(what, remedy)

    def __str__(self) -> str:
        return f"The attack reads {self.what}, which its needs do not declare.\n{self.remedy}."


class UnknownName(AuditError):
    """Nothing is called that; the nearest known name is suggested.

    >>> raise UnknownName("attack", "gradient-nrom", known=["gradient-norm", "spectral"])
    Traceback (most recent call last):
        ...
    seepage.errors.UnknownName: No attack is called 'gradient-nrom'; did you mean 'gradient-norm'?
    Known attacks: gradient-norm, spectral.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        return f"No {self.kind} is called '{self.name}'{self._suggestion()}\n{self._listing()}"

    def _suggestion(self) -> str:
        folded = {name.casefold(): name for name in self.known}
        nearest = [folded[match] for match in get_close_matches(self.name.casefold(), folded, n=1, cutoff=0.5)]
        return f"; did you mean '{nearest[0]}'?" if nearest else "."

    def _listing(self) -> str:
        what, space, rest = self.kind.replace("data set", "data-set").partition(" ")
        plural = f"{'parties' if what == 'party' else what + 's'}{space}{rest}".replace("data-set", "data set")
        shown = ", ".join(sorted(self.known)[:40]) or "none"
        more = len(self.known) - 40
        return f"Known {plural}: {shown}{f' and {more} more' if more > 0 else ''}."
