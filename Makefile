# What a person or CI does with digram, each by one word. Everything is made under .venv and target;
# nothing needs to be activated or installed first except Python 3.10, Rust and make.

PYTHON ?= python3
CARGO ?= cargo
TIER ?= full

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip
# Says what is missing on this machine, and what to do, before anything else is tried.
CHECK_MACHINE := command -v $(PYTHON) >/dev/null \
	|| { echo "cannot build digram: no $(PYTHON) on PATH; install Python 3.10 or newer" >&2; exit 1; }; \
	$(PYTHON) tools/toolchain.py

# What the extension is made of. Python files are not: they are used where they lie.
RUST_SOURCES := Cargo.toml $(wildcard Cargo.lock) $(shell find crates -type f -not -path '*/target/*')
PYTHON_CODE := python tests tools $(wildcard bench examples)
# CI builds what was committed, or fails.
LOCKED := $(if $(CI),--locked)

# Nothing of the caller's Python environment may leak in, and no compiler is fetched unasked.
unexport CONDA_PREFIX PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONDONTWRITEBYTECODE
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(PY)
export MATURIN_NO_INSTALL_RUST := 1
# tools/build_backend.py stands before maturin, and means to.
export MATURIN_NO_MISSING_BUILD_BACKEND_WARNING := 1
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export TIER

.DEFAULT_GOAL := help
.PHONY: help demo test exact dev lint bench-encode bench-train bench-start fuzz docs clean rebuild
.DELETE_ON_ERROR:
# pip cannot install twice at once into one environment.
.NOTPARALLEL:

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/built ## train a tokenizer on real text and show it, from a bare clone
	@echo "==> digram demo"
	@$(VENV)/bin/digram demo

test: $(VENV)/built $(VENV)/has-test ## run the tests of both languages, from a bare clone
	@$(CHECK_MACHINE)
	@echo "==> testing the crate (cargo test; optimized, as what the extension is made of is there)"
	@$(CARGO) test --profile tested --package digram $(LOCKED) -- --quiet
	@echo "==> testing the package (pytest)"
	@$(PY) -m pytest --no-header --numprocesses auto --maxprocesses 8 --dist worksteal

exact: $(VENV)/built $(VENV)/has-test $(VENV)/has-exact ## compare with the peers on ../shared (TIER=quick|full)
	@echo "==> comparing with the peers, tier $(TIER)"
	@$(PY) -m tests.exact

dev: $(VENV)/built $(VENV)/has-test $(VENV)/has-lint ## set up .venv with everything, for working on digram
	@echo "ready: $(PY), or . $(VENV)/bin/activate"

lint: $(VENV)/built $(VENV)/has-test $(VENV)/has-lint ## check format, types, layers, sizes, stubs and the crates
	@echo "==> ruff"
	@$(PY) -m ruff format --check --quiet $(PYTHON_CODE)
	@$(PY) -m ruff check --quiet $(PYTHON_CODE)
	@echo "==> layers and sizes"
	@$(PY) tools/check_layers.py
	@$(PY) tools/check_sizes.py
	@echo "==> mypy, and the stubs against the extension"
	@$(PY) -m mypy
	@$(PY) -m mypy.stubtest digram._core --concise
	@echo "==> cargo fmt, clippy"
	@$(CARGO) fmt --all --check
	@$(CARGO) clippy --quiet --workspace --all-targets $(LOCKED) -- --deny warnings
	@echo "==> the binding for every Python (cargo check)"
	@$(PY) tools/check_pythons.py $(CARGO) check --quiet --package digram-python --target-dir target/pythons $(LOCKED)

# OPTIONS="--only cl100k --texts English --cells speed" measures a part; bench/encode.py --help.
bench-encode: $(VENV)/built $(VENV)/has-test $(VENV)-bench/has-peers $(VENV)-bench-second/has-peers ## measure encoding beside the peers, into README.md and docs/benchmarks.md
	@$(VENV)-bench/bin/python bench/encode.py $(OPTIONS)
	@$(PY) bench/pathological.py
	@$(PY) bench/hostile_growth.py
	@$(PY) bench/readme.py

bench-train: $(VENV)/built $(VENV)/has-test $(VENV)/has-bench-train ## measure training beside the peers, into README.md and docs/benchmarks.md
	@$(PY) bench/train.py
	@$(PY) bench/train_growth.py $(OPTIONS)
	@$(PY) bench/train_large.py
	@$(PY) bench/train_unsegmented.py
	@$(PY) bench/train_pathological.py
	@$(PY) bench/train_doors.py
	@$(PY) bench/readme.py

bench-start: $(VENV)/built $(VENV)/has-test ## measure how soon it starts, and stops, into README.md and docs/benchmarks.md
	@$(PY) bench/load.py
	@$(PY) bench/interrupts.py
	@$(PY) bench/readme.py

# One target, or all in turn; what is found stays in fuzz/artifacts, what is learned in fuzz/target.
# The sanitizer keeps what is freed, 256 MB of it unless told: with less, 512 MB is a limit that a
# loader meets and not the sanitizer. No allocation is beyond 20 x the longest file, and 64 MB.
FUZZ := $(sort $(notdir $(basename $(wildcard fuzz/targets/*.rs))))
TARGET ?= $(FUZZ)
SECONDS ?= 600

fuzz: ## fuzz the loaders (TARGET=tokenizer_json SECONDS=600; needs cargo-fuzz and a nightly Rust)
	@command -v cargo-fuzz >/dev/null || { echo "cannot fuzz: no cargo-fuzz on PATH;" \
		"cargo install cargo-fuzz" >&2; exit 1; }
	@rustc +nightly --version >/dev/null 2>&1 || { echo "cannot fuzz: no nightly Rust;" \
		"rustup toolchain install nightly" >&2; exit 1; }
	@for target in $(TARGET); do \
		echo "==> fuzzing $$target for $(SECONDS) s"; \
		mkdir -p fuzz/target/learned/$$target; \
		seeds=fuzz/corpus/$$target; test -d $$seeds || seeds="$$(echo fuzz/corpus/*)"; \
		ASAN_OPTIONS=quarantine_size_mb=32 $(CARGO) +nightly fuzz run $$target \
			fuzz/target/learned/$$target $$seeds -- \
			-dict=fuzz/json.dict -max_len=20000 -rss_limit_mb=512 -malloc_limit_mb=65 \
			-timeout=5 -max_total_time=$(SECONDS) || exit 1; \
	done

docs: $(VENV)/built $(VENV)/has-test ## run the examples of the docs, make the crate's pages
	@echo "==> running the examples of README.md and docs/"
	@$(PY) -m pytest --no-header tests/test_docs.py
	@echo "==> the crate's pages: target/doc/digram/index.html"
	@RUSTDOCFLAGS="--deny warnings" $(CARGO) doc --quiet --no-deps --package digram $(LOCKED)

clean: ## remove everything that was made
	rm -rf $(VENV) $(VENV)-bench $(VENV)-bench-second target digram-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f python/digram/_core.*.so python/digram/_core.*.pyd
	find $(PYTHON_CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

# The files below say that a step is done; each is older than nothing it was made from.

$(VENV)/made:
	@$(CHECK_MACHINE)
	@echo "==> making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/has-%: pyproject.toml $(VENV)/made
	@echo "==> installing what '$*' needs (pip)"
	@$(PIP) install --group $*
	@touch $@

# The peers that speed is compared with, each environment by the name of its dependency group.
$(VENV)-%/has-peers: pyproject.toml bench/encoding/install.py $(VENV)/made
	@echo "==> installing what '$*' compares with (pip), into $(@D)"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install --upgrade 'pip>=25.1'
	@$(@D)/bin/python bench/encoding/install.py $*
	@touch $@

# The extension may have been removed by hand: then the file that says it is built is wrong.
$(VENV)/built: pyproject.toml $(RUST_SOURCES) $(VENV)/made $(VENV)/has-build $(if $(wildcard python/digram/_core.*.so),,rebuild)
	@$(CHECK_MACHINE)
	@echo "==> building the extension, optimized (the first time takes some minutes)"
	@$(PY) -m maturin develop --release $(LOCKED)
	@touch $@

rebuild:
