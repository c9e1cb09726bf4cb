# The verbs of the chapter. `make help` lists them.

PYTHON ?= python3
py := .venv/bin/python
env := .venv/.project

.DEFAULT_GOAL := all
.PHONY: all help weave watch tangle prove stitch sync check test test-all lint bench ring quarto lab exercise check-exercise mutation pins clean

# What a page is made from: when none of it changed, `make` weaves nothing.
woven_from := chapter.qmd references.bib $(wildcard _build/ledger.json) _quarto.yml bench/results.json \
  $(shell find src -type f -not -path '*__pycache__*' -not -path '*.egg-info*' -not -path '*[^[:alnum:]/._-]*')

all: tangle prove ## weave the chapter into _build/: tangle, prove the claims, then HTML, PDF and notebook
	@$(MAKE) --no-print-directory _build/chapter.html

_build/chapter.html: $(env) $(woven_from) _build/.commit
	@$(py) -m literate weave chapter.qmd --output _build
	@touch $@

# Reached only when one of them is missing.
chapter.qmd references.bib _quarto.yml bench/results.json:
	@echo "Makefile: $@ is missing; bring it back with git checkout $@" >&2; exit 1

# The commit that the build stamp names; touched only when it is another.
_build/.commit: FORCE
	@mkdir -p _build
	@git describe --always --dirty >$@.new 2>/dev/null || true
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

FORCE:

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

weave: $(env) ## weave alone, without tangling or proving
	@$(py) -m literate weave chapter.qmd --output _build

tangle: $(env) ## chapter.qmd -> src/ and exercises/
	@$(py) -m literate tangle

prove: tangle ## run the tests of the claims, if modules or tests changed since, for the ledger
	@$(py) -m claims prove

stitch: $(env) ## src/ and exercises/ -> chapter.qmd: carry edits of the modules back
	@$(py) -m literate stitch

sync: $(env) ## tangle or stitch, each cell in the direction that changed
	@$(py) -m literate sync

watch: $(env) ## follow the editor: tangle, run and weave what changed, in an open page
	@$(py) -m literate watch

check: $(env) ## fail when tangle or stitch would write anything
	@$(py) -m literate check

test: $(env) ## tangle, then test everything that is fast
	@$(py) -m literate tangle
	@$(py) -m pytest -q -n 2 --dist loadfile

test-all: $(env) ## test everything: the browser and the slow property tests too
	@$(py) -m literate tangle
	@$(py) -m pytest -q -m ""

lint: $(env) ## ruff over the project; findings in tangled modules at the chapter's lines
	@$(py) -m literate lint

bench: $(env) ## measure, print ratios and record them in bench/results.json (minutes)
	@$(py) -m literate tangle
	@$(py) -m bench

quarto: tangle prove ## render with real Quarto into _build/quarto/, and check what it passes over
	@$(py) -m literate quarto

lab: all ## open the woven notebook in JupyterLab
	@$(py) -m jupyterlab _build/chapter.ipynb

exercise: tangle ## write exercises/my_attention.py, to be filled in; never over an old one
	@$(py) -m exercise --new exercises/my_attention.py

check-exercise: $(env) ## name the mistakes in exercises/my_attention.py; ONLY=rope for one function
	@$(py) -m exercise exercises/my_attention.py $(ONLY)

N ?= 4
ring: tangle ## attention in a ring of N processes (N=4), compared with one
	@$(py) -m ring_launch $(N)

mutation: tangle ## change the modules in a thousand small ways and show what no test noticed (an hour)
	@$(py) -m mutmut --version >/dev/null 2>&1 || $(py) -m pip install --quiet mutmut==3.8.1
	@$(py) -m mutmut run && $(py) -m mutmut results

pins: ## make requirements.txt from pyproject.toml again (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header pyproject.toml \
	  | grep -vE '^(cuda-|nvidia-|triton==)' >requirements.txt

clean: ## take away what was built (the environment stays; remove .venv by hand)
	rm -rf _build .pytest_cache .ruff_cache .hypothesis

# The environment: remade when the pins change.
.venv/.pins: requirements.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Makefile: Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; run make PYTHON=python3.11 (or newer)")'
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Makefile: this Python has no venv module; install it (Debian: apt-get install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(py) -m pip install --quiet --requirement requirements.txt
	@touch $@

$(env): .venv/.pins pyproject.toml
	$(py) -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
