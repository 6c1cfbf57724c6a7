"""What somebody running an audit should know, brought from worker processes to where it can be read."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from seepage.errors import Remark


@contextmanager
def gathered_remarks() -> Iterator[list[str]]:
    """Gather the remarks made inside, each once; other warnings go their usual way afterwards."""
    gathered: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", Remark)
        yield gathered
    for warning in caught:
        if issubclass(warning.category, Remark):
            if str(warning.message) not in gathered:
                gathered.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def tell(remarks: Iterable[str], kind: type[Remark] = Remark) -> None:
    """Say each remark once."""
    for text in dict.fromkeys(remarks):
        warnings.warn(kind(text), stacklevel=2)
