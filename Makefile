# Everything here sets itself up: Python 3.11 or newer, make and git are enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test thorough cluster check format bench calibrate same fuzz examples guide clean help

help:
	@echo "make demo      score the example data and explain it on a page, out/report.html"
	@echo "make test      all checks and tests but those of a cluster"
	@echo "make thorough  the tests that draw their data, with ten times as many examples, new ones every time (an hour; TESTS=tests/stats: a folder)"
	@echo "make cluster   the tests with a real Spark cluster on this machine; they need Java"
	@echo "make check     ruff, mypy, import layers"
	@echo "make format    rewrite the code in the project's format"
	@echo "make bench     measure against other tools (half an hour; BENCH=--quick: a few minutes; BENCH='--only start-up')"
	@echo "make calibrate simulate whether tests and intervals keep what they promise (a quarter of an hour; CALIBRATE=--quick: a minute or two; CALIBRATE='--only features')"
	@echo "make fuzz      attack it with damaged files and absurd options (ten minutes; SEED=123: a run again; FUZZ='--case N': one case)"
	@echo "make same      compare what this writes with what BASE wrote, byte for byte (ten minutes; BASE=HEAD; SAME=--quick: a minute)"
	@echo "make examples  make the example data again"
	@echo "make guide     make the report on the example data, and what the documentation shows"
	@echo "make clean     remove what these commands made"

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Slicewise needs Python 3.11 or newer; try make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[dev,examples]'
	@touch $@ $(VENV)/.base

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[bench]'
	@touch $@ $(VENV)/.base

demo: $(VENV)/.base
	@mkdir -p out
	@$(BIN)/slicewise score --config examples/slicewise.toml --name news --json out/news.json --csv out/news
	@echo
	@echo "These were seven runs of five taggers on made-up news. Now all of it, on two domains, as a page (half a minute):"
	@$(BIN)/slicewise report --config examples/slicewise.toml -o out/report.html --quiet
	@echo
	@echo "Open $(CURDIR)/out/report.html in a browser. Then try your own data:"
	@echo "  $(BIN)/slicewise report --gold YOUR-GOLD.conll --system mine=YOUR-OUTPUT.conll -o report.html --open"
	@echo "or one lens at a time, in the terminal:"
	@echo "  $(BIN)/slicewise buckets --config examples/slicewise.toml --name chat"
	@echo "  $(BIN)/slicewise features --config examples/slicewise.toml --name chat --units --only crf"
	@echo "  $(BIN)/slicewise features --gold examples/sentiment/test.tsv:2 --input examples/sentiment/test.tsv:1 --system bayes=examples/sentiment/systems/bayes.txt --bigrams"
	@echo "  $(BIN)/slicewise complement --config examples/slicewise.toml --name chat"
	@echo "  $(BIN)/slicewise difficulty --config examples/slicewise.toml --name chat"
	@echo "  $(BIN)/slicewise units --config examples/slicewise.toml --name chat --with bins,errors -o out/chat.csv"

test: check
	POLARS_MAX_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/spark

thorough: $(VENV)/.dev
	POLARS_MAX_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m hypothesis --hypothesis-profile thorough $(or $(TESTS),tests)

cluster: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest tests/spark

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd examples && ../$(BIN)/mypy --config-file ../pyproject.toml --explicit-package-bases make.py making
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py $(BENCH)

calibrate: $(VENV)/.base
	POLARS_MAX_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=tools $(BIN)/python -m calibrate $(CALIBRATE)

fuzz: $(VENV)/.dev
	$(BIN)/python -m fuzz.run $(if $(SEED),--seed $(SEED)) $(FUZZ)

same: $(VENV)/.dev
	@PYTHONPATH=tools $(BIN)/python -m same --base $(or $(BASE),HEAD) $(SAME)

examples: $(VENV)/.dev
	$(BIN)/python examples/make.py

guide: $(VENV)/.dev
	$(BIN)/python docs/make_shrinkage.py
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_text.py

clean:
	rm -rf $(VENV) out dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
