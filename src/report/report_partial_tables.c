/* Members of "partial": the tables of a dataset by id, format, size and palette. */
#include "base/mem.h"
#include "report/report_partial_parts.h"

/* [id, labels, files, thin, between in rows, in columns, example if there is one] */
void partial_write_ids(struct json_writer *w, const struct report *r)
{
	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < r->dataset->ids_count; i++) {
		const struct id_total *t = &r->dataset->ids[i];
		const uint64_t rest[] = { t->labels, t->files, t->thin, t->between[0], t->between[1] };

		json_begin_array(w, JSON_INLINE);
		json_i64(w, t->id);
		for (size_t k = 0; k < ARRAY_SIZE(rest); k++)
			json_u64(w, rest[k]);
		if (t->example)
			partial_write_path(w, t->example);
		json_end(w);
	}
	json_end(w);
}

static bool read_id(struct json_values *v, struct id_total *t)
{
	uint64_t *const rest[] = { &t->labels, &t->files, &t->thin, &t->between[0], &t->between[1] };

	if (!partial_begin_row(v) || !values_i64(v, &t->id))
		return false;
	for (size_t k = 0; k < ARRAY_SIZE(rest); k++)
		if (!values_next_u64(v, rest[k]))
			return false;
	if (!values_element(v))
		return !v->failed;
	return partial_read_path(v, &t->example) && values_array_end(v);
}

bool partial_read_ids(struct json_values *v, struct report_file *f)
{
	struct dataset_stats *d = &f->dataset;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		if (d->ids_count == DATASET_IDS_MAX)
			return values_fail(v, "there are more than %d ids", DATASET_IDS_MAX);
		GROW(d->ids, d->ids_cap, d->ids_count + 1);
		struct id_total *t = &d->ids[d->ids_count++];

		*t = (struct id_total){ .id = 0 };
		if (!read_id(v, t))
			return false;
	}
	return !v->failed;
}

/* [format, colour type, bit depth, interlace, dtype, files, example] */
void partial_write_formats(struct json_writer *w, const struct report *r)
{
	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < r->dataset->formats_count; i++) {
		const struct format_total *t = &r->dataset->formats[i];

		json_begin_array(w, JSON_INLINE);
		json_u64(w, t->format);
		json_u64(w, t->colour_type);
		json_u64(w, t->bit_depth);
		json_u64(w, t->interlace);
		json_u64(w, t->dtype);
		partial_write_tally(w, t->tally.files, t->tally.example);
		json_end(w);
	}
	json_end(w);
}

bool partial_read_formats(struct json_values *v, struct report_file *f)
{
	struct dataset_stats *d = &f->dataset;
	uint64_t last = 0;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		uint64_t key[5], order = 0;

		if (!partial_begin_row(v) || !values_u64(v, &key[0]))
			return false;
		for (size_t k = 1; k < ARRAY_SIZE(key); k++)
			if (!values_next_u64(v, &key[k]))
				return false;
		for (size_t k = 0; k < ARRAY_SIZE(key); k++) {
			if (key[k] > UINT8_MAX)
				return values_fail(v, "a format that there is not");
			order = order << 8 | key[k];
		}
		if (d->formats_count && order <= last)
			return values_fail(v, "the rows are not sorted");
		last = order;
		GROW(d->formats, d->formats_cap, d->formats_count + 1);
		struct format_total *t = &d->formats[d->formats_count++];

		*t = (struct format_total){ .format = (uint8_t)key[0],
					    .colour_type = (uint8_t)key[1],
					    .bit_depth = (uint8_t)key[2],
					    .interlace = (uint8_t)key[3],
					    .dtype = (uint8_t)key[4] };
		if (!partial_read_tally(v, &t->tally.files, &t->tally.example))
			return false;
	}
	return !v->failed;
}

/* [height, width, files] */
void partial_write_sizes(struct json_writer *w, const struct report *r)
{
	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < r->dataset->sizes_count; i++) {
		const struct size_total *t = &r->dataset->sizes[i];

		json_begin_array(w, JSON_INLINE);
		json_u64(w, t->height);
		json_u64(w, t->width);
		json_u64(w, t->files);
		json_end(w);
	}
	json_end(w);
}

bool partial_read_sizes(struct json_values *v, struct report_file *f)
{
	struct dataset_stats *d = &f->dataset;
	uint64_t row[3], last = 0;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		if (!values_counts(v, row, 3))
			return false;
		if (row[0] > UINT32_MAX || row[1] > UINT32_MAX || d->sizes_count == SIZES_MAX)
			return values_fail(v, "a size that no file has, or too many of them");
		if (d->sizes_count && (row[0] << 32 | row[1]) <= last)
			return values_fail(v, "the rows are not sorted");
		last = row[0] << 32 | row[1];
		GROW(d->sizes, d->sizes_cap, d->sizes_count + 1);
		d->sizes[d->sizes_count++] = (struct size_total){ (uint32_t)row[0], (uint32_t)row[1], row[2] };
	}
	return !v->failed;
}

/* [index << 24 | 0xRRGGBB, files, example] */
void partial_write_palettes(struct json_writer *w, const struct report *r)
{
	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < r->dataset->palettes.count; i++) {
		const struct palette_total *t = &r->dataset->palettes.v[i];

		json_begin_array(w, JSON_INLINE);
		json_u64(w, t->key);
		partial_write_tally(w, t->files, t->example);
		json_end(w);
	}
	json_end(w);
}

bool partial_read_palettes(struct json_values *v, struct report_file *f)
{
	struct palette_totals *p = &f->dataset.palettes;

	if (!values_array(v))
		return false;
	while (values_element(v)) {
		uint64_t key;

		if (!partial_begin_row(v) || !values_u64(v, &key))
			return false;
		if (key > UINT32_MAX || p->count == PALETTE_TOTALS_MAX || (p->count && p->v[p->count - 1].key >= key))
			return values_fail(v, "the rows are not sorted, or too many");
		GROW(p->v, p->cap, p->count + 1);
		struct palette_total *t = &p->v[p->count++];

		*t = (struct palette_total){ (uint32_t)key, 0, NULL };
		if (!partial_read_tally(v, &t->files, &t->example))
			return false;
	}
	return !v->failed;
}
