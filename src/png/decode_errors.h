/*
 * Words the faults of PNGs: turns libpng's message and the chunk walk's evidence into one fault. Private to src/png;
 * the faults of every backend come from here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "png/chunks.h"

/* The facts that png_decoder has read so far. */
struct decode_evidence {
	struct chunk_walk walk;
	bool at_end;                    /* libpng asked for more bytes than the file has */
	uint64_t rows_read, rows_total; /* complete rows; of all passes together if interlaced */
	bool interlaced;
};

/* Sets *fault, unless it is set. message: libpng's. */
void decode_error_word(const struct decode_evidence *e, const char *message, struct fault *fault);
/* Sets *warning to FAULT_MALFORMED for a warning of libpng, unless it is set. */
void decode_warning_word(const struct decode_evidence *e, const char *message, struct fault *warning);
