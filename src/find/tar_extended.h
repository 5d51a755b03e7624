/*
 * struct tar_extended: what the extended headers in front of a tar member say of it: pax records (POSIX.1-2001, "pax
 * Header Block") and GNU's long names. They are members of their own, whose data this file parses; find/tar.c reads
 * them. Owner: struct tar.
 */
#ifndef FIND_TAR_EXTENDED_H
#define FIND_TAR_EXTENDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/strbuf.h"

struct tar_extended {
	struct strbuf name;
	bool has_name;
	bool name_cut; /* a NUL was in it, and it ends there */
	bool has_size;
	bool sparse;
	uint64_t size;
	uint64_t real_size; /* of a sparse member, unpacked */
	struct fault fault; /* one of the headers cannot be parsed */
};

void tar_extended_init(struct tar_extended *e);
void tar_extended_release(struct tar_extended *e);
/* Forgets everything: the member that it was about has been handed out. */
void tar_extended_clear(struct tar_extended *e);

/* Types of members that are extended headers: pax 'x' and 'g', Sun's 'X', GNU's 'L' and 'K'. */
bool tar_is_extended(uint8_t type);
/*
 * Takes over what a header of this type says, the n bytes of its data; data[n] is NUL. offset: of the first one in the
 * archive, for faults.
 */
void tar_extended_take(struct tar_extended *e, uint8_t type, const char *data, size_t n, uint64_t offset);

#endif
