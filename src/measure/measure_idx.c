/* IDX files of labels: one axis. Files with more axes hold the pictures that the labels belong to. */
#include <inttypes.h>

#include "base/mem.h"
#include "measure/label_reader.h"
#include "read/idx.h"

static bool claims(const struct peeked *p)
{
	return p->content == CONTENT_IDX && p->n >= 4 && p->head[3] == 1;
}

/* A big-endian integer of up to 8 bytes. */
static int64_t element(const uint8_t *p, unsigned bytes, bool is_signed)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	if (is_signed && v >> (8 * bytes - 1))
		v |= ~UINT64_C(0) << (8 * bytes - 1);
	return (int64_t)v;
}

static bool read_elements(struct label_meter *m, struct batch_item *item)
{
	const struct array_header *array = &item->sample.array;
	unsigned bytes = dtype_bytes((enum array_dtype)array->dtype);
	uint8_t chunk[16384];
	uint64_t index = 0;

	while (index < array->elements) {
		size_t want = (size_t)MIN(sizeof(chunk) / bytes, array->elements - index) * bytes;
		int64_t n = input_read(&item->input, chunk, want, &item->sample.fault);

		if (n < 0)
			return false;
		if ((size_t)n < want) { /* the file shrank: its size was checked */
			fault_set(&item->sample.fault, FAULT_UNREADABLE, item->input.at,
				  "the file shrank while it was read");
			return false;
		}
		for (size_t at = 0; at < want; at += bytes)
			id_counter_add(&m->ids, element(chunk + at, bytes, array->dtype != DTYPE_UINT8), index++);
	}
	return true;
}

static void measure(struct label_meter *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!idx_read_header(&item->input, &sample->array, &sample->fault))
		goto failed;
	if (sample->array.dtype == DTYPE_FLOAT32 || sample->array.dtype == DTYPE_FLOAT64) {
		fault_set(&sample->fault, FAULT_LABELS, 0, "elements of type %s: expected integers",
			  dtype_name((enum array_dtype)sample->array.dtype));
		goto failed;
	}
	if (!read_elements(m, item))
		goto failed;
	if (item->input.at < item->input.size)
		fault_set(&sample->remark, FAULT_MALFORMED, item->input.at, "%" PRIu64 " bytes follow the last element",
			  item->input.size - item->input.at);
	if (id_counter_end(&m->ids, &item->stats, batch))
		return;
	fault_set(&sample->fault, FAULT_LABELS, FAULT_NO_OFFSET,
		  "more than %d different values: measurements or keys, no labels", ID_COUNTER_SPARSE);
failed:
	sample->status = SAMPLE_FAILED;
	id_counter_clear(&m->ids);
}

const struct label_reader label_reader_idx = {
	.name = "an IDX array",
	.format = FORMAT_IDX,
	.kind = KIND_IDX,
	.claims = claims,
	.measure = measure,
};
