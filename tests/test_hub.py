"""Models of the hub: from a filled cache, from a server on this machine, and not at all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import digram
from digram import _hub
from tests.hub_server import Hub, Model

OLD, NEW = "1" * 40, "2" * 40
CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": "<|end|>",
    "own": [1, {"a": 2}],
}


@pytest.fixture(scope="module")
def tok():
    return digram.train(["the cat sat on the mat"], num_merges=10)


def files_of(tok, tmp_path, **further):
    path = tmp_path / "made.json"
    tok.save(path)
    made = {
        "tokenizer.json": path.read_bytes(),
        "tokenizer_config.json": json.dumps(CONFIG).encode(),
    }
    return made | {"README.md": b"# A model", "model.safetensors": b"\0" * 1000} | further


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The cache of Hugging Face's libraries, empty; and no other setting of the machine's."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME", "HF_ENDPOINT",
                 "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_TOKEN"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "home" / "token"))
    return tmp_path / "home" / "hub"


@pytest.fixture
def hub(cache, tok, tmp_path, monkeypatch):
    """A server with a model of two commits."""
    pytest.importorskip("huggingface_hub")
    server = Hub()
    server.cache = cache
    old = files_of(tok, tmp_path, **{"chat_template.jinja": b"old"})
    new = files_of(
        tok,
        tmp_path,
        **{"chat_template.jinja": b"new", "additional_chat_templates/rag.jinja": b"r"},
    )
    server.models["org/model"] = Model(
        {OLD: old, NEW: new}, {"main": NEW, "v1.0": OLD, "refs/pr/7": OLD}
    )
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    yield server
    server.close()


@pytest.fixture
def without_library(monkeypatch):
    """As if huggingface_hub were not installed."""
    for name in [name for name in sys.modules if name.split(".")[0] == "huggingface_hub"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)


def fill(cache, files, *, commit=NEW, ref="main", name="org/model"):
    """Put a model into the cache as huggingface_hub does, files as links to blobs."""
    model = cache / f"models--{name.replace('/', '--')}"
    for file, content in files.items():
        blob = model / "blobs" / _etag(content)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(content)
        link = model / "snapshots" / commit / file
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(blob, link.parent))
    (model / "refs").mkdir(exist_ok=True)
    (model / "refs" / ref).write_text(commit)
    return model


def _etag(content):
    from tests.hub_server import etag

    return etag(content)


def test_a_model_is_downloaded_once_with_what_stands_beside_it(hub, tok, capfd):
    found = digram.from_pretrained("org/model")
    assert found.encode("the cat<|end|>", special="token")[:-1] == tok.encode("the cat")
    assert found.encode("<|end|>", special="token") == [tok.vocab_size]
    assert (found.directory.source, found.directory.commit) == ("org/model", NEW)
    assert found.directory.chat_templates == {"default": "new", "rag": "r"}
    assert found.directory.config == {**CONFIG, "own": (1, {"a": 2})}
    assert not any("README" in asked or "safetensors" in asked for asked in hub.asked)
    asked = len(hub.asked)
    assert digram.from_pretrained("org/model") == found
    assert len(hub.asked) == asked  # a model in the cache makes no request
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("revision", "commit"),
    [(None, NEW), ("main", NEW), ("v1.0", OLD), ("refs/pr/7", OLD), (OLD, OLD), (NEW, NEW)],
)
def test_a_revision_is_a_branch_a_tag_or_a_commit(hub, revision, commit):
    found = digram.from_pretrained("org/model", revision=revision)
    assert found.directory.commit == commit
    assert found.chat_template == ("old" if commit == OLD else "new")
    hub.models.clear()
    again = digram.from_pretrained("org/model", revision=revision)
    assert again.directory == found.directory


def test_a_branch_that_has_moved_on_is_asked_for_when_the_caller_says_so(hub):
    assert digram.from_pretrained("org/model").directory.commit == NEW
    hub.models["org/model"].refs["main"] = OLD
    assert digram.from_pretrained("org/model").directory.commit == NEW
    assert digram.from_pretrained("org/model", local_files_only=False).directory.commit == OLD
    assert digram.from_pretrained("org/model").directory.commit == OLD


def test_a_model_without_settings_is_asked_for_them_once(hub):
    for files in hub.models["org/model"].commits.values():
        del files["tokenizer_config.json"]
    assert digram.from_pretrained("org/model").directory.config == {}
    asked = len(hub.asked)
    assert digram.from_pretrained("org/model").directory.config == {}
    assert len(hub.asked) == asked


def test_settings_that_nobody_asked_for_yet_are_fetched(hub, cache, tok, tmp_path):
    only = {"tokenizer.json": files_of(tok, tmp_path)["tokenizer.json"]}
    fill(cache, only)
    hub.broken = True
    assert digram.from_pretrained("org/model").directory.config == {}
    hub.broken = False
    assert digram.from_pretrained("org/model").directory.config["eos_token"] == "<|end|>"


def test_what_was_downloaded_opens_without_the_library(hub, request):
    digram.from_pretrained("org/model")
    asked = len(hub.asked)
    request.getfixturevalue("without_library")
    assert digram.from_pretrained("org/model").directory.commit == NEW
    with pytest.raises(
        digram.MissingFileError, match=r'not in the cache.*pip install "digram\[hub'
    ):
        digram.from_pretrained("org/model", revision="v1.0")
    assert len(hub.asked) == asked


def test_transformers_gives_the_same_ids_for_what_is_downloaded(hub):
    transformers = pytest.importorskip("transformers")
    found = digram.from_pretrained("org/model")
    folder = hub.cache / "models--org--model" / "snapshots" / NEW
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    text = "the cat<|end|> sat  on<|end|>"
    ids = theirs(text, add_special_tokens=False).input_ids
    assert found.encode(text, special="token") == ids


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", None])
def test_offline_nothing_is_asked(hub, tok, tmp_path, monkeypatch, variable):
    if variable is not None:
        monkeypatch.setenv(variable, "1")
    only = True if variable is None else None
    with pytest.raises(
        digram.MissingFileError, match=r"not in the cache of the hub, which may not"
    ):
        digram.from_pretrained("org/model", local_files_only=only)
    fill(hub.cache, files_of(tok, tmp_path))
    assert digram.from_pretrained("org/model", local_files_only=only).directory.commit == NEW
    with pytest.raises(digram.MissingFileError, match=r"'org/model' at 'v2' is no directory"):
        digram.from_pretrained("org/model", revision="v2", local_files_only=only)
    assert hub.asked == []


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            "none",
            {"revision": "v9"},
            r"at 'v9' cannot be downloaded: the model has no such revision",
        ),
        ("gated", {}, r"its authors grant access: .*HF_TOKEN"),
        ("gone", {}, r"no such model, or it is private: pass token=, or set HF_TOKEN"),
        ("gone", {"token": "secret"}, r"no such model, or it is private"),
        ("broken", {}, r"the hub cannot be asked: "),
        ("closed", {}, r"the hub cannot be asked: "),
        ("empty", {}, r"'org/model' holds none of tokenizer.json, .*tiktoken"),
    ],
)
def test_what_the_hub_refuses_is_told(hub, monkeypatch, change, options, message):
    model = hub.models["org/model"]
    if change == "gated":
        model.token = "secret"
    elif change == "gone":
        hub.models.clear()
    elif change == "broken":
        hub.broken = True
    elif change == "closed":
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    elif change == "empty":
        for files in model.commits.values():
            del files["tokenizer.json"]
    with pytest.raises(digram.MissingFileError, match=message):
        digram.from_pretrained("org/model", **options)


def test_a_token_opens_a_gated_model(hub, monkeypatch):
    hub.models["org/model"].token = "secret"
    with pytest.raises(digram.MissingFileError, match=r"grant access"):
        digram.from_pretrained("org/model", token="wrong")
    assert digram.from_pretrained("org/model", token="secret").directory.commit == NEW
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert digram.from_pretrained("org/model", revision="v1.0").directory.commit == OLD


def test_a_file_too_large_for_a_tokenizer_is_not_downloaded(hub, monkeypatch):
    monkeypatch.setattr(_hub, "LARGEST", 100)
    with pytest.raises(digram.LimitError, match=r"tokenizer.json has \d+ bytes; at most 100"):
        digram.from_pretrained("org/model")
    assert not list(hub.cache.rglob("tokenizer.json"))


VARIABLES = [
    ({"HF_HUB_CACHE": "/a", "HUGGINGFACE_HUB_CACHE": "/b", "HF_HOME": "/c"}, "/a"),
    ({"HUGGINGFACE_HUB_CACHE": "/b", "HF_HOME": "/c", "XDG_CACHE_HOME": "/d"}, "/b"),
    ({"HF_HOME": "/c", "XDG_CACHE_HOME": "/d"}, "/c/hub"),
    ({"XDG_CACHE_HOME": "/d"}, "/d/huggingface/hub"),
    ({}, "~/.cache/huggingface/hub"),
    ({"HF_HOME": "~/x"}, "~/x/hub"),
    ({"HF_HUB_CACHE": "$HOME/y"}, "~/y"),
]


@pytest.mark.parametrize(("variables", "folder"), VARIABLES)
@pytest.mark.usefixtures("cache")
def test_the_variables_say_where_the_cache_is_as_for_the_library(monkeypatch, variables, folder):
    monkeypatch.delenv("HF_HOME")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert _hub.cache_folder() == Path(folder).expanduser()
    pytest.importorskip("huggingface_hub")
    code = "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert _hub.cache_folder() == Path(said.stdout.strip())


@pytest.mark.usefixtures("without_library")
def test_a_damaged_cache_is_told(cache, tok, tmp_path):
    model = fill(cache, files_of(tok, tmp_path))
    for blob in (model / "blobs").iterdir():
        blob.unlink()
    with pytest.raises(digram.MissingFileError, match=r"only links that lead nowhere, and the hub"):
        digram.from_pretrained("org/model", local_files_only=True)
    with pytest.raises(digram.MissingFileError, match=r"not in the cache .*pip install"):
        digram.from_pretrained("org/model")
    for ref in (b"", b"no commit", b"../../../etc", b"\xff" * 100, NEW.encode() + b"x"):
        (model / "refs" / "main").write_bytes(ref)
        with pytest.raises(digram.MissingFileError, match=r"not in the cache"):
            digram.from_pretrained("org/model", local_files_only=True)
    (model / "refs" / "main").unlink()
    if not hasattr(os, "mkfifo"):
        return
    os.mkfifo(model / "refs" / "main")  # reading it would wait for ever
    with pytest.raises(digram.MissingFileError, match=r"not in the cache"):
        digram.from_pretrained("org/model", local_files_only=True)


def test_a_damaged_cache_is_mended_where_the_hub_can_be_asked(hub):
    digram.from_pretrained("org/model")
    for link in (hub.cache / "models--org--model" / "snapshots" / NEW).glob("*.json"):
        link.resolve().unlink()
    assert digram.from_pretrained("org/model").directory.commit == NEW


def test_a_link_out_of_the_cache_is_not_followed(cache, tok, tmp_path):
    model = fill(cache, files_of(tok, tmp_path))
    secret = tmp_path / "secret"
    secret.write_text('{"password": "1234"}')
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        link = model / "snapshots" / NEW / name
        link.unlink(missing_ok=True)
        link.symlink_to(secret)
        with pytest.raises(digram.FormatError, match=r"is a link out of .*; it is not followed"):
            digram.from_pretrained("org/model", local_files_only=True)


DIRECTORIES = (".", "..", "/", "//")
HOSTILE = [
    *DIRECTORIES, "", "a/", "/a", "a//b", "a/b/c", "../a", "a/..", "../../etc/passwd", "..\\a",
    "a\\b", "C:\\a", "C:/a/b", "\\\\host\\share", "/etc/passwd/x", "/absolute/name", "~/x/y",
    "~", "~root", "$HOME/x", "%2e%2e/a", "a%2fb", "a\0b", "\0", "a/b\0", "a\nb", "a\rb", "a\tb",
    " a", "a ", "a b/c", "a/b ", "a--b", "a/b--c", "a..b/c", "org/..model", "org/model..", "-a/b",
    "a/-b", "a-/b", ".hidden/a", "org/.git", "org/model.git", "a" * 97, "a/" + "b" * 97,
    "a" * 5000, "naïve/model", "模型/名", "a/b?x=1", "a/b#x", "a/b@main", "a:b/c", "http://host/a",
    "hub:", "hub:../a", "hub:/etc", "hub:hub:a/b", "file:///etc/passwd", "a/b\u202e", "a*/b",
    "{a}/b", "a;b", "a|b", "`a`/b", "$(a)/b", "\ud800/a", "a/\udcff", "CON:", "nul:/a", "a&b",
    "org/model/../../x",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:40])
def test_a_hostile_name_touches_nothing(cache, tmp_path, monkeypatch, name):
    monkeypatch.setattr(_hub, "download", lambda *_, **__: pytest.fail("it was downloaded"))
    monkeypatch.setattr("digram._pretrained.download", _hub.download)
    monkeypatch.setattr("digram._pretrained.cached", lambda *_: pytest.fail("the cache was read"))
    monkeypatch.chdir(tmp_path)
    # a directory is the caller's own; the same name that is meant as a model's is refused
    given = f"hub:{name}" if name in DIRECTORIES else name
    with pytest.raises(ValueError, match=r"is neither a directory nor the name of a model"):
        digram.from_pretrained(given)
    assert not cache.exists()


@pytest.mark.parametrize(
    "revision",
    ["", ".", "..", "../x", "a/../b", "/a", "a/", "a//b", "a\0", "a b", "-x", "--upload-pack=x",
     ".hidden", "a/.b", "a.lock", "a.lock/b", "a..b", "a\\b", "a?b", "a#b", "a%2fb", "a@{1}", "~1",
     "a~1", "a^", "a:b", "a*", "[a]", "é", "a\n", "x" * 251, "HEAD\0", "refs/../../x", "a."],
    ids=ascii,
)  # fmt: skip
def test_a_hostile_revision_touches_nothing(cache, monkeypatch, revision):
    monkeypatch.setattr("digram._pretrained.download", lambda *_, **__: pytest.fail("downloaded"))
    with pytest.raises(ValueError, match=r"^revision is .*; it is a branch, a tag or a commit$"):
        digram.from_pretrained("org/model", revision=revision)
    assert not cache.exists()


def test_a_directory_goes_before_a_model_unless_the_name_says_otherwise(
    cache, tok, tmp_path, monkeypatch
):
    fill(cache, files_of(tok, tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org" / "model").mkdir(parents=True)
    digram.train(["other"], num_merges=1).save("org/model")
    assert digram.from_pretrained("org/model").directory.commit is None
    assert digram.from_pretrained(Path("org/model")).directory.source == "org/model"
    assert digram.from_pretrained("hub:org/model").directory.commit == NEW
    with pytest.raises(ValueError, match=r"is a directory, which has no revision.*'hub:org/model'"):
        digram.from_pretrained("org/model", revision="main")
    with pytest.raises(digram.MissingFileError, match=r"there is no directory 'org/other'"):
        digram.from_pretrained(Path("org/other"))


AUDITED = """
import json, sys
import digram, digram._pretrained  # what digram imports when it is first used is its own
kinds, opened, others = ("exec", "compile", "import", "os.system", "subprocess.Popen",
                         "socket.connect", "pickle.find_class"), [], []
def watch(event, values):
    if event == "open":
        opened.append(str(values[0]))
    elif event in kinds:
        others.append(f"{event} {values!r}")
sys.addaudithook(watch)
tok = digram.from_pretrained(sys.argv[1])
tok.directory.chat_template, tok.special_tokens
watch = lambda *_: None
print(json.dumps({"opened": opened, "others": others}))
"""


@pytest.mark.parametrize("as_model", [False, True])
def test_loading_opens_its_own_files_and_runs_nothing(cache, tok, tmp_path, as_model):
    hostile = {
        **CONFIG,
        "vocab_file": "/etc/passwd",
        "tokenizer_file": "/etc/hostname",
        "auto_map": {"AutoTokenizer": ["evil.Tokenizer", None]},
        "chat_template": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "name_or_path": "../../elsewhere",
    }
    files = files_of(tok, tmp_path)
    files |= {"tokenizer_config.json": json.dumps(hostile).encode(), "evil.py": b"raise SystemExit"}
    folder = fill(cache, files) / "snapshots" / NEW
    said = subprocess.run(
        [sys.executable, "-c", AUDITED, "org/model" if as_model else str(folder)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    seen = json.loads(said.stdout)
    assert seen["others"] == []
    allowed = {str(folder / name) for name in ("tokenizer.json", "tokenizer_config.json")}
    allowed |= {str(cache / "models--org--model" / "refs" / "main")} if as_model else set()
    assert set(seen["opened"]) == allowed
