# Every target does its own set-up, and is safe to repeat.

# The first interpreter that is new enough; `make PYTHON=/path/to/python3` names another.
PYTHON = $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN = .venv/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPOSE = docker compose
STORE =
ARGS =
SEED := $(shell date +%Y%m%d%H%M)

# Set by other virtual environments: .venv stands alone, whatever is active outside.
unexport PYTHONHOME
unexport PYTHONPATH
unexport VIRTUAL_ENV
unexport PIP_USER
unexport PIP_TARGET

.PHONY: help run test lint bench soak neo4j up cluster
.NOTPARALLEL:

help:
	@echo "make run                  one whole dispatch on bundled sample sessions"
	@echo "make run STORE=~/.claude  the same on your own sessions, which are only read"
	@echo "make test                 the test suite (ARGS= goes to pytest)"
	@echo "make lint                 ruff, mypy and the import contracts"
	@echo "make bench                the measurements, side by side"
	@echo "make soak                 kills, races and damage, for some twenty minutes (SEED= says which)"
	@echo "make neo4j                fetches a Neo4j for the tests (takes Maven and Java)"
	@echo "make up                   EventStoreDB for the log, Neo4j, and a worker (takes Docker)"
	@echo "make cluster              the same on three nodes"

# Asks for what edge itself needs, and not for the tools of its developers: half the wait.
run: .venv/.edge-run
	@$(BIN)/python demo/run.py $(if $(STORE),--store "$(STORE)")

test: .venv/.edge-dev $(and $(shell command -v mvn),$(shell command -v java),.neo4j/.edge-jars)
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --durations 10 $(ARGS)

lint: .venv/.edge-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/.edge-dev
	$(BIN)/python -m bench $(ARGS)

SOAKED = tests/crash tests/properties tests/contracts \
	tests/web/test_attacks.py tests/web/test_served.py tests/web/test_description.py \
	$(addprefix tests/integration/,$(addsuffix .py,test_exchange test_mcp test_read_models \
	test_worker_away test_worker_on_eventstoredb))

# The tests of what goes wrong, many times what `make test` has time for. A seed tries the same again.
soak: .venv/.edge-dev
	SOAK_SEED=$(SEED) $(BIN)/python -m pytest -n auto --maxprocesses 4 --hypothesis-seed $(SEED) \
	  --soak-report bench/SOAK.md $(SOAKED) $(ARGS)

# 135 MB that only tests need. Where there is no Maven, they skip saying so.
neo4j: .neo4j/.edge-jars

# Both take the ports of this machine: `docker compose --profile '*' down` ends the one before the other.
up:
	$(COMPOSE) --profile single up --build --detach
	@echo "the admin page: https://localhost:2113, user admin; docs/eventstoredb.md goes on from here"

cluster:
	$(COMPOSE) --profile cluster up --build --detach
	@echo "the nodes: 127.0.0.1:2111, :2112 and :2113; docs/eventstoredb.md goes on from here"

# -- set-up: a stamp says what was installed last, and is older than what asks for more ----

.venv/.edge-python:
	@"$(or $(PYTHON),false)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "edge needs Python 3.11 or newer: install one, or name it with make PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@echo "making .venv with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv .venv
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "the .venv here is of an older Python: remove it and try again" >&2; exit 1; }
	@touch $@

.venv/.edge-run: .venv/.edge-python pyproject.toml
	@echo "installing edge into .venv"
	@$(PIP) -e .
	@touch $@

.venv/.edge-dev: .venv/.edge-python pyproject.toml
	@echo "installing edge and what its tests need into .venv"
	@$(PIP) -e '.[dev]'
	@touch .venv/.edge-run $@

.neo4j/.edge-jars: tests/support/neo4j/pom.xml
	@echo "fetching Neo4j for the tests into .neo4j"
	@rm -rf .neo4j/jars
	@mvn --quiet --batch-mode --file $< dependency:copy-dependencies \
	  -DincludeScope=runtime -DoutputDirectory="$(CURDIR)/.neo4j/jars"
	@touch $@
