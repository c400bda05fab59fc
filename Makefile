# Costcodle: `make run` and `make test` work on a fresh machine with python3 (3.11 or newer) and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
HOST   ?= 127.0.0.1
PORT   ?= 8000
MANAGE := $(BIN)/python manage.py

ifneq ($(HOST):$(PORT),127.0.0.1:8000)
export SITE_ORIGIN ?= http://$(HOST):$(PORT)
endif

.DEFAULT_GOAL := help
.PHONY: help run test check fix soak bench publish admin pins clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.runtime ## serve the site on http://$(HOST):$(PORT), with a demonstration bank if there is no other
	@$(MANAGE) migrate -v 0
	@$(MANAGE) load_demo_bank
	@$(MANAGE) collectstatic --noinput -v 0
	@$(MANAGE) publish_answers
	@echo "Costcodle is on http://$(HOST):$(PORT) (Ctrl-C stops it)"
	@exec $(BIN)/gunicorn --config deploy/gunicorn.conf.py --bind $(HOST):$(PORT) costcodle.wsgi

publish: $(VENV)/.runtime ## publish every finished answer, as the night job does
	@$(MANAGE) publish_answers

admin: $(VENV)/.runtime ## create a superuser for the admin
	@$(MANAGE) migrate -v 0
	@$(MANAGE) createsuperuser

test: $(VENV)/.development ## run the whole suite on every engine that is here
	@ENVIRONMENT=test $(BIN)/pytest -n 2 --dist loadgroup $(ARGS)

check: $(VENV)/.development ## lint, format, types, system checks, migrations, templates, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy .
	@$(MANAGE) check --fail-level WARNING
	@$(MANAGE) makemigrations --check --dry-run -v 0
	@$(BIN)/djlint --quiet --check --lint costcodle/templates || { echo "a template is not in shape: make fix"; exit 1; }
	@$(BIN)/lint-imports

fix: $(VENV)/.development ## mend what a machine can mend, and regenerate docs/states.md
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/djlint --quiet --reformat costcodle/templates || true
	@$(BIN)/python -m answers.states > docs/states.md

soak: $(VENV)/.development ## a writer and readers, and a flood of queries, for many minutes; prints its counts
	@ENVIRONMENT=test SOAK_CHANGES=$${SOAK_CHANGES:-500} SOAK_QUERIES=$${SOAK_QUERIES:-1000000} \
	  $(BIN)/pytest -q -s tests/concurrency/test_edge_soak.py

bench: $(VENV)/.development ## print ratios, never seconds that a test would judge
	@$(BIN)/python -m tests.benchmarks.catch_up
	@$(BIN)/python -m tests.benchmarks.edge_hit

pins: $(VENV)/.development ## compile the hashed pins of every platform from pyproject.toml
	@$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --python-version 3.11 \
	  --custom-compile-command "make pins" $(ARGS) -o requirements.txt pyproject.toml
	@$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --python-version 3.11 \
	  --custom-compile-command "make pins" $(ARGS) --extra dev -o requirements-dev.txt pyproject.toml

clean: ## remove the environment and what was built, never a database
	@rm -rf $(VENV) staticfiles .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv is not complete here; on Debian: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.txt | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

$(VENV)/.development: requirements-dev.txt | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@ $(VENV)/.runtime
