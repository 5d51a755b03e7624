/*
 * struct stream_tail: the end of a PNG's zlib stream that libpng does not read. libpng stops after the last row, and
 * skips the other IDATs silently. These may hold no more than the end of the stream: empty blocks, which a flush makes,
 * and the Adler-32. Then nothing is wrong with the file, however many bytes they are.
 *
 * The zlib state is the line reader's, or one of its own that inflates the whole stream. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zlib.h>

struct stream_tail {
	z_stream *z;         /* NULL: nothing is followed; borrowed, or &whole */
	z_stream whole;      /* owned if z is this */
	uint64_t bytes_left; /* of the rows: more output is not the stream's end */
	uint32_t adler;      /* of all output of a borrowed z, which does not check it */
	uint8_t last[4];     /* bytes of the stream so far */
	bool ended;          /* with the right Adler-32 */
	bool wrong;          /* it is broken, or goes on after its end */
	bool has_more_rows;  /* it makes more output than the rows */
};

/* Follows the rest of a stream of which z has made all rows; last: its last four bytes. */
void stream_tail_go_on(struct stream_tail *t, z_stream *z, const uint8_t last[4], uint32_t adler);
/* Follows a whole stream of row_bytes bytes of rows. Without memory for it nothing is followed. */
void stream_tail_begin(struct stream_tail *t, uint64_t row_bytes);
/* Takes the next bytes of the stream. */
void stream_tail_add(struct stream_tail *t, const uint8_t *p, size_t n);
/* Returns whether the stream ended where the IDATs do, and made nothing but rows. */
bool stream_tail_is_clean(const struct stream_tail *t);
void stream_tail_release(struct stream_tail *t);
