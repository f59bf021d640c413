# make demo       set up and do the main job on a bundled example
# make test       set up and run the whole test suite
# make test-long  the tests that take minutes
# make check      ruff, mypy --strict and the import contract
# make docs       the pages as HTML, into build/docs; warnings are errors
# make results    docs/results.md: the papers' tables and figures, in 10 to 13 minutes on two cores
# make bench      the tables of docs/benchmarks.md
# make clean      remove the virtual environment and everything built

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*.c native/*.cpp native/*.hpp native/core/*.hpp)

.PHONY: demo test test-long check docs results bench clean

demo: $(VENV)/.eligo
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m "not long"

test-long: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -m long

check: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -E -q docs build/docs
	@echo "open build/docs/index.html"

# The papers once more, with the real workflows where they are beside the project; the pages stand among the others.
results: $(VENV)/.test
	$(BIN)/eligo-papers all --quick -o docs $(addprefix --data ,$(wildcard ../shared/data))

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.quality

# What the build needs and pip cannot bring: each missing thing is one sentence that names the package.
$(VENV)/bin/python:
	@sh tools/check-machine.sh "$(PYTHON)"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.eligo: $(VENV)/bin/python $(SOURCES)
	@sh tools/check-machine.sh "$(BIN)/python"
	$(PIP) install --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.eligo papers/pyproject.toml
	$(PIP) install --editable '.[test]' --editable papers
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	$(PIP) install --editable '.[bench]'
	@touch $@

$(VENV)/.docs: $(VENV)/.eligo
	$(PIP) install --editable '.[docs]' --editable papers
	@touch $@

# It brings what the pages need, too: `make docs` after `make check` need not install, and so build, once more.
$(VENV)/.dev: $(VENV)/.test
	$(PIP) install --editable '.[dev]'
	@touch $(VENV)/.docs $@

clean:
	rm -rf $(VENV) build dist
