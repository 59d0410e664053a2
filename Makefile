# The only front door. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
CAMPAIGN ?= smoke
PROFILE ?= smoke
# That of the campaign if it is begun, else what this machine can have: `local`, or `loopback` with a note.
FLEET ?= $$($(BIN)/lab fleet --campaign $(CAMPAIGN))
# Databases of the local lab have so much CPU time and no more, which only root may say.
QUEUES := $(if $(filter 0,$(shell id -u))$(filter-out file,$(origin FLEET)),q1 q2 q3 q4 q5 q6)
SECTIONS ?= 0 2.1 2.2 3.1 3.2 4.1 4.4 5.1 5.2 6 7 8 9 $(QUEUES)

BIN := .venv/bin
JAR := middleware-kotlin/target/middleware.jar
KOTLIN_SOURCES := $(shell find middleware-kotlin/src/main middleware-kotlin/pom.xml -type f)
CLASSES := $(addprefix middleware-kotlin/target/,classes test-classes kotlin-ic)  # also of sources that have gone
MAVEN := middleware-kotlin/mvnw --batch-mode --no-transfer-progress --file middleware-kotlin/pom.xml
REFERENCES := $(wildcard data/reference data/reference/what-if/* data/reference/middlewares/* \
  data/reference/sensitivity/*/as-it-is data/reference/middlewares/*/sensitivity/*/as-it-is \
  data/schmid2018 data/yenicelik2018 data/cetin2018 data/khalil2016)
INSTALLED := .venv/installed
SET_UP := build/set-up
PACKAGES := $(SET_UP)/packages
BUILDERS := $(SET_UP)/builders
BROWSER := $(SET_UP)/browser
VENV := $(SET_UP)/venv
PROVISION := remote/hosts/provision
DELAY_LINE := build/delay-line
# COVERAGE=NAME counts the lines and branches that tests run, in build/coverage/NAME.
COVERED = build/coverage/$(COVERAGE)
RUN := $(BIN)/python $(if $(COVERAGE),-m coverage run --data-file="$(CURDIR)/$(COVERED)/python")
PYTEST := $(RUN) -m pytest --quiet
ALLOW_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)  # JupyterLab asks root

# The folder of that name is no target's result; two builds would write one target folder. But what `setup` starts waits
# for the network most of the time: Debian packages one call after the other, beside them Python's, the jar and the delay line.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
export PYTHON
# Some machines tell Python to keep nothing of what it compiles: all that starts here would compile its imports anew.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup jar report notebooks notebooks-check check test lab-check computed-check reports-check test-all kotlin kotlin-unit bench peers coverage many workers lab lint format lock lock-maven audit tables manual artifact studies clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort | column -t -s "$$(printf '\t')"

setup: ## Install what is missing: Debian packages, Python environment, middleware
	@$(MAKE) --silent --jobs SIDE_BY_SIDE=yes $(INSTALLED) $(PACKAGES) $(JAR) $(DELAY_LINE)

$(INSTALLED): requirements.lock pyproject.toml $(PROVISION)/python.sh | $(VENV)
	@$(PROVISION)/python.sh "$(PYTHON)"

$(VENV): $(PROVISION)/debian.sh
	@$(PROVISION)/debian.sh python
	@mkdir -p $(@D)
	@touch $@

$(BUILDERS): $(PROVISION)/debian.sh | $(VENV)
	@$(PROVISION)/debian.sh build
	@touch $@

$(PACKAGES): $(PROVISION)/debian.sh | $(BUILDERS)
	@$(PROVISION)/debian.sh
	@touch $@

$(BROWSER): $(PROVISION)/debian.sh | $(VENV)
	@$(PROVISION)/debian.sh report
	@touch $@

$(DELAY_LINE): $(wildcard remote/providers/local_lab/links/delay/*.[ch]) | $(BUILDERS) $(INSTALLED)
	@echo "Building the delay line"
	@$(BIN)/python -c 'from remote.providers.local_lab.links import delay_line; delay_line.build_line()'

jar: $(JAR) ## Build the middleware and the load generator

$(JAR): $(KOTLIN_SOURCES) | $(BUILDERS)
	@echo "Building the middleware"
	@rm -rf $(CLASSES)
	@$(MAVEN) --quiet -Dmaven.test.skip=true package > $(SET_UP)/jar.log 2>&1 || { cat $(SET_UP)/jar.log >&2; exit 1; }

# What is shipped is only read: neither lab nor jar.
ifeq ($(CAMPAIGN),reference)
report: $(INSTALLED) $(BROWSER)
	@$(BIN)/lab export --campaign $(CAMPAIGN)
else
report: setup ## Measure on the local lab, run the notebooks, write the report; or CAMPAIGN=reference
	@$(BIN)/lab run $(SECTIONS) --own-lab --campaign $(CAMPAIGN) --profile $(PROFILE) --fleet "$(FLEET)" --report \
	  || { status=$$?; [ $$status -eq 3 ] || exit $$status; echo "The report lacks what is named above" >&2; }
	@$(BIN)/lab export --campaign $(CAMPAIGN)
endif

notebooks: setup ## Run the notebooks in place, on a measured campaign or the running lab
	@for notebook in notebooks/[0-9][0-9]-*.ipynb; do \
	  MWLAB_FIGURES=drawn $(BIN)/jupyter nbconvert --log-level WARN --to notebook --execute --inplace \
	    --ExecutePreprocessor.record_timing=False --ExecutePreprocessor.store_widget_state=False "$$notebook"; done

check: setup ## Style, types and all tests that need no lab, browser or namespaces: before each commit
	@printf '%s\n' lint kotlin-unit | xargs -P 2 -n 1 $(MAKE) --silent # neither keeps two processors busy
	@$(PYTEST) --numprocesses auto --dist worksteal -m "not slow" tests/unit

test: check lab-check computed-check ## What CI runs: `make check`, tests on a real lab, all Kotlin tests, the notebooks

# Tests on the lab measure: nothing runs beside them. (A low priority would not do: the kernel weighs sessions, not processes.)
lab-check:
	@$(PYTEST) -m selected tests/integration tests/browser

computed-check:
	@printf '%s\n' notebooks-check kotlin reports-check | xargs -P 2 -n 1 $(MAKE) --silent

reports-check:
	@$(PYTEST) -m selected tests/reports

test-all: setup ## Run every test there is, or PART="lab outages"; PUBLISH=1 keeps the results in docs/reference/proofs.md
	@$(BIN)/python tests/parts.py $(if $(PUBLISH),--publish) $(if $(COVERAGE),--coverage $(COVERAGE)) $(PART) -- $(ARGUMENTS)

notebooks-check: setup ## Run the notebooks on the reference campaign: they must show what is committed
	@$(RUN) -m report.check

kotlin-unit: $(PACKAGES)
	@rm -rf $(CLASSES)
	@$(call maven,verify -Pcheck)

# Those that open sockets or start programs; what `kotlin-unit` has compiled is not compiled again.
kotlin: $(PACKAGES)
	@$(call maven,prepare-package -Dgroups=sockets -Dkotlin.compiler.incremental=true)

# maven <arguments>: its errors without its advice if it fails, the failed tests last; else how many tests have run.
maven = mkdir -p build; \
  $(MAVEN) $(if $(COVERAGE),-Pcoverage -Dcoverage.folder="$(CURDIR)/$(COVERED)/kotlin") $(1) > build/kotlin.log 2>&1 || { \
    echo 'All of it: build/kotlin.log' >&2; \
    grep -E '^\[ERROR\] .' build/kotlin.log | grep -vE 're-run Maven|Re-run Maven|Help 1\]|surefire-reports|dump|For more information' | tail -n 60 >&2; exit 1; }; \
  sed -nE '/Time elapsed/d; s/^\[[A-Z]+\] +(Tests run:)/Kotlin: \1/p' build/kotlin.log

peers: ## Build memcached's own proxy from Debian's source package, for `make bench`, in build/peers (Debian: dpkg-dev gcc make)
	@middleware-kotlin/bench/peers.sh

bench: setup ## Compare speeds side by side, in turns: proxies (`make peers` adds one), load generators, queues; then how long answers take (Debian: nutcracker libmemcached-tools postgresql)
	@$(BIN)/python middleware-kotlin/bench/middleware.py
	@$(BIN)/python middleware-kotlin/bench/loadgen.py
	@$(BIN)/python middleware-kotlin/bench/message_queues.py
	@PYTHONPATH=. $(BIN)/python tests/speed/measure_answers.py

coverage: $(INSTALLED) ## How often intervals of campaigns that stop by themselves hold the truth: minutes, writes docs/explanation/precision.md
	@PYTHONPATH=. nice $(BIN)/python tests/coverage/measure_coverage.py

many: setup ## A hundred hosts on this machine; what controlling 8, 30 and 100 takes: minutes, writes docs/own-hosts.md and its figure
	@PYTHONPATH=. $(BIN)/python tests/scale/measure_hosts.py

workers: $(INSTALLED) ## Speed-up by one and two workers of a cluster, 10 000 runs of a synthetic campaign: half an hour, writes docs/workers.md
	@PYTHONPATH=. $(BIN)/python tests/scale/measure_workers.py

lab: setup ## Start JupyterLab on the notebooks
	@$(BIN)/jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/notebooks $(ALLOW_ROOT)

lint: $(INSTALLED) ## Check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy middleware-kotlin/bench/*.py middleware-kotlin/prove/*.py tests/parts.py tests/line_coverage.py
	@$(BIN)/shellcheck --external-sources .ci/run $$(git -c safe.directory="$$(pwd -P)" ls-files '*.sh' middleware-kotlin/bin) middleware-kotlin/mvnw binder/postBuild

format: $(INSTALLED) ## Reformat the sources
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(MAVEN) --quiet spotless:apply

COMPILE := $(or $(wildcard $(BIN)/uv),uv) pip compile --quiet --generate-hashes --python-version 3.11 --no-header --no-emit-index-url

lock: ## Pin the Python packages that pyproject.toml asks for
	$(COMPILE) --extra dev --extra ansible --output-file requirements.lock pyproject.toml
	$(COMPILE) --constraint requirements.lock --output-file binder/requirements.txt pyproject.toml

lock-maven: $(PACKAGES) ## Write down the checksums of what Maven fetches, from an empty repository
	@middleware-kotlin/.mvn/wrapper/lock.sh

audit: $(INSTALLED) $(BUILDERS) ## List the packages of the jar and of Python in build/sbom (CycloneDX); check Python's for known vulnerabilities
	@mkdir -p build/sbom
	@$(MAVEN) --quiet cyclonedx:makeBom -DoutputDirectory="$(CURDIR)/build/sbom"
	@$(BIN)/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml --output-file build/sbom/python.cdx.json
	@$(BIN)/pip-audit --strict --disable-pip --progress-spinner off \
	  --requirement requirements.lock --requirement middleware-kotlin/prove/clients/python/requirements.txt \
	  || { echo "make audit failed: a Python package has a known vulnerability or could not be looked up; pip-audit names it above" >&2; exit 1; }

tables: setup ## Make the tidy tables of the campaigns in data/ anew
	@$(BIN)/python -m analysis.tables.tidy_cache $(REFERENCES)

manual: setup ## Write the pages of docs/reference that are made from the code
	@$(BIN)/python -m manual

artifact: setup ## Write docs/artifact.md: what measures each claim, for how long, from the reference campaign
	@$(BIN)/python -m report.artifact

studies: $(INSTALLED) ## Judge every table and figure of the studies by the reference campaign: writes docs/studies.md
	@mkdir -p build
	@$(BIN)/python -m analysis.chapters.published_results.counterparts.page > build/studies.md
	@mv build/studies.md docs/studies.md

clean: ## Remove what can be built again
	@rm -rf build middleware-kotlin/target .venv
