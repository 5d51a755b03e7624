/*
 * What it finds
 *   Streams of token ids that were written in another type than they are read in: every second id is 0 or nearly so (32
 *   bits read as 16, 64 as 32), or two ids stand in each (16 bits read as 32). Also ids of uint16, in a stream or an
 *   array of one axis, where --classes declares more than 65,536: larger ids wrapped around when they were written.
 *
 * Why it matters
 *   A raw file does not say its type. Read in a narrower one, half of the tokens are id 0, all in range, and the model
 *   learns nothing else; a larger vocabulary in uint16 trains on tokens that nobody wrote.
 *
 * Example
 *   train.bin: error dtype-misread: of 2000000 ids of uint16, those at odd places are all near 0: ids of 32 bits
 *
 * What to do
 *   Give the type in which the file was written as --dtype, here and where it is trained on. Wrapped ids cannot be
 *   recovered: write the file again as uint32.
 */
#include "judge/check.h"

enum {
	IDS_MIN = 64, /* fewer may be so by chance */
	UINT16_IDS = 1 << 16,
	PARITY_IDS = 1 << 20, /* of which measure/array/measure_array.c counts the small ones */
};

/* Returns whether the ids at odd places are small, and those at even places are not. */
static bool has_halves(const struct array_stats *a)
{
	const uint64_t places = MIN(a->elements, (uint64_t)PARITY_IDS) / 2;

	return places >= IDS_MIN / 2 && 100 * a->small[1] >= 99 * places && 10 * a->small[0] <= 9 * places;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct array_stats *a = &s->stats->array;
	const enum array_dtype dtype = (enum array_dtype)s->sample->array.dtype;
	const uint64_t classes = id_ranges_size(&s->settings->classes.classes);
	const bool stream = s->sample->format == FORMAT_TOKENS;
	const unsigned bits = 8 * dtype_bytes(dtype);

	if (s->sample->array.rank != 1 || s->stats->no_ids)
		return false;
	if (stream && bits < 64 && has_halves(a)) {
		say(f, "of %" PRIu64 " ids of %s, those at odd places are all near 0: ids of %u bits", a->elements,
		    dtype_name(dtype), 2 * bits);
		return advise(f, "read it in the type in which it was written: --dtype %s",
			      bits == 16  ? "uint32"
			      : bits == 8 ? "uint16"
					  : "int64");
	}
	if (stream && bits == 32 && a->elements >= IDS_MIN && a->halves_max < classes &&
	    finding_add_role(f, s, ID_INVALID) > s->stats->labels / 2) {
		say(f, "most ids of %s are no classes; as uint16 all are, up to %" PRIu64, dtype_name(dtype),
		    a->halves_max);
		return advise(f, "read it in the type in which it was written: --dtype uint16");
	}
	if (dtype == DTYPE_UINT16 && classes > UINT16_IDS) {
		say(f,
		    "uint16 holds ids up to 65535, but there are %" PRIu64 " classes: larger ids have wrapped around",
		    classes);
		return advise(f, "write the ids again as uint32; those that wrapped are other tokens now");
	}
	return false;
}

const struct rule rule_dtype_misread = {
	RULE("dtype-misread", "range", LEVEL_ERROR, "a stream of ids that was written in another type"),
	.facts_needed = FACTS_ARRAY,
	.check_file = check,
	.repair = REPAIR_NEVER,
};
