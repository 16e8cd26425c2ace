# make bench and make test need a Python of at least 3.11 and nothing else.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: bench test lint perf mutation wheel clean

bench: .venv/.stamp
	$(BIN)/creatura bench run quick

test: lint
	$(BIN)/pytest

lint: .venv/.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

perf: .venv/.stamp
	$(BIN)/pytest tests/perf/perf_*.py -o python_functions="perf_*" -s

# Changes the membrane and the designs in some 2,800 ways and asks the tests to notice: 10 minutes.
mutation: .venv/.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[mutation]' -c constraints.txt
	rm -rf mutants
	$(BIN)/mutmut run
	$(BIN)/mutmut results

wheel: .venv/.stamp
	rm -rf dist
	$(BIN)/python -m build

clean:
	rm -rf .venv dist build mutants .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last, so a set-up that was cut short starts again.
.venv/.stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "creatura-bench needs Python 3.11 or newer as '$(PYTHON)'; another one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	@touch $@
