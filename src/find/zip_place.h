/* Where a member lies in an archive that can be read again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Where the data of a member lie in the file, and what they should unpack to. */
struct zip_data {
	uint16_t method;
	uint32_t crc;
	uint64_t at, packed, size;
};

/* A member by the directory, before its local header was read; or of a tar that is not packed, whose data are known. */
struct zip_place {
	bool known;
	bool in_tar;
	uint64_t local; /* where that header is */
	struct zip_data data;
};

/*
 * Unpacks the first bytes of a member, at most n, as far as they can be read. Returns how many. Any thread; fd may be
 * shared.
 */
size_t zip_read_head(int fd, const struct zip_place *place, uint8_t *out, size_t n);
