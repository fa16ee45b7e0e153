# Everything starts from a fresh clone: each target makes .venv itself, once. Needs Python 3.11 or newer and make.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
SHOAL  := $(VENV)/bin/shoal

.PHONY: demo test test-oldest test-interpreted check format bench clean

demo: $(VENV)/.warm
	@$(PY) -m shoal.generate.demo --release demo-release

test: $(VENV)/.warm
	$(PY) -m pytest -q -n 2

# The kernels as plain Python: what Numba compiles is what the reader reads.
test-interpreted: $(VENV)/.ready
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest -q -n 2 tests/unit/kernels tests/papers

check: $(VENV)/.ready
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: $(VENV)/.ready
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

bench: $(VENV)/.warm
	$(PY) benchmarks/run.py

# uv where it is installed, else venv and pip; byte code is compiled now so that no later start pays for it.
$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Shoal needs Python 3.11 or newer; set PYTHON=... to one"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV) && \
	  uv pip install --quiet --compile-bytecode --python $(PY) -e '.[dev]'; \
	else \
	  $(PYTHON) -m venv $(VENV) && $(PY) -m pip install --quiet -e '.[dev]'; \
	fi
	@touch $@

$(VENV)/.warm: $(VENV)/.ready $(wildcard src/shoal/kernels/*.py)
	@$(PY) -m compileall -q src/shoal
	@$(PY) -m shoal.kernels
	@touch $@

clean:
	rm -rf $(VENV) demo-release
