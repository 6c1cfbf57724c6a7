"""HEU, loaded when it is first needed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from seepage.errors import BadSetting

SCHEMAS: Final = {"okamoto-uchiyama": "OU", "paillier": "ZPaillier"}
"""What HEU calls our schemes. Of its Paillier variants, *Zahlen* is the fastest by far at 2048 bits."""


class Heu(NamedTuple):
    """The two halves of the package."""

    phe: Any
    numpy: Any

    def schema(self, encryption: str) -> Any:
        """Return HEU's name for a scheme."""
        return getattr(self.phe.SchemaType, SCHEMAS[encryption])


@cache
def load_heu() -> Heu:
    """Import HEU and start its threads.

    It takes as many threads as it likes, whatever ``--threads`` says. They do not survive a fork.
    """
    try:
        from heu import numpy, phe
    except ImportError:
        raise BadSetting(
            "Encryption was asked for but HEU is not installed: pip install 'seepage[he]', with Python 3.11, "
            "the only version that HEU has packages for."
        ) from None
    heu = Heu(phe, numpy)
    with _quiet_standard_output():  # it greets on standard output when its threads start
        schema = phe.SchemaType.Mock
        kit = numpy.setup(schema, 2048)
        kit.encryptor().encrypt(numpy.array(np.array([0, 1], dtype=object), phe.BigintEncoder(schema)))
    return heu


@contextmanager
def _quiet_standard_output() -> Iterator[None]:
    """Drop what the process itself, below Python, writes to standard output."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
