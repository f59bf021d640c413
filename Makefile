# make demo   set up and do the main job on a bundled example
# make test   set up and run the whole test suite
# make check  ruff, mypy --strict and the import contract
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NATIVE := $(wildcard native/*.cpp native/*.hpp native/core/*.hpp) CMakeLists.txt pyproject.toml

.PHONY: demo test test-long check bench clean
