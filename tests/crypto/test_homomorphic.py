"""What each side can and cannot do under encryption."""

import sys
from contextlib import suppress

import numpy as np
import pytest

from seepage.crypto import check_key, make_sealer
from seepage.crypto.heu_library import load_heu
from seepage.errors import BadSetting

each_encryption = pytest.mark.parametrize("encryption", ["okamoto-uchiyama", "paillier"])


@each_encryption
def test_the_adder_cannot_decrypt(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    heu = load_heu()
    secret_kinds = (heu.phe.SecretKey, heu.phe.Decryptor, heu.numpy.Decryptor, heu.numpy.HeKit, heu.phe.HeKit)
    held = [adder, *vars(adder).values(), adder.receive(sealer.seal(np.ones((1, 3), dtype=np.int64))).array]
    assert not any(isinstance(thing, secret_kinds) for thing in held)
    assert isinstance(adder.kit, heu.numpy.DestinationHeKit)
    for wanted in ("decryptor", "secret_key"):
        assert hasattr(sealer.kit, wanted)
        with pytest.raises(AttributeError):
            getattr(adder.kit, wanted)


@each_encryption
def test_another_key_does_not_open_it(both_sides, encryption):
    sealer, _ = both_sides(encryption)
    stranger = make_sealer(encryption, key_bits=1024, slots=3, largest=2**20, rows=5000, insecure_key=True)
    values = np.arange(6).reshape(2, 3)
    opened = None
    with suppress(ValueError, RuntimeError):  # mostly nonsense of the wrong size
        opened = stranger.open(sealer.seal(values))
    assert not np.array_equal(opened, values)


@each_encryption
def test_equal_rows_and_equal_sums_look_different(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    values = np.ones((1, 3), dtype=np.int64)
    sealed = sealer.seal(values)
    assert not np.array_equal(sealed, sealer.seal(values))
    vector = adder.receive(sealed)
    assert not np.array_equal(adder.send(vector), adder.send(vector))


@each_encryption
def test_a_group_of_one_row_does_not_show_which(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    sealed = sealer.seal(np.ones((5, 3), dtype=np.int64))
    alone = adder.send(adder.take(adder.receive(sealed), np.array([2])))
    assert alone[-64:].tobytes() not in sealed.tobytes()  # the last bytes of a ciphertext
    assert sealed[-64:].tobytes() in sealed.tobytes()


@each_encryption
def test_an_empty_group_looks_like_any_other(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    vector = adder.receive(sealer.seal(np.ones((2, 3), dtype=np.int64)))
    empty = [adder.send(adder.group_sums(vector, np.array([0]), np.array([0, 0]))) for _ in range(2)]
    assert not np.array_equal(*empty)


@each_encryption
def test_several_sums_share_a_ciphertext_on_the_way_back(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    vector = adder.receive(sealer.seal(np.ones((30, 3), dtype=np.int64)))
    sent = adder.send(vector)
    assert sealer.count(sent) == -(-30 // adder.packing.fold) < 30
    assert adder.packing.fold > 1
    with pytest.raises(ValueError, match="several in a ciphertext"):
        adder.receive(sent)


@each_encryption
def test_bytes_that_are_no_ciphertexts_are_refused(both_sides, encryption):
    sealer, adder = both_sides(encryption)
    sealed = sealer.seal(np.ones((4, 3), dtype=np.int64))
    with pytest.raises(ValueError, match="cannot read"):
        adder.receive(sealed[:-5])
    with pytest.raises(ValueError, match="vector of bytes"):
        adder.receive(sealed[:10])
    with pytest.raises(ValueError, match="vector of bytes"):
        sealer.open(np.ones((4, 3), dtype=np.int64))
    wrong = sealed.copy()
    wrong[0] = 7
    with pytest.raises(ValueError, match="expected 7 ciphertexts, got 4"):
        sealer.open(wrong)


def test_keys_that_protect_nothing_or_cannot_be_made_are_refused():
    check_key("none", 0)
    check_key("paillier", 2048)
    check_key("okamoto-uchiyama", 1024, insecure_key=True)
    with pytest.raises(ValueError, match="2048 or more, got 1024"):
        check_key("okamoto-uchiyama", 1024)
    for bits in (2050, 512, 1_000_000):
        with pytest.raises(ValueError, match="multiple of 64 from 1024 to 8192"):
            check_key("paillier", bits, insecure_key=True)
    with pytest.raises(ValueError, match="encryption must be one of"):
        check_key("rsa", 2048)


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "heu", None)
    load_heu.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"pip install 'seepage\[he\]'"):
            make_sealer("paillier", key_bits=2048, slots=1, largest=1, rows=1)
        with pytest.raises(BadSetting, match=r"pip install 'seepage\[he\]'"):
            load_heu()
    finally:
        load_heu.cache_clear()


def test_the_library_does_not_greet_on_standard_output(both_sides, capfd):
    both_sides("okamoto-uchiyama")
    load_heu.cache_clear()
    load_heu()
    assert capfd.readouterr().out == ""
