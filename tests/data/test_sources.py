import gzip
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from seepage.data import sources
from seepage.data.sources import Source
from seepage.errors import DataUnavailable

CONTENT = b"age,y\n1,0\n" * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Home(BaseHTTPRequestHandler):
    """A public home that can also misbehave."""

    def do_GET(self):
        body = {"/whole.csv": CONTENT, "/packed.gz": gzip.compress(CONTENT), "/changed.csv": b"something else"}
        if self.path == "/elsewhere.csv":
            self.send_response(302)
            self.send_header("Location", "http://example.invalid/whole.csv")
            self.end_headers()
        elif self.path == "/cut.csv":
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT[:500])
        elif self.path in body:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body[self.path])))
            self.end_headers()
            self.wfile.write(body[self.path])
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


@pytest.fixture
def home():
    with ThreadingHTTPServer(("127.0.0.1", 0), Home) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(sources, "cache_folder", lambda: folder)
    monkeypatch.delenv("SEEPAGE_DATA", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return folder


def source(url=None, **options):
    return Source(
        name="people", file="people.csv", sha256=DIGEST, home="https://example.org", license="MIT", url=url, **options
    )


def refusal(asked):
    with pytest.raises(DataUnavailable) as caught:
        asked.fetch()
    return str(caught.value)


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_download_is_checked_and_kept(home, cache):
    path = source(f"{home}/whole.csv").fetch()
    assert path == cache / "people.csv"
    assert path.read_bytes() == CONTENT
    assert leftovers(cache) == ["people.csv"]


def test_what_was_kept_is_not_fetched_again(home, cache):
    source(f"{home}/whole.csv").fetch()
    assert source("http://127.0.0.1:9/gone").fetch() == cache / "people.csv"


def test_a_packed_download_is_stored_unpacked(home, cache):
    assert source(f"{home}/packed.gz", packed=True).fetch().read_bytes() == CONTENT


def test_another_content_is_refused_naming_both_digests_and_leaves_nothing(home, cache):
    message = refusal(source(f"{home}/changed.csv"))
    assert DIGEST in message
    assert hashlib.sha256(b"something else").hexdigest() in message
    assert leftovers(cache) == []


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/cut.csv", f"broke off after 500 of {len(CONTENT)} bytes"),
        ("/absent.csv", "its home answered 404"),
        ("/elsewhere.csv", "only https is allowed"),
    ],
)
def test_a_download_that_fails_says_why_and_leaves_nothing(home, cache, path, why):
    assert why in refusal(source(home + path))
    assert leftovers(cache) == []


def test_what_is_not_packed_although_it_should_be_is_refused(home, cache):
    assert "not compressed with gzip" in refusal(source(f"{home}/whole.csv", packed=True))
    assert leftovers(cache) == []


def test_offline_the_sentence_says_what_was_tried_and_where_to_put_the_file(cache):
    message = refusal(source("http://127.0.0.1:9/people.csv"))
    assert "no file 'people.csv'" in message
    assert "http://127.0.0.1:9/people.csv could not be downloaded" in message
    assert "$SEEPAGE_DATA" in message
    assert str(cache) in message
    assert leftovers(cache) == []


@pytest.mark.parametrize("url", ["http://example.org/people.csv", "file:///etc/hostname", "ftp://example.org/people"])
def test_only_https_is_fetched(cache, url):
    assert "only https is allowed" in refusal(source(url))


def test_a_cache_that_cannot_be_written_is_a_sentence(cache):
    cache.write_text("a file where a folder should be")
    assert "cannot be written to" in refusal(source("https://example.org/people.csv"))


def test_a_prepared_edition_says_where_the_original_lives(cache):
    message = refusal(source())
    assert "prepared edition of https://example.org" in message
    assert str(cache) in message


def test_your_own_folder_comes_before_the_cache(cache, tmp_path, monkeypatch):
    cache.mkdir()
    (cache / "people.csv").write_bytes(b"never looked at")
    (tmp_path / "people.csv").write_bytes(CONTENT)
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    assert source().fetch() == tmp_path / "people.csv"


def test_a_file_of_yours_with_another_digest_is_refused(cache, tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_bytes(b"mine")
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path))
    message = refusal(source("https://example.org/people.csv"))
    assert DIGEST in message
    assert hashlib.sha256(b"mine").hexdigest() in message


def test_a_data_folder_that_is_none_is_a_sentence(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", str(tmp_path / "nowhere"))
    assert "which is no folder" in refusal(source())


def test_an_empty_variable_counts_as_unset(cache, monkeypatch):
    monkeypatch.setenv("SEEPAGE_DATA", "")
    assert "$SEEPAGE_DATA (not set)" in refusal(source())
