"""tiktoken's encodings by name: from a folder, from its cache, or from a server; always checked."""

import base64
import hashlib
import http.server
import os
import socket
import threading
from pathlib import Path

import pytest
import typer
from command_line import run

import digram
from digram import _encodings, _openai
from digram.cli import options
from digram.cli.known import Known

TOKENS = [bytes([byte]) for byte in range(256)] + [b"th", b"the"]
RANKS = b"".join(base64.b64encode(t) + b" %d\n" % rank for rank, t in enumerate(TOKENS))


def file_of(path, content):
    return _encodings.File(path, hashlib.sha256(content).hexdigest())


TINY = file_of("/encodings/tiny.tiktoken", RANKS)


@pytest.fixture
def tiny(monkeypatch):
    """A published encoding that fits into a test."""
    encoding = _encodings.Encoding((TINY,), "gpt2", {"<|endoftext|>": 258})
    monkeypatch.setitem(_encodings.ENCODINGS, "tiny", encoding)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """tiktoken's cache, empty; the folder itself is not there yet."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache" / "of tiktoken"))
    return tmp_path / "cache" / "of tiktoken"


class Server:
    """A server on this machine: what it has, and what it was asked for."""

    def __init__(self):
        self.contents = {TINY.path: RANKS}
        self.asked = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.asked.append(self.path)
                content = owner.contents.get(self.path)
                self.send_response(404 if content is None else 200)
                # one byte more than there is, where the answer breaks off
                cut = self.path.endswith("cut.tiktoken")
                self.send_header("Content-Length", str(len(content or b"") + cut))
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.server.shutdown()
    thread.join()
    server.server.server_close()


@pytest.fixture
def nowhere():
    """The address of a port where nobody answers."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}"


def test_the_names_and_files_are_those_of_tiktoken(monkeypatch):
    public = pytest.importorskip("tiktoken_ext.openai_public")
    asked = []

    def ranks(url, expected_hash):
        asked.append((url, expected_hash))
        return {}

    def pair(vocab_bpe_file, encoder_json_file, vocab_bpe_hash, encoder_json_hash):
        asked.append((encoder_json_file, encoder_json_hash))
        asked.append((vocab_bpe_file, vocab_bpe_hash))
        return {}

    monkeypatch.setattr(public, "load_tiktoken_bpe", ranks)
    monkeypatch.setattr(public, "data_gym_to_mergeable_bpe_ranks", pair)
    assert digram.list_encoding_names() == list(public.ENCODING_CONSTRUCTORS)
    for name, constructor in public.ENCODING_CONSTRUCTORS.items():
        asked.clear()
        theirs = constructor()["special_tokens"]
        ours = _encodings.ENCODINGS[name]
        assert asked == [(_encodings.HOST + file.path, file.sha256) for file in ours.files]
        if name == "o200k_harmony":
            # the second name of an id that has one already
            assert theirs.pop("<|reserved_200018|>") == theirs["<|endofprompt|>"]
        assert ours.special_tokens == theirs


@pytest.mark.usefixtures("tiny", "cache")
def test_a_directory_is_asked_alone(tmp_path, nowhere, monkeypatch):
    monkeypatch.setattr(_encodings, "HOST", nowhere)
    with pytest.raises(digram.MissingFileError, match=r"no file .*tiny.tiktoken.*; place http"):
        digram.get_encoding("tiny", directory=tmp_path)
    (tmp_path / "tiny.tiktoken").write_bytes(RANKS)
    tok = digram.get_encoding("tiny", directory=tmp_path)
    assert tok.encode("the<|endoftext|>", special="token") == [257, 258]
    (tmp_path / "tiny.tiktoken").write_bytes(RANKS + b"\n")
    with pytest.raises(digram.FormatError, match=r"tiny.tiktoken: .* as it was published: its sha"):
        digram.get_encoding("tiny", directory=tmp_path)


@pytest.mark.usefixtures("tiny")
def test_an_encoding_is_opened_once_for_each_place(tmp_path, cache, monkeypatch):
    """Who counts tokens asks for it anew each time: it was loaded anew, in 40 ms."""
    cache.mkdir(parents=True)
    (cache / TINY.cache_name).write_bytes(RANKS)
    (tmp_path / "tiny.tiktoken").write_bytes(RANKS)
    tok, other = digram.get_encoding("tiny"), digram.get_encoding("tiny", directory=tmp_path)
    assert tok is not other
    monkeypatch.setattr(_encodings, "content_of", lambda *_: pytest.fail("it was read again"))
    assert digram.get_encoding("tiny") is tok
    assert digram.get_encoding("tiny", directory=str(tmp_path)) is other
    (tmp_path / "tiny.tiktoken").unlink()
    monkeypatch.undo()
    with pytest.raises(digram.MissingFileError):
        _encodings.get_encoding("gpt2", directory=tmp_path)


@pytest.mark.parametrize("directory", [5, b"encodings", ["encodings"]])
def test_a_directory_is_a_path(directory):
    """It was an error of `os`, which named no argument."""
    with pytest.raises(
        TypeError, match=r"^directory must be a path, or None, not (int|bytes|list)"
    ):
        digram.get_encoding("o200k_base", directory=directory)


def test_what_was_downloaded_is_kept_and_asked_for_once(cache, server):
    assert _encodings.content_of(TINY, host=server.host) == RANKS
    assert [path.name for path in cache.iterdir()] == [TINY.cache_name]
    assert _encodings.content_of(TINY, host=server.host) == RANKS
    assert server.asked == [TINY.path]


@pytest.mark.usefixtures("tiny")
def test_a_filled_cache_needs_no_network(cache, nowhere, monkeypatch):
    monkeypatch.setattr(_encodings, "downloaded", lambda *_: pytest.fail("it was downloaded"))
    cache.mkdir(parents=True)
    (cache / TINY.cache_name).write_bytes(RANKS)
    assert digram.get_encoding("tiny").encode("the") == [257]
    assert _encodings.content_of(TINY, host=nowhere) == RANKS


@pytest.mark.parametrize("damage", [RANKS[:-1], b"", b"<html>sorry</html>"])
def test_a_damaged_cache_is_mended(cache, server, damage):
    cache.mkdir(parents=True)
    (cache / TINY.cache_name).write_bytes(damage)
    assert _encodings.content_of(TINY, host=server.host) == RANKS
    assert (cache / TINY.cache_name).read_bytes() == RANKS


def test_without_network_the_error_says_what_to_put_where(cache, nowhere, monkeypatch):
    with pytest.raises(digram.MissingFileError) as caught:
        _encodings.content_of(TINY, host=nowhere)
    message = str(caught.value)
    for part in ("tiny.tiktoken", "not there", str(cache / TINY.cache_name), nowhere, "directory="):
        assert part in message
    cache.mkdir(parents=True)
    (cache / TINY.cache_name).write_bytes(b"damaged")
    with pytest.raises(digram.MissingFileError, match=r"in the cache it is damaged"):
        _encodings.content_of(TINY, host=nowhere)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    with pytest.raises(digram.MissingFileError, match=r"in the cache it is turned off"):
        _encodings.content_of(TINY, host=nowhere)


def test_what_the_server_has_instead_is_refused_and_not_kept(cache, server):
    other = file_of("/encodings/other.tiktoken", RANKS)
    server.contents[other.path] = RANKS[:-1]
    with pytest.raises(digram.FormatError, match=r"other.tiktoken: .*its sha256 is"):
        _encodings.content_of(other, host=server.host)
    with pytest.raises(
        digram.MissingFileError, match=r"missing.tiktoken cannot be downloaded: .*404"
    ):
        _encodings.content_of(file_of("/missing.tiktoken", b""), host=server.host)
    cut = file_of("/cut.tiktoken", RANKS)
    server.contents[cut.path] = RANKS[:-1]
    with pytest.raises(digram.DigramError, match=r"cut.tiktoken"):
        _encodings.content_of(cut, host=server.host)
    assert not cache.exists()


def test_the_variables_say_where_the_cache_is(monkeypatch, tmp_path, server):
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", str(tmp_path / "second"))
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    assert _encodings.cache_place(TINY) == str(tmp_path / "second" / TINY.cache_name)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "first"))
    assert _encodings.cache_place(TINY) == str(tmp_path / "first" / TINY.cache_name)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert _encodings.cache_place(TINY) is None
    assert _encodings.content_of(TINY, host=server.host) == RANKS
    assert list(tmp_path.iterdir()) == []
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.delenv("DATA_GYM_CACHE_DIR")
    assert Path(_encodings.cache_place(TINY)).parent.name == "data-gym-cache"


def test_a_cache_that_cannot_be_written_to_matters_where_it_was_asked_for(
    monkeypatch, tmp_path, server
):
    (tmp_path / "data-gym-cache").write_text("a file, where a folder should be")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "data-gym-cache"))
    with pytest.raises(OSError, match=r"data-gym-cache"):
        _encodings.content_of(TINY, host=server.host)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert _encodings.content_of(TINY, host=server.host) == RANKS


@pytest.mark.parametrize("is_default", [True, False])
def test_a_link_in_the_cache_is_replaced_and_never_followed(
    monkeypatch, tmp_path, server, is_default
):
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "data-gym-cache"))
    if is_default:
        monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
        monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    own = tmp_path / "somebody's own"
    own.write_text("kept")
    place = tmp_path / "data-gym-cache" / TINY.cache_name
    place.parent.mkdir()
    for target in (own, tmp_path / "nothing"):
        place.symlink_to(target)
        assert _encodings.content_of(TINY, host=server.host) == RANKS
        assert place.read_bytes() == RANKS
        assert not place.is_symlink()
        place.unlink()
    assert own.read_text() == "kept"
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("plant", [getattr(os, "mkfifo", os.mkdir), os.mkdir])
def test_what_is_no_file_in_the_open_cache_is_never_read(monkeypatch, tmp_path, server, plant):
    for name in _encodings.CACHE_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    (tmp_path / "data-gym-cache").mkdir()
    plant(tmp_path / "data-gym-cache" / TINY.cache_name)
    assert _encodings.content_of(TINY, host=server.host) == RANKS


def test_the_models_are_those_of_tiktoken():
    theirs = pytest.importorskip("tiktoken.model")
    assert theirs.MODEL_TO_ENCODING == _openai.MODELS
    assert list(theirs.MODEL_PREFIX_TO_ENCODING.items()) == list(_openai.PREFIXES.items())
    for name in (*_openai.MODELS, *(prefix + "x" for prefix in _openai.PREFIXES)):
        assert _encodings.encoding_name(name) == theirs.encoding_name_for_model(name)


@pytest.mark.usefixtures("tiny", "cache")
def test_a_model_gives_its_encoding(tmp_path, monkeypatch):
    monkeypatch.setitem(_openai.MODELS, "gpt-tiny", "tiny")
    (tmp_path / "tiny.tiktoken").write_bytes(RANKS)
    assert digram.encoding_for_model("gpt-tiny", directory=tmp_path).encode("the") == [257]
    for name in ("", "gpt", "gpt-6", "o200k_base", "GPT-4"):
        with pytest.raises(KeyError, match=r"no encoding is known .*get_encoding takes it: gpt2,"):
            digram.encoding_for_model(name)


def test_an_unknown_name_is_refused_with_those_known():
    with pytest.raises(ValueError, match=r"name is 'cl100k'; it is one of gpt2, .*o200k_harmony"):
        digram.get_encoding("cl100k")


@pytest.mark.usefixtures("tiny")
def test_the_command_line_takes_the_names_where_there_is_no_such_file(cache, tmp_path, monkeypatch):
    """It was "there is no file 'o200k_base'"."""
    cache.mkdir(parents=True)
    (cache / TINY.cache_name).write_bytes(RANKS)
    monkeypatch.chdir(tmp_path)
    published = options.open_tokenizer("tiny", Known())
    assert published == digram.get_encoding("tiny")
    assert options.open_where_needed("tiny", Known(pattern="gpt2")) == published
    with pytest.raises(typer.BadParameter, match=r"tiny: the name says what it is"):
        options.open_tokenizer("tiny", Known(pattern="gpt2"))
    own = digram.train(["low"], num_merges=1)
    own.save(tmp_path / "tiny", format="tokenizer.json")
    assert options.open_tokenizer("tiny", Known()) == own


def test_every_command_takes_the_names(shared, tmp_path):
    name = "r50k_base"
    content = (shared / "data" / "vocab" / "tiktoken" / f"{name}.tiktoken").read_bytes()
    (tmp_path / _encodings.R50K.cache_name).write_bytes(content)
    cached = {"TIKTOKEN_CACHE_DIR": str(tmp_path)}
    ids = run("encode", "-t", name, stdin="the low", **cached).out
    assert run("decode", "-t", name, stdin=ids, **cached).out == "the low"
    assert run("count", "-t", name, stdin="the low", **cached).out == "2\n"
    assert "50,257" in run("inspect", name, **cached).out
    assert "the|␣low" in run("inspect", "-t", name, "the low", **cached).out
    assert "no findings" in run("check", name, **cached).err
    run("convert", name, tmp_path / "t.json", **cached)
    assert run("diff", name, name, **cached).stdout == b""


def test_the_published_encodings_give_the_ids_of_tiktoken(shared):
    peers = pytest.importorskip("tests.exact.peers")
    folder = shared / "data" / "vocab" / "tiktoken"
    text = (shared / "data" / "corpus" / "tinyshakespeare.txt").read_text(encoding="utf-8")[:50_000]
    text += "né 漢字 🙂\n\n  <|endoftext|> it's 12345\n "
    for name in peers.TIKTOKEN:
        tok = digram.get_encoding(name, directory=folder)
        theirs = peers.tiktoken_encoding(folder, name)
        assert tok.encode(text) == theirs.encode_ordinary(text)
        assert tok.encode(text, special="token") == theirs.encode(text, allowed_special="all")
        assert tok.special_tokens == theirs._special_tokens
    harmony = digram.get_encoding("o200k_harmony", directory=folder)
    assert harmony.encode("<|start|>a<|end|>", special="token")[::2] == [200006, 200007]
    assert (harmony.vocab_size, max(harmony.tokens)) == (201_088, 201_087)
    gpt2 = digram.get_encoding("gpt2", directory=shared / "data" / "vocab" / "gpt2")
    r50k = digram.get_encoding("r50k_base", directory=folder)
    assert gpt2.encode(text, special="token") == r50k.encode(text, special="token")
    assert gpt2.tokens == r50k.tokens


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("cl100k_base", "encodings of tiktoken are opened by digram.get_encoding"),
        ("none/such", "a tokenizer of the hub is digram.from_pretrained('none/such')"),
        ("hub:none/such", "a tokenizer of the hub is digram.from_pretrained('none/such')"),
    ],
)
def test_who_loads_what_is_no_file_is_told_where_else_it_may_be(name, hint):
    with pytest.raises(digram.MissingFileError) as told:
        digram.load(name)
    assert str(told.value) == f"there is no file {name!r}; {hint}"
