# Every target sets everything up when .venv is missing, and is quick when it is there.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
READY := .venv/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Tests run in two processes; one thread each keeps them from getting in each other's way.
ONE_THREAD := OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

.PHONY: help setup audit test torture check format reproduce reproduce-gpu bench engines docs package pictures
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(READY)  ## create .venv and install everything

# What an audit needs, and no more: a newcomer waits for nothing else.
$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Seepage needs Python 3.11 or newer; set PYTHON=python3.11." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Setting up .venv (a minute or two the first time) ..."
	@$(PIP) install --quiet --constraint constraints.txt hatchling editables
	@$(PIP) install --quiet --constraint constraints.txt --no-build-isolation --editable .
	@touch $(INSTALLED)

$(READY): $(INSTALLED)
	@echo "Adding what tests, documentation and the optional engines need ..."
	@$(PIP) install --quiet --constraint constraints.txt --no-build-isolation --editable '.[dev,docs,he,ray,hosts]'
	@touch $(READY)

audit: $(INSTALLED)  ## look at the embedded default (a quick audit) and write seepage-audit/report.html
	@$(BIN)/seepage audit --quick

test: $(READY)  ## run all tests, doctests and documentation
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist worksteal -q

torture: $(READY)  ## run the long campaigns: processes that are killed, input that is damaged
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 --dist worksteal -q -m torture tests

check: $(READY)  ## format, lint, types and architecture
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports --no-cache

format: $(READY)  ## let ruff rewrite what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reproduce: $(READY)  ## run the slow tests that compare with published numbers, then print the tables
	$(BIN)/python -m pytest -q -m slow
	for table in $$($(BIN)/python -c 'from seepage.papers.catalog import TABLES; print(*TABLES.own)'); do $(BIN)/seepage reproduce $$table || exit 1; done

# No set-up: a machine with a large GPU has a PyTorch of its own, which must not be replaced.
reproduce-gpu:  ## CIFAR-10 of paper 001 on a GPU, with the PyTorch that is there
	PYTHONPATH=src $(PYTHON) -m seepage.papers.label_cifar10 --device cuda --out label-cifar10.jsonl

bench: $(READY)  ## print speed as ratios against a peer
	for file in benchmarks/*.py; do $(BIN)/python $$file; done

# Each engine has an environment of its own: what they pin does not go together, nor with what is needed here.
ENGINES ?= $(or $(TMPDIR),/tmp)/seepage-engines
ENGINE = $(ENGINES)/$(1)/bin/python
define engine
	test -x $(call ENGINE,$(1)) || $(PYTHON) -m venv $(ENGINES)/$(1)
	$(call ENGINE,$(1)) -m pip --disable-pip-version-check install --quiet --no-deps --requirement examples/engines/$(1).txt
	rm -rf $(ENGINES)/$(1).told $(ENGINES)/$(1).run $(ENGINES)/$(1).work
	SEEPAGE_TOLD=$(ENGINES)/$(1).told PYTHONPATH=$(CURDIR)/src $(call ENGINE,$(1)) examples/engines/$(2) $(ENGINES)/$(1).$(3)
	$(BIN)/python examples/engines/known.py $(ENGINES)/$(1).told $(ENGINES)/$(1).run $(4)
	$(BIN)/seepage audit --transcript $(ENGINES)/$(1).run --out $(ENGINES)/$(1).audit
endef
engines: $(READY)  ## run real engines (5 GB) outside the tree, record and attack what they send
	$(call engine,secretflow,secretflow_sgb.py,told,569)
	$(call engine,nvflare,nvflare_split.py,work,569 455)
	$(call engine,flower,flower_split.py,told,569 455)

docs: $(READY)  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

package: $(READY)  ## build wheel and sdist into dist/
	$(BIN)/python -m hatchling build

pictures: $(READY)  ## make the screenshots of README and docs from a real audit (needs Chromium)
	$(BIN)/seepage audit --out build/pictures
	PYTHONPATH=tests $(BIN)/python tests/report_pictures.py build/pictures
