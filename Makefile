# Needs make and Python 3.11 or newer, nothing else: everything is installed into .venv.
# Another Python: make demo PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
# Of the suite; for two processors, since the longest tests mostly wait.
WORKERS ?= 3
# Of bench-scale: how many, and a new or empty folder for the archive, which stays.
DIALOGUES ?= 100000
SCALE_HOME ?= benchmarks/results/scale
# Of bench-sizes: messages of each archive, where they are built, and a folder for the figures; it goes on with what is there.
SIZES ?= 10000 100000
SIZES_EXECUTOR ?= local
SIZES_FOLDER ?= benchmarks/results/sizes
# Of kills: how many, and the seed of the moments.
KILLS ?= 100
KILLS_SEED ?= 1
# Of fuzz: how many, from which seed, and where; the same seed and folder go on with what is there.
INPUTS ?= 1000000
SEED ?= 1
FUZZ_FOLDER ?= benchmarks/results/fuzz-$(SEED)
BIN := $(VENV)/bin
# Empty: bytecode is kept also where the environment says otherwise, as images of Python do. Without it each of the
# hundreds of processes that the suite starts compiles Dagster anew, 4 seconds, and each worker of pytest all tests.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Modules are compiled when they are first imported; most of them never are.
# The versions that requirements.lock has; what it does not have follows pyproject.toml.
LOCK := requirements.lock
# Of the documentation.
SITE ?= build/site
# Of the image: the program that builds it, its name, and its base where that is another one.
BUILDER ?= podman
IMAGE ?= llm-archive-pipeline:latest
BASE ?=
INSTALL := $(PIP) install --no-compile --constraint $(LOCK)

.PHONY: help demo install test test-fast test-faults test-long check check-style check-types check-layers check-sql check-site site docs golden definitions lock \
    bench bench-bookkeeping bench-duplicates bench-importing bench-lexical bench-matching bench-quality bench-scale bench-search bench-sizes bench-stores fuzz kills \
    check-provider image check-image check-helm clean

help:
	@echo "make demo    install, import the sample archive, print what came out"
	@echo "make test    install with development tools, run the whole suite"
	@echo "make test-fast   run the tests that need no server"
	@echo "make test-long   try every combination, whole archives moved, and laws with more examples, drawn anew (minutes)"
	@echo "make test-faults run the tests that kill programs and machines (eight minutes)"
	@echo "make check   lint, format and type checks, direction of imports (check-layers), SQL lint, links of the documents"
	@echo "make site    build the documentation site in $(SITE)"
	@echo "make check-provider MODEL=gpt-4o-mini  ask a real model, with your key: answers stored, found again, tokens saved"
	@echo "make golden  record the rows of assets whose CODE_VERSION was raised"
	@echo "make docs    write the references of tables, filters, settings and assets anew from the declarations"
	@echo "make definitions  record Dagster's definitions, which a test compares; review the difference"
	@echo "make lock    take the newest versions that pyproject.toml allows into requirements.lock"
	@echo "make bench   measure the derived tables (several minutes)"
	@echo "make bench-duplicates    measure how duplicates are found (several minutes)"
	@echo "make bench-lexical       compare ways to index words (a minute)"
	@echo "make bench-matching      measure look-ups in an archive of a million messages (ten minutes)"
	@echo "make bench-bookkeeping   measure what Dagster itself costs (several minutes)"
	@echo "make bench-scale         bench-sizes, then 100,000 dialogues from the import to the UI (an hour; needs Chromium)"
	@echo "make bench-sizes         measure the cost per message at several sizes (SIZES='10000 100000'; minutes)"
	@echo "make bench-importing   measure imports beside parsing and COPY alone"
	@echo "make bench-quality     measure what search finds, part by part (five minutes)"
	@echo "make bench-search      measure chunks, embeddings and searches"
	@echo "make bench-stores      compare PostgreSQL and Chroma as stores of the vector index"
	@echo "make fuzz    try $(INPUTS) damaged exports (about a quarter of an hour)"
	@echo "make kills   kill processes $(KILLS) times at random moments and compare all tables (a quarter of an hour)"
	@echo "make image   build the container image (BUILDER=docker, IMAGE=name:tag)"
	@echo "make check-image  look into the image that was built"
	@echo "make check-helm   render Dagster's chart with the values of deploy/helm (needs helm and its repository)"
	@echo "make clean   remove .venv and caches; archives stay"

demo: $(VENV)/.installed
	$(BIN)/llm-archive import examples/sample_archive
	@echo
	@echo "Look at it:  $(BIN)/llm-archive up        (Dagster's UI at http://127.0.0.1:3000, Ctrl-C stops it)"
	@echo "Read it:     $(BIN)/llm-archive browse    (conversations in a browser)"
	@echo "What is in:  $(BIN)/llm-archive stats"
	@echo "Use SQL:     $(BIN)/llm-archive db url    (any PostgreSQL client takes the URL)"

install: $(VENV)/.installed

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not (faults or long)"

# Minutes of kills at random moments; ARCHIVE_FAULT_SEED repeats a run.
test-faults: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m faults

# And laws with four times as many examples, other ones each time; ARCHIVE_TEST_TRIALS says how many times as many.
test-long: export ARCHIVE_TEST_TRIALS ?= 4
test-long: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) -m "long or hypothesis"

# Tests that start neither PostgreSQL nor Dagster nor the programs that a user starts, and take moments. They never wait.
test-fast: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 -m "not (postgres or dagster or system or slow or faults or long)"

check: check-style check-types check-layers check-sql check-site

check-style: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

check-types: $(VENV)/.installed-dev
	$(BIN)/mypy

check-layers: $(VENV)/.installed-dev
	$(BIN)/lint-imports

check-sql: $(VENV)/.installed-dev
	$(BIN)/sqlfluff lint --disable-progress-bar sql/views sql/queries sql/checks

# A warning, such as a link that leads nowhere, is an error.
check-site site: $(VENV)/.installed-dev
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs . $(SITE)
# With a key of the provider's: `llm keys set openai`, or OPENAI_API_KEY. OPTIONS='--other MODEL --api-base URL'.
check-provider: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.provider $(MODEL) $(OPTIONS)

golden: $(VENV)/.installed-dev
	$(BIN)/python -m archive_pipeline_tests.golden

definitions: $(VENV)/.installed-dev
	$(BIN)/python -m archive_pipeline_tests.orchestration.snapshot
	git --no-pager diff --stat -- archive_pipeline_tests/orchestration/definitions.json

docs: $(VENV)/.installed-dev
	$(BIN)/python docs/generate_settings.py
	$(BIN)/python docs/generate_tables.py
	$(BIN)/python docs/generate_filters.py
	$(BIN)/python docs/generate_citus.py
	$(BIN)/python docs/generate_assets.py
	$(BIN)/python docs/generate_audit.py
	$(BIN)/python docs/generate_columns.py

# For every platform and version of Python. Extras that bring torch are not in it.
lock: | $(BIN)/python
	$(PIP) install "uv>=0.9,<1"
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --extra bench --no-header \
	    --annotation-style line --output-file $(LOCK) pyproject.toml

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.derived

bench-duplicates: $(VENV)/.installed-dev
	$(INSTALL) --editable ".[bench]"
	$(BIN)/python -m benchmarks.duplicates

bench-lexical: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.lexical

bench-matching: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.matching

bench-bookkeeping: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.bookkeeping

bench-quality: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.quality

bench-sizes: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.scale.sizes --messages $(SIZES) --executor $(SIZES_EXECUTOR) --out $(SIZES_FOLDER)

bench-scale: bench-sizes
	$(BIN)/python -m benchmarks.scale --dialogues $(DIALOGUES) --home $(SCALE_HOME)

bench-importing: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.importing

bench-search: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.search

bench-stores: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.vector_stores

fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.fuzz --inputs $(INPUTS) --seed $(SEED) --out $(FUZZ_FOLDER)

kills: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.kills --kills $(KILLS) --seed $(KILLS_SEED)
	$(BIN)/python -m benchmarks.kills --searches 50 --seed $(KILLS_SEED)

# Podman's own format knows no health checks.
image:
	$(BUILDER) build $(if $(findstring podman,$(BUILDER)),--format docker) $(if $(BASE),--build-arg BASE=$(BASE)) \
	    --file deploy/Containerfile --tag $(IMAGE) .

check-image: $(VENV)/.installed-dev
	ARCHIVE_TEST_CONTAINER="$(BUILDER) run --rm $(IMAGE)" $(BIN)/python -m pytest archive_pipeline_tests/deploy/test_image.py

# The chart brings a schema, which helm asks.
check-helm: $(VENV)/.installed-dev
	helm template llm-archive dagster --repo https://dagster-io.github.io/helm --values deploy/helm/values.yaml \
	    --version $$($(BIN)/python -c 'import dagster; print(dagster.__version__)') > /dev/null

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are older than these files when dependencies may have changed.
$(VENV)/.installed: pyproject.toml $(LOCK) | $(BIN)/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(LOCK) | $(BIN)/python
	$(INSTALL) --editable ".[dev]"
	@touch $@ $(VENV)/.installed

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@# What comes with Python may be years old, and takes three times as long to find versions that agree.
	$(PIP) install --upgrade pip
