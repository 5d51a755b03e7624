#include "fix/deep_ids.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "png/sample_rows.h"

enum { SAMPLES = 1 << 16 };

/* Counts the first channel of a mask: a sample_rows_taker. */
static bool count_samples(void *context, struct sample_rows *rows)
{
	const struct png_header *png = &rows->sample.png;
	uint64_t *counts = context;
	bool ok = png->bit_depth == 16;

	memset(counts, 0, SAMPLES * sizeof(*counts));
	for (uint32_t y = 0; y < png->height && ok; y++) {
		const uint16_t *row = sample_rows_next(rows);

		ok = row != NULL;
		for (uint32_t x = 0; x < png->width && ok; x++)
			counts[row[(size_t)x * png->channels]]++;
	}
	return ok && sample_rows_end(rows);
}

struct fix_id *deep_ids_count(const struct input *input, const char *path, const struct limits *limits, size_t *count)
{
	struct fault fault = FAULT_INIT;
	struct sample_rows rows = { 0 };
	uint64_t *counts;
	struct fix_id *ids = NULL;
	struct input in;
	size_t n = 0;

	input_init(&in);
	if (input->bytes)
		input_from_memory(&in, input->bytes, (size_t)input->size);
	else if (!path || !input_open(&in, AT_FDCWD, path, &fault))
		return NULL;
	counts = xcalloc(SAMPLES, sizeof(*counts));
	bool ok = sample_rows_read(&rows, &in, limits, count_samples, counts);

	for (size_t i = 0; i < SAMPLES; i++)
		n += counts[i] != 0;
	if (ok)
		ids = xcalloc(n + 1, sizeof(*ids));
	*count = 0;
	for (size_t i = 0; ok && i < SAMPLES; i++)
		if (counts[i])
			ids[(*count)++] = (struct fix_id){ (int64_t)i, counts[i] };
	free(counts);
	sample_rows_release(&rows);
	input_release(&in);
	return ids;
}
