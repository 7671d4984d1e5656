# SPDX-License-Identifier: Apache-2.0
# The ways into the project; the work is done by CMake and tools/.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= 2
BUILD = build/release

.PHONY: all demo test attack lint python bench docs install clean format

all:
	cmake --preset release
	cmake --build $(BUILD) -j $(JOBS)

demo:
	-@tools/install-deps build
	@$(MAKE) --no-print-directory all
	tools/demo $(BUILD)

test:
	-@tools/install-deps build test python torch web
	-@tools/web-deps
	@tools/test

attack: # hostile files, little memory, kills: half an hour; ARGS="--seconds 60 --seed 7 files"
	-@tools/install-deps build test python
	cmake --preset ci
	cmake --build build/ci -j $(JOBS)
	@tools/attack --build build/ci $(ARGS)

lint: # clang-tidy and gcc -fanalyzer on src/
	-@tools/install-deps build lint
	@tools/lint --jobs $(JOBS)

python: # into build/python; PYTHON=... for another interpreter
	-@tools/install-deps python
	@tools/python

bench: all # QUICK=1: small sizes only, under a minute
	@tools/bench $(BUILD) $(if $(QUICK),--quick)

docs: # a static site: build/docs/html/index.html
	-@tools/install-deps build docs python torch
	@$(MAKE) --no-print-directory all
	@tools/python
	tools/check_docs.py
	tools/docs $(BUILD) build/docs

install: all
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i
