from functools import cache

import pytest

from seepage.crypto import make_adder, make_sealer


@cache
def _both_sides(encryption, slots, largest, rows, key_bits):
    terms = {"slots": slots, "largest": largest, "rows": rows}
    sealer = make_sealer(encryption, key_bits=key_bits, insecure_key=True, **terms)
    return sealer, make_adder(encryption, sealer.public, **terms)


@pytest.fixture(scope="session")
def both_sides():
    """A sealer and an adder of one scheme; each pair is made once, as a key takes a while."""

    def make(encryption, slots=3, largest=2**20, rows=5000, key_bits=1024):
        if encryption != "none":
            pytest.importorskip("heu", reason="needs HEU: pip install 'seepage[he]'")
        return _both_sides(encryption, slots, largest, rows, key_bits)

    return make
