# `make demo` and `make test` do all the set-up they need; the rest is for developers.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test check bench results clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else "taskspace needs Python 3.10 or newer; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(INSTALLED)  ## set up, then make a map of MultiKeyNav and report on it
	$(BIN)/taskspace run multikeynav

test: $(INSTALLED)  ## set up, then run all tests
	$(BIN)/python -m pytest

check: $(INSTALLED)  ## lint and type-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)  ## measure the rollout engine on this machine
	$(BIN)/taskspace bench rollouts

results: $(INSTALLED)  ## reproduce the whole paper and write docs/results.md (over two hours)
	$(BIN)/taskspace reproduce all --karel --page docs/results.md

clean:  ## remove what the commands above made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
