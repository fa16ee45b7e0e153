# Everything starts from a fresh clone: each target makes .venv itself, once. Needs Python 3.11 or newer, and make.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
SHOAL  := $(VENV)/bin/shoal
DEMO   := demo-release
EXTRAS := dev,docs

.PHONY: demo docs pictures fuzz test test-compiled test-interpreted test-bare test-oldest test-pythons browser check format bench bench-page clean

demo: $(VENV)/.warm
	@echo '$$ shoal info baskets.dat';  $(SHOAL) info src/shoal/generate/data/baskets.dat --top 5
	@echo '$$ shoal publish disassociate baskets.dat -k 5 -m 2 -o $(DEMO)'
	@$(SHOAL) publish disassociate src/shoal/generate/data/baskets.dat -k 5 -m 2 -o $(DEMO) --force
	@echo; echo '$$ shoal show $(DEMO) --limit 2'; $(SHOAL) show $(DEMO) --limit 2
	@echo '$$ shoal verify $(DEMO)'; $(SHOAL) verify $(DEMO)
	@echo; echo '$$ shoal report baskets.dat $(DEMO) -o $(DEMO).html'
	@$(SHOAL) report src/shoal/generate/data/baskets.dat $(DEMO) -o $(DEMO).html --force

# Pages, the reference of the commands and that of the Python names, into build/docs; a warning is an error. From
# scratch, because a change of the code is not a change of the pages that are made from it.
docs: $(VENV)/.ready
	$(VENV)/bin/sphinx-build -E -a -W -n --keep-going -q -b html docs build/docs
	@echo "built build/docs/index.html"

test: test-compiled test-interpreted

# In groups: one process has the browser, and all tests that look at pages.
test-compiled: $(VENV)/.warm .venv-rivals/.ready
	SHOAL_STAGE=compiled $(PY) -m pytest -q -n auto --dist loadgroup

# The kernels as plain Python: what Numba compiles is what the reader reads.
test-interpreted: $(VENV)/.ready
	SHOAL_STAGE=interpreted NUMBA_DISABLE_JIT=1 $(PY) -m pytest -q -n auto tests/unit/kernels tests/unit/mining tests/unit/publish tests/unit/analyse tests/papers

# With nothing beside the clone: the tests that may depend on what lies there, in a clone of the last commit.
test-bare: $(VENV)/.warm .venv-rivals/.ready
	@.ci/bare-clone

# The oldest version of each dependency that pyproject.toml allows, in an environment of its own, with few examples of each
# property. Left out is what takes long and asks of dependencies what other tests ask too: publishers, audits, attacks,
# queries, metrics, reports and contracts are run by tests of the commands. Left out, too, is looking at pages: which browser
# an old driver knows is no question about Shoal, and browsers move. So is what tests ask of the system (kills, full disks,
# modes, limits), and what they ask of our own source or of the fuzzer. Which files make Arrow abort depends on its version.
# Kernels are compiled first, under their own names: the oldest pytest gives modules others, which the cache would keep.
test-oldest: .venv-oldest/.ready
	NUMBA_CACHE_DIR="$(CURDIR)/.venv-oldest/kernels" .venv-oldest/bin/python -m shoal.kernels
	SHOAL_STAGE=oldest HYPOTHESIS_PROFILE=few NUMBA_CACHE_DIR="$(CURDIR)/.venv-oldest/kernels" \
	  .venv-oldest/bin/python -m pytest -q -n auto \
	  --ignore tests/unit/audit --ignore tests/unit/analyse --ignore tests/unit/measuring \
	  --ignore tests/docs/test_examples.py --ignore tests/docs/test_pages.py --ignore tests/docs/test_site.py \
	  --ignore tests/system/test_benchmarks.py --ignore tests/unit/study --ignore tests/unit/papers \
	  --ignore tests/browser --ignore tests/unit/report --ignore tests/contract --ignore tests/unit/publish \
	  --ignore tests/unit/test_messages.py --ignore tests/unit/test_fuzz_oracle.py --ignore tests/system/test_fuzz_planted.py \
	  --ignore tests/system/test_killed_runs.py --ignore tests/system/test_killed_commands.py \
	  --ignore tests/system/test_full_disks.py --ignore tests/system/test_modes.py \
	  --ignore tests/system/test_machines_without_means.py --ignore tests/system/test_kernels_that_cannot_be_kept.py \
	  --deselect tests/system/test_hostile_releases.py::test_a_footer_that_makes_arrow_abort_is_refused_and_the_reason_said

# The newest other Python from 3.11 to 3.14 that is on this machine, with dependencies as they come: what reads, compiles,
# publishes, verifies and draws. For those that are not there, whether all dependencies have a wheel.
test-pythons: $(VENV)/.ready
	$(PY) tests/versions/other_pythons.py

# Many small hostile inputs, manifests, footers, cells and arguments, and an oracle of its own for what verifies. The same
# cases for the same seed; failures are kept in build/fuzz. `make fuzz COUNT=500000` takes hours.
COUNT ?= 5000
SEED  ?= 1
fuzz: $(VENV)/.warm
	$(PY) -m tests.fuzz --count $(COUNT) --seed $(SEED)

# What tests need and only the system has: a browser, a font and what reads PDF, to look at pages, and the shells that
# complete commands. Without them such tests skip, or fail where CI is set.
browser:
	@tests/browser/install

check: $(VENV)/.ready
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: $(VENV)/.ready
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

# Pictures of README.md and docs/, by the report itself.
pictures: $(VENV)/.warm
	$(PY) docs/make_pictures.py

bench: $(VENV)/.warm .venv-rivals/.ready
	$(PY) benchmarks/run.py

# docs/performance.md of what the last `make bench` measured.
bench-page: $(VENV)/.ready
	$(PY) benchmarks/page.py .bench/results.json

clean:
	rm -rf $(VENV) .venv-oldest .venv-rivals .venv-python* .bench build $(DEMO) $(DEMO).html

# uv where it is installed, else venv and pip. Byte code is compiled now, so that no later start pays for it.
define install # environment, what goes into it
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "Shoal needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
@if command -v uv >/dev/null 2>&1; then \
  uv venv --quiet --allow-existing --python "$(PYTHON)" $(1) && \
  uv pip install --quiet --compile-bytecode --python $(1)/bin/python $(2); \
else \
  $(PYTHON) -m venv $(1) && $(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2); \
fi
endef

$(VENV)/.ready: pyproject.toml
	$(call install,$(VENV),-e '.[$(EXTRAS)]')
	@touch $@

.venv-oldest/.ready: pyproject.toml tests/versions/oldest_dependencies.py
	@mkdir -p .venv-oldest && $(PYTHON) tests/versions/oldest_dependencies.py > .venv-oldest/constraints.txt
	$(call install,.venv-oldest,-e '.[dev]' -c .venv-oldest/constraints.txt)
	@touch $@

# Other tools that make or check such releases: what they pin contradicts what Shoal allows, hence an environment of their own.
.venv-rivals/.ready: Makefile
	$(call install,.venv-rivals,'pycanon>=1.1' 'anjana>=1.2' 'anonypy>=0.2')
	@touch $@

# Kernels that have not changed, nor any that they call, are loaded.
$(VENV)/.warm: $(VENV)/.ready $(wildcard src/shoal/kernels/*.py)
	@$(PY) -m compileall -q src/shoal
	@echo "compiling the kernels, once"; $(PY) -m shoal.kernels
	@touch $@
