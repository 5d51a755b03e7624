# Tests and checks.
#
#   make check      everything that a change can break, CHECK_JOBS tests at a time; ends with one line:
#                   N passed, N failed, N skipped
#                   It has 2 minutes on 2 cores, which is 200 s of processor time; scripts/run-tests prints the sum and the
#                   largest shares. A new test has 3 s: it takes a sample of its cases, spread over all, and the whole with
#                   LABELAUDIT_TEST=all, which check-all sets
#   make check-all  that and what takes longer: packages, launchers, browsers, long property tests, sanitizers;
#                   LABELAUDIT_CUDA_TOOLS=FOLDER: compilers of CUDA that scripts/cuda-tools fetched
#   make check-unit, check-long: the unit tests alone, and MORE_TESTS="..."; what check-all has besides check and the sanitizers
#   make check-aarch64  the program for 64-bit ARM under qemu-user: the engine's unit tests, and the same reports
#   make accept     writes what the program prints now into golden tests, manual pages, README, docs and testdata; read the diff
#   make lint       style, static analysis, manual pages, scripts; make format: clang-format (14) over all sources
#   make fuzz       libFuzzer on every parser, FUZZ_SECONDS=60 each (needs clang); FUZZ_TARGETS="png npy" chooses
#   make torture    fails every allocation and system call of an audit, one after the other; kills it 500 times; plants bugs in the
#                   GPU's kernel, and runs that over 20,000 broken masks; takes the time of the worst images of 1 MB
#   make plant      removes one guard after the other, and checks that its test notices (tests/planted/faults); PLANT="name ..."
#   make mutants    14,600 damaged files of every format, under the sanitizers
#   make coverage   which lines of src/ make check runs, by gcov, in 12 minutes (a build of its own); fails if too few
#
# One file's tests alone: make build/tests/unit/test_glob && build/tests/unit/test_glob; or build/tests/check test_glob

# ---- unit tests -----------------------------------------------------------------------------------------------------
# All files test_*.c are linked into one program, build/tests/check, which runs the suites that it is given (check_main.h);
# or each into a program of its own. The other files there are shared by the tests.

UNIT_SOURCES := $(sort $(shell find tests/unit tests/rules -name '*.c'))
TESTS := $(filter $(foreach d,unit rules,tests/$d/test_%.c),$(UNIT_SOURCES))
# Runs each lane as a thread, under the thread sanitizer: it is built with that, from sources; in a build with others it is left out.
KERNEL_THREADS := $(if $(SANITIZE),,$(BUILD)/tests/unit/kernel_threads)
TEST_SHARED := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(TESTS) %/kernel_threads.c,$(UNIT_SOURCES)))
TEST_OBJECTS := $(TESTS:%.c=$(BUILD)/obj/%.o)
TEST_PROGRAMS := $(TESTS:%.c=$(BUILD)/%)

$(BUILD)/obj/tests/%.o: ALL_CPPFLAGS += $(CHECK_CFLAGS)

$(BUILD)/tests/check: $(TEST_OBJECTS)
$(TEST_PROGRAMS): $(BUILD)/%: $(BUILD)/obj/%.o
$(BUILD)/tests/check $(TEST_PROGRAMS): $(TEST_SHARED) $(BUILD)/liblabelaudit.a
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(LINK) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(CHECK_LIBS) $(ALL_LIBS)

# Through the header alone, with the library that is installed.
LIBRARY_TEST := $(BUILD)/tests/library
$(LIBRARY_TEST): tests/library/test_library.c include/labelaudit.h $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(LINK) -D_GNU_SOURCE -Iinclude -o $@ $< $(LIBRARY) -Wl,-rpath,$(abspath $(BUILD)) -lm -pthread

THREAD_SOURCES = $(filter %/reference_rows.c %/kernel_host.c %/batch.c src/find/unpacker.c src/read/%.c src/base/%.c src/platform/%.c,\
	$(filter-out %/listed_images.c,$(SOURCES)))
$(KERNEL_THREADS): tests/unit/kernel_threads.c $(BUILD)/gen/read/unread_kinds.inc $(THREAD_SOURCES) $(shell find src/measure src/base tests/unit -name '*.h') $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(ALL_CPPFLAGS) $(WARNINGS) -O1 -g -fsanitize=thread -pthread -o $@ $(filter %.c,$^) $(LIBRARY_LIBS) -lm

# ---- fuzzing --------------------------------------------------------------------------------------------------------
# The same targets, linked with a main() that replays seeds, or with an engine: FUZZ_ENGINE, FUZZ_LINK (the linker's command).

FUZZ_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_LINK ?= $(CC) $(ALL_CFLAGS)
FUZZ_DRIVER = $(if $(FUZZ_ENGINE),,$(BUILD)/obj/tests/fuzz/replay_main.o)
FUZZ_SECONDS ?= 60

$(FUZZ_PROGRAMS): $(BUILD)/%: $(BUILD)/obj/%.o $(BUILD)/obj/tests/fuzz/fuzz.o $(BUILD)/obj/tests/fuzz/replay_main.o \
		$(BUILD)/liblabelaudit.a
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(FUZZ_LINK) $(ALL_LDFLAGS) -o $@ $< $(BUILD)/obj/tests/fuzz/fuzz.o $(FUZZ_DRIVER) $(BUILD)/liblabelaudit.a \
		$(FUZZ_ENGINE) $(ALL_LIBS)

fuzz-targets: $(FUZZ_PROGRAMS)

fuzz:
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/fuzz' CC=clang CUDA=0 OPTIMISE=-O1 \
		SANITIZE=address,undefined,fuzzer-no-link FUZZ_ENGINE=-fsanitize=fuzzer fuzz-targets '$(BUILD)/fuzz/labelaudit'
	BUILD='$(BUILD)/fuzz' tests/fuzz/run --fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# ---- helpers of the tests -------------------------------------------------------------------------------------------

# Makes calls of the program fail (tests/property/torture.py). The sanitizers have a malloc of their own.
ifeq ($(SANITIZE),)
TORTURE_SHIM := $(BUILD)/torture_shim.so
$(TORTURE_SHIM): tests/torture_shim.c $(BUILD)/flags
	$(call quiet,LINK,$@)$(CC) -D_GNU_SOURCE $(WARNINGS) -O1 -fPIC -shared -o $@ $< -ldl
endif

# The program without the GPU's kernels, and a mock of the driver that runs them on the host: --device auto and cuda where
# there is neither nvcc nor a GPU (tests/property/device_auto.sh, device_faults.sh). The library exports what the program calls and no more.
CUDA_MOCK := $(BUILD)/mock/labelaudit $(BUILD)/mock/libcuda.so.1
$(BUILD)/mock/no_kernels.o: cuda/fatbin.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,AS,$<)$(ASSEMBLE) -DFATBIN='"$<"' -DFATBIN_TARGETS='"none that runs"' -o $@ $<

$(BUILD)/mock/labelaudit: $(BUILD)/obj/src/main.o $(BUILD)/mock/no_kernels.o $(BUILD)/liblabelaudit.a
	$(call quiet,LINK,$@)$(LINK) -o $@ $^ $(ALL_LIBS)

MOCK_SOURCES := $(filter %/backend_sim.c %/kernel_host.c %/mem.c,$(SOURCES))
$(BUILD)/mock/libcuda.so.1: tests/cuda_mock_library.c tests/unit/cuda_mock.c $(MOCK_SOURCES) $(shell find src/measure -name '*.h') \
		tests/unit/cuda_mock.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(CC) $(ALL_CPPFLAGS) $(WARNINGS) -O2 -g -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -shared \
		-Wl,--gc-sections -Wl,-z,defs -o $@ $(filter %.c,$^) -pthread

# For bench/gpu.sh; as the program, it needs no CUDA to be built. With the mock it is tested.
$(BUILD)/bench/gpu_kernel: $(BUILD)/obj/bench/gpu_kernel.o $(BUILD)/liblabelaudit.a
	@mkdir -p $(@D)
	$(call quiet,LINK,$@)$(LINK) -o $@ $^ $(ALL_LIBS)

# The kernel that tells what its time goes to, for bench/gpu_pack.
$(BUILD)/cuda/clocks.fatbin: $(FATBIN)
	$(call quiet,NVCC,$@)$(NVCC) -std=c++17 -O3 -Isrc -DWARP_CLOCKS $(NVCC_TARGETS) -fatbin -o $@ cuda/measure.cu

check-programs: $(BUILD)/labelaudit $(LIBRARY_TEST) $(BUILD)/tests/check $(KERNEL_THREADS) $(FUZZ_PROGRAMS) $(TORTURE_SHIM) $(CUDA_MOCK)

# ---- check ----------------------------------------------------------------------------------------------------------
# The property tests that need more than the program (launchers, a browser, Slurm, a simulator of GPUs), a machine without other
# work, or more time, are for check-all. What can be run there is a test; what cannot is a part of one.

LONG_TESTS := $(addprefix tests/property/,aarch64.sh browser.py gpusim.sh gpusim_planted.sh launchers.sh macos.sh planted.sh posix.sh ptx.sh remedies.py slurm.sh tmux.sh undefined.sh worst.py)
SCRIPT_TESTS := $(filter-out $(LONG_TESTS),$(sort $(shell find tests/property -type f -perm -u+x))) tests/fuzz/run \
	tests/testdata-is-generated tests/rules-manual tests/cli/run tests/promised tests/readme tests/words tests/demo
UNIT_TESTS := $(foreach t,$(notdir $(TESTS:.c=)),'$(BUILD)/tests/check $t') $(KERNEL_THREADS)
RUN_TESTS = BUILD='$(BUILD)' PLATFORM='$(PLATFORM)' scripts/run-tests $(CHECK_JOBS:%=-j%)

check: check-programs
	@$(RUN_TESTS) $(UNIT_TESTS) $(SCRIPT_TESTS)

check-unit: $(BUILD)/tests/check $(KERNEL_THREADS)
	@$(RUN_TESTS) $(UNIT_TESTS) $(MORE_TESTS)

check-long: check-programs $(PACKAGES)
	@$(RUN_TESTS) $(LONG_TESTS) $(sort $(wildcard tests/packaging/*.sh))

check-all: check-programs $(PACKAGES)
	@LABELAUDIT_TEST=all $(RUN_TESTS) $(UNIT_TESTS) $(SCRIPT_TESTS) $(LONG_TESTS) $(sort $(wildcard tests/packaging/*.sh))
	+@$(MAKE) --no-print-directory SANITIZE=address,undefined BUILD='$(BUILD)/sanitized' CUDA=0 OPTIMISE=-O1 check

# The program for 64-bit ARM, emulated; skipped where there is no cross compiler, no qemu, or no libraries.
check-aarch64: $(BUILD)/labelaudit
	@BUILD='$(BUILD)' tests/property/aarch64.sh

accept: $(BUILD)/labelaudit
	python3 testdata/generate.py
	tests/rules-manual --update
	BUILD='$(BUILD)' tests/cli/run --update
	BUILD='$(BUILD)' tests/readme --update
	@git diff --stat

# Every call that can fail, and more signals than `make check` sends.
torture: $(BUILD)/labelaudit $(TORTURE_SHIM) $(CUDA_MOCK)
	BUILD='$(BUILD)' TORTURE=all tests/property/torture.py
	BUILD='$(BUILD)' TORTURE=all tests/property/device_auto.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/device_faults.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/planted.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/lane_orders.sh
	BUILD='$(BUILD)' TORTURE=all tests/property/worst.py

# The objects of the sources FAULT_IN are compiled with FAULT_FLAGS, which tests/planted/run sets.
ifneq ($(FAULT_IN),)
FAULTY := $(patsubst %,$(BUILD)/obj/%.o,$(basename $(FAULT_IN)))
$(FAULTY): ALL_CPPFLAGS += $(FAULT_FLAGS)
$(FAULTY): ASSEMBLE += $(FAULT_FLAGS)
$(BUILD)/labelaudit: $(filter $(BUILD)/obj/tests/%,$(FAULTY))
endif

plant:
	BUILD='$(BUILD)' tests/planted/run $(PLANT)

mutants:
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/sanitized' CUDA=0 OPTIMISE=-O1 SANITIZE=address,undefined '$(BUILD)/sanitized/labelaudit'
	BUILD='$(BUILD)/sanitized' MUTANT_SEEDS=10 tests/property/mutants.py

# Counters of several threads add up only if they are atomic. All is slower.
COVERAGE = $(BUILD)/coverage
COVERAGE_END = $(abspath $(COVERAGE))/coverage_end.o
COVERAGE_LDFLAGS = --coverage -Wl,--wrap=_exit -Wl,-z,dynamic-undefined-weak $(COVERAGE_END)
coverage:
	@mkdir -p '$(COVERAGE)'
	@$(CC) $(WARNINGS) -c -o '$(COVERAGE_END)' tests/coverage_end.c
	@find '$(COVERAGE)' -name '*.gcda' -delete
	+@CK_TIMEOUT_MULTIPLIER=20 $(MAKE) --no-print-directory BUILD='$(COVERAGE)' CUDA=0 OPTIMISE=-O0 \
		CFLAGS='-g --coverage -fprofile-update=atomic' LDFLAGS='$(COVERAGE_LDFLAGS)' check; status=$$?; scripts/coverage '$(COVERAGE)' && exit $$status

# ---- lint -----------------------------------------------------------------------------------------------------------

lint: $(BUILD)/labelaudit
	@BUILD='$(BUILD)' CC='$(CC)' MAKE='$(MAKE)' COMPILE_FLAGS='$(ALL_CPPFLAGS)' WARNINGS='$(WARNINGS)' scripts/lint

# gcc's analyzer, in a build of its own; a warning is an error.
analyse:
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/analyse' CUDA=0 DEVELOPER=1 SANITIZE= OPTIMISE=-O1 CFLAGS=-fanalyzer \
		'$(BUILD)/analyse/liblabelaudit.a'

# gcc 12's analyzer does not see that an initialiser list fills all vectors of a struct, and takes a vector's shift for one of its mode's
# number of bits. (isa_generic.c has the same code without vectors.)
$(filter %_avx2.o %_avx512.o,$(OBJECTS)): override CFLAGS := $(filter-out -fanalyzer,$(CFLAGS))
# And it takes the bytes that byte_stream_peek() lends for an array on the stack that nobody has filled.
$(filter %/find/tar.o,$(OBJECTS)): override CFLAGS := $(CFLAGS) $(if $(filter -fanalyzer,$(CFLAGS)),-Wno-analyzer-use-of-uninitialized-value)

format:
	clang-format -i $(shell find src cuda include tests -name '*.[ch]')

.PHONY: accept check check-aarch64 check-all check-unit check-long check-programs fuzz-targets fuzz torture mutants plant coverage lint analyse format
