#include "judge/wording.h"

#include <inttypes.h>

#include "base/mem.h"
#include "judge/role.h"
#include "read/coco_file.h"
#include "read/listed_images.h"
#include "read/offenders.h"

/* A sentence with more ranges is hard to read. */
enum { RANGES_MAX = 12 };

struct text text_files(uint64_t files, const char *example)
{
	struct text t = { 0 };

	text_addf(&t, "%" PRIu64 " %s", files, plural(files, "file", "files"));
	if (example)
		text_addf(&t, ", first in %s", example);
	return t;
}

struct text text_class(const struct settings *settings, int64_t id)
{
	const char *name = class_set_get_name(&settings->classes, settings_trained_id(settings, id));
	struct text t = { 0 };

	text_addf(&t, "%s %" PRId64, settings->reduce_zero_label ? "id" : "class", id);
	if (name)
		text_addf(&t, " (%s)", name);
	return t;
}

struct text text_percent(uint64_t part, uint64_t whole)
{
	struct text t = { 0 };

	if (!whole)
		return t;
	while (part > UINT64_MAX / 2001) { /* above 2^53 labels the low bits do not show in one decimal */
		part >>= 1;
		whole >>= 1;
	}
	uint64_t tenths = (2000 * part + whole) / (2 * whole);

	if (part && !tenths)
		text_addf(&t, " (under 0.1 %%)");
	else
		text_addf(&t, " (%" PRIu64 ".%" PRIu64 " %%)", tenths / 10, tenths % 10);
	return t;
}

struct text text_compared(const struct content_table *contents, const char *things)
{
	uint64_t share = content_table_share(contents);
	struct text t = { 0 };

	if (share > 1)
		text_addf(&t, " (1 in %" PRIu64 " %s was compared)", share, things);
	return t;
}

struct text text_category(const struct coco_map *map, int64_t id)
{
	struct text t = { 0 };

	for (size_t i = 0; map && i < map->listed_count; i++) {
		if (map->entries[i].id != id)
			continue;
		if (map->entries[i].name[0])
			text_addf(&t, " '%s'", map->entries[i].name);
		break;
	}
	return t;
}

/* ---- ids as ranges ---------------------------------------------------------------------------------------------- */

struct text text_id(int64_t id)
{
	struct text t = { 0 };

	if (id_is_colour(id))
		text_addf(&t, "#%06" PRIx32, colour_of_id(id));
	else
		text_addf(&t, "%" PRId64, id);
	return t;
}

/* Writes ids, which come in rising order, as ranges; colours one by one. Counts those after RANGES_MAX ranges. */
struct range_writer {
	struct text *text;
	unsigned ranges;
	bool open;
	int64_t first, last;
	uint64_t unwritten;
};

static void range_writer_close(struct range_writer *w)
{
	if (!w->open)
		return;
	w->open = false;
	if (w->ranges == RANGES_MAX) {
		w->unwritten += (uint64_t)w->last - (uint64_t)w->first + 1;
		return;
	}
	text_addf(w->text, "%s%s", w->ranges ? ", " : "", text_id(w->first).s);
	if (w->last != w->first) /* -3--2 would be hard to read */
		text_addf(w->text, "%s%s", w->first < 0 ? " to " : "-", text_id(w->last).s);
	w->ranges++;
}

static void range_writer_add(struct range_writer *w, int64_t first, int64_t last)
{
	if (w->open && w->last < INT64_MAX && first <= w->last + 1 && !id_is_colour(first)) {
		w->last = MAX(w->last, last);
		return;
	}
	range_writer_close(w);
	w->open = true;
	w->first = first;
	w->last = last;
}

static void range_writer_end(struct range_writer *w, uint64_t more)
{
	range_writer_close(w);
	if (w->unwritten + more)
		text_addf(w->text, " and %" PRIu64 " more", w->unwritten + more);
}

struct text text_finding_ids(const struct finding *f)
{
	const struct finding_details *d = &f->details;
	struct text t = { 0 };
	struct range_writer w = { .text = &t };

	if (d->ids_count && id_is_colour(d->ids[0].id))
		text_addf(&t, "the %s ", plural(d->ids_total, "colour", "colours"));
	else
		text_addf(&t, d->ids_total == 1 ? "id " : "ids ");
	for (size_t i = 0; i < d->ids_count; i++)
		range_writer_add(&w, d->ids[i].id, d->ids[i].id);
	range_writer_end(&w, d->ids_total - d->ids_count);
	return t;
}

struct text text_ids(const int64_t *ids, size_t n)
{
	struct text t = { 0 };
	struct range_writer w = { .text = &t };

	for (size_t i = 0; i < n; i++)
		range_writer_add(&w, ids[i], ids[i]);
	range_writer_end(&w, 0);
	return t;
}

/* Appends the ids in files that train one of r; with the zero label reduced, never 0 and 255: see judge/role.h. */
static void add_classes(struct text *t, const struct id_ranges *r, bool reduced)
{
	struct range_writer w = { .text = t };

	for (size_t i = 0; i < r->count; i++) {
		int64_t first = r->v[i].first, last = r->v[i].last;

		if (!reduced) {
			range_writer_add(&w, first, last);
			continue;
		}
		if (first < 0)
			range_writer_add(&w, first, MIN(last, -1));
		first = MAX(first, 0) + 1;
		last++;
		if (first < REDUCED_ZERO && first <= last)
			range_writer_add(&w, first, MIN(last, REDUCED_ZERO - 1));
		if (last > REDUCED_ZERO)
			range_writer_add(&w, MAX(first, REDUCED_ZERO + 1), last);
	}
	range_writer_end(&w, 0);
}

/* Appends the ids in files that are ignored: with the zero label reduced 0, 255, and those of r but 256 (255 + 1). */
static void add_ignored(struct text *t, const struct id_ranges *r, bool reduced)
{
	static const int64_t always[] = { 0, REDUCED_ZERO };
	struct range_writer w = { .text = t };
	size_t next = reduced ? 0 : ARRAY_SIZE(always);

	for (size_t i = 0; i < r->count; i++) {
		int64_t first = r->v[i].first, last = r->v[i].last;

		if (reduced && first == REDUCED_ZERO && last == REDUCED_ZERO)
			continue;
		first += reduced && first >= 0;
		last += reduced && last >= 0;
		for (; next < ARRAY_SIZE(always) && always[next] <= first; next++)
			range_writer_add(&w, always[next], always[next]);
		range_writer_add(&w, first, last);
	}
	for (; next < ARRAY_SIZE(always); next++)
		range_writer_add(&w, always[next], always[next]);
	range_writer_end(&w, 0);
}

struct text text_valid_ids(const struct settings *settings)
{
	const struct class_set *s = &settings->classes;
	bool reduced = settings->reduce_zero_label;
	struct text t = { 0 };

	text_addf(&t, s->classes.count ? "valid ids are " : "no id is valid");
	add_classes(&t, &s->classes, reduced);
	text_addf(&t, s->ignored.count || reduced ? ", ignored " : "");
	add_ignored(&t, &s->ignored, reduced);
	text_addf(&t, reduced ? " (--reduce-zero-label)" : "");
	return t;
}

/* ---- positions -------------------------------------------------------------------------------------------------- */

/* Sets the first offender by its row-major index. An array of more than FIRST_AXES_MAX axes is indexed as if flat. */
static void set_array_index(struct finding_details *d, const struct array_header *array, uint64_t index)
{
	d->first_kind = FIRST_INDEX;
	d->first_rank = array->rank && array->rank <= FIRST_AXES_MAX ? array->rank : 1;
	if (d->first_rank != array->rank) {
		d->first_at[0] = index;
		return;
	}
	for (unsigned axis = array->rank; axis-- > 0;) {
		d->first_at[axis] = array->shape[axis] ? index % array->shape[axis] : 0;
		index = array->shape[axis] ? index / array->shape[axis] : 0;
	}
}

const char *array_loader(const struct sample *sample)
{
	return sample->container == FORMAT_NRRD        ? "nrrd.read(f)[0]"
	       : sample->container == FORMAT_METAIMAGE ? "sitk.GetArrayFromImage(sitk.ReadImage(f)).T"
	       : sample->format == FORMAT_NIFTI        ? "np.asarray(nibabel.load(f).dataobj)"
						       : "np.load(f)";
}

struct text text_index(const struct array_header *array, uint64_t index)
{
	struct finding_details d;
	struct text t = { 0 };

	set_array_index(&d, array, index);
	for (unsigned i = 0; i < d.first_rank; i++)
		text_addf(&t, "%s%" PRIu64, i ? ", " : "[", d.first_at[i]);
	text_addf(&t, "]");
	return t;
}

void extent_add(struct extent *e, const struct id_stats *row)
{
	if (row->first_index == NO_INDEX)
		return;
	if (row->first_index < e->first_index) {
		e->first_index = row->first_index;
		e->first_id = row->id;
	}
	e->x0 = MIN(e->x0, row->x0);
	e->y0 = MIN(e->y0, row->y0);
	e->x1 = MAX(e->x1, row->x1);
	e->y1 = MAX(e->y1, row->y1);
}

static void set_line(struct finding_details *d, int64_t id, uint64_t line, uint64_t column)
{
	d->has_first = true;
	d->first_kind = FIRST_LINE;
	d->first_id = id;
	d->first_x = column;
	d->first_y = line;
}

void finding_set_extent(struct finding *f, const struct extent *e, const struct sample *sample)
{
	struct finding_details *d = &f->details;

	if (e->first_index == NO_INDEX)
		return;
	d->has_first = true;
	d->first_id = e->first_id;
	if (sample_is_array(sample)) {
		set_array_index(d, &sample->array, e->first_index);
		return;
	}
	if (sample->format != FORMAT_PNG) {
		set_line(d, e->first_id, e->first_index >> PLACE_COLUMN_BITS, e->first_index & PLACE_COLUMN_MAX);
		return;
	}
	d->first_kind = FIRST_XY;
	d->first_x = e->first_index % sample->png.width;
	d->first_y = e->first_index / sample->png.width;
	d->has_bbox = true;
	d->bbox[0] = e->x0;
	d->bbox[1] = e->y0;
	d->bbox[2] = (uint64_t)e->x1 - e->x0 + 1;
	d->bbox[3] = (uint64_t)e->y1 - e->y0 + 1;
}

/* ---- problems --------------------------------------------------------------------------------------------------- */

bool fault_finding(struct finding *f, const struct fault *fault, enum fault_kind kind, const char *advice)
{
	if (fault->kind != kind)
		return false;
	text_addf(&f->message, "%s", fault->text);
	if (fault->line && fault->column)
		text_addf(&f->message, " (line %" PRIu64 ", column %" PRIu64 ")", fault->line, fault->column);
	else if (fault->line)
		text_addf(&f->message, " (line %" PRIu64 ")", fault->line);
	text_addf(&f->advice, "%s", fault->advice[0] || !advice ? fault->advice : advice);
	f->details.offset = fault->offset;
	f->details.line = fault->line;
	f->details.column = fault->column;
	return true;
}

static void add_phrase(struct text *t, uint64_t n, const struct phrase *p)
{
	text_addf(t, "%" PRIu64 " %s%s%s", n, plural(n, p->one, p->many), *p->rest ? " " : "", p->rest);
}

void finding_set_row(struct finding *f, const struct row_tally *tally, const char *first)
{
	f->details.line = tally->first >> PLACE_COLUMN_BITS;
	f->details.column = tally->first & PLACE_COLUMN_MAX;
	text_addf(&f->message, " (%sline %" PRIu64 ", column %" PRIu64 ")",
		  first             ? first
		  : tally->rows > 1 ? "first: "
				    : "",
		  f->details.line, f->details.column);
}

void finding_add_offenders(struct finding *f, const struct sample *sample, unsigned kind, uint64_t count)
{
	f->details.count += count;
	if (sample->offenders)
		finding_add_keys(f, &sample->offenders->kinds[kind]);
}

/* noun: a row, or an item of the lists that rows hold. */
static bool rows_finding(struct finding *f, const struct sample *sample, const char *noun, uint64_t rows,
			 const struct row_tally *tallies, const struct phrase *p)
{
	struct row_tally all = { 0, UINT64_MAX };

	for (; p->one; p++) {
		const struct row_tally *tally = &tallies[p->kind];

		if (!tally->rows)
			continue;
		if (!all.rows)
			text_addf(&f->message, "of %" PRIu64 " %s%s", rows, noun, plural(rows, "", "s"));
		text_addf(&f->message, ", ");
		add_phrase(&f->message, tally->rows, p);
		finding_add_offenders(f, sample, p->kind, tally->rows);
		all.rows += tally->rows;
		all.first = MIN(all.first, tally->first);
	}
	if (all.rows)
		finding_set_row(f, &all, NULL);
	return all.rows;
}

static bool coco_finding(struct finding *f, const struct sample *sample, const struct coco_facts *facts,
			 const struct phrase *p)
{
	const struct coco_trouble_count *first = NULL;

	for (; p->one; p++) {
		const struct coco_trouble_count *t = &facts->trouble[p->kind];

		if (!t->count)
			continue;
		text_addf(&f->message, f->message.len ? "; " : "");
		add_phrase(&f->message, t->count, p);
		finding_add_offenders(f, sample, p->kind, t->count);
		if (t->line &&
		    (!first || t->line < first->line || (t->line == first->line && t->column < first->column)))
			first = t;
	}
	if (first) {
		text_addf(&f->message, " (first at line %" PRIu64 ", column %" PRIu64 ")", first->line, first->column);
		set_line(&f->details, first->id, first->line, first->column);
	}
	return f->message.len;
}

bool phrases_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
		     const struct phrase *phrases)
{
	if (sample->format == FORMAT_LIST)
		return rows_finding(f, sample, row_noun(&stats->list), stats->list.rows, stats->list.faults, phrases);
	if (sample->format == FORMAT_YOLO)
		return rows_finding(f, sample, "row", stats->boxes.rows, stats->boxes.faults, phrases);
	return sample->format == FORMAT_COCO && coco_finding(f, sample, &stats->coco.facts, phrases);
}

void images_unasked(struct finding *f, const struct rule_input *s)
{
	if (s->pairing ? !s->settings->images.folder : !s->sample->images->declared)
		f->level = LEVEL_WARNING;
}

bool images_finding(struct finding *f, const struct sample *sample, unsigned trouble, const char *one, const char *many)
{
	const struct image_tally *t = sample->images ? &sample->images->tallies[trouble] : NULL;

	if (!t || !t->images)
		return false;
	text_addf(&f->message, "of %" PRIu64 " image%s, %" PRIu64 " %s (%s%s)", sample->images->judged,
		  plural(sample->images->judged, "", "s"), t->images, plural(t->images, one, many),
		  t->images > 1 ? "first: " : "", t->text);
	set_line(&f->details, 0, t->line, t->column);
	f->details.count += t->images;
	finding_add_keys(f, &t->keys);
	return true;
}

void finding_map(struct finding *f, int64_t from, int64_t to)
{
	text_addf(&f->details.map, "%s%" PRId64 " -> %" PRId64, f->details.map.len ? ", " : "", from, to);
}

void coco_add_map(struct finding *f, const struct coco_map *map)
{
	for (size_t i = 0; map && i < MIN(map->listed_count, (size_t)COCO_MAP_MAX); i++) {
		const struct coco_map_entry *e = &map->entries[i];

		if (e->has_class)
			finding_map(f, e->id, e->class_id);
	}
}

/* Returns whether a category has the name of a class; true if it has none, or its name is cut. */
static bool is_class(const struct class_set *classes, const char *name)
{
	const size_t n = strlen(name);
	bool found = !n || n > COCO_MAP_NAME - 4;

	for (size_t i = 0; i < classes->names_count && !found; i++)
		found = classes->names[i] && coco_same_name(name, n, classes->names[i]);
	return found;
}

static bool is_category(const struct coco_map *map, const char *name)
{
	const size_t n = strlen(name);
	bool found = n > COCO_MAP_NAME - 4;

	for (size_t i = 0; i < map->listed_count && !found; i++)
		found = coco_same_name(name, n, map->entries[i].name);
	return found;
}

bool coco_say_strangers(struct text *out, const struct rule_input *s)
{
	enum { SAID = 3, COMPARISONS_MAX = 1 << 22 };
	const struct coco_map *map = s->sample->coco;
	const struct class_set *classes = &s->settings->classes;
	struct text categories = { .len = 0 }, missing = { .len = 0 };
	size_t listed = 0, strange = 0, lacking = 0;

	if (!map || map->listed_count * classes->names_count > COMPARISONS_MAX)
		return false;
	for (size_t i = 0; i < map->listed_count; i++) {
		const struct coco_map_entry *e = &map->entries[i];

		listed += e->has_class;
		if (e->has_class && !is_class(classes, e->name) && strange++ < SAID)
			text_addf(&categories, "%s%" PRId64 " '%s'", strange > 1 ? ", " : "", e->id, e->name);
	}
	for (size_t i = 0; i < classes->names_count && strange < listed; i++)
		if (classes->names[i] && !is_category(map, classes->names[i]) && lacking++ < SAID)
			text_addf(&missing, "%s%zu '%.60s'", lacking > 1 ? ", " : "", i, classes->names[i]);
	/* other names throughout; or one misspelled for each; or all the same, but in another order */
	if (strange == listed || (strange == lacking && (!strange || strange == s->stats->coco.renamed)))
		return false;
	if (strange)
		text_addf(out, "%zu %s (%s%s)", strange,
			  plural(strange, "category is no class", "categories are no classes"), categories.s,
			  strange > SAID ? ", ..." : "");
	if (lacking)
		text_addf(out, "%s%zu %s (%s%s)", strange ? "; " : "", lacking,
			  plural(lacking, "class has no category", "classes have no category"), missing.s,
			  lacking > SAID ? ", ..." : "");
	return true;
}

uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}
