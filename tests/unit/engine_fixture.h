/*
 * For tests of the fast path: an engine for each instruction set of this processor, and the reference that they are
 * compared with, bit for bit.
 */
#pragma once

#include "measure/engine/engine.h"
#include "measure/reference.h"
#include "png_bytes.h"

enum { ENGINE_CODES_MAX = 8 };

struct engine_fixture {
	struct settings settings;
	size_t count; /* of the instruction sets, and of the engines */
	const struct isa *isas[ENGINE_CODES_MAX];
	struct engine *fast[ENGINE_CODES_MAX]; /* the first is the one that an audit uses */
	struct reference reference;
};

/* classes, ignore: as --classes and --ignore take them. Some ids should be neither: then places are measured. */
void engine_fixture_init(struct engine_fixture *e, const char *classes, const char *ignore);
/* colours: borrowed. */
void engine_fixture_init_colours(struct engine_fixture *e, const char *classes, const char *ignore,
				 const struct colour_table *colours);
void engine_fixture_release(struct engine_fixture *e);

/* Makes the file, in memory, the only one of the batch: as if an audit had opened it. */
struct batch_item *engine_file(struct batch *batch, const struct bytes *png);

/* Measures a file of the batch with the reference. */
void engine_measure_reference(struct engine_fixture *e, struct batch *batch, struct batch_item *item);

/*
 * Fails unless the only file of the one batch has the verdict of the other's, in the same words, and its measurements.
 * how: it was measured; how and seed are for the message.
 */
void engine_expect_same(const struct batch *got, const struct batch *expected, const char *how, uint64_t seed);

/*
 * Measures the file with each code and with the reference. Returns how many codes took it; fails unless each of these
 * has what the reference has, which must have read the file without a warning; and unless the file is judged as the
 * reference judges it by what is for those that are not taken. seed: for the message.
 */
size_t engine_compare(struct engine_fixture *e, const struct bytes *png, uint64_t seed);
