"""Names come from tables of other people: what a terminal would obey is shown as text."""

from typing import Any, Final
from unicodedata import category

from rich.console import Console
from rich.text import Text

OBEYED: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control codes, signs that turn the direction of reading or join others, halves of signs, separators of lines."""


def harmless(text: str) -> str:
    r"""Show what a terminal would obey, and what turns the direction of reading, as text.

    >>> harmless("\x1b[31mred"), harmless("two\nlines"), harmless("\u202edab")
    ('\\x1b[31mred', 'two\nlines', '\\u202edab')
    """
    return "".join(repr(sign)[1:-1] if sign != "\n" and category(sign) in OBEYED else sign for sign in text)


class Harmless(Console):
    """A console that prints no control codes but its own."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a text, all that a terminal would obey in it written out."""
        return super().render_str(harmless(text), **options)
