# make demo       set up and do the main job on a bundled example
# make test       set up and run the whole test suite
# make test-long  the tests that take minutes
# make check      ruff, mypy --strict and the import contract
# make bench      the tables of docs/benchmarks.md
# make clean      remove the virtual environment and everything built

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*.c native/*.cpp native/*.hpp native/core/*.hpp)

.PHONY: demo test test-long check bench clean

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

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.quality

# What the build needs and pip cannot bring: each missing thing is one sentence that names the package.
$(VENV)/bin/python:
	@sh tools/check-machine.sh "$(PYTHON)"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.eligo: $(VENV)/bin/python $(SOURCES)
	@sh tools/check-machine.sh "$(BIN)/python"
	$(PIP) install --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.eligo
	$(PIP) install --editable '.[test]'
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	$(PIP) install --editable '.[bench]'
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	$(PIP) install --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist
