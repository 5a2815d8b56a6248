# Everything sets itself up in .venv from nothing but Python 3.11 or newer and make.
#   make demo    cluster scikit-learn's digits and print what came out
#   make test    lint, then all tests
#   make lint    imports, style, types
#   make format  let ruff rewrite the layout
#   make docs    the documentation, as pages in build/docs
#   make linkcheck  ask for every address in the documentation, which takes the network
#   make bench   speed, as ratios against other implementations in the same run
#   make scale   a million points, and memory under budgets (half an hour)
#   make soak    200 fits killed, 5000 drawn inputs, 6000 hostile ones (ten minutes)
#   make test-oldest   tests with the oldest releases of what subspan depends on, in .venv-oldest
#   make test-kernels  tests of bits and accuracy with the arithmetic of other processors
#   make coverage  lines of src that tests reach, kernels as plain Python (an hour)
#   make mutation  share of small changes of the code that a test notices (half an hour)
#   make clean   remove .venv and everything generated
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Warnings are errors, reported together at the end.
SPHINX := $(BIN)/sphinx-build --fail-on-warning --keep-going --doctree-dir build/doctrees

# The stamps remember which dependencies .venv holds; a newer pyproject.toml makes them stale.
BASE := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench
OLDEST := $(VENV)-oldest/.installed
DOCS := $(VENV)/.installed-docs

.PHONY: demo test test-oldest test-kernels lint format docs linkcheck bench scale soak coverage mutation clean
.DELETE_ON_ERROR:

demo: $(BASE)
	$(BIN)/subspan demo

# Linters use one core; the other one compiles meanwhile.
test: $(DEV)
	@$(MAKE) --no-print-directory --jobs=2 lint kernels-float64 kernels-float32
	$(BIN)/pytest -n auto --maxprocesses=2

kernels-%: $(DEV)
	@$(BIN)/python tests/compile_kernels.py $*

lint: $(DEV)
	$(BIN)/lint-imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(DEV)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(DOCS)
	$(SPHINX) --builder html docs build/docs

linkcheck: docs
	$(SPHINX) --builder linkcheck docs build/linkcheck

bench: $(BENCH)
	$(BIN)/python -m benchmarks.speed

scale: $(BENCH)
	$(BIN)/python -m benchmarks.scale

soak: $(DEV)
	$(BIN)/python -m benchmarks.soak
	$(BIN)/python -m benchmarks.attack

# Bits, accuracy and the kernels themselves.
ON_OTHERS := tests/self_expression/test_same_answer.py tests/kernels/pursuit tests/embedding/test_spectral.py \
	tests/methods/test_synthetic.py

test-kernels: $(DEV)
	OPENBLAS_CORETYPE=Haswell NUMBA_CPU_NAME=haswell NUMBA_CACHE_DIR=build/haswell $(BIN)/pytest $(ON_OTHERS)
	OPENBLAS_CORETYPE=Nehalem NUMBA_CPU_NAME=nehalem NUMBA_CACHE_DIR=build/nehalem $(BIN)/pytest $(ON_OTHERS)

test-oldest: $(OLDEST)
	$(VENV)-oldest/bin/pytest -n auto --maxprocesses=2 tests/methods tests/self_expression tests/embedding tests/sources

# Tests that say nothing about plain Python, or need minutes with it, run with compiled kernels only.
WITH_COMPILER := $(addprefix --ignore=tests/kernels/,test_jit.py test_interpreted.py test_elastic_net.py test_exemplars.py \
	test_online_low_rank.py pursuit/test_engines.py pursuit/test_looks.py pursuit/test_reference.py)

coverage: $(DEV)
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest tests/kernels $(WITH_COMPILER)
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest tests/kernels/pursuit/test_reference.py -k "oracle or new_row"
	$(BIN)/coverage run -m pytest -m "not slow"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

mutation: $(DEV)
	$(BIN)/python -m benchmarks.mutation

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "subspan needs Python 3.11 or newer, but '$(PYTHON)' was not found. Try: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "subspan needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No virtual environment could be made. On Debian and Ubuntu the package python3-venv may be missing." >&2; exit 1; }

$(BASE): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(BASE) $@

$(DOCS): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $(BASE) $@

$(BENCH): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $(BASE) $@

# The lower bounds of pyproject.toml, each as the one release that is allowed; they have wheels for Python 3.11.
$(OLDEST): pyproject.toml .ci/oldest.py | $(BIN)/python
	$(BIN)/python -m venv $(VENV)-oldest
	$(BIN)/python .ci/oldest.py > $(VENV)-oldest/constraints.txt
	$(VENV)-oldest/bin/python -m pip install --quiet --constraint $(VENV)-oldest/constraints.txt --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-oldest build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis docs/api docs/gallery
	find src tests benchmarks docs examples -type d -name __pycache__ -prune -exec rm -rf {} +
