/*
 * Work units: what measuring a PNG may cost at worst, from what its header declares; the currency of the audit's budget
 * (audit/work_budget.h). Pure, any thread.
 *
 * A unit is the work of a grey pixel of 8 bits whose neighbours all differ, 2.4 ns of one core at most. The worst
 * pattern of each kind takes, by src/measure/engine/PERFORMANCE.md (Noise) and tests/property/worst.py:
 *
 *   1, 2, 4 bits              1.3 to 2.1 s for 1.07 G pixels   2.0 ns a pixel   1 unit
 *   8 bits                    2.0 to 2.5 s for 1.03 G          2.4              1
 *   16 bits, grey and alpha   1.7 to 2.2 s for 490 M           4.5              2
 *   RGB                       2.0 s for 330 M                  6.1              3
 *   RGBA                      1.3 s for 250 M                  5.2              4
 *
 * So from 8 bits on, a unit is a byte of a row; below, it is a pixel. A row has at least LIMIT_ROW_PIXELS pixels. A
 * mask of one id costs no more than its inflated bytes, which is known only when it is measured: png_flat_units().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	/*
	 * The most bytes that one of DEFLATE can hold: 258 for a length and a distance of one bit each, 258 * 8 / 2
	 * (RFC 1951).
	 */
	DEFLATE_RATIO_MAX = 1032,
	/*
	 * Units that a byte on disk pays for: more than DEFLATE_RATIO_MAX, so that a PNG of 8 bits or more, which is
	 * packed no further, never needs the budget, whatever is in it. 1 MB of them takes 2.5 s.
	 */
	WORK_UNITS_A_BYTE = 1100,
	/* The least that a file in a folder takes on disk: a block. A small empty mask is no bomb. */
	WORK_FILE_BYTES = 4096,
	/*
	 * Unpacking costs a unit a byte with gzip and zstd. With bzip2 it takes 13 to 18 ns a byte where data repeat,
	 * since a block is put back into order at random places of the memory; with xz 14, at the dearest checksum
	 * and with three filters.
	 */
	UNPACK_UNITS_BZIP2 = 8,
	UNPACK_UNITS_XZ = 6,
};

/*
 * All packed archives of an audit together may unpack that much beyond --max-archive-ratio. One alone may go beyond it
 * by BYTE_STREAM_RATIO_FLOOR; thousands that do so would add up.
 */
#define ARCHIVES_UNITS_FREE ((uint64_t)512 << 20)
/* The same for a look at the first bytes of their members, which ends without a fault. */
#define ARCHIVES_HEADS_UNITS ((uint64_t)256 << 20)

/*
 * The usual budget of an audit for all that its bytes do not pay for: another 2.5 s. With these, 1 MB of any input
 * takes at most 5 s. It is one image of --max-pixels, too.
 */
#define PIXEL_BUDGET_USUAL ((uint64_t)1 << 30)

/* Returns the work that a PNG's first n bytes declare; 0 if they are no PNG or declare what none can be. */
uint64_t png_work_units(const uint8_t *head, size_t n);
/* Returns the bytes of all rows with their filter bytes, which must be inflated; 0 if they are no PNG. */
uint64_t png_inflated_bytes(const uint8_t *head, size_t n);
/*
 * Returns the most that measuring a PNG of one channel, without interlacing, can have cost, by the edges that its rows
 * and its columns turned out to have (measure/label_stats.h). `units` and `inflated`: as its header declared.
 */
uint64_t png_flat_units(uint32_t width, uint32_t height, uint64_t units, uint64_t inflated, uint64_t row_edges,
			uint64_t column_edges);
