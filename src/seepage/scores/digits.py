"""How finely numbers are written."""

from typing import Final

NO_NUMBER: Final = "–"


def number(value: float | None) -> str:
    """Write three decimals, or a dash where there is no number.

    >>> number(0.12345), number(None), number(-0.0001)
    ('0.123', '–', '0.000')
    """
    if value is None:
        return NO_NUMBER
    written = f"{value:.3f}"
    return written.removeprefix("-") if float(written) == 0 else written.replace("-", "−")


def squared_error(value: float | None) -> str:
    """Write a squared error: three decimals, or two digits where that would hide it.

    >>> squared_error(0.0804), squared_error(0.00421), squared_error(3.2e-11), squared_error(0.0), squared_error(None)
    ('0.080', '0.0042', '3.2e-11', '0', '–')
    """
    if value is None:
        return NO_NUMBER
    if value == 0:
        return "0"
    return f"{value:.3f}" if abs(value) >= 0.01 else f"{value:.2g}"


def share_error(value: float | None) -> str:
    """Write how far an estimated share is off: three decimals, four where it is off by less than one in a hundred.

    >>> share_error(0.0214), share_error(0.00421), share_error(0.00001), share_error(None)
    ('0.021', '0.0042', '0.0000', '–')
    """
    return number(value) if value is None or abs(value) >= 0.00995 else f"{abs(value):.4f}"


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """Write how many there are.

    >>> counted(1, "seed"), counted(3, "party", "parties")
    ('1 seed', '3 parties')
    """
    return f"{count} {singular if count == 1 else plural or singular + 's'}"
