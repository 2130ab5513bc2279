"""What all tests share: the two engines, the vectors, and the shared data where it is there."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
# `import engines` from any test: pytest's importlib mode leaves sys.path alone.
sys.path.insert(0, str(HERE))

from command_line import trained_folder  # noqa: E402  it stands beside this file
from engines import ENGINES  # noqa: E402  the same

import digram  # noqa: E402

# A shell that starts the tests in the background has Ctrl-C ignored, and so would the programs
# that they start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No law is about time, and CI draws the same examples each time.
settings.register_profile(
    "digram",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("digram")


@pytest.fixture(params=list(ENGINES))
def engine(request):
    """Each engine in turn: whatever is true of one is true of the other."""
    return ENGINES[request.param]()


@pytest.fixture(scope="session")
def seeds():
    """What the seed documents show."""
    return json.loads((HERE / "vectors" / "seeds.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def shared():
    """The folder of real vocabularies and corpora; tests that need it are skipped without it."""
    folder = Path(os.environ.get("DIGRAM_SHARED", HERE.parent.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no shared data in {folder}; set DIGRAM_SHARED to the folder that holds it")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the commands are tried on: a corpus, and tokenizers trained from it."""
    return trained_folder(tmp_path_factory.mktemp("cli"))


@pytest.fixture(scope="module")
def file(folder):
    """The first of these tokenizers, as a file."""
    return folder / "tokenizer.json"


@pytest.fixture(scope="module")
def tok(file):
    """The same, opened."""
    return digram.load(file)
