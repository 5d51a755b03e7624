/*
 * struct member: one member of an archive as its reader (find/tar.h, find/zip.h) found it; and struct archive_facts:
 * what is reported about the archive itself. Nothing is ever written to disk, so a member's name need not be safe as a
 * path; whether it is, is reported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/strbuf.h"

enum member_type {
	MEMBER_FILE,
	MEMBER_FOLDER,
	MEMBER_LINK,   /* symbolic or hard: never followed */
	MEMBER_DEVICE, /* or FIFO, or of a type that holds no file */
};

enum { MEMBER_NAME_MAX = 64 << 10 }; /* longer names are cut: no path is that long */

struct member {
	const char *name; /* NUL-terminated; in the reader's memory until the next member */
	size_t name_len;
	bool name_cut; /* the name contained a NUL and ends there */
	enum member_type type;
	uint64_t size;
	struct fault fault; /* why it cannot be read, or FAULT_NONE */
};

/* All zero: none. Each text is empty if there is nothing to report; names in them are escaped. */
struct archive_facts {
	uint64_t members;  /* of any type */
	struct text flaws; /* what breaks the format, or makes readers disagree */
	/* The number of each kind, and the name of the first, escaped. */
	uint64_t links, devices; /* members that are no files */
	struct text first_special;
	uint64_t unsafe_names; /* among the members that are no label files */
	struct text first_unsafe;
	bool hides_members; /* the flaws tell of members that other readers see, and that were not read */
};

/* Adds a clause to the flaws. */
void archive_flaw(struct archive_facts *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool archive_facts_silent(const struct archive_facts *f);

/*
 * Returns why a program that unpacks to this name, or shows it, might be fooled, beginning with a verb ("is an absolute
 * path"): it is absolute, leaves its folder by "..", has a Windows drive or separator, control bytes, marks that
 * reorder text, or bytes that are not UTF-8. Returns NULL if the name is fine.
 */
const char *member_name_flaw(const char *name, size_t len);
