# labelaudit
#
#   make            build build/labelaudit
#   make check      every test; ends with one line: N passed, N failed, N skipped
#   make format     clang-format (14) over all sources
#   make fuzz       libFuzzer on every parser, FUZZ_SECONDS=60 each (needs clang); FUZZ_TARGETS="png npy" chooses
#   make torture    fails every allocation and system call of an audit, one after the other; kills it 500 times; plants bugs in the
#                   GPU's kernel, and runs that over 20,000 broken masks; takes the time of the worst pictures of 1 MB
#   make plant      removes one guard after the other, and sees whether its test notices (tests/planted/faults)
#   make mutants    14,600 damaged files of every format, with the sanitizers watching
#   make coverage   what the tests run of src/, by gcov (a build and a check of its own), and that it is enough
#   make lint       style, static analysis, manual pages, scripts
#   make demo       build, then audit testdata/masks
#   make install    program, manual pages, completions (PREFIX, DESTDIR); make uninstall
#   make dist       the three packages below, in build/dist
#   make wheel      a Python wheel that carries the program, for any Linux with glibc that is new enough
#   make static     a tarball with a static program, for any Linux; without the GPU kernels
#   make deb        a Debian package; DEBFULLNAME, DEBEMAIL: who made it
#   make deps       install what is missing here; every goal that needs it does that by itself
#   make clean
#
#   BUILD=dir        where everything is built (build)
#   DEVELOPER=1      warnings are errors; GPU kernels for one architecture only (faster to build)
#   SANITIZE=list    e.g. address,undefined or thread
#   CUDA=auto|0|1    embed the GPU kernels: if nvcc is there | never | must
#   DEPS=no          never call the package manager; a missing library stops make
#   PREFIX, DESTDIR  for make install (/usr/local)

.DEFAULT_GOAL := all

BUILD ?= build
PREFIX ?= /usr/local
CUDA ?= auto
OPTIMISE ?= -O2
CFLAGS ?= -g
export DEPS

# make's own default is cc.
ifeq ($(origin CC),default)
CC := gcc
endif

# ---- libraries ------------------------------------------------------------------------------------------------------
# pkg-config may be missing when this file is read first. So its answers are in makefiles of their own: make builds an
# included makefile that is missing (by installing what is needed), and then starts again.

LIBRARIES = libpng zlib libdeflate yaml-0.1 liblzma libzstd libxxhash sqlite3
# Those that pkg-config knows nothing of, on Debian at least.
PLAIN_LIBRARIES = -lbz2
CHECK_LIBRARIES = check libcjson

BARE_GOALS = clean deps format uninstall
CHECK_GOALS = check check-programs coverage lint analyse torture
GOALS := $(or $(MAKECMDGOALS),all)

ifneq ($(filter-out $(BARE_GOALS),$(GOALS)),)
include $(BUILD)/libraries.mk
endif
ifneq ($(filter $(CHECK_GOALS) $(BUILD)/tests/%,$(GOALS)),)
include $(BUILD)/check-libraries.mk
endif

$(BUILD)/libraries.mk: scripts/deps Makefile
	@mkdir -p $(@D)
	@scripts/deps build
	@cflags=$$(pkg-config --cflags $(LIBRARIES)) && libs="$$(pkg-config --libs $(LIBRARIES)) $(PLAIN_LIBRARIES)" && \
		printf '%s\n' "LIBRARY_CFLAGS := $$cflags" "LIBRARY_LIBS := $$libs" >$@.tmp && mv $@.tmp $@

# After libraries.mk: two package managers at a time would wait for each other.
$(BUILD)/check-libraries.mk: scripts/deps Makefile | $(BUILD)/libraries.mk
	@scripts/deps check
	@cflags=$$(pkg-config --cflags $(CHECK_LIBRARIES)) && libs=$$(pkg-config --libs $(CHECK_LIBRARIES)) && \
		printf '%s\n' "CHECK_CFLAGS := $$cflags" "CHECK_LIBS := $$libs" >$@.tmp && mv $@.tmp $@

# ---- flags ----------------------------------------------------------------------------------------------------------

WARNINGS = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
	-Wwrite-strings -Wformat=2 -Wimplicit-fallthrough -Wcast-qual -Wconversion
ifeq ($(DEVELOPER),1)
WARNINGS += -Werror
endif

ALL_CPPFLAGS = -D_GNU_SOURCE -Isrc -I$(BUILD)/gen $(LIBRARY_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS = $(WARNINGS) $(OPTIMISE) $(CFLAGS) -pthread
# Libraries that are used through their headers alone, or not at all, need not be loaded.
ALL_LDFLAGS = -Wl,--as-needed $(LDFLAGS)
ALL_LIBS = $(LIBRARY_LIBS) $(LDLIBS) -pthread -ldl -lm
ifneq ($(SANITIZE),)
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=$(SANITIZE)
else
# Hardening; the sanitizers replace it. Some distributions' compilers predefine another level of FORTIFY.
ifeq ($(filter -O0,$(OPTIMISE) $(CFLAGS)),)
ALL_CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
ALL_CFLAGS += -fstack-protector-strong -fPIE
ifeq ($(shell $(CC) -fcf-protection -x c -E /dev/null >/dev/null 2>&1 && echo yes),yes)
ALL_CFLAGS += -fcf-protection
endif
PIE = -pie
ALL_LDFLAGS += $(PIE) -Wl,-z,relro,-z,now,-z,noexecstack
endif

# What was built with other flags is built again: objects depend on this file, which changes when they do.
FLAGS := $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@

# ---- GPU kernels ----------------------------------------------------------------------------------------------------
# Compiled by nvcc into one fatbin, which the assembler puts into the program; nothing of CUDA is linked.

ifeq ($(filter $(CUDA),auto 0 1),)
$(error CUDA=$(CUDA): it is auto, 0 or 1)
endif
ifneq ($(CUDA),0)
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
endif
ifneq ($(and $(filter-out 0,$(CUDA)),$(NVCC)),)
CUDA_BUILT := 1
NVCC_VERSION := $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
CUDA_OUTCOME := CUDA kernels: embedded (nvcc $(NVCC_VERSION))
else
CUDA_BUILT := 0
CUDA_OUTCOME := built without CUDA kernels: $(if $(filter 0,$(CUDA)),CUDA=0,nvcc not found)
endif
ifeq ($(CUDA)$(CUDA_BUILT),10)
$(error CUDA=1, but nvcc was not found: put it on PATH, or set NVCC)
endif

# The first of each generation that nvcc knows, whose code runs on the others of it; PTX of the newest for what is to come.
ifeq ($(DEVELOPER),1)
CUDA_ARCHS ?= 90
else ifeq ($(CUDA_BUILT),1)
CUDA_ARCHS ?= $(patsubst sm_%,%,$(filter $(patsubst %,sm_%,75 80 90 100 110 120),$(shell $(NVCC) --list-gpu-code)))
endif
CUDA_PTX = $(lastword $(CUDA_ARCHS))
NVCC_TARGETS = $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$a,code=sm_$a) \
	-gencode arch=compute_$(CUDA_PTX),code=compute_$(CUDA_PTX) -Xfatbin -compress-all

FATBIN := $(BUILD)/cuda/measure.fatbin
ifeq ($(CUDA_BUILT),1)
FATBIN_FLAGS = -DFATBIN='"$(FATBIN)"' -DFATBIN_TARGETS='"$(CUDA_ARCHS:%=sm_%), PTX for newer ones; nvcc $(NVCC_VERSION)"'
$(BUILD)/obj/cuda/fatbin.o: $(FATBIN)
endif

# With CUDA=auto an nvcc that cannot compile them (an old one, or one that refuses this gcc) leaves an empty file, and the
# outcome says so. Which registers and how much memory they take is kept for tests/property/registers.sh.
$(FATBIN): cuda/measure.cu $(wildcard src/measure/*.h src/measure/*/*.h) $(BUILD)/flags Makefile
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -Isrc $(NVCC_TARGETS) -Xptxas -v -fatbin -o $@ $< 2>$(@:.fatbin=.log) || \
		{ cat $(@:.fatbin=.log) >&2; [ $(CUDA) = auto ] && : >$@; }
	@grep -vE '^ptxas info|^ +[0-9]+ bytes stack frame' $(@:.fatbin=.log) >&2 || :

# ---- the program ----------------------------------------------------------------------------------------------------

SOURCES := $(filter-out src/main.c,$(wildcard src/*.c src/*/*.c src/*/*/*.c cuda/*.c)) $(BUILD)/gen/rule_table.c
OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(SOURCES:$(BUILD)/gen/%=gen/%)) \
	$(patsubst %.S,$(BUILD)/obj/%.o,$(wildcard src/*/*.S cuda/*.S))
COMPILE = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP

all: $(BUILD)/labelaudit

$(BUILD)/labelaudit: $(BUILD)/obj/src/main.o $(BUILD)/liblabelaudit.a
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)
ifeq ($(CUDA_BUILT),1)
	@if [ -s $(FATBIN) ]; then echo '$(CUDA_OUTCOME)'; \
	else echo 'built without CUDA kernels: nvcc $(NVCC_VERSION) could not compile them (see above)'; fi
else
	@echo '$(CUDA_OUTCOME)'
endif

$(BUILD)/liblabelaudit.a: $(OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Loops over the elements of arrays, which the vectoriser is to see to.
$(BUILD)/obj/src/measure/array_kernels.o: OPTIMISE := -O3

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Data files become constants (src/base/embed.h). The compiler does not list .incbin among what an object depends on.
ASSEMBLE = $(CC) -Isrc -I$(BUILD)/gen $(filter -fcf-protection,$(ALL_CFLAGS)) -MMD -MP -c
DATA_FILES := $(wildcard src/report/schema.json src/report/page.*)
$(BUILD)/obj/cuda/fatbin.o: ASSEMBLE += $(FATBIN_FLAGS)
$(BUILD)/obj/%.o: %.S $(DATA_FILES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(ASSEMBLE) -o $@ $<

$(BUILD)/gen/rule_table.c: scripts/generate-rule-table $(wildcard src/rules/*.c)
	@mkdir -p $(@D)
	scripts/generate-rule-table $(sort $(wildcard src/rules/*.c)) >$@.tmp && mv $@.tmp $@

demo: $(BUILD)/labelaudit
	$(BUILD)/labelaudit --classes 21 --ignore 255 --format text --color never testdata/masks/; status=$$?; \
		echo "exit status $$status: 1 means that the audit found errors, as it should here"; [ $$status -eq 1 ]

# ---- tests ----------------------------------------------------------------------------------------------------------
# A file of tests/unit or tests/rules with a main() is a program; the others there are what the programs share.
# kernel_threads.c brings threads for lanes and is meant for the thread sanitizer: it is built with that, from sources.

TEST_FILES := $(sort $(wildcard tests/unit/*.c tests/rules/*.c))
TEST_MAINS := $(if $(TEST_FILES),$(shell grep -lE '^CHECK_MAIN|^int main' $(TEST_FILES)))
THREAD_TESTS := $(filter %/kernel_threads.c,$(TEST_MAINS))
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(filter-out $(THREAD_TESTS),$(TEST_MAINS)))
TEST_SHARED := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(TEST_MAINS),$(TEST_FILES)))

$(BUILD)/obj/tests/%.o: ALL_CPPFLAGS += $(CHECK_CFLAGS)

$(TEST_PROGRAMS): $(BUILD)/%: $(BUILD)/obj/%.o $(TEST_SHARED) $(BUILD)/liblabelaudit.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(CHECK_LIBS) $(ALL_LIBS)

# One thread a lane; the whole point is the thread sanitizer, which works with no other one.
THREAD_SOURCES = $(addprefix src/measure/,measure_rows.c kernel_host.c batch.c) $(wildcard src/read/*.c src/base/*.c)
$(BUILD)/tests/unit/kernel_threads: tests/unit/kernel_threads.c $(THREAD_SOURCES) \
		$(wildcard src/measure/*.h src/measure/*/*.h src/base/*.h tests/unit/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(WARNINGS) -O1 -g -fsanitize=thread -pthread -o $@ $(filter %.c,$^) $(LIBRARY_LIBS) -lm

# ---- fuzzing --------------------------------------------------------------------------------------------------------
# The same targets, linked with a main() that replays seeds, or with an engine: FUZZ_ENGINE, FUZZ_LINK (the linker's command).

FUZZ_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_LINK ?= $(CC) $(ALL_CFLAGS)
FUZZ_DRIVER = $(if $(FUZZ_ENGINE),,$(BUILD)/obj/tests/fuzz/replay_main.o)
FUZZ_SECONDS ?= 60

$(FUZZ_PROGRAMS): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/obj/tests/fuzz/fuzz.o $(BUILD)/obj/tests/fuzz/replay_main.o \
		$(BUILD)/liblabelaudit.a
	@mkdir -p $(@D)
	$(FUZZ_LINK) $(ALL_LDFLAGS) -o $@ $< $(BUILD)/obj/tests/fuzz/fuzz.o $(FUZZ_DRIVER) $(BUILD)/liblabelaudit.a \
		$(FUZZ_ENGINE) $(ALL_LIBS)

fuzz-targets: $(FUZZ_PROGRAMS)

fuzz:
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/fuzz' CC=clang CUDA=0 OPTIMISE=-O1 \
		SANITIZE=address,undefined,fuzzer-no-link FUZZ_ENGINE=-fsanitize=fuzzer fuzz-targets '$(BUILD)/fuzz/labelaudit'
	BUILD='$(BUILD)/fuzz' tests/fuzz/run --fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# Makes calls of the program fail (tests/property/torture.sh). The sanitizers have a malloc of their own.
ifeq ($(SANITIZE),)
TORTURE_SHIM := $(BUILD)/torture_shim.so
$(TORTURE_SHIM): tests/torture_shim.c $(BUILD)/flags
	$(CC) -D_GNU_SOURCE $(WARNINGS) -O1 -fPIC -shared -o $@ $< -ldl
endif

# The program with something in the place of the GPU's kernels, and a driver that runs them on the host: --device auto and
# cuda where there is neither nvcc nor a GPU (tests/property/device_auto.sh). The library has what it calls and no more.
CUDA_MOCK := $(BUILD)/mock/labelaudit $(BUILD)/mock/libcuda.so.1
$(BUILD)/mock/no_kernels.o: cuda/fatbin.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(ASSEMBLE) -DFATBIN='"$<"' -DFATBIN_TARGETS='"none that runs"' -o $@ $<

$(BUILD)/mock/labelaudit: $(BUILD)/obj/src/main.o $(BUILD)/mock/no_kernels.o $(BUILD)/liblabelaudit.a
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/mock/libcuda.so.1: tests/cuda_mock_library.c tests/unit/cuda_mock.c src/measure/measure_sim.c src/measure/kernel_host.c \
		src/base/mem.c $(wildcard src/measure/*.h src/measure/*/*.h) tests/unit/cuda_mock.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(WARNINGS) -O2 -g -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -shared -Wl,--gc-sections \
		-Wl,-z,defs -o $@ $(filter %.c,$^) -pthread

# For bench/gpu.sh; as the program, it needs no CUDA to be built. With the mock it is tested.
$(BUILD)/bench/gpu_kernel: $(BUILD)/obj/bench/gpu_kernel.o $(BUILD)/liblabelaudit.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

# Every call that can fail, and more signals than `make check` sends.
torture: $(BUILD)/labelaudit $(TORTURE_SHIM) $(CUDA_MOCK)
	BUILD='$(BUILD)' TORTURE=all tests/property/torture.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/device_auto.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/planted.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/lane_orders.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/worst.sh

plant:
	BUILD='$(BUILD)' tests/planted/run $(PLANT)

mutants:
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/sanitized' CUDA=0 OPTIMISE=-O1 SANITIZE=address,undefined '$(BUILD)/sanitized/labelaudit'
	BUILD='$(BUILD)/sanitized' MUTANT_SEEDS=10 tests/property/mutants.sh

check-programs: $(TEST_PROGRAMS) $(THREAD_TESTS:%.c=$(BUILD)/%) $(FUZZ_PROGRAMS) $(TORTURE_SHIM) $(CUDA_MOCK)

# The packages are tested where they can be made; nothing is installed for that.
ifeq ($(filter check,$(GOALS))$(SANITIZE),check)
PACKAGES = $(if $(CAN_LINK_STATIC),static $(if $(shell command -v python3),wheel)) \
	$(if $(shell command -v dpkg-shlibdeps),deb)
endif

.SECONDEXPANSION:
check: $(BUILD)/labelaudit check-programs $$(PACKAGES)
	@BUILD='$(BUILD)' scripts/run-tests $(TEST_PROGRAMS) $(THREAD_TESTS:%.c=$(BUILD)/%) \
		$(sort $(wildcard tests/property/*.sh tests/packaging/*.sh)) tests/fuzz/run tests/options-agree \
		tests/testdata-is-generated tests/rules-manual tests/cli/run tests/readme

# Counters of several threads add up only if they are atomic. The packages are left out: they hold the same program. All is slower.
COVERAGE = $(BUILD)/coverage
COVERAGE_END = $(abspath $(COVERAGE))/coverage_end.o
COVERAGE_LDFLAGS = --coverage -Wl,--wrap=_exit -Wl,-z,dynamic-undefined-weak $(COVERAGE_END)
coverage:
	@mkdir -p '$(COVERAGE)'
	@$(CC) $(WARNINGS) -c -o '$(COVERAGE_END)' tests/coverage_end.c
	@find '$(COVERAGE)' -name '*.gcda' -delete
	+@TORTURE=more CK_TIMEOUT_MULTIPLIER=10 $(MAKE) --no-print-directory BUILD='$(COVERAGE)' CUDA=0 OPTIMISE=-O0 \
		CFLAGS='-g --coverage -fprofile-update=atomic' LDFLAGS='$(COVERAGE_LDFLAGS)' PACKAGES= check; status=$$?; scripts/coverage '$(COVERAGE)' && exit $$status

# ---- lint -----------------------------------------------------------------------------------------------------------

lint: $(BUILD)/labelaudit
	@BUILD='$(BUILD)' CC='$(CC)' MAKE='$(MAKE)' COMPILE_FLAGS='$(ALL_CPPFLAGS) $(CHECK_CFLAGS)' scripts/lint

# gcc's analyzer, in a build of its own; a warning is an error.
analyse:
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/analyse' CUDA=0 DEVELOPER=1 SANITIZE= OPTIMISE=-O1 CFLAGS=-fanalyzer \
		'$(BUILD)/analyse/liblabelaudit.a'

# gcc 12's analyzer does not see that an initialiser list fills all vectors of a struct, and takes a vector's shift for one of its mode's
# number of bits. (delta_generic.c has the same code without vectors.)
$(addprefix $(BUILD)/obj/src/measure/engine/,delta_avx2.o delta_avx512.o): override CFLAGS := $(filter-out -fanalyzer,$(CFLAGS))

format:
	clang-format -i $(shell find src cuda tests -name '*.[ch]')

# ---- install --------------------------------------------------------------------------------------------------------

BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = bash:bash-completion/completions/labelaudit zsh:zsh/site-functions/_labelaudit \
	fish:fish/vendor_completions.d/labelaudit.fish

install: $(BUILD)/labelaudit
	install -d $(BIN) $(SHARE)/man/man1 $(SHARE)/man/man7
	install -m 755 $(BUILD)/labelaudit $(BIN)/labelaudit
	install -m 644 man/labelaudit.1 $(SHARE)/man/man1
	install -m 644 man/labelaudit-rules.7 $(SHARE)/man/man7
	for c in $(COMPLETIONS); do \
		install -d $(SHARE)/$$(dirname $${c#*:}) && \
		$(BUILD)/labelaudit completions $${c%%:*} >$(SHARE)/$${c#*:} && chmod 644 $(SHARE)/$${c#*:} || exit 1; \
	done

uninstall:
	rm -f $(BIN)/labelaudit $(SHARE)/man/man1/labelaudit.1 $(SHARE)/man/man7/labelaudit-rules.7
	for c in $(COMPLETIONS); do rm -f $(SHARE)/$${c#*:}; done

# ---- packages -------------------------------------------------------------------------------------------------------
# The wheel's program and the static one have the libraries linked in: of the wheel's, glibc alone stays outside.

DIST = $(BUILD)/dist
LINKED = $(patsubst -l%,%,$(filter -l%,$(LIBRARY_LIBS)))
ARCHIVES = $(foreach l,$(LINKED),$(shell $(CC) -print-file-name=lib$(l).a))
# A file that the compiler does not find it names without a folder.
CAN_LINK_STATIC = $(if $(filter-out /%,$(ARCHIVES)),,yes)

$(DIST)/licences: packaging/licences Makefile | static-deps
	@mkdir -p $(@D)
	packaging/licences $@ $(sort $(ARCHIVES))

static-deps:
	@scripts/deps static

$(DIST)/labelaudit-wheel: $(BUILD)/obj/src/main.o $(BUILD)/liblabelaudit.a | $(DIST)/licences
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -s -o $@ $^ -Wl,-Bstatic $(LINKED:%=-l%) -Wl,-Bdynamic -pthread -ldl -lm

# A static program must not load libraries, which would bring another glibc. Without kernels it never gets there, and
# what loads is left out.
$(DIST)/labelaudit-static: PIE = -static-pie
$(DIST)/labelaudit-static: $(BUILD)/obj/src/main.o $(DIST)/no_fatbin.o $(BUILD)/liblabelaudit.a | $(DIST)/licences
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -s -o $@ $^ $(LINKED:%=-l%) -pthread -lm \
		-Wl,--wrap=dlopen,--wrap=dlsym,--defsym=__wrap_dlopen=abort,--defsym=__wrap_dlsym=abort

$(DIST)/no_fatbin.o: cuda/fatbin.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(ASSEMBLE) -o $@ $<

wheel: $(DIST)/labelaudit-wheel
	@rm -f $(DIST)/*.whl
	@cd packaging && python3 wheel.py --manylinux $(abspath $<) $(abspath $(DIST))

static: $(DIST)/labelaudit-static
	@packaging/tarball $< $(DIST)

deb: $(BUILD)/labelaudit
	@mkdir -p $(DIST)
	@BUILD='$(BUILD)' MAKE='$(MAKE)' packaging/deb $< $(DIST)

dist: wheel static deb

deps:
	@scripts/deps build check

clean:
	rm -rf $(BUILD)

FORCE:

.PHONY: all demo wheel static static-deps deb dist check check-programs fuzz-targets fuzz torture mutants plant coverage lint analyse format install \
	uninstall deps clean FORCE
.DELETE_ON_ERROR:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
