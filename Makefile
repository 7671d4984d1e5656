# SPDX-License-Identifier: Apache-2.0
# The ways into the project; the work is done by CMake and tools/.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= 2
BUILD = build/release

.PHONY: all demo test bench docs install clean format

all:
	cmake --preset release
	cmake --build $(BUILD) -j $(JOBS)

demo:
	-@tools/install-deps build
	@$(MAKE) --no-print-directory all
	tools/demo $(BUILD)

test:
	-@tools/install-deps build test
	@tools/test

bench: all
	@if [ -x tools/bench ]; then exec tools/bench $(BUILD); fi; \
	programs=$$(find $(BUILD)/bench -maxdepth 1 -type f -perm /1 | sort); \
	[ "$$programs" ] || echo "no benchmark programs in bench/"; \
	for program in $$programs; do echo "== $$program" && $$program || exit 1; done

docs:
	-@tools/install-deps docs
	tools/check_docs.py
	tools/render_docs.py build/docs

install: all
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i
