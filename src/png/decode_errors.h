/*
 * The wording of what can be wrong with a PNG: libpng's verdict and the chunk walk's evidence become one fault.
 * Private to src/png; every backend's faults come from here.
 */
#ifndef PNG_DECODE_ERRORS_H
#define PNG_DECODE_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "png/chunks.h"

/* What was known when reading stopped. */
struct decode_evidence {
	const struct chunk_walk *walk;
	const char *message;            /* libpng's */
	bool at_end;                    /* the file had no more bytes */
	uint64_t rows_read, rows_total; /* rows that came out whole; of all passes together if interlaced */
	bool interlaced;
};

/* Fills fault (unless it is filled). */
void decode_error_word(const struct decode_evidence *e, struct fault *fault);
/* The same for a warning of libpng; fills remark with FAULT_MALFORMED (unless it is filled). */
void decode_warning_word(const struct decode_evidence *e, struct fault *remark);

#endif
