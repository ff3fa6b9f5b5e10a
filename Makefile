# The two commands of this project are `make demo` and `make check`; see docs/build.md.

PRESET ?= release
BUILD := $(if $(filter release,$(PRESET)),build,build-$(PRESET))
# Compiling MLIR code takes about 1 GB a process.
JOBS ?= $(shell nproc)

.PHONY: help packages configure build check demo install archive docs format clean

help:
	@echo 'make demo      install packages, build, train the MNIST network on the CPU'
	@echo 'make check     install packages, build, run every test'
	@echo 'make build     install packages and build everything'
	@echo 'make packages  install the Debian packages that a build needs'
	@echo 'make install   install libburn, the compiler and the tools (PREFIX=/usr/local)'
	@echo 'make archive   pack libburn for machines without LLVM'
	@echo 'make docs      write docs/dialect.md, ops.md and functions.md from the ODS files, the dialect and the headers'
	@echo 'make format    format all sources'
	@echo 'make clean     remove the build folder'
	@echo 'PRESET=release|debug|asan|tsan chooses the configuration, JOBS=N the number of processes.'

packages:
	@scripts/install-packages

configure: packages
	@cmake --preset $(PRESET)

build: configure
	@cmake --build $(BUILD) --parallel $(JOBS)

check: build
	@scripts/check $(BUILD)

demo: build
	@$(BUILD)/bin/mnist

PREFIX ?= /usr/local
install: build
	@cmake --install $(BUILD) --prefix $(PREFIX) --strip

archive: build
	@cd $(BUILD) && cpack -G TGZ

docs: configure
	@cmake --build $(BUILD) --target burn-doc burn-ops
	@cp $(BUILD)/dialects/Burn/BurnDialect.md docs/dialect.md
	@$(BUILD)/bin/burn-ops test/dialects/burn/ops.mlir test/dialects/burn/ops-breadth.mlir \
		test/dialects/burn/ops-control.mlir >docs/ops.md
	@scripts/gen-function-list.py >docs/functions.md

format:
	@git ls-files -z -- '*.cpp' '*.h' | xargs -0 clang-format-22 -i

clean:
	@rm -rf $(BUILD)
