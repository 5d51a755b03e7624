# labelaudit
#
#   make            build build/labelaudit
#   make demo       build, then audit testdata/masks
#   make library    build build/liblabelaudit.so.0, the library for C and Python (include/labelaudit.h)
#   make install    program, library, manual pages, completions (PREFIX, LIBDIR, DESTDIR); make uninstall
#   make deps       install the libraries that are missing here; every goal that needs them does so by itself
#   make clean
#
# tests/tests.mk: make check, check-all, accept, lint, format, fuzz, torture, plant, mutants, coverage.
# packaging/packaging.mk: make dist, wheel, sdist, static, deb.
#
#   BUILD=dir        where everything is built (build)
#   V=1              print the commands
#   DEVELOPER=1      warnings are errors; GPU kernels for one architecture only (faster to build)
#   SANITIZE=list    e.g. address,undefined or thread
#   CUDA=auto|0|1    embed the GPU kernels: if nvcc is found | never | must
#   TARGET=triple    for another system, by zig and with libraries of Debian's sources: aarch64-linux-gnu.2.28,
#                    x86_64-linux-musl, aarch64-macos; a BUILD of its own is wanted
#   DEPS=no          never call the package manager; a missing library stops make. On a terminal make asks first.
#   PREFIX, DESTDIR  for make install (/usr/local)

.DEFAULT_GOAL := all

BUILD ?= build
PREFIX ?= /usr/local
CUDA ?= auto
OPTIMISE ?= -O2
CFLAGS ?= -g
export DEPS

# For another system, by zig (pip install ziglang), with static libraries of Debian's sources (packaging/packaging.mk).
ifneq ($(TARGET),)
ZIG ?= $(shell command -v zig || command -v python-zig)
$(if $(ZIG),,$(error TARGET=$(TARGET) is built by zig, which was not found: pip install ziglang))
CC = $(ZIG) cc -target $(TARGET)
AR = $(ZIG) ar
PLATFORM ?= $(if $(findstring linux,$(TARGET)),linux,posix)
override CUDA := 0
# macOS has the times of a file by other names.
MACOS := $(findstring macos,$(TARGET))
CPPFLAGS += $(if $(MACOS),-Dst_mtim=st_mtimespec -Dst_ctim=st_ctimespec -Dst_atim=st_atimespec)
export ZIG_GLOBAL_CACHE_DIR := $(abspath $(BUILD)/zig)
# How its program is run here, to be asked for its completions.
RUN ?= $(if $(filter aarch64-linux-%,$(TARGET)),$(if $(filter aarch64,$(shell uname -m)),,qemu-aarch64 -L /usr/aarch64-linux-gnu))
endif
# make's own default is cc.
ifeq ($(origin CC),default)
CC := gcc
endif

# Goals that build nothing here, or that leave all of it to a make of their own.
BARE_GOALS = clean deps format uninstall fuzz mutants plant coverage analyse
GOALS := $(or $(MAKECMDGOALS),all)
BUILDS := $(filter-out $(BARE_GOALS),$(GOALS))

# $(call quiet,WORD,FILE) before a command: prints "WORD FILE" instead of the command; with V=1 the command, with -s nothing.
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
quiet = $(if $(filter 1,$(V)),,@$(if $(silent),,printf '  %-5s %s\n' $1 $2;))

# ---- libraries ------------------------------------------------------------------------------------------------------
# pkg-config may be missing when make reads this file for the first time. So its answers are kept in makefiles: make
# builds an included makefile that is missing (by installing what is needed), and then starts again.

LIBRARIES = libpng zlib libdeflate yaml-0.1 libcjson liblzma libzstd libxxhash
# Those for which Debian at least has no pkg-config file.
PLAIN_LIBRARIES = -lbz2
CHECK_LIBRARIES = check
CHECK_GOALS = check check-all check-long check-unit check-programs torture

ifneq ($(TARGET),)
TARGET_LIBRARIES = z bz2 cjson deflate gif lzma png16 xxhash yaml zstd tiff
STATIC_LIBS = $(abspath $(BUILD)/static)
LIBRARY_CFLAGS = -I$(STATIC_LIBS)/include -DHAVE_GIFLIB -DHAVE_LIBTIFF
LIBRARY_LIBS = -L$(STATIC_LIBS) -ltiff -lpng16 -ldeflate -lyaml -lcjson -llzma -lzstd -lxxhash -lbz2 -lgif -lz
$(BUILD)/flags: $(STATIC_LIBS)/made
$(STATIC_LIBS)/made: packaging/static-libraries
	CC='$(CC)' AR='$(AR)' OPTIMISE='$(OPTIMISE)' packaging/static-libraries $(@D) $(TARGET_LIBRARIES)
	@echo '$(TARGET)' >$@
else ifneq ($(BUILDS),)
include $(BUILD)/libraries.mk
endif
ifneq ($(filter $(CHECK_GOALS) $(BUILD)/tests/%,$(BUILDS)),)
include $(BUILD)/check-libraries.mk
endif

$(BUILD)/libraries.mk: scripts/deps Makefile
	@mkdir -p $(@D)
	@scripts/deps build
	@scripts/deps optional
	@cflags=$$(pkg-config --cflags $(LIBRARIES)) && libs="$$(pkg-config --libs $(LIBRARIES)) $(PLAIN_LIBRARIES)" && \
		if scripts/deps has gif_lib.h; then cflags="$$cflags -DHAVE_GIFLIB" libs="$$libs -lgif"; \
		else echo 'without giflib: GIF masks will be reported, but not read'; fi && \
		if scripts/deps has tiffio.h; then cflags="$$cflags -DHAVE_LIBTIFF" libs="-ltiff $$libs"; \
		else echo 'without libtiff: TIFF masks will be reported, but not read'; fi && \
		printf '%s\n' "LIBRARY_CFLAGS := $$cflags" "LIBRARY_LIBS := $$libs" >$@.tmp && mv $@.tmp $@

# After libraries.mk: two package managers at a time would wait for each other.
$(BUILD)/check-libraries.mk: scripts/deps Makefile | $(BUILD)/libraries.mk
	@scripts/deps check
	@cflags=$$(pkg-config --cflags $(CHECK_LIBRARIES)) && libs=$$(pkg-config --libs $(CHECK_LIBRARIES)) && \
		printf '%s\n' "CHECK_CFLAGS := $$cflags" "CHECK_LIBS := $$libs" >$@.tmp && mv $@.tmp $@

# ---- flags ----------------------------------------------------------------------------------------------------------

WARNINGS = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
	-Wwrite-strings -Wformat=2 -Wimplicit-fallthrough -Wcast-qual -Wconversion
# clang has more warnings of these names.
ifeq ($(DEVELOPER)$(TARGET),1)
WARNINGS += -Werror
endif

ALL_CPPFLAGS = -D_GNU_SOURCE -Isrc -Iinclude -I$(BUILD)/gen $(LIBRARY_CFLAGS) $(CPPFLAGS)
ALL_CPPFLAGS += $(if $(HOMEPAGE),-DLABELAUDIT_HOMEPAGE='"$(HOMEPAGE:/=)"')
ALL_CFLAGS = $(WARNINGS) $(OPTIMISE) $(CFLAGS) -pthread
# Libraries that are used through their headers alone, or not at all, need not be loaded.
ALL_LDFLAGS = $(if $(MACOS),,-Wl,--as-needed) $(LDFLAGS)
ALL_LIBS = $(LIBRARY_LIBS) $(LDLIBS) -pthread -ldl -lm
ifneq ($(SANITIZE),)
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=$(SANITIZE)
else
# Hardening; the sanitizers replace it. Some distributions' compilers predefine another level of FORTIFY.
ifeq ($(filter -O0,$(OPTIMISE) $(CFLAGS)),)
ALL_CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
ALL_CFLAGS += -fstack-protector-strong -fPIE $(CF_PROTECTION)
PIE = -pie
ALL_LDFLAGS += $(PIE) $(if $(MACOS),,-Wl,-z,relro,-z,now,-z,noexecstack)
ifneq ($(BUILDS),)
# zig writes beside what it is told is /dev/null
CF_PROTECTION := $(shell mkdir -p $(BUILD) && $(CC) -fcf-protection -x c -S -o $(BUILD)/probe.s /dev/null >/dev/null 2>&1 && echo -fcf-protection)
endif
endif

# Everything is rebuilt when the flags change: objects depend on this file, which changes with them.
FLAGS := $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@

COMPILE = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP
LINK = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)

# ---- GPU kernels ----------------------------------------------------------------------------------------------------
# nvcc compiles them into one fatbin, which the assembler puts into the program; nothing of CUDA is linked.

ifeq ($(filter $(CUDA),auto 0 1),)
$(error CUDA=$(CUDA): it is auto, 0 or 1)
endif
ifneq ($(and $(BUILDS),$(filter-out 0,$(CUDA))),)
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
endif
ifneq ($(and $(BUILDS),$(filter-out 0,$(CUDA)),$(NVCC)),)
CUDA_BUILT := 1
NVCC_VERSION := $(shell $(NVCC) --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
CUDA_OUTCOME := CUDA kernels: embedded (nvcc $(NVCC_VERSION))
else
CUDA_BUILT := 0
CUDA_OUTCOME := built without CUDA kernels: $(if $(filter 0,$(CUDA)),CUDA=0,nvcc not found)
endif
ifeq ($(CUDA)$(CUDA_BUILT)$(if $(BUILDS),1),101)
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
PTX := $(FATBIN:.fatbin=.ptx)
FATBIN_FLAGS = -DFATBIN='"$(FATBIN)"' -DPTX='"$(PTX)"' -DFATBIN_TARGETS='"$(CUDA_ARCHS:%=sm_%), PTX for newer ones; nvcc $(NVCC_VERSION)"'
$(BUILD)/obj/cuda/fatbin.o: $(FATBIN) $(PTX)
endif

# With CUDA=auto an nvcc that cannot compile them (an old one, or one that refuses this gcc) leaves an empty file, and the
# outcome says so. The log holds the kernels' registers and memory, for tests/property/registers.sh.
$(FATBIN): cuda/measure.cu $(shell find src/base src/measure -name '*.h') $(BUILD)/flags Makefile
	@mkdir -p $(@D)
	$(call quiet,NVCC,$<)$(NVCC) -std=c++17 -O3 -Isrc $(NVCC_TARGETS) -Xptxas -v -fatbin -o $@ $< 2>$(@:.fatbin=.log) || \
		{ cat $(@:.fatbin=.log) >&2; [ $(CUDA) = auto ] && : >$@; }
	@grep -vE '^ptxas info|^ +[0-9]+ bytes stack frame' $(@:.fatbin=.log) >&2 || :

# A driver takes code and PTX that are no newer than itself, and nvcc writes its own version into both. Nothing in the
# kernels is newer than PTX 7.0, of CUDA 11.0, but a hint to the assembler. So this text runs on older drivers.
$(PTX): cuda/measure.cu $(shell find src/base src/measure -name '*.h') $(BUILD)/flags Makefile
	@mkdir -p $(@D)
	$(call quiet,NVCC,$@)$(NVCC) -std=c++17 -O3 -Isrc -arch=compute_75 -ptx -o $@.new $< 2>/dev/null || \
		{ [ $(CUDA) = auto ] && : >$@.new; }
	@sed -e 's/^\.version .*/.version 7.0/' -e '/\.pragma "used_bytes_mask/d' -e '/^\/\//d' -e '/^$$/d' $@.new >$@
	@rm $@.new

# ---- the program ----------------------------------------------------------------------------------------------------

LEFT_OUT = src/main.c src/library/%
# linux, or posix for any other system (src/platform/platform.h)
PLATFORM ?= $(if $(filter Linux,$(shell uname -s)),linux,posix)
LEFT_OUT += $(filter-out src/platform/$(PLATFORM).c src/platform/platform.c,$(wildcard src/platform/*.c))
SOURCES := $(filter-out $(LEFT_OUT),$(sort $(shell find src cuda -name '*.c'))) $(BUILD)/gen/rule_table.c
OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(SOURCES:$(BUILD)/gen/%=gen/%)) \
	$(patsubst %.S,$(BUILD)/obj/%.o,$(filter-out $(LEFT_OUT),$(sort $(shell find src cuda -name '*.S'))))

all: $(BUILD)/labelaudit

$(BUILD)/labelaudit: $(BUILD)/obj/src/main.o $(BUILD)/liblabelaudit.a
	$(call quiet,LINK,$@)$(LINK) -o $@ $^ $(ALL_LIBS)
ifeq ($(CUDA_BUILT),1)
	@if [ -s $(FATBIN) ]; then echo '$(CUDA_OUTCOME)'; \
	else echo 'built without CUDA kernels: nvcc $(NVCC_VERSION) could not compile them (see above)'; fi
else
	@echo '$(CUDA_OUTCOME)'
endif

$(BUILD)/liblabelaudit.a: $(OBJECTS)
	@rm -f $@
	$(call quiet,AR,$@)$(AR) rcs $@ $^

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(COMPILE) -c -o $@ $<

# Loops over the elements of arrays, for the vectoriser.
$(BUILD)/obj/src/measure/array/array_elements.o: OPTIMISE := -O3

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(COMPILE) -c -o $@ $<

# Data files become constants (src/base/embed.h). The compiler does not list .incbin among what an object depends on.
ASSEMBLE = $(CC) -Isrc -I$(BUILD)/gen $(filter -fcf-protection,$(ALL_CFLAGS)) -MMD -MP -c
DATA_FILES := $(shell find src -type f ! -name '*.[chS]' ! -name '*.inc' ! -name '*.md')
$(BUILD)/obj/cuda/fatbin.o: ASSEMBLE += $(FATBIN_FLAGS)
$(BUILD)/obj/%.o: %.S $(DATA_FILES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,AS,$<)$(ASSEMBLE) -o $@ $<

# Sorted by name, not by file: cityscapes before cityscapes-labelids. As flags, it changes only if the list does.
PRESETS := $(sort $(notdir $(basename $(wildcard src/cli/presets/*.yaml))))
$(BUILD)/gen/presets.inc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(foreach p,$(PRESETS),'PRESET $p, "src/cli/presets/$p.yaml"') >$@.tmp && \
		if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
$(BUILD)/obj/src/cli/embed.o: $(BUILD)/gen/presets.inc

# The lines of a text as strings of C.
$(BUILD)/gen/read/%.inc: src/read/%.txt
	@mkdir -p $(@D)
	$(call quiet,GEN,$@)sed 's/[\\"]/\\&/g; s/.*/"&",/' $< >$@.tmp && mv $@.tmp $@
$(BUILD)/obj/src/read/unread_kind.o: $(BUILD)/gen/read/unread_kinds.inc

# The folder, too: it is newer than the table when a rule is gone.
$(BUILD)/gen/rule_table.c: scripts/generate-rule-table src/rules $(wildcard src/rules/*.c)
	@mkdir -p $(@D)
	$(call quiet,GEN,$@)scripts/generate-rule-table $(sort $(wildcard src/rules/*.c)) >$@.tmp && mv $@.tmp $@

demo: $(BUILD)/labelaudit
	$(BUILD)/labelaudit --classes 21 --ignore 255 --format text --color never testdata/masks/; status=$$?; \
		echo "exit status $$status: 1 means that the audit found errors, as it should here"; [ $$status -eq 1 ]

# ---- install --------------------------------------------------------------------------------------------------------

BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
COMPLETIONS = bash:bash-completion/completions/labelaudit zsh:zsh/site-functions/_labelaudit \
	fish:fish/vendor_completions.d/labelaudit.fish

install: $(BUILD)/labelaudit install-library
	install -d $(BIN) $(SHARE)/man/man1 $(SHARE)/man/man7
	install -m 755 $(BUILD)/labelaudit $(BIN)/labelaudit
	install -m 644 man/labelaudit.1 $(SHARE)/man/man1
	install -m 644 man/labelaudit-rules.7 $(SHARE)/man/man7
	for c in $(COMPLETIONS); do \
		install -d $(SHARE)/$$(dirname $${c#*:}) && \
		$(RUN) $(BUILD)/labelaudit completions $${c%%:*} >$(SHARE)/$${c#*:} && chmod 644 $(SHARE)/$${c#*:} || exit 1; \
	done

uninstall: uninstall-library
	rm -f $(BIN)/labelaudit $(SHARE)/man/man1/labelaudit.1 $(SHARE)/man/man7/labelaudit-rules.7
	for c in $(COMPLETIONS); do rm -f $(SHARE)/$${c#*:}; done

deps:
	@scripts/deps build check

clean:
	rm -rf $(BUILD)

FORCE:

.PHONY: all demo install uninstall deps clean FORCE
.DELETE_ON_ERROR:

include src/library/library.mk
include packaging/packaging.mk
include tests/tests.mk

ifneq ($(BUILDS),)
-include $(shell find $(BUILD)/obj $(BUILD)/pic -name '*.d' 2>/dev/null)
endif
