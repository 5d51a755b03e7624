#include "fix/nearest.h"

#include <fcntl.h>

#include "base/mem.h"
#include "judge/role.h"
#include "png/sample_rows.h"

struct nearest_id nearest_of(struct nearest_memory *m, const struct settings *settings, uint32_t colour)
{
	size_t at = (colour * UINT32_C(2654435761)) >> 20;

	if (m->slots[at].colour != colour + 1) {
		const struct colour_entry *e = colour_table_nearest(&settings->colours, colour);
		struct nearest_id answer = { e->id, colour_distance(e->colour, colour) };
		int64_t void_id = 255;

		if (answer.distance && settings_role(settings, COLOUR_ID(colour)) == ID_IGNORED)
			answer = (struct nearest_id){ (int32_t)void_id, 0 };
		m->slots[at].colour = colour + 1;
		m->slots[at].answer = answer;
	}
	return m->slots[at].answer;
}

/* A mask whose colours are counted. */
struct count {
	const struct settings *settings;
	struct nearest_memory memory;
	uint64_t guessed;
	uint32_t farthest;
};

/* A sample_rows_taker. */
static bool count_rows(void *context, struct sample_rows *rows)
{
	const struct png_header *png = &rows->sample.png;
	struct count *c = context;

	c->guessed = 0;
	c->farthest = 0;
	for (uint32_t y = 0; y < png->height; y++) {
		const uint8_t *row = sample_rows_next(rows);

		for (uint32_t x = 0; row && x < png->width; x++) {
			const struct nearest_id near = nearest_of(&c->memory, c->settings, sample_colour(png, row, x));

			c->guessed += near.distance != 0;
			c->farthest = MAX(c->farthest, near.distance);
		}
		if (!row)
			return false;
	}
	return sample_rows_end(rows);
}

const char *nearest_count(const struct settings *settings, const struct input *input, const char *path,
			  uint64_t *guessed, uint32_t *farthest)
{
	FREED struct count *c = xcalloc(1, sizeof(*c));
	struct fault fault = FAULT_INIT;
	struct sample_rows rows = { 0 };
	struct input in;

	c->settings = settings;
	input_init(&in);
	if (input->bytes)
		input_from_memory(&in, input->bytes, (size_t)input->size);
	bool ok = (input->bytes || (path && input_open(&in, AT_FDCWD, path, &fault))) &&
		  sample_rows_read(&rows, &in, &settings->limits, count_rows, c);

	*guessed = c->guessed;
	*farthest = c->farthest;
	sample_rows_release(&rows);
	input_release(&in);
	return ok ? NULL : "has colours that could not be counted";
}
