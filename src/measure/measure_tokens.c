/*
 * Measures streams of token ids. They are read in chunks. A chunk whose ids are all classes, as most are, is counted
 * without a look at each; in others each id is looked at.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/label_id.h"
#include "base/mem.h"
#include "measure/array/array_elements.h"
#include "measure/label_measurer.h"
#include "read/tokens.h"

enum {
	CHUNK = 256 << 10,
	/* Elements at the beginning whose size is compared by even and odd places: enough to be sure. */
	PARITY_ELEMENTS = 1 << 20,
};

struct tokens {
	struct id_counter *ids;
	struct array_stats *out;
	uint64_t classes; /* ids from 0 to below this one need no look */
	unsigned bytes;   /* of an id */
	bool is_signed;
	uint64_t at; /* ids before the chunk */
};

static void count_chunk(struct tokens *t, const void *v, size_t n)
{
	const uint64_t most = elements_max(v, t->bytes, n);

	if (t->at < PARITY_ELEMENTS)
		elements_add_small(t->out->small, v, t->bytes, n);
	/* of ids below 2^16, the other halves are 0 */
	const uint64_t halves = most > UINT16_MAX || t->bytes < 2 ? elements_max(v, 2, n * t->bytes / 2) : most;

	t->out->halves_max = MAX(t->out->halves_max, halves);
	if (most < t->classes) {
		elements_count_all(t->ids->labels, v, t->bytes, n);
		t->ids->used = MAX(t->ids->used, (uint32_t)most + 1);
		t->at += n;
		return;
	}
	for (size_t i = 0; i < n; i++, t->at++) {
		int64_t id;

		if (element_value(v, t->bytes, t->is_signed, false, i, &id) == VALUE_BEYOND) {
			t->out->beyond_first = t->out->beyond++ ? t->out->beyond_first : t->at;
			t->out->beyond_value = element_bits(v, t->bytes, i);
			id = INT64_MAX;
		}
		id_counter_add(t->ids, id, t->at);
	}
}

/* Says what the ids would be in each type, since the file does not. The input is at its beginning. */
static bool ask_for_type(struct input *in, void *chunk, struct fault *fault)
{
	uint64_t all = 0, most[2] = { 0 }; /* of 16 bits, of 32 bits */
	int64_t n;

	while ((n = input_read(in, chunk, CHUNK, fault)) > 0) {
		for (unsigned i = 0; i < 2; i++)
			most[i] = MAX(most[i], elements_max(chunk, 2u << i, (size_t)n / (2u << i)));
		all += (uint64_t)n;
	}
	if (n < 0)
		return false;
	fault_set(fault, FAULT_AMBIGUOUS, FAULT_NO_OFFSET,
		  "a stream of ids whose type nothing says: as uint16 it has %" PRIu64 " ids up to %" PRIu64
		  ", as uint32 %" PRIu64 " up to %" PRIu64 "%s",
		  all / 2, most[0], all / 4, most[1],
		  all % 4 == 0   ? ""
		  : all % 2 == 0 ? " (and 2 bytes more)"
				 : " (and some bytes more)");
	return fault_advise(fault, "say in which type it was written: --dtype uint16 (nanoGPT), uint32, int32, int64");
}

/* Reads the ids to the end of the input. */
static bool count_stream(struct tokens *t, struct input *in, struct array_header *array, void *chunk,
			 struct fault *fault)
{
	uint64_t left = array->elements;

	while (left) {
		const size_t want = (size_t)MIN(left, (uint64_t)(CHUNK / t->bytes)) * t->bytes;
		const int64_t got = input_read(in, chunk, want, fault);

		if (got < 0)
			return false;
		if ((size_t)got < want && (array->elements != TOKENS_UNKNOWN || (size_t)got % t->bytes))
			return fault_set(fault, FAULT_TRUNCATED, array->data_at + t->at * t->bytes + (uint64_t)got,
					 "ends after %" PRIu64 " ids of %u bytes%s", t->at + (uint64_t)got / t->bytes,
					 t->bytes,
					 array->elements == TOKENS_UNKNOWN ? ", and a part of one"
									   : "; its header declares more");
		count_chunk(t, chunk, (size_t)got / t->bytes);
		if ((size_t)got < want)
			break;
		left -= (size_t)got / t->bytes;
	}
	array->elements = array->shape[0] = t->out->elements = t->at;
	return true;
}

bool measure_tokens(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;
	struct array_header *array = &sample->array;
	struct fault *fault = &sample->fault;
	const struct class_set *classes = &m->settings->classes;
	struct tokens t = { .ids = &m->ids, .out = &item->stats.array, .classes = (uint64_t)class_set_plain(classes) };

	t.classes = MIN(t.classes, (uint64_t)m->ids.dense);
	t.out->beyond_first = t.out->nan_first = t.out->fraction_first = NO_INDEX;
	if (!tokens_read_header(&item->input, sample->member ? NULL : sample->path, m->settings->list.dtype, array,
				fault))
		return false;
	void *chunk = aligned_alloc(64, CHUNK);

	if (!chunk)
		chunk = xmalloc(SIZE_MAX); /* ends the program, as it does */
	t.bytes = dtype_bytes((enum array_dtype)array->dtype);
	t.is_signed = array->dtype == DTYPE_INT8 || array->dtype == DTYPE_INT16 || array->dtype == DTYPE_INT32 ||
		      array->dtype == DTYPE_INT64;
	const bool ok = t.bytes ? count_stream(&t, &item->input, array, chunk, fault)
				: ask_for_type(&item->input, chunk, fault);

	free(chunk);
	if (!ok)
		return false;
	if (!t.at)
		return fault_set(fault, FAULT_EMPTY, FAULT_NO_OFFSET, "a stream without ids");
	if (item->input.size != INPUT_SIZE_UNKNOWN && item->input.size > item->input.at)
		fault_set(&sample->warning, FAULT_MALFORMED, item->input.at,
			  "%" PRIu64 " bytes follow the last id that the header declares",
			  item->input.size - item->input.at);
	if (id_counter_end(&m->ids, &item->stats, batch))
		return true;
	return fault_set(fault, FAULT_LABELS, FAULT_NO_OFFSET,
			 "more than %d different ids outside the classes: no ids of tokens, or another type: --dtype",
			 ID_COUNTER_SPARSE);
}
