# Packages, in build/dist.
#
#   make dist       the three packages below
#   make wheel      a Python wheel that carries the program, for any Linux with glibc that is new enough
#   make static     a tarball with a static program, for any Linux; without the GPU kernels
#   make deb        a Debian package; DEBFULLNAME, DEBEMAIL: who made it
#
# The libraries are linked into the wheel's program and the static one. The wheel's still needs the system's glibc.

DIST = $(BUILD)/dist
LINKED = $(patsubst -l%,%,$(filter -l%,$(LIBRARY_LIBS)))
# Debian has no static cJSON; one made here is found as well.
STATIC_LIBS = $(abspath $(BUILD)/static)
# The compiler prints a file that it does not find without a folder.
ARCHIVES = $(foreach l,$(LINKED),$(or $(wildcard $(STATIC_LIBS)/lib$(l).a),$(shell $(CC) -print-file-name=lib$(l).a)))
CAN_LINK_STATIC = $(if $(filter-out /% $(CAN_MAKE),$(ARCHIVES)),,yes)
CAN_MAKE = $(if $(filter no,$(DEPS)),,$(if $(shell command -v dpkg-source),libcjson.a))

$(STATIC_LIBS)/libcjson.a:
	$(call quiet,AR,$@)CC='$(CC)' packaging/static-cjson $@

$(DIST)/licences: packaging/licences Makefile packaging/packaging.mk | static-deps $(if $(filter libcjson.a,$(ARCHIVES)),$(STATIC_LIBS)/libcjson.a)
	@mkdir -p $(@D)
	$(call quiet,GEN,$@)packaging/licences $@ $(sort $(ARCHIVES))

static-deps:
	@scripts/deps static

$(DIST)/labelaudit-wheel: $(BUILD)/obj/src/main.o $(BUILD)/liblabelaudit.a | $(DIST)/licences
	$(call quiet,LINK,$@)$(LINK) -s -o $@ $^ -L$(STATIC_LIBS) -Wl,-Bstatic $(LINKED:%=-l%) -Wl,-Bdynamic -pthread -ldl -lm

# A static program must not load libraries, which would bring another glibc. Without kernels it never gets there, and
# the calls that load are left out.
$(DIST)/labelaudit-static: PIE = -static-pie
$(DIST)/labelaudit-static: $(BUILD)/obj/src/main.o $(DIST)/no_fatbin.o $(BUILD)/liblabelaudit.a | $(DIST)/licences
	$(call quiet,LINK,$@)$(LINK) -s -o $@ $^ -L$(STATIC_LIBS) $(LINKED:%=-l%) -pthread -lm \
		-Wl,--wrap=dlopen,--wrap=dlsym,--defsym=__wrap_dlopen=abort,--defsym=__wrap_dlsym=abort

$(DIST)/no_fatbin.o: cuda/fatbin.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,AS,$<)$(ASSEMBLE) -o $@ $<

wheel: $(DIST)/labelaudit-wheel
	@rm -f $(DIST)/*.whl
	@cd packaging && python3 wheel.py --manylinux $(abspath $<) $(abspath $(DIST))

static: $(DIST)/labelaudit-static
	@packaging/tarball $< $(DIST)

deb: $(BUILD)/labelaudit
	@mkdir -p $(DIST)
	@BUILD='$(BUILD)' MAKE='$(MAKE)' packaging/deb $< $(DIST)

dist: wheel static deb

# The packages that can be made here without installing anything: check-long and check-all test them.
ifneq ($(filter check-long check-all,$(BUILDS)),)
PACKAGES := $(if $(CAN_LINK_STATIC),static $(if $(shell command -v python3),wheel)) \
	$(if $(shell command -v dpkg-shlibdeps),deb)
endif

.PHONY: wheel static static-deps deb dist
