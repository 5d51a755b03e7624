# Packages, in build/dist.
#
#   make dist       the four packages below
#   make wheel      a Python wheel that carries the program, for any Linux with glibc that is new enough: 2.28 where zig is
#                   (pip install ziglang), this machine's otherwise. With BUILD=dir TARGET=aarch64-linux-gnu.2.28 or
#                   TARGET=x86_64-linux-musl: for those, with libraries made of Debian's sources (packaging/static-libraries)
#                   static takes TARGET=aarch64-linux-musl, deb TARGET=aarch64-linux-gnu.2.28, with qemu-user: the program is asked
#   make sdist      the sources, for pip and for distributions
#   make static     a tarball with a static program, for any Linux; without the GPU kernels
#   make deb        a Debian package; DEBFULLNAME, DEBEMAIL: who made it
#   make cross      with zig and qemu-user: for 64-bit ARM a wheel and a Debian package in build/arm/dist, a wheel for musl and a static tarball
#                   in build/arm-musl/dist; for x86-64 a wheel for musl in build/musl/dist
#
#   HOMEPAGE=URL    the project's address, for what packages say of themselves; none without
#
# The libraries are linked into the wheel's program and the static one. The wheel's still needs the system's glibc.

DIST = $(BUILD)/dist
LINKED = $(patsubst -l%,%,$(filter -l%,$(LIBRARY_LIBS)))
# Debian has no static cJSON, and its static libtiff needs a dozen more; those made here are found as well.
STATIC_LIBS = $(abspath $(BUILD)/static)
# The compiler prints a file that it does not find without a folder.
ARCHIVES = $(foreach l,$(LINKED),$(or $(shell ls $(STATIC_LIBS)/lib$(l).a 2>/dev/null),$(if $(filter tiff,$(l)),libtiff.a,$(shell $(CC) -print-file-name=lib$(l).a))))
CAN_LINK_STATIC = $(if $(filter-out /% $(CAN_MAKE),$(ARCHIVES)),,yes)
CAN_MAKE = $(if $(filter no,$(DEPS)),,$(if $(shell command -v dpkg-source),libcjson.a libtiff.a))

ifeq ($(TARGET),)
$(STATIC_LIBS)/libcjson.a $(STATIC_LIBS)/libtiff.a: $(STATIC_LIBS)/lib%.a:
	$(call quiet,AR,$@)CC='$(CC)' packaging/static-libraries $(@D) $*
endif

$(DIST)/licences: packaging/licences Makefile packaging/packaging.mk | $(if $(TARGET),$(STATIC_LIBS)/made,static-deps $(addprefix $(STATIC_LIBS)/,$(filter $(CAN_MAKE),$(ARCHIVES))))
	@mkdir -p $(@D)
	$(call quiet,GEN,$@)packaging/licences $@ $(sort $(ARCHIVES))

static-deps:
	@scripts/deps static

# The wheel's program is compiled as any other, and linked by zig's linker, which knows the symbols of every glibc: those of 2.28
# (RHEL 8, Debian 10, Ubuntu 20.04) have not changed since. The compiler's own library comes from gcc, which zig does not search.
ZIG ?= $(shell command -v zig || command -v python-zig)
ZIG_CACHE = $(abspath $(BUILD)/zig)
LINK_WHEEL = $(if $(TARGET),$(CC) $(ALL_LDFLAGS),$(if $(ZIG),ZIG_GLOBAL_CACHE_DIR='$(ZIG_CACHE)' ZIG_LOCAL_CACHE_DIR='$(ZIG_CACHE)' \
	$(ZIG) cc -target $(shell uname -m)-linux-gnu.2.28 $(ALL_LDFLAGS),$(LINK)))
WHEEL_LIBS = $(if $(TARGET),$(ARCHIVES),$(if $(ZIG),$(ARCHIVES) $(shell $(CC) -print-libgcc-file-name),-L$(STATIC_LIBS) -Wl,-Bstatic $(LINKED:%=-l%) -Wl,-Bdynamic))

$(DIST)/linker: FORCE
	@mkdir -p $(@D)
	@echo '$(ZIG)' | cmp -s - $@ || echo '$(ZIG)' >$@

$(DIST)/labelaudit-wheel: $(BUILD)/obj/src/main.o $(BUILD)/liblabelaudit.a $(DIST)/linker | $(DIST)/licences
	$(call quiet,LINK,$@)$(LINK_WHEEL) -s -o $@ $(filter-out %/linker,$^) $(WHEEL_LIBS) -pthread -ldl -lm

# For bench/gpu_pack.
$(DIST)/gpu_kernel: $(BUILD)/obj/bench/gpu_kernel.o $(BUILD)/liblabelaudit.a $(DIST)/linker | $(DIST)/licences
	$(call quiet,LINK,$@)$(LINK_WHEEL) -s -o $@ $(filter-out %/linker,$^) $(WHEEL_LIBS) -pthread -ldl -lm

# The wheel's library: with all but the C library in it, whose symbols stay its own. First gcc's linker takes what is needed of the
# archives, and wraps the functions that src/library/memory.h explains.
$(DIST)/liblabelaudit-wheel.o: $(call PIC,$(LIBRARY_OWN) src/library/streams.c) $(BUILD)/pic/rooms.a | $(DIST)/licences
	$(call quiet,LINK,$@)$(CC) -r -nostdlib -o $@ $^ $(LIBRARY_WRAPS) $(ARCHIVES)

$(DIST)/liblabelaudit-wheel.so.0: PIE = -shared
$(DIST)/liblabelaudit-wheel.so.0: $(DIST)/liblabelaudit-wheel.o src/library/symbols.map $(DIST)/linker
	$(call quiet,LINK,$@)$(LINK_WHEEL) $(LIBRARY_LDFLAGS) -s -o $@ $< -pthread -lm

# A static program must not load libraries, which would bring another glibc. Without kernels it never gets there, and
# the calls that load are left out.
ifneq ($(TARGET),)
$(DIST)/labelaudit-static: $(DIST)/labelaudit-wheel
	cp $< $@
else
$(DIST)/labelaudit-static: PIE = -static-pie
$(DIST)/labelaudit-static: $(BUILD)/obj/src/main.o $(DIST)/no_fatbin.o $(BUILD)/liblabelaudit.a | $(DIST)/licences
	$(call quiet,LINK,$@)$(LINK) -s -o $@ $^ -L$(STATIC_LIBS) $(LINKED:%=-l%) -pthread -lm \
		-Wl,--wrap=dlopen,--wrap=dlsym,--defsym=__wrap_dlopen=abort,--defsym=__wrap_dlsym=abort
endif

$(DIST)/no_fatbin.o: cuda/fatbin.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,AS,$<)$(ASSEMBLE) -o $@ $<

wheel: $(DIST)/labelaudit-wheel $(DIST)/liblabelaudit-wheel.so.0
	@rm -f $(DIST)/*.whl
	@HOMEPAGE='$(HOMEPAGE)' PYTHONDONTWRITEBYTECODE=1 python3 packaging/backend.py wheel $^ $(DIST)

sdist:
	@mkdir -p $(DIST)
	@HOMEPAGE='$(HOMEPAGE)' PYTHONDONTWRITEBYTECODE=1 python3 packaging/backend.py sdist $(DIST)

static: $(DIST)/labelaudit-static
	@RUN='$(RUN)' packaging/tarball $< $(DIST)

deb: $(BUILD)/labelaudit $(if $(TARGET),$(DIST)/labelaudit-wheel)
	@mkdir -p $(DIST)
	@HOMEPAGE='$(HOMEPAGE)' BUILD='$(BUILD)' MAKE='$(MAKE)' TARGET='$(TARGET)' packaging/deb $< $(DIST)

dist: wheel sdist static deb

cross:
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/arm' TARGET=aarch64-linux-gnu.2.28 wheel deb
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/arm-musl' TARGET=aarch64-linux-musl wheel static
	+@$(MAKE) --no-print-directory BUILD='$(BUILD)/musl' TARGET=x86_64-linux-musl wheel

# The packages that can be made here without installing anything: check-long and check-all test them.
ifneq ($(filter check-long check-all,$(BUILDS)),)
PACKAGES := $(if $(CAN_LINK_STATIC),static $(if $(shell command -v python3),wheel sdist)) \
	$(if $(shell command -v dpkg-shlibdeps),deb) $(if $(ZIG),$(if $(shell command -v dpkg-source && command -v qemu-aarch64),cross))
endif

.PHONY: wheel sdist static static-deps deb dist cross
