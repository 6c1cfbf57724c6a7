"""Keys that are made, kept and compared; what is wrong with them is told in a sentence."""

import importlib.util
import stat
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from seepage.cli.app import app
from seepage.errors import BadPeer
from seepage.links import keys as module
from seepage.links.keys import fingerprint_of, make_keys, read_identity, read_peer

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("cryptography") is None, reason="there is no cryptography: pip install 'seepage[hosts]'"
)


def test_keys_are_made_read_and_shown_to_nobody(tmp_path):
    own = make_keys("shop", tmp_path / "keys")
    kept = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "keys").iterdir()}
    assert kept == {"shop.key": 0o600, "shop.crt": 0o600}
    assert read_identity(tmp_path / "keys", "shop") == own
    assert "PRIVATE" in own.key_file.read_text() and "PRIVATE" not in own.certificate.decode()
    assert "BEGIN" not in repr(own) and own.fingerprint == fingerprint_of(own.certificate)


@pytest.mark.parametrize("written", [str, str.upper, lambda said: said.replace(" ", ":"), lambda said: said + " "])
def test_a_fingerprint_may_be_written_in_any_way(written, tmp_path):
    own = make_keys("shop", tmp_path)
    assert read_peer(tmp_path / "shop.crt", "shop", written(own.fingerprint)).certificate == own.certificate


def test_a_fingerprint_is_that_of_openssl(tmp_path):
    import hashlib
    import ssl

    own = make_keys("shop", tmp_path)
    der = ssl.PEM_cert_to_DER_cert(own.certificate.decode())
    assert own.fingerprint.replace(" ", "") == hashlib.sha256(der).hexdigest()


def test_a_certificate_that_was_swapped_is_found(tmp_path):
    own, other = make_keys("shop", tmp_path), make_keys("shop", tmp_path / "other")
    with pytest.raises(BadPeer, match="Somebody may have swapped it"):
        read_peer(tmp_path / "other" / "shop.crt", "shop", own.fingerprint)
    make_keys("lab", tmp_path)
    with pytest.raises(BadPeer, match="is the certificate of 'lab', not of 'shop'"):
        read_peer(tmp_path / "lab.crt", "shop", own.fingerprint)
    (tmp_path / "shop.key").write_bytes(other.key_file.read_bytes())
    with pytest.raises(BadPeer, match=r"does not belong to shop\.crt"):
        read_identity(tmp_path, "shop")


def test_keys_that_are_too_old_or_not_yet_good_are_refused(tmp_path, monkeypatch):
    own = make_keys("shop", tmp_path, days=1)

    class Later(datetime):
        @classmethod
        def now(cls, zone):
            return datetime.now(UTC) + timedelta(days=shift)

    monkeypatch.setattr(module, "datetime", Later)
    for shift in (2, -2):  # noqa: B007
        with pytest.raises(BadPeer, match=r"and not today\. Make new keys"):
            read_peer(tmp_path / "shop.crt", "shop", own.fingerprint)


def test_files_that_are_none_are_told_in_a_sentence(tmp_path):
    with pytest.raises(BadPeer, match=r"cannot be read \(No such file"):
        read_identity(tmp_path, "shop")
    made = make_keys("shop", tmp_path)
    with pytest.raises(BadPeer, match=f"is there already, and may be in use .fingerprint {made.fingerprint}"):
        make_keys("shop", tmp_path)
    (tmp_path / "shop.key").chmod(0o644)
    with pytest.raises(BadPeer, match="can be read by others"):
        read_identity(tmp_path, "shop")
    (tmp_path / "shop.key").chmod(0o600)
    (tmp_path / "shop.key").write_text("nothing")
    with pytest.raises(BadPeer, match="is no private key"):
        read_identity(tmp_path, "shop")
    (tmp_path / "shop.crt").write_text("nothing")
    with pytest.raises(BadPeer, match="is no certificate"):
        read_identity(tmp_path, "shop")


@pytest.mark.parametrize("name", ["", "a b", "../shop", "x" * 65, "shöp/"])
def test_a_name_that_no_certificate_holds(name, tmp_path):
    with pytest.raises(BadPeer, match="cannot be in a certificate"):
        make_keys(name, tmp_path)


def test_the_command_makes_keys_and_prints_the_fingerprint_alone(tmp_path):
    asked = ["keys", "shop", "--out", str(tmp_path / "keys")]
    said = CliRunner().invoke(app, asked)
    own = read_identity(tmp_path / "keys", "shop")
    assert said.exit_code == 0 and own.fingerprint in said.output and "BEGIN" not in said.output
    again = CliRunner().invoke(app, asked)
    assert again.exit_code == 2 and "is there already" in again.output
    assert CliRunner().invoke(app, [*asked[:-1], str(tmp_path / "new"), "--days", "0"]).exit_code == 2
