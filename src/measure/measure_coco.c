/* Measures COCO files: maps category ids to classes as training code does (enum coco_mapping), and counts them. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "measure/label_measurer.h"
#include "png/decode.h"
#include "png/loaders.h"
#include "read/coco.h"
#include "read/coco_facts.h"
#include "read/offenders.h"

/* ---- the mapping ------------------------------------------------------------------------------------------------ */

/* Returns C if exactly 0..C-1 is declared, else 0. */
static uint64_t plain_class_count(const struct settings *settings)
{
	const struct id_ranges *r = &settings->classes.classes;

	if (settings->reduce_zero_label || r->count != 1 || r->v[0].first != 0 || r->v[0].last == INT64_MAX)
		return 0;
	return (uint64_t)r->v[0].last + 1;
}

static bool is_declared(const struct settings *settings, int64_t id)
{
	return class_set_role(&settings->classes, id) != ID_INVALID;
}

static enum coco_mapping choose_mapping(const struct settings *settings, const struct coco_file *f)
{
	uint64_t listed = 0, classes = settings->coco_ids == COCO_IDS_AS_IS ? 0 : plain_class_count(settings);
	bool declared = true, first_is_empty_zero = false;

	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];

		if (!c->listed)
			continue;
		first_is_empty_zero = first_is_empty_zero || (!listed && c->id == 0 && !c->labels);
		listed++;
		declared = declared && is_declared(settings, c->id);
	}
	if (declared || !classes)
		return COCO_AS_LISTED;
	if (listed == classes)
		return COCO_MAPPED;
	return listed == classes + 1 && first_is_empty_zero ? COCO_MAPPED_WITHOUT_DUMMY : COCO_AS_LISTED;
}

/* Gives the listed categories their classes, in rising order. */
static void map_categories(struct coco_file *f, enum coco_mapping mapping)
{
	int64_t next = mapping == COCO_MAPPED_WITHOUT_DUMMY ? -1 : 0;

	for (size_t i = 0; i < f->categories_count; i++) {
		struct coco_category *c = &f->categories[i];

		c->class_id = mapping == COCO_AS_LISTED ? c->id : next;
		c->has_class = c->listed && (mapping == COCO_AS_LISTED || next >= 0);
		next += c->listed;
	}
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void compare_name(const struct settings *settings, const struct coco_file *f, const struct coco_category *c,
			 struct coco_stats *out)
{
	const char *declared = c->has_class ? class_set_get_name(&settings->classes, c->class_id) : NULL,
		   *name = coco_category_name(f, c);

	/* truncated names are not compared */
	if (!declared || !name || c->name_len >= COCO_NAME_MAX - 3)
		return;
	if (!coco_same_name(name, c->name_len, declared)) {
		if (out->renamed++)
			return;
		out->renamed_id = c->id;
		out->renamed_class = c->class_id;
	} else if (strlen(declared) != c->name_len || memcmp(name, declared, c->name_len) != 0) {
		if (out->respelled++)
			return;
		out->respelled_id = c->id;
		out->respelled_class = c->class_id;
	}
}

/* ---- the map for rules ----------------------------------------------------------------------------------------- */

static void add_entry(struct coco_map_entry *e, const struct coco_file *f, const struct coco_category *c)
{
	const char *name = coco_category_name(f, c);
	size_t n = name ? utf8_cut(name, c->name_len, COCO_MAP_NAME - 1) : 0;

	*e = (struct coco_map_entry){
		.id = c->id, .class_id = c->class_id, .has_class = c->has_class, .labels = c->labels
	};
	for (size_t i = 0; i < n; i++)
		e->name[i] = name[i] ? name[i] : ' ';
}

static struct coco_map *make_map(const struct coco_file *f)
{
	size_t listed = 0, unknown = 0, at[2] = { 0, 0 };

	for (size_t i = 0; i < f->categories_count; i++)
		*(f->categories[i].listed ? &listed : &unknown) += 1;
	listed = MIN(listed, (size_t)COCO_MAP_LISTED_MAX);
	unknown = MIN(unknown, (size_t)COCO_MAP_MAX);

	struct coco_map *map = xcalloc(1, sizeof(*map) + (listed + unknown) * sizeof(map->entries[0]));

	map->listed_count = listed;
	map->unknown_count = unknown;
	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];

		if (c->listed && at[0] < listed)
			add_entry(&map->entries[at[0]++], f, c);
		else if (!c->listed && at[1] < unknown)
			add_entry(&map->entries[listed + at[1]++], f, c);
	}
	return map;
}

/* ---- panoptic PNGs ----------------------------------------------------------------------------------------------
 * A pixel's segment id is R + 256 G + 65536 B; 0 is no segment (https://cocodataset.org/#format-data, "Panoptic
 * Segmentation"). The PNGs of DIR/NAME.json lie in DIR/NAME; without that folder, nothing is compared. File names come
 * from the JSON: only those that stay in the folder are opened.
 */

/* Distinct ids counted in one PNG: as many as an annotation may have segments, and as many that are none. */
enum { IDS_MAX = 2 * COCO_SEGMENTS_MAX };

struct id_count {
	uint32_t id;
	bool is_segment;
	uint64_t pixels;
};

struct panoptic {
	struct strbuf path; /* of the folder, and of the current PNG in it */
	size_t folder_len;
	const struct settings *settings;
	struct input input;
	struct sample sample; /* of the current PNG */
	struct id_count *ids; /* of that PNG; owned, IDS_MAX */
	size_t ids_count;
	struct table table; /* of ids */
};

/* Returns NULL if there is no such folder for the JSON at `path`. */
static struct panoptic *panoptic_open(const char *path, const struct settings *settings)
{
	size_t n = strlen(path);
	struct strbuf folder = STRBUF_INIT;
	struct panoptic *p = NULL;

	if (n <= 5 || strcmp(path + n - 5, ".json") != 0)
		return NULL;
	strbuf_add(&folder, path, n - 5);
	strbuf_addch(&folder, '/');
	if (access(folder.s, X_OK) < 0) {
		strbuf_release(&folder);
		return NULL;
	}
	p = xcalloc(1, sizeof(*p));
	p->folder_len = folder.len;
	p->path = folder;
	p->settings = settings;
	input_init(&p->input);
	p->ids = xmalloc(IDS_MAX * sizeof(*p->ids));
	return p;
}

static void panoptic_close(struct panoptic *p)
{
	if (!p)
		return;
	strbuf_release(&p->path);
	input_release(&p->input);
	free(p->ids);
	table_release(&p->table);
	free(p);
}

static void clear_counts(struct panoptic *p)
{
	table_clear(&p->table);
	p->ids_count = 0;
}

static struct id_count *find_id(const struct panoptic *p, uint32_t id)
{
	uint64_t hash = hash_mix(id ^ hash_seed());
	uint32_t i;

	for (size_t at = table_start(&p->table, hash); (i = table_next(&p->table, hash, &at)) != TABLE_NONE;)
		if (p->ids[i].id == id)
			return &p->ids[i];
	return NULL;
}

/* Ids beyond IDS_MAX are not counted: the PNG is a photograph, and enough of its ids are unknown. */
static void count_pixels(struct panoptic *p, uint32_t id, uint64_t pixels)
{
	struct id_count *count = find_id(p, id);

	if (!count) {
		if (p->ids_count == IDS_MAX)
			return;
		table_add(&p->table, hash_mix(id ^ hash_seed()), p->ids_count);
		count = &p->ids[p->ids_count++];
		*count = (struct id_count){ .id = id };
	}
	count->pixels += pixels;
}

static void count_row(struct panoptic *p, const uint8_t *rgb, uint32_t width)
{
	uint32_t from = 0;

	for (uint32_t x = 1; x <= width; x++) {
		const uint8_t *first = rgb + 3 * (size_t)from;

		if (x < width && !memcmp(first, rgb + 3 * (size_t)x, 3))
			continue;
		count_pixels(p, first[0] | (uint32_t)first[1] << 8 | (uint32_t)first[2] << 16, x - from);
		from = x;
	}
}

/* Counts the pixels of one PNG by id. Returns false if it, or the loader of the view, cannot read it, or if it does not
 * have 3 channels of 8 bits. */
static bool count_png(struct panoptic *p, const char *name)
{
	struct sample *sample = &p->sample;
	struct png_decoder *d;
	bool ok;

	memset(sample, 0, sizeof(*sample));
	fault_clear(&sample->fault);
	fault_clear(&sample->warning);
	p->path.len = p->folder_len;
	strbuf_adds(&p->path, name);
	if (!relative_path_is_inside(name) || !input_open(&p->input, AT_FDCWD, p->path.s, &sample->fault) ||
	    !png_decoder_open(&d, &p->input, &p->settings->limits, sample))
		return false;
	ok = sample->png.channels == 3 && sample->png.bit_depth == 8;
	for (uint32_t y = 0; ok && y < sample->png.height; y++) {
		const uint8_t *row = png_decoder_row(d);

		ok = row;
		if (ok)
			count_row(p, row, sample->png.width);
	}
	ok = ok && png_decoder_finish(d) && !refusal_is_error(loader_refusal(sample, p->settings->view));
	png_decoder_close(d);
	return ok;
}

static void note(struct coco_file *file, enum coco_trouble trouble, uint64_t id, const struct coco_panoptic *a)
{
	const uint64_t key = key_of_numbers(key_of_bytes(a->file_name, strlen(a->file_name)), id);

	coco_note(file, trouble, (int64_t)id, &(struct coco_place){ a->line, a->column, key });
}

/* Compares the PNG of an annotation with its segments. */
static void panoptic_compare(struct panoptic *p, const struct coco_panoptic *a, struct coco_file *file)
{
	clear_counts(p);
	if (!count_png(p, a->file_name)) {
		note(file, COCO_PNG_MISSING, 0, a);
		return;
	}
	file->facts.pngs++;
	if (a->width && a->height && (a->width != p->sample.png.width || a->height != p->sample.png.height))
		note(file, COCO_PNG_SIZE, 0, a);
	for (size_t i = 0; i < a->segments_count; i++) {
		const struct coco_segment *segment = &a->segments[i];
		struct id_count *count = segment->id <= 0xffffff ? find_id(p, (uint32_t)segment->id) : NULL;

		if (!count) {
			note(file, COCO_SEGMENT_NOT_PNG, segment->id, a);
			continue;
		}
		if (count->is_segment)
			note(file, COCO_SAME_SEGMENT, segment->id, a);
		count->is_segment = true;
		if (segment->has_area && segment->area != count->pixels)
			note(file, COCO_SEGMENT_AREA, segment->id, a);
	}
	for (size_t i = 0; i < p->ids_count; i++)
		if (p->ids[i].id && !p->ids[i].is_segment)
			note(file, COCO_SEGMENT_UNKNOWN, p->ids[i].id, a);
}

/* ---- measuring -------------------------------------------------------------------------------------------------- */

/* Appends a row per class that occurs. They are sorted, because categories are. */
static void add_rows(const struct settings *settings, const struct coco_file *f, struct label_stats *stats,
		     struct batch *batch)
{
	struct coco_stats *coco = &stats->coco;
	size_t n = 0;

	for (size_t i = 0; i < f->categories_count; i++)
		n += f->categories[i].listed && f->categories[i].labels;
	struct id_stats *row = batch_add_ids(batch, n);

	stats->ids_count = n;
	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];

		if (!c->listed)
			continue;
		bool declared = !c->has_class || is_declared(settings, c->class_id);

		coco->lowest = coco->listed ? coco->lowest : c->id;
		coco->highest = c->id;
		coco->listed++;
		coco->dummy |= c->is_dummy;
		coco->undeclared |= !declared;
		compare_name(settings, f, c, coco);
		if (!c->labels)
			continue;
		*row = (struct id_stats){ .id = c->class_id, .labels = c->labels, .first_index = NO_INDEX };
		if (!declared)
			row->first_index = PLACE_OF_TEXT(c->line, c->column);
		stats->min = stats->labels ? stats->min : c->class_id;
		stats->max = c->class_id;
		stats->labels += c->labels;
		row++;
	}
}

/* Moves the keys of what has a trouble, and of annotations out of range, to the sample. */
static void move_offenders(struct label_measurer *m, struct sample *sample, struct coco_file *f)
{
	_Static_assert((int)COCO_TROUBLES <= (int)OFFENDER_KINDS, "kinds of offenders");
	for (size_t i = 0; i < COCO_TROUBLES; i++) {
		if (!f->troubles[i].total)
			continue;
		label_measurer_offenders(m, sample)->kinds[i] = f->troubles[i];
		memset(&f->troubles[i], 0, sizeof(f->troubles[i]));
	}
	for (size_t i = 0; i < f->categories_count; i++) {
		const struct coco_category *c = &f->categories[i];

		if (c->has_class && c->labels && !is_declared(m->settings, c->class_id))
			key_set_merge(&label_measurer_offenders(m, sample)->invalid, &c->keys);
	}
}

/* The context of the hook. */
struct coco_listener {
	struct panoptic *pngs;
	struct label_measurer *m;
	const struct sample *sample;
};

static void compare_panoptic(void *self, const struct coco_panoptic *a, struct coco_file *file)
{
	panoptic_compare(((struct coco_listener *)self)->pngs, a, file);
}

static void add_image(void *self, const struct listed_image *image)
{
	const struct coco_listener *l = self;

	if (l->sample->groups)
		label_measurer_group(l->m, image->name, image->n);
	label_measurer_image(l->m, image);
}

bool measure_coco(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;
	struct label_stats *stats = &item->stats;
	struct coco_file file;
	/* a member of an archive has no folder beside it */
	struct panoptic *pngs = sample->member ? NULL : panoptic_open(sample->path, m->settings);
	struct coco_listener listener = { pngs, m, sample };

	label_measurer_begin_groups(m, sample);
	label_measurer_begin_images(m, sample);

	const struct coco_hook hook = { .panoptic = pngs ? compare_panoptic : NULL,
					.image = sample->groups || sample->images ? add_image : NULL,
					.context = &listener };

	coco_file_init(&file);
	bool read = coco_read(&file, &item->input, &hook, &sample->fault);

	label_measurer_end_images(m, sample);
	panoptic_close(pngs);
	if (!read)
		return false;
	stats->coco.facts = file.facts;
	stats->coco.mapping = choose_mapping(m->settings, &file);
	map_categories(&file, (enum coco_mapping)stats->coco.mapping);
	stats->ids_at = batch->ids_count;
	add_rows(m->settings, &file, stats, batch);
	move_offenders(m, sample, &file);

	struct coco_map *map = make_map(&file);

	map->next = m->coco_maps;
	m->coco_maps = map;
	sample->coco = map;
	coco_file_release(&file);
	return true;
}
