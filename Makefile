# `make demo` and `make test` do all the set-up they need; the rest is for developers.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
INSTALLED := $(VENV)/.installed
OLDEST := .venv-oldest
# Where results depend on how a processor rounds. `portable` runs these as an older one would.
NUMERICAL := applications models similarity envs/test_normals.py training/test_backprop.py rollouts/compiled/test_actions.py rollouts/compiled/test_network.py

.DEFAULT_GOAL := help
.PHONY: help demo test portable oldest check bench faults docs notebooks results clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else "taskspace needs Python 3.10 or newer; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(INSTALLED): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY)  ## set up, then make a map of MultiKeyNav and report on it
	$(BIN)/taskspace run multikeynav

test: $(INSTALLED)  ## set up, then run all tests
	$(BIN)/python -m pytest

portable: $(INSTALLED)  ## run the numerical tests as on an older processor (two minutes)
	NUMBA_CPU_NAME=generic OPENBLAS_CORETYPE=Nehalem ATEN_CPU_CAPABILITY=default $(BIN)/python -m pytest $(addprefix tests/,$(NUMERICAL))

oldest:  ## try the lowest versions that pyproject.toml allows (downloads gigabytes)
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(OLDEST)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct -e '.[explore,ray,rl]'
	$(OLDEST)/bin/python tests/smoke.py --floors

check: $(INSTALLED)  ## lint and type-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)  ## measure the speed of this machine, and compare it with docs/speed.json, if that is there
	$(BIN)/taskspace bench all --json > bench.json
	@test ! -f docs/speed.json || $(BIN)/taskspace bench compare docs/speed.json bench.json

faults: $(INSTALLED)  ## kill runs at random moments, twenty times each, and compare (ten minutes)
	$(BIN)/python -m taskspace.bench.faults

docs: $(INSTALLED)  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open $(CURDIR)/site/index.html"

notebooks: $(INSTALLED)  ## execute the notebooks and write docs/gallery (a few minutes)
	$(BIN)/python docs/gallery.py

results: $(INSTALLED)  ## reproduce the whole paper and write docs/results.md (over two hours)
	$(BIN)/taskspace reproduce all --page docs/results.md

clean:  ## remove what the commands above made
	rm -rf $(VENV) $(OLDEST) build dist site .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
