/*
 * struct isa: the engine's inner loops for one instruction set. Each isa_*.c compiles delta_template.h and
 * full_template.h with the primitives of one simd_*.h, and exports one const table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The primitives take the bytes of a word in little-endian order. */
#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ISA_HAS_NEON 1
#else
#define ISA_HAS_NEON 0
#endif

struct delta;
struct full;
struct full_span;
struct column_weights;

/* Loops of the full engine (full.h). Arrays are indexed by `wide`. */
struct full_loops {
	/* Fills the weights of `groups` groups of columns; the first begins with column x. */
	void (*make_weights)(struct column_weights *weights, uint32_t x, size_t groups);
	/* Counts everything but the content key in n pixels: part of a row, or several whole rows. */
	void (*measure_span[2])(struct full *f, const void *p, size_t n, const struct full_span *span);
	/* Adds each id times the weight of its column to sum. n <= FULL_CHUNK_COLUMNS. */
	void (*sum_columns[2])(const void *p, size_t n, const struct column_weights *weights, uint64_t sum[2]);
};

struct isa {
	const char *name;
	bool (*usable)(void);
	/*
	 * Loops of the delta engine (delta.h). Rows must be followed by DELTA_SLACK readable bytes. The first processes
	 * the current group of filtered rows, of 8-bit ids, and undoes their filters.
	 */
	void (*scan_filtered)(struct delta *s);
	/* Processes `count` rows of ids, uint8_t or, if wide, uint16_t, which lie `stride` bytes apart. */
	void (*scan_ids)(struct delta *s, const void *first, size_t stride, uint32_t count);
	/* Ends all columns after the last row. */
	void (*end_columns)(struct delta *s);
	struct full_loops full; /* all NULL: the next usable instruction set provides them */
};

/* Best first; ends with isa_generic, which every processor can run. */
extern const struct isa *const isas[];
extern const size_t isas_count;

/* Return the first usable instruction set, and the first usable one that has loops of the full engine. */
const struct isa *isa_best(void);
const struct isa *isa_best_full(void);

extern const struct isa isa_avx512, isa_avx2, isa_neon, isa_generic;
