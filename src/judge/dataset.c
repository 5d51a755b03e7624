#include "judge/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "base/content_hash.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/lower_bound.h"
#include "base/mem.h"
#include "judge/colours.h"
#include "judge/interpolation.h"
#include "judge/photograph.h"
#include "judge/role.h"
#include "png/view.h"
#include "read/image_groups.h"
#include "read/listed_images.h"
#include "read/yolo_layout.h"

void dataset_init(struct dataset_stats *d)
{
	memset(d, 0, sizeof(*d));
}

/* ---- ids -------------------------------------------------------------------------------------------------------- */

static bool id_is_below(const void *total, const void *id)
{
	return ((const struct id_total *)total)->id < *(const int64_t *)id;
}

/* Returns the first index from `from` on whose id is not below `id`. Files share ids: it is usually near. */
static size_t ids_lower_bound(const struct dataset_stats *d, size_t from, int64_t id)
{
	return lower_bound_near(&id, d->ids, from, d->ids_count, sizeof(*d->ids), id_is_below);
}

/*
 * Inserts the ids of rows that the table lacks. Rows are sorted, `stride` bytes apart, and begin with their int64_t id.
 * One pass from the back, so that a file of 65536 new ids costs as much as one of a few.
 */
static void ids_insert(struct dataset_stats *d, const void *rows, size_t stride, size_t n)
{
	const char *row = rows;
	size_t missing = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t id;

		memcpy(&id, row + i * stride, sizeof(id));
		at = ids_lower_bound(d, at, id);
		missing += at == d->ids_count || d->ids[at].id != id;
	}
	if (!missing)
		return;
	GROW(d->ids, d->ids_cap, d->ids_count + missing);

	size_t old = d->ids_count, out = d->ids_count + missing;

	d->ids_count = out;
	for (size_t i = n; i-- > 0 && out > old;) {
		int64_t id;

		memcpy(&id, row + i * stride, sizeof(id));
		while (old && d->ids[old - 1].id > id)
			d->ids[--out] = d->ids[--old];
		if (old && d->ids[old - 1].id == id)
			continue;
		d->ids[--out] = (struct id_total){ .id = id };
	}
}

static void cut_ids(struct dataset_stats *d)
{
	while (d->ids_count > DATASET_IDS_MAX)
		free(d->ids[--d->ids_count].example);
}

bool ids_may_number_instances(const struct label_stats *stats, const struct id_stats *ids, uint64_t min)
{
	const uint64_t n = stats->ids_count;

	return n >= min && ids[0].id == 0 && ids[n - 1].id <= (int64_t)(n + n / 4);
}

bool dataset_numbers_instances(const struct dataset_stats *d)
{
	enum { FILES_MIN = 3, IDS_MIN = 9, IDS_MANY = 50 };
	const uint64_t files = d->masks_with_ids;
	uint64_t places = 0;

	if (files < FILES_MIN || d->ids_count < IDS_MIN)
		return false;
	for (size_t i = 0; i < d->ids_count; i++)
		places += d->ids[i].id ? d->ids[i].files : 0;
	if (5 * d->counted[COUNTED_NUMBERED].files >= 4 * files && 2 * d->ids[3 * d->ids_count / 4].files <= files)
		return true;
	return d->ids_count >= IDS_MANY && 2 * places <= 3 * d->ids_count;
}

/* Returns the number of the file's ids that are not ignored. */
static size_t add_ids(struct dataset_stats *d, const struct settings *settings, const struct sample *sample,
		      const struct label_stats *stats, const struct id_stats *ids)
{
	bool ignored = false, zero = false, other = false, mask = sample_is_mask(sample);
	size_t at = 0, trained = 0;

	_Static_assert(offsetof(struct id_stats, id) == 0 && offsetof(struct id_total, id) == 0, "see ids_insert");
	ids_insert(d, ids, sizeof(*ids), (size_t)stats->ids_count);
	for (size_t i = 0; i < stats->ids_count; i++) {
		const struct id_stats *row = &ids[i];
		enum id_role role = settings_role(settings, row->id);

		at = ids_lower_bound(d, at, row->id);
		struct id_total *total = &d->ids[at];

		total->labels += row->labels;
		total->files++;
		total->thin += row->thin;
		for (int line = 0; line < 2; line++)
			total->between[line] += row->between[line];
		if (role == ID_INVALID)
			example_add(&total->example, sample);
		trained += role != ID_IGNORED;
		if (role == ID_IGNORED)
			ignored = true;
		else if (row->id == 0)
			zero = true;
		else
			other = true;
	}
	if (mask && ids_may_number_instances(stats, ids, 2))
		file_count_add(&d->counted[COUNTED_NUMBERED], sample);
	d->files_with_ids++;
	d->files_with_ignored += ignored;
	d->masks_with_ids += mask;
	d->masks_only_zero += mask && zero && !other;
	cut_ids(d);
	return trained;
}

const struct id_total *dataset_id(const struct dataset_stats *d, int64_t id)
{
	size_t at = ids_lower_bound(d, 0, id);

	return at < d->ids_count && d->ids[at].id == id ? &d->ids[at] : NULL;
}

/* ---- formats and sizes ------------------------------------------------------------------------------------------ */

static int compare_format(const void *row, const void *key)
{
	const struct format_total *a = row, *b = key;
	const uint8_t of_a[] = { a->container, a->format, a->colour_type, a->bit_depth, a->interlace, a->dtype };
	const uint8_t of_b[] = { b->container, b->format, b->colour_type, b->bit_depth, b->interlace, b->dtype };

	return memcmp(of_a, of_b, sizeof(of_a));
}

static const struct totals_kind format_kind = { sizeof(struct format_total),
						SIZE_MAX,
						compare_format,
						{ offsetof(struct format_total, seen.example) + 1,
						  offsetof(struct format_total, name) + 1 } };

/* Returns the row of that key, which it makes if needed. */
static struct format_total *find_format(struct dataset_stats *d, const struct format_total *wanted)
{
	size_t from = 0;
	bool is_new;
	struct format_total *row = totals_row(&d->formats.totals, &format_kind, wanted, &from, &is_new);

	if (is_new) {
		*row = *wanted;
		row->seen = (struct file_count){ 0, NULL };
		row->name = NULL;
	}
	return row;
}

static uint64_t size_key(const struct size_total *s)
{
	return (uint64_t)s->height << 32 | s->width;
}

/*
 * New sizes go into a short run, which is merged with the others when it is full: an insertion moves few entries, a
 * merge all of them, so that n different sizes take n^2 / 256 moves instead of n^2 / 2.
 */
enum { SIZES_RECENT_MAX = 256 };

static bool size_is_below(const void *total, const void *key)
{
	return size_key(total) < *(const uint64_t *)key;
}

/* Returns the index of the first entry in from..end - 1 whose key is not below the given one, or end. */
static size_t sizes_lower_bound(const struct dataset_stats *d, size_t from, size_t end, uint64_t key)
{
	return lower_bound(&key, d->sizes.v, from, end, sizeof(*d->sizes.v), size_is_below);
}

/* Merges the recent sizes into the others, from the back. */
static void merge_recent_sizes(struct dataset_stats *d)
{
	struct size_total recent[SIZES_RECENT_MAX];
	size_t left = d->sizes.recent, old = d->sizes.count - left, out = d->sizes.count;

	if (!left)
		return;
	memcpy(recent, d->sizes.v + old, left * sizeof(*recent));
	while (left) {
		if (old && size_key(&d->sizes.v[old - 1]) > size_key(&recent[left - 1]))
			d->sizes.v[--out] = d->sizes.v[--old];
		else
			d->sizes.v[--out] = recent[--left];
	}
	d->sizes.count = MIN(d->sizes.count, (size_t)SIZES_MAX);
	d->sizes.recent = 0;
}

static void add_size(struct dataset_stats *d, uint32_t height, uint32_t width, uint64_t files)
{
	const struct size_total size = { height, width, files };
	size_t old = d->sizes.count - d->sizes.recent;
	size_t at = sizes_lower_bound(d, 0, old, size_key(&size));

	if (at == SIZES_MAX)
		return;
	if (at == old || size_key(&d->sizes.v[at]) != size_key(&size))
		at = sizes_lower_bound(d, old, d->sizes.count, size_key(&size));
	if (at < d->sizes.count && size_key(&d->sizes.v[at]) == size_key(&size)) {
		d->sizes.v[at].files += files;
		return;
	}
	OPEN_ENTRY(d->sizes.v, d->sizes.cap, d->sizes.count, at);
	d->sizes.v[at] = size;
	if (++d->sizes.recent == SIZES_RECENT_MAX)
		merge_recent_sizes(d);
}

/* ---- loaders that disagree -------------------------------------------------------------------------------------- */

/* cv2.imread(f, 0) turns palette entries into luma, which is harmless only if every used index equals its luma. */
static bool luma_differs(const struct png_header *png, const struct label_stats *stats)
{
	for (unsigned word = 0; word < 4; word++) {
		for (uint64_t bits = stats->raw_used[word]; bits; bits &= bits - 1) {
			unsigned i = 64 * word + (unsigned)__builtin_ctzll(bits);

			if (view_luma(png->palette[i][0], png->palette[i][1], png->palette[i][2]) != i)
				return true;
		}
	}
	return false;
}

/* Loaders that multiply, shift or wrap samples change only those other than 0. */
static bool has_non_zero_sample(const struct label_stats *stats)
{
	return stats->raw_used[0] >> 1 || stats->raw_used[1] || stats->raw_used[2] || stats->raw_used[3];
}

static void add_loaders(struct dataset_stats *d, const struct settings *settings, const struct sample *sample,
			const struct label_stats *stats)
{
	const struct png_header *png = &sample->png;

	if (sample->format != FORMAT_PNG || !stats->labels)
		return;
	if (stats->coded && png->channels > 1)
		file_count_add(&d->counted[COUNTED_READ_BY_COLOURS], sample);
	else if (settings->colours.count && !stats->coded && stats->max > 0)
		file_count_add(&d->counted[COUNTED_READ_BY_IDS], sample);
	if (stats->coded && !settings->colours.presumed)
		return; /* colours are the same for every loader */
	if (png->colour_type == PNG_PALETTE) {
		palette_totals_add(&d->palettes, sample, stats->raw_used);
		if (luma_differs(png, stats))
			file_count_add(&d->counted[COUNTED_PALETTE_LUMA], sample);
	}
	if (png->colour_type == PNG_GREY && png->bit_depth == 1 && has_non_zero_sample(stats))
		file_count_add(&d->counted[COUNTED_ONE_BIT], sample);
	if (png->colour_type == PNG_GREY && (png->bit_depth == 2 || png->bit_depth == 4) && has_non_zero_sample(stats))
		file_count_add(&d->counted[COUNTED_EXPANDED], sample);
	/* In the cv2 view an id is the high byte already. An id that is all in the low byte is then not noticed. */
	if (png->bit_depth == 16 && stats->max > 0)
		file_count_add(&d->counted[COUNTED_SIXTEEN_BIT], sample);
	if (png->bit_depth == 16 && stats->max > 255 && settings->view != VIEW_CV2)
		file_count_add(&d->counted[COUNTED_OVER_UINT8], sample);
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

static struct content_table *own_contents(struct dataset_stats *d, enum content_of of)
{
	if (!d->contents[of]) {
		d->contents[of] = xmalloc(sizeof(*d->contents[of]));
		content_table_init(d->contents[of]);
	}
	return d->contents[of];
}

void dataset_borrow_contents(struct dataset_stats *d, struct dataset_stats *owner)
{
	for (size_t i = 0; i < CONTENTS; i++)
		d->contents[i] = own_contents(owner, (enum content_of)i);
	d->contents_borrowed = true;
}

void dataset_name_split(struct dataset_stats *d, unsigned split, const char *name)
{
	free(d->split_names[split]);
	d->split_names[split] = name ? xstrdup(name) : NULL;
}

const char *dataset_split_name(const struct dataset_stats *d, unsigned split)
{
	static const char *const by_own_name[] = {
		[SPLIT_TRAIN] = "train", [SPLIT_VAL] = "val", [SPLIT_TEST] = "test"
	};
	const char *name = NULL;

	if (split < SPLITS_MAX)
		name = d->split_names[split];
	else if (split - SPLITS_MAX < ARRAY_SIZE(by_own_name))
		name = by_own_name[split - SPLITS_MAX];
	return name ? name : "a split";
}

/*
 * trained: the number of ids that are not ignored. Masks of one id are blank, or blank except for a border: many of
 * them are equal without being copies.
 */
static void add_contents(struct dataset_stats *d, const struct sample *sample, const struct label_stats *stats,
			 size_t trained)
{
	if (trained < 2 || !(stats->content[0] | stats->content[1]))
		return;
	content_table_add(own_contents(d, CONTENT_MASKS), stats->width, stats->height, stats->content, sample->split,
			  sample->path, sample->member);
}

void dataset_add_pairing(struct dataset_stats *d, const struct sample *sample, const struct pairing *pairing)
{
	const struct listed_images *listed = sample->images;

	if (sample->status != SAMPLE_READ)
		return;
	if (pairing && pairing->state == PAIR_ALONE)
		file_count_add(&d->counted[COUNTED_ALONE], sample);
	if (pairing ? !pairing->sized : !listed || !listed->photos)
		return;
	file_count_add(&d->counted[COUNTED_PHOTOS], sample);
	/* size-mismatch says how images that are turned are declared */
	const bool said = !pairing && listed->tallies[IMAGE_TURNED].images + listed->tallies[IMAGE_UPRIGHT].images;

	for (unsigned i = 0; i < PHOTO_TRAITS; i++)
		if (pairing             ? pairing->size.traits >> i & 1
		    : i == PHOTO_TURNED ? listed->traits[i] && !said
					: listed->traits[i] && 2 * listed->traits[i] < listed->photos)
			file_count_add(&d->counted[COUNTED_PHOTOS + 1 + i], sample);
}

void dataset_add_image(struct dataset_stats *d, const uint64_t content[2], unsigned split, const char *path)
{
	content_table_add(own_contents(d, CONTENT_IMAGES), 0, 0, content, split, path, NULL);
}

/*
 * Adds the groups of the images that a COCO file or a list names. Without --group: the images themselves, by their
 * names in one folder.
 */
static void add_listed_groups(struct dataset_stats *d, const struct settings *settings, const struct sample *sample)
{
	const struct image_groups *g = sample->groups;
	const unsigned split = split_of_list(sample);
	const char *path = sample->member ? sample->member : sample->path;
	struct content_table *table;
	uint64_t folder[2] = { 0, 0 };

	if (!settings->group)
		content_hash_bytes(path, (size_t)(file_name_of(path) - path), folder);
	table = own_contents(d, settings->group ? CONTENT_GROUPS : CONTENT_NAMES);
	for (size_t i = 0; i < g->count; i++) {
		const uint64_t key[2] = { g->v[i].key[0] ^ folder[0], g->v[i].key[1] ^ folder[1] };

		content_table_add(table, 0, 0, key, split, sample->path, g->names.s + g->v[i].name);
	}
}

/* Within an archive the member's name decides. */
static void add_group(struct dataset_stats *d, const struct group_pattern *pattern, const struct sample *sample)
{
	const char *group;
	uint64_t key[2];
	size_t len;

	if (!group_pattern_find(pattern, sample->member ? sample->member : sample->path, &group, &len))
		return;
	content_hash_bytes(group, len, key);
	content_table_add(own_contents(d, CONTENT_GROUPS), 0, 0, key, sample->split, sample->path, sample->member);
}

void dataset_release(struct dataset_stats *d)
{
	for (size_t i = 0; i < d->ids_count; i++)
		free(d->ids[i].example);
	for (size_t i = 0; i < COUNTED_KINDS; i++)
		free(d->counted[i].example);
	free(d->ids);
	totals_release(&d->formats.totals, &format_kind);
	free(d->sizes.v);
	coverage_release(&d->coverage);
	palette_totals_release(&d->palettes);
	split_totals_release(&d->splits);
	folder_totals_release(&d->folders);
	name_totals_release(&d->names);
	name_totals_release(&d->categories);
	fix_facts_release(&d->fix);
	for (size_t i = 0; i < SPLITS_MAX; i++)
		free(d->split_names[i]);
	for (size_t i = 0; i < CONTENTS && !d->contents_borrowed; i++) {
		if (!d->contents[i])
			continue;
		content_table_release(d->contents[i]);
		free(d->contents[i]);
	}
	dataset_init(d);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static void add_interpolation(struct dataset_stats *d, const struct settings *settings, const struct sample *sample,
			      const struct label_stats *stats, const struct id_stats *ids, bool flagged)
{
	struct interpolation_sums sums;

	if (!interpolation_applies(stats) || palette_is_white(sample, stats) ||
	    is_photograph(settings, stats, ids, flagged, NULL))
		return;
	d->tested_files += stats->ids_count >= 2;
	d->tested_flagged += flagged;
	interpolation_sum(ids, stats->ids_count, &sums);
	if (!flagged && interpolation_weak(stats, &sums))
		file_count_add(&d->counted[COUNTED_INTERPOLATION_WEAK], sample);
	if (!interpolation_informative(stats, &sums))
		return;
	d->informative_files++;
	d->informative_flagged += flagged;
	for (int line = 0; line < 2; line++) {
		d->between[line] += sums.between[line];
		d->long_between[line] += stats->long_between[line];
		d->wide_edges[line] += stats->wide_edges[line];
	}
}

/* Rows with faults have no type. */
static void add_box_type(struct dataset_stats *d, const struct sample *sample, const struct box_stats *boxes)
{
	unsigned types = 0, last = 0;

	_Static_assert(COUNTED_POSES - COUNTED_BOXES == BOX_POSE - BOX_RECTANGLE && BOX_TYPES == BOX_POSE + 1,
		       "their order");
	for (unsigned type = BOX_RECTANGLE; type < BOX_TYPES; type++) {
		types += boxes->types[type] > 0;
		last = boxes->types[type] ? type : last;
	}
	if (types == 1)
		file_count_add(&d->counted[COUNTED_BOXES + last - BOX_RECTANGLE], sample);
	if (boxes->types[BOX_POSE] && boxes->faults[BOX_UNLABELLED].rows == boxes->types[BOX_POSE])
		file_count_add(&d->counted[COUNTED_UNLABELLED], sample);
}

/* Adds the boxes of a text that has those of one image. */
static void add_boxes(struct dataset_stats *d, const struct sample *sample, const struct label_stats *stats)
{
	const bool yolo = sample->format == FORMAT_YOLO;
	const struct box_tally *const tallies[] = { yolo ? &stats->boxes.boxes : &stats->list.boxes,
						    &stats->boxes.beyond };
	uint64_t *sums = d->boxes[yolo ? BOX_CENTRE_SIZE : sample->list.box_sizes ? BOX_CORNER_SIZE : BOX_CORNERS];
	uint64_t counts[BOX_COUNTS];

	if (!yolo)
		file_count_add(&d->counted[COUNTED_FILLED_TEXTS], sample);
	if (tallies[0]->near || tallies[0]->two_class)
		file_count_add(&d->counted[COUNTED_BOX_PAIRS], sample);
	for (size_t t = 0; t < (yolo ? 2 : 1); t++) {
		memcpy(counts, tallies[t], sizeof(counts));
		for (size_t i = 0; i < BOX_COUNTS; i++)
			sums[i] += counts[i];
	}
}

struct box_tally dataset_boxes(const struct dataset_stats *d, enum box_numbers numbers)
{
	struct box_tally t = { 0 };

	memcpy(&t, d->boxes[numbers], sizeof(d->boxes[numbers]));
	return t;
}

/*
 * Counts a YOLO text. The name and the rows of one in two splits are those of one image: names alone may be numbers
 * that begin anew in each.
 */
static void add_text(struct dataset_stats *d, const struct settings *settings, const struct sample *sample,
		     const struct box_stats *boxes)
{
	const char *name = file_name_of(sample->member ? sample->member : sample->path);
	uint64_t key[2];

	file_count_add(&d->counted[boxes->rows ? COUNTED_FILLED_TEXTS : COUNTED_EMPTY_TEXTS], sample);
	if (sample->yolo_image == PARTNER_ELSEWHERE)
		file_count_add(&d->counted[COUNTED_ELSEWHERE], sample);
	if (!sample->split || !boxes->content || settings->group)
		return;
	content_hash_bytes(name, strlen(name), key);
	key[1] ^= boxes->content;
	content_table_add(own_contents(d, CONTENT_NAMES), 0, 0, key, sample->split, sample->path, sample->member);
}

/* Adds what of a file are boxes, polygons and poses. */
static void add_objects(struct dataset_stats *d, const struct sample *sample, const struct label_stats *stats)
{
	const struct coco_facts *coco = &stats->coco.facts;
	const struct row_tally *rows = stats->list.faults;

	for (unsigned type = BOX_RECTANGLE; sample->format == FORMAT_YOLO && type < BOX_TYPES; type++)
		d->objects[type] += stats->boxes.types[type];
	if (sample->format == FORMAT_LIST)
		d->objects[BOX_RECTANGLE] +=
			stats->list.boxes.boxes + rows[LIST_BOX_NO_AREA].rows + rows[LIST_BOX_INVERTED].rows;
	if (sample->format != FORMAT_COCO || coco->panoptic || !coco->categories)
		return;
	d->objects[BOX_RECTANGLE] +=
		coco->annotations - coco->trouble[COCO_LACKS_BOX].count - coco->trouble[COCO_WHOLE_IMAGE].count;
	d->objects[BOX_POLYGON] += coco->shaped;
	d->objects[BOX_POSE] += coco->poses;
}

void dataset_add(struct dataset_stats *d, const struct settings *settings, const struct sample *sample,
		 const struct label_stats *stats, const struct id_stats *ids, bool flagged)
{
	d->files++;
	coverage_add(&d->coverage, sample);
	if (PLANTED(counts_of_a_failed_mask, sample->status != SAMPLE_READ, sample->status == SAMPLE_SKIPPED)) {
		d->files_failed += GUARD(books_that_do_not_add_up, sample->status == SAMPLE_FAILED);
		d->files_skipped += sample->status == SAMPLE_SKIPPED;
		if (sample->left_out.lacks_label)
			file_count_add(&d->counted[COUNTED_LACKS_LABEL], sample);
		return;
	}
	d->files_read++;
	d->bytes += sample->file_bytes;

	const struct format_total format = { .format = (uint8_t)sample->format,
					     .container = sample->container,
					     .colour_type = sample->png.colour_type,
					     .bit_depth = sample->png.bit_depth,
					     .interlace = sample->png.interlace,
					     .dtype = sample->array.dtype };

	file_count_add(&find_format(d, &format)->seen, sample);
	if (sample->groups)
		add_listed_groups(d, settings, sample);
	else if (settings->group)
		add_group(d, settings->group, sample);
	if (stats->width && stats->height)
		add_size(d, stats->height, stats->width, 1);
	if (stats->colours || stats->no_ids)
		return;
	add_objects(d, sample, stats);
	if (sample->format == FORMAT_YOLO) {
		add_box_type(d, sample, &stats->boxes);
		add_text(d, settings, sample, &stats->boxes);
	}
	if (sample->format == FORMAT_YOLO || (sample->format == FORMAT_LIST && sample->list.one_image))
		add_boxes(d, sample, stats);
	if (sample->format == FORMAT_COCO && stats->coco.facts.images && stats->coco.facts.categories &&
	    stats->coco.facts.has_annotations && !stats->coco.facts.annotations)
		file_count_add(&d->counted[COUNTED_COCO_EMPTY], sample);
	if (sample->format == FORMAT_COCO && stats->coco.facts.images &&
	    !(stats->coco.facts.categories && stats->coco.facts.annotations) &&
	    !stats->coco.facts.trouble[COCO_UNKNOWN_CATEGORY].count)
		file_count_add(&d->counted[COUNTED_COCO_UNLABELLED], sample);
	if (sample->coco)
		name_totals_add_categories(&d->categories, sample);
	d->labels += stats->labels;
	if (sample->names) {
		d->files_with_ids++;
		name_totals_add_list(&d->names, sample, stats, ids);
		return;
	}
	add_contents(d, sample, stats, add_ids(d, settings, sample, stats, ids));
	if (split_of_list(sample))
		split_totals_add(&d->splits, settings, split_of_list(sample), stats, ids);
	if (sample->format == FORMAT_LIST && sample->list.names)
		file_count_add(&d->counted[COUNTED_BY_NAME], sample);
	if (sample->format == FORMAT_FOLDER)
		folder_totals_add(&d->folders, sample->class_folder.name, UINT32_C(1) << sample->class_folder.root,
				  UINT32_C(1) << sample->class_folder.root);
	add_loaders(d, settings, sample, stats);
	add_interpolation(d, settings, sample, stats, ids, flagged);
}

void dataset_add_channel(struct dataset_stats *d, const struct rule_input *channel)
{
	add_interpolation(d, channel->settings, channel->sample, channel->stats, channel->ids,
			  channel->interpolation & INTERPOLATION_DAMAGED);
}

static void merge_tables(struct dataset_stats *into, struct dataset_stats *from)
{
	size_t at = 0;

	ids_insert(into, from->ids, sizeof(*from->ids), from->ids_count);
	for (size_t i = 0; i < from->ids_count; i++) {
		struct id_total *more = &from->ids[i];

		at = ids_lower_bound(into, at, more->id);
		struct id_total *total = &into->ids[at];

		total->labels += more->labels;
		total->files += more->files;
		total->thin += more->thin;
		for (int line = 0; line < 2; line++)
			total->between[line] += more->between[line];
		example_merge(&total->example, &more->example);
	}
	cut_ids(into);
	for (size_t i = 0; i < from->formats.count; i++)
		file_count_merge(&find_format(into, &from->formats.v[i])->seen, &from->formats.v[i].seen);
	for (size_t i = 0; i < from->sizes.count; i++)
		add_size(into, from->sizes.v[i].height, from->sizes.v[i].width, from->sizes.v[i].files);
	merge_recent_sizes(into);
}

void dataset_merge(struct dataset_stats *into, struct dataset_stats *from)
{
	merge_tables(into, from);
	_Static_assert(offsetof(struct dataset_stats, ids) == sizeof(into->sums), "the sums are all that comes first");
	for (size_t i = 0; i < DATASET_SUMS; i++)
		into->sums[i] += PLANTED(sums_in_32_bits, from->sums[i], (uint32_t)from->sums[i]);
	for (size_t i = 0; i < COUNTED_KINDS; i++)
		file_count_merge(&into->counted[i], &from->counted[i]);
	coverage_merge(&into->coverage, &from->coverage);
	palette_totals_merge(&into->palettes, &from->palettes);
	split_totals_merge(&into->splits, &from->splits);
	folder_totals_merge(&into->folders, &from->folders);
	name_totals_merge(&into->names, &from->names);
	name_totals_merge(&into->categories, &from->categories);
	into->images_flat |= from->images_flat;
	fix_facts_merge(&into->fix, &from->fix);
	for (unsigned i = 0; i < SPLITS_MAX; i++)
		if (!into->split_names[i])
			dataset_name_split(into, i, from->split_names[i]);
	for (size_t i = 0; i < CONTENTS && !from->contents_borrowed; i++)
		if (from->contents[i])
			content_table_merge(own_contents(into, (enum content_of)i), from->contents[i]);
	dataset_release(from);
}

/* ---- names of lists --------------------------------------------------------------------------------------------- */

void dataset_number_names(struct dataset_stats *d, const struct settings *settings)
{
	const struct name_totals *names = &d->names;
	struct dataset_stats more;

	if (!names->count)
		return;
	dataset_init(&more);
	more.ids = xcalloc(names->count, sizeof(*more.ids));
	more.ids_count = names->count;
	for (size_t i = 0; i < names->count; i++) {
		const struct name_total *total = &names->v[i];
		bool invalid = settings_role(settings, (int64_t)i) == ID_INVALID;

		more.ids[i] = (struct id_total){ .id = (int64_t)i, .labels = total->labels, .files = total->files };
		more.ids[i].example = invalid ? xstrdup(total->example) : NULL;
	}
	merge_tables(d, &more);
	dataset_release(&more);
}

bool dataset_names_fit(const struct dataset_stats *d)
{
	const struct name_totals *names = &d->names;

	if (names->files > d->files_with_ids)
		return false;
	for (size_t i = 0; i < names->count; i++) {
		const struct name_total *total = &names->v[i];
		const struct id_total *id = dataset_id(d, (int64_t)i);

		if (!id || id->labels < total->labels || id->files < total->files || !total->files ||
		    total->files > names->files || !total->splits || total->splits >> NAME_SPLITS)
			return false;
	}
	return true;
}

void dataset_take_back_names(struct dataset_stats *d)
{
	size_t at = 0, out = 0;

	for (size_t i = 0; i < d->names.count; i++) {
		at = ids_lower_bound(d, at, (int64_t)i);
		d->ids[at].labels -= d->names.v[i].labels;
		d->ids[at].files -= d->names.v[i].files;
	}
	for (size_t i = 0; i < d->ids_count; i++) {
		if (d->ids[i].files)
			d->ids[out++] = d->ids[i];
		else
			free(d->ids[i].example);
	}
	d->ids_count = out;
}
