# Daybook needs Python 3.11 or newer and make; everything else goes into .venv.
#   make run     serve it             make test    run the tests             make help    all targets

PORT ?= 8000
ARGS ?=
# Many tests wait for processes of their own, so three test processes share two cores; Redis has databases for fifteen.
JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n > 8 ? 12 : (3 * n + 1) / 2)))

# Where it is set, each of the hundreds of processes that tests start would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE

ifndef PYTHON
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$python; break; fi; done)
endif

BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
# Stamp files: an install is repeated when pyproject.toml changes and otherwise costs nothing.
INSTALLED := .venv/installed
INSTALLED_DEV := .venv/installed-dev
# The gate must neither need nor touch the data of a developer's own installation.
GATE_DATA := .venv/gate-data

.DEFAULT_GOAL := help
.PHONY: help install run test check format bench bench-pages bench-admin bench-pruning screenshots storm clean

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST)

install: $(INSTALLED) ## Install into .venv, and nothing else

run: $(INSTALLED) ## Install, migrate and serve on 127.0.0.1 (PORT=8000)
	@$(MANAGE) migrate --verbosity 0
	@exec $(MANAGE) up --port $(PORT) --with-parent $(ARGS)

test: $(INSTALLED_DEV) ## Run the tests, all but the heaviest; says at its end which parts could not run (ARGS='-k name' to choose)
	@$(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal -m 'not heavy' $(ARGS)

check: $(INSTALLED_DEV) ## The gate: format, lint, types, migrations, system checks, import arrows and all tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@mkdir -p $(GATE_DATA)
	DAYBOOK_DATA_DIR=$(GATE_DATA) $(MANAGE) makemigrations --check --dry-run
	DAYBOOK_DATA_DIR=$(GATE_DATA) $(MANAGE) check --database default --fail-level WARNING
	@$(MAKE) --no-print-directory test

format: $(INSTALLED_DEV) ## Format the code and fix what the linter can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(INSTALLED_DEV) ## Measure; prints one JSON object
	@$(BIN)/python tests/bench/run.py $(ARGS)

bench-pages: $(INSTALLED_DEV) ## Measure the pages in a browser; prints one JSON object
	@$(BIN)/python tests/bench/pages.py $(ARGS)

screenshots: $(INSTALLED_DEV) ## Pictures of every page, from real runs, into .screenshots/
	@$(BIN)/python tests/browser/screenshots.py $(ARGS)

bench-admin: $(INSTALLED_DEV) ## Measure the admin at a million runs (minutes to seed; ARGS='--runs N --postgres URL')
	@$(BIN)/python tests/bench/admin.py $(ARGS)

bench-pruning: $(INSTALLED_DEV) ## Measure the deletion of 100,000 ended runs, killed on its way (ARGS='--postgres URL')
	@$(BIN)/python tests/bench/pruning.py $(ARGS)

storm: $(INSTALLED_DEV) ## Repeat the tests that kill processes, with ten times the kills; and those of the pages amid kills
	@DAYBOOK_STORM=10 $(BIN)/python -m pytest -m 'storm or heavy' $(ARGS)
	@DAYBOOK_TEST_SITE=several $(BIN)/python -m pytest tests/browser $(ARGS)

clean: ## Remove what was installed or built; the data stay
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/made:
	@if [ -z "$(PYTHON)" ]; then \
		echo "No Python 3.11 or newer found; install one, or name it: make PYTHON=/path/to/python"; exit 1; fi
	@if ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
		echo "$(PYTHON) is older than 3.11 or does not run; name another: make PYTHON=/path/to/python"; exit 1; fi
	@echo "Making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear .venv
	@touch $@

$(INSTALLED): .venv/made pyproject.toml
	@echo "Installing Daybook"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(INSTALLED_DEV): .venv/made pyproject.toml
	@echo "Installing Daybook and what its tests need"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(INSTALLED) $@
