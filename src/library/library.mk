# liblabelaudit: for C, and for Python's ctypes. It is made of the rooms that measure, compiled once more, as
# position-independent code; no other file of the program is in it.
#
#   make library           build/liblabelaudit.so.0
#   make install-library   it, its header, its pkg-config file and its manual page (PREFIX, LIBDIR, DESTDIR)

LIBRARY = $(BUILD)/liblabelaudit.so.0
LIBDIR ?= $(PREFIX)/lib
LIBRARY_VERSION = $(shell packaging/version)

LIBRARY_OWN := $(filter-out %/streams.c,$(sort $(wildcard src/library/*.c)))
# The linker takes what it needs of these.
LIBRARY_ROOMS := $(filter src/platform/% src/base/% src/png/% src/measure/engine/% src/measure/array/array_elements.c \
	$(patsubst %,src/measure/%.c,batch coded id_counter reference reference_rows) \
	src/read/class_% $(patsubst %,src/read/%.c,fields identify input own_report sample small_json small_yaml unread_kind vocabulary) src/find/unpacker.c,$(SOURCES))
PIC = $(patsubst %.c,$(BUILD)/pic/%.o,$1)
# initial-exec: memory of threads that is there from the start. Loaded at first use, it could fail, and glibc would abort. musl has it
# from dlopen() on, and knows no other way.
PIC_FLAGS = -fPIC -fvisibility=hidden $(if $(findstring musl,$(TARGET)),,-ftls-model=initial-exec) -ffunction-sections -fdata-sections

$(BUILD)/pic/%.o: %.c $(BUILD)/flags src/library/library.mk
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(COMPILE) $(PIC_FLAGS) -c -o $@ $<

# Loops for the vectoriser, as in the program.
$(BUILD)/pic/src/measure/array/array_elements.o: OPTIMISE := -O3
$(BUILD)/pic/src/library/in_ranges.o: OPTIMISE := -O3
$(BUILD)/pic/src/read/unread_kind.o: $(BUILD)/gen/read/unread_kinds.inc

$(BUILD)/pic/rooms.a: $(call PIC,$(LIBRARY_ROOMS))
	@rm -f $@
	$(call quiet,AR,$@)$(AR) rcs $@ $^

# src/library/memory.h explains what is wrapped. cJSON's memory functions belong to the whole process, so they are left alone.
LIBRARY_WRAPS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign,--wrap=free,--wrap=cJSON_InitHooks
LIBRARY_LDFLAGS = -Wl,-soname,liblabelaudit.so.0 -Wl,--version-script=src/library/symbols.map -Wl,--gc-sections \
	$(if $(SANITIZE),,-Wl,-z,defs)
ifneq ($(TARGET),)
# zig's linker does not wrap functions.
$(LIBRARY): $(BUILD)/dist/liblabelaudit-wheel.so.0
	cp $< $@
else
$(LIBRARY): PIE = -shared
$(LIBRARY): LINK = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared $(LIBRARY_LDFLAGS) $(LIBRARY_WRAPS)
$(LIBRARY): $(call PIC,$(LIBRARY_OWN)) $(BUILD)/pic/rooms.a src/library/symbols.map
	$(call quiet,LINK,$@)$(LINK) -o $@ $(filter-out %.map,$^) $(ALL_LIBS)
endif

library: $(LIBRARY)

LIBRARY_DIR = $(DESTDIR)$(LIBDIR)
install-library: $(LIBRARY)
	install -d $(LIBRARY_DIR)/pkgconfig $(DESTDIR)$(PREFIX)/include $(SHARE)/man/man3
	install -m 644 $(LIBRARY) $(LIBRARY_DIR)/liblabelaudit.so.0
	ln -sf liblabelaudit.so.0 $(LIBRARY_DIR)/liblabelaudit.so
	install -m 644 include/labelaudit.h $(DESTDIR)$(PREFIX)/include
	install -m 644 man/labelaudit.3 $(SHARE)/man/man3
	printf '%s\n' 'Name: labelaudit' 'Description: checks label arrays and masks against a set of classes' \
		'Version: $(LIBRARY_VERSION)' 'Libs: -L$(LIBDIR) -llabelaudit' 'Cflags: -I$(PREFIX)/include' \
		>$(LIBRARY_DIR)/pkgconfig/labelaudit.pc

uninstall-library:
	rm -f $(LIBRARY_DIR)/liblabelaudit.so.0 $(LIBRARY_DIR)/liblabelaudit.so $(LIBRARY_DIR)/pkgconfig/labelaudit.pc \
		$(DESTDIR)$(PREFIX)/include/labelaudit.h $(SHARE)/man/man3/labelaudit.3

.PHONY: library install-library uninstall-library
