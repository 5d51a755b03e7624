/* Measures PNG masks in memory, with the program's engine. */
#include <labelaudit.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "library/handles.h"
#include "measure/backend.h"
#include "measure/engine/engine.h"
#include "read/identify.h"

struct labelaudit_measurer {
	const struct labelaudit_classes *classes;
	struct settings settings; /* its class set is a view of the handle's */
	/* NULL: to be made by the next call, as after one that had no memory */
	struct engine *engine;
	struct batch batch;
	struct labelaudit_count *counts;
	size_t counts_cap;
	struct memory memory;
};

int labelaudit_measurer_new(struct labelaudit_measurer **out, const struct labelaudit_classes *classes,
			    enum labelaudit_view view, struct labelaudit_error *error)
{
	struct labelaudit_measurer *m;

	if (!out || !classes || view < LABELAUDIT_PIL || view > LABELAUDIT_CV2)
		return library_fail(error, LABELAUDIT_BAD_CALL, "a pointer is NULL, or there is no such view");
	*out = NULL;
	if (!library_begin(error))
		return LABELAUDIT_BAD_CALL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return library_no_memory(error);
	m->classes = classes;
	m->settings.classes = classes->set;
	m->settings.view = (enum view)view;
	m->settings.limits = (struct limits){ .max_pixels = UINT64_C(1) << 30, .max_inflated = UINT64_C(1) << 31 };
	*out = m;
	return LABELAUDIT_OK;
}

void labelaudit_measurer_free(struct labelaudit_measurer *measurer)
{
	if (!measurer)
		return;
	memory_free_all(&measurer->memory);
	free(measurer);
}

static struct batch_item *add_item(struct labelaudit_measurer *m, const void *png, size_t size)
{
	struct batch_item *item;

	if (!m->engine) {
		batch_init(&m->batch);
		m->engine = engine_new(&m->settings, NULL);
	}
	batch_clear(&m->batch);
	item = batch_add(&m->batch);
	fault_clear(&item->sample.fault);
	fault_clear(&item->sample.warning);
	input_from_memory(&item->input, png, size);
	item->sample.format = FORMAT_PNG;
	item->sample.status = SAMPLE_READ;
	item->sample.file_bytes = size;
	return item;
}

/* Measures the file as the audit does: the first bytes say what is no PNG. */
static void measure(struct labelaudit_measurer *m, struct batch_item *item, const void *png, size_t size)
{
	size_t head = MIN(size, (size_t)PEEK_BYTES);
	enum content content = identify(png, head);

	if (content == CONTENT_PNG) {
		engine_measure(m->engine, item, &m->batch);
		return;
	}
	identify_fault(content, png, head, "a PNG", &item->sample.fault);
	batch_item_fail(item);
}

static void fill(struct labelaudit_measurer *m, const struct batch_item *item, struct labelaudit_mask *mask)
{
	const struct label_stats *stats = &item->stats;

	mask->width = item->sample.png.width;
	mask->height = item->sample.png.height;
	mask->labels = stats->labels;
	GROW(m->counts, m->counts_cap, stats->ids_count);
	for (size_t i = 0; i < stats->ids_count; i++) {
		const struct id_stats *row = &m->batch.ids[stats->ids_at + i];
		uint32_t role = (uint32_t)labelaudit_classes_role(m->classes, row->id);

		m->counts[i] = (struct labelaudit_count){ .id = row->id,
							  .labels = row->labels,
							  .arrays = 1,
							  .first = role == ID_INVALID ? row->first_index : 0,
							  .role = role };
		mask->bad += role == ID_INVALID ? row->labels : 0;
	}
	mask->counts = m->counts;
	mask->counts_count = stats->ids_count;
}

int labelaudit_measure_png(struct labelaudit_measurer *measurer, const void *png, size_t size,
			   struct labelaudit_mask *mask, struct labelaudit_error *error)
{
	struct labelaudit_measurer *m = measurer;

	if (!m || !mask || (!png && size))
		return library_fail(error, LABELAUDIT_BAD_CALL, "a pointer is NULL");
	memset(mask, 0, sizeof(*mask));
	if (error)
		error->text[0] = '\0';
	memory_begin(&m->memory);
	if (setjmp(m->memory.end)) {
		m->engine = NULL;
		m->counts = NULL;
		m->counts_cap = 0;
		memset(mask, 0, sizeof(*mask));
		return library_no_memory(error);
	}
	struct batch_item *item = add_item(m, png ? png : "", size);

	measure(m, item, png ? png : "", size);
	bool failed = item->sample.status != SAMPLE_READ, coloured = !failed && item->stats.colours;

	if (!failed && !coloured)
		fill(m, item, mask);
	memory_end();
	if (failed)
		return library_fail(
			error, item->sample.fault.kind == FAULT_UNREADABLE ? LABELAUDIT_NO_MEMORY : LABELAUDIT_BAD_DATA,
			"%s", item->sample.fault.text);
	if (coloured)
		return library_fail(error, LABELAUDIT_BAD_DATA,
				    "%u channels: colours, where one channel of ids was expected",
				    item->sample.png.channels);
	if (mask->bad)
		return library_fail(error, LABELAUDIT_BAD_LABELS,
				    "%llu of %llu pixels have ids that are neither a class nor ignored",
				    (unsigned long long)mask->bad, (unsigned long long)mask->labels);
	return LABELAUDIT_OK;
}
