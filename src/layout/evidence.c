#include "layout/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "layout/role_names.h"
#include "layout/sampling.h"
#include "read/format.h"

/* A family that has less than a tenth of another's weight is a stray in it. */
enum { STRAY = 10 };
/* Rows of a table that are looked at: one table of several may be about the images. */
enum { TABLE_SAMPLE = 16 };
/* Annotations that are not read are strays among that many times as many masks in BMP. */
enum { FEW = 4 };
/* A table or a database of a whole data set holds that many samples, or more. */
enum { DATASET_SAMPLES = 16 };

void evidence_release(struct evidence *e)
{
	listed_names_release(&e->coco_names);
	listed_names_release(&e->list_names);
	listed_names_release(&e->list_files);
	listed_names_release(&e->list_words);
	listed_names_release(&e->yolo_names);
	listed_names_release(&e->table_names);
	listed_names_release(&e->unread_names);
	listed_names_release(&e->unread_keys);
	name_filter_release(&e->image_names);
	name_filter_release(&e->beginnings);
}

/* The beginning of a text, as far as it is searched. */
struct beginning {
	const char *text;
	size_t n;
	uint64_t size; /* of all of it */
	char *buffer;  /* owned */
};

static void read_beginning(const struct entry *entry, const struct entry_probe *probe, struct beginning *out)
{
	*out = (struct beginning){ (const char *)probe->head.head, probe->head.n, probe->head.n, NULL };
	if (entry->member) {
		out->size = MAX(entry->size, (uint64_t)entry->bytes_len);
		if (!probe->is_packed) {
			out->text = (const char *)entry->bytes;
			out->n = MIN(entry->bytes_len, (size_t)LISTED_BYTES);
		}
		return;
	}
	if (probe->file.fd < 0 || probe->is_packed)
		return;
	out->size = (uint64_t)probe->file.st.st_size;
	out->buffer = xmalloc(LISTED_BYTES);
	ssize_t n = pread(probe->file.fd, out->buffer, LISTED_BYTES, 0);

	if (n > 0) {
		out->text = out->buffer;
		out->n = (size_t)n;
	}
}

/* Returns the count in the whole text if its beginning has `found`. */
static uint64_t in_all(const struct beginning *b, uint64_t found)
{
	return b->n && b->size > b->n ? found * (b->size / b->n) : found;
}

void evidence_add_text(struct evidence *e, const struct entry *entry, const struct entry_probe *probe, enum kind kind,
		       uint64_t files)
{
	struct beginning b;

	if (kind == KIND_YOLO) {
		listed_names_add_file(&e->yolo_names, entry_inner_path(entry));
		e->yolo += files;
		return;
	}
	if (kind == KIND_IDX) { /* magic, then the number of items */
		const struct file_head *h = &probe->head;

		e->idx_files += files;
		e->idx += files * (h->n >= 8 ? MAX(be32(h->head + 4), UINT32_C(1)) : 1);
		return;
	}
	read_beginning(entry, probe, &b);
	if (kind == KIND_COCO) {
		uint64_t found = listed_names_add_coco(&e->coco_names, b.text, b.n);

		e->coco_names.cut |= b.n < b.size;
		e->coco_files += files;
		e->coco += files * MAX(in_all(&b, found), UINT64_C(1));
	} else {
		uint64_t lines = listed_names_add_table(&e->list_names, b.text, b.n);

		listed_names_add_file(&e->list_files, entry_inner_path(entry));
		if (!e->list_names.count) /* names without an extension */
			listed_names_add_first(&e->list_words, b.text, b.n, LISTED_SAMPLE);
		e->lists += files;

		e->list_names.cut |= b.n < b.size;
		e->list += files * MAX(in_all(&b, lines), UINT64_C(1));
	}
	free(b.buffer);
}

/* Adds name[0..stem) to a sample. */
static void add_to_sample(struct name_sample *sample, const struct entry *entry, const char *name, size_t stem)
{
	if (stem >= sizeof(sample->v[0].name))
		return;
	const unsigned at =
		sample_insert(sample->v, sizeof(sample->v[0]), &sample->count, MASK_SAMPLE, sample_hash(entry));

	if (at < MASK_SAMPLE)
		snprintf(sample->v[at].name, sizeof(sample->v[at].name), "%.*s", (int)stem, name);
}

void evidence_sample_mask(struct evidence *e, const struct entry *entry, bool named)
{
	const char *name = file_name_of(entry_inner_path(entry));
	size_t stem = strlen(name);

	if (named)
		role_label_suffix(name, &stem);
	add_to_sample(named ? &e->named_sample : &e->mask_sample, entry, name, stem);
}

void evidence_sample_colour(struct evidence *e, const struct entry *entry)
{
	const char *name = file_name_of(entry_inner_path(entry));

	add_to_sample(&e->colour_sample, entry, name, strlen(name));
}

void evidence_add_beginnings(struct evidence *e, const struct entry *entry)
{
	const char *name = file_name_of(entry_inner_path(entry));

	for (size_t n = strlen(name) - strlen(file_name_extension(name)); n > 1; n--)
		if (strchr("_-.", name[n - 1]))
			name_filter_add(&e->beginnings, name, n - 1);
}

bool evidence_images_hold_masks(const struct evidence *e)
{
	enum { SHARE = 4 }; /* a photo may have two or three masks */
	unsigned found = 0;

	for (unsigned i = 0; i < e->image_sample.count; i++) {
		const char *name = file_name_of(e->image_sample.v[i].name);

		found += name_filter_has(&e->beginnings, name, strlen(name) - strlen(file_name_extension(name)));
	}
	return e->image_masks > e->masks && found && SHARE * found >= e->image_sample.count;
}

void evidence_add_image(struct evidence *e, const struct entry *entry)
{
	const char *path = entry_inner_path(entry), *name = file_name_of(path);

	const size_t stem = role_image_stem(name);

	name_filter_add_file(&e->image_names, path);
	if (stem)
		name_filter_add(&e->image_names, name, stem);
	e->photos++;
	if (name > path)
		for (name--; name > path && name[-1] != '/';)
			name--;
	add_to_sample(&e->image_sample, entry, name, strlen(name));
}

/* Returns whether most files of a sample have the name of an image. */
static bool sample_is_in(const struct name_sample *sample, const struct name_filter *images)
{
	unsigned found = 0;

	for (unsigned i = 0; i < sample->count; i++)
		found += name_filter_has_stem(images, sample->v[i].name);
	return sample->count && 2 * found >= sample->count;
}

/* Returns whether half of the images or more have a mask. */
static bool images_have_masks(const struct evidence *e)
{
	return e->masks > e->colours && 2 * e->masks >= e->photos &&
	       sample_is_in(e->mask_sample.count ? &e->mask_sample : &e->named_sample, &e->image_names);
}

/* Returns whether most of the PNGs that no name calls masks are listed by COCO files: then they are their images. */
static bool coco_lists_masks(const struct evidence *e)
{
	unsigned found = 0;

	for (unsigned i = 0; i < e->mask_sample.count; i++)
		found += name_filter_has_file(&e->coco_names.names, e->mask_sample.v[i].name);
	return e->mask_sample.count && 2 * found >= e->mask_sample.count;
}

void evidence_add_array(struct evidence *e, const struct file_head *head, bool named, uint64_t files)
{
	uint64_t sides[ARRAY_SIDES] = { 0 };
	unsigned axes = array_axes(head, sides);

	if (named)
		e->named_axes = MAX(e->named_axes, axes);
	/* an image in colours, as Ultralytics keeps those that it has decoded */
	if (axes == 3 && (sides[2] == 3 || sides[2] == 4))
		return;
	/* a curve of a training, features, the outputs of a model */
	if (!named && array_holds_fractions(head))
		e->measured += files;
	else
		e->arrays += files * (axes == 1 ? MAX(sides[0], UINT64_C(1)) : 1);
	e->array_files += files;
	e->named_arrays += named ? files : 0;
}

unsigned evidence_stray_grids(const struct evidence *e)
{
	/* a curve, features: fractions that no name calls labels */
	if (e->array_files && !e->arrays && e->masks)
		return KIND_BIT(KIND_ARRAY);
	if (!e->named && e->named_arrays && e->arrays > STRAY * (e->masks + e->image_masks + e->colours))
		return KIND_BIT(KIND_MASK);
	return e->array_files && !e->named_arrays && e->named > STRAY * e->array_files ? KIND_BIT(KIND_ARRAY) : 0;
}

bool evidence_masks_have_image_names(const struct evidence *e)
{
	enum { CERTAIN = 5 };
	unsigned found = 0;

	for (unsigned i = 0; i < e->mask_sample.count; i++)
		found += name_filter_has_stem(&e->image_names, e->mask_sample.v[i].name);
	return 2 * e->named < e->masks && found >= CERTAIN && 4 * (e->mask_sample.count - found) <= found;
}

bool evidence_is_of_numbers(const struct evidence *e)
{
	return !e->placed && e->numbers > STRAY * (e->masks + e->image_masks + e->array_files - e->numbers);
}

bool evidence_has_named_masks(const struct evidence *e)
{
	return e->named > STRAY * (e->masks - e->named + e->colours);
}

void evidence_add_table(struct evidence *e, const struct entry *entry, const struct entry_probe *probe)
{
	struct beginning b;

	read_beginning(entry, probe, &b);
	listed_names_add_first(&e->table_names, b.text, b.n, TABLE_SAMPLE);
	free(b.buffer);
}

void evidence_add_unknown(struct evidence *e, const struct entry *entry, uint64_t files)
{
	listed_names_add_file(&e->unread_names, entry_inner_path(entry));
	e->unread += files;
}

void evidence_add_words(struct evidence *e, const struct entry_probe *probe)
{
	/* the first bytes do: there are many texts */
	listed_names_add_numbered(&e->table_names, (const char *)probe->head.head, probe->head.n, TABLE_SAMPLE);
}

bool evidence_has_table_of_images(const struct evidence *e)
{
	const unsigned found = listed_names_count_in(&e->table_names, &e->image_names);

	return found && 2 * found >= MIN(e->table_names.count, (unsigned)TABLE_SAMPLE);
}

void evidence_add_unread(struct evidence *e, const struct entry *entry, const struct entry_probe *probe,
			 enum unread_kind kind, uint64_t files)
{
	struct beginning b;
	bool of_many = kind == UNREAD_NONE || kind == UNREAD_CVAT_XML || kind == UNREAD_LABEL_STUDIO ||
		       kind == UNREAD_VIA_JSON || kind == UNREAD_VIA_CSV || kind == UNREAD_CREATEML ||
		       kind == UNREAD_JSON_LINES;
	uint64_t images = unread_kind_is_dataset(kind) ? DATASET_SAMPLES : 1;

	listed_names_add_file(&e->unread_names, entry_inner_path(entry));
	if (of_many) {
		read_beginning(entry, probe, &b);
		uint64_t found = kind == UNREAD_VIA_CSV ? listed_names_add_table(&e->unread_names, b.text, b.n)
							: listed_names_add_quoted(&e->unread_names, b.text, b.n);

		if (kind == UNREAD_NONE && !found)
			found = listed_names_add_keys(&e->unread_keys, b.text, b.n);
		images = MAX(images, in_all(&b, found));
		free(b.buffer);
	}
	*(kind == UNREAD_NONE ? &e->described : &e->unread) += files * images;
	if (unread_kind_reason(kind) == SKIP_UNREAD_FORMAT)
		e->unread_files += files;
}

/* Returns the weight of texts that name images: if these are not there, the text is about others. */
static uint64_t weight_of_names(const struct listed_names *names, const struct name_filter *images, uint64_t items)
{
	return !names->count || !images->bits || listed_names_are_in(names, images) ? items : 1;
}

uint64_t evidence_weight(const struct evidence *e, enum family family)
{
	switch (family) {
	case FAMILY_GRID:
		return e->masks + e->arrays;
	case FAMILY_YOLO:
		return e->yolo;
	case FAMILY_COCO:
		return e->coco ? weight_of_names(&e->coco_names, &e->image_names, e->coco) : 0;
	case FAMILY_IDX:
		return e->idx;
	case FAMILY_LIST:
		return e->list ? weight_of_names(&e->list_names, &e->image_names, e->list) : 0;
	case FAMILIES:
		break;
	}
	return 0;
}

/* Returns a family's weight, arrays as files. */
static uint64_t weight_in_files(const struct evidence *e, enum family family)
{
	return family == FAMILY_GRID ? e->masks + e->array_files : evidence_weight(e, family);
}

/* Returns whether annotations that are not read are about images of the PATH. */
static bool unread_is_bound(const struct evidence *e)
{
	return listed_names_begin_in(&e->unread_names, &e->image_names) ||
	       listed_names_are_in(&e->unread_keys, &e->image_names);
}

bool evidence_is_described(const struct evidence *e)
{
	return e->described && STRAY * e->described >= e->photos && unread_is_bound(e);
}

/* Returns all images that annotations which are not read describe, about. */
static uint64_t unread_images(const struct evidence *e)
{
	return e->unread + (evidence_is_described(e) ? e->described : 0);
}

/* Returns whether a list is about the images of annotations that are not read: made of these, for example. */
static bool list_is_of_unread(const struct evidence *e)
{
	/* a table of the same words as masks that are not read may be about patients */
	const bool words = !e->list_names.count && 2 * e->unread_files <= e->unread;
	const struct listed_names *names = words ? &e->list_words : &e->list_names;
	unsigned found = 0;

	for (unsigned i = 0; i < names->count; i++)
		found += name_filter_has_file(&e->unread_names.names, names->sample[i]);
	return names->count && 2 * found >= names->count;
}

/* Returns whether label files of a family are about images of the PATH: they list them, or have their names. */
static bool is_bound(const struct evidence *e, enum family family)
{
	switch (family) {
	case FAMILY_GRID:
		return sample_is_in(&e->named_sample, &e->image_names) ||
		       (2 * e->named < e->masks && sample_is_in(&e->mask_sample, &e->image_names));
	case FAMILY_YOLO:
		return e->yolo_pairs || listed_names_are_in(&e->yolo_names, &e->image_names);
	case FAMILY_COCO:
		return listed_names_are_in(&e->coco_names, &e->image_names);
	case FAMILY_LIST:
		return listed_names_are_in(&e->list_names, &e->image_names) ||
		       listed_names_are_in(&e->list_files, &e->image_names) ||
		       listed_names_are_in(&e->list_words, &e->image_names) || list_is_of_unread(e);
	default:
		return false;
	}
}

/* Returns whether half of the images or more have a PNG in flat colours. */
static bool colours_are_bound(const struct evidence *e)
{
	return 2 * e->colours >= e->photos && sample_is_in(&e->colour_sample, &e->image_names);
}

/* Returns whether a part of a path is among the words: 12 of set/p12_3.jpg, or 012. */
static bool has_word(const struct name_filter *words, const char *path)
{
	for (const char *p = path, *end; *p; p = end) {
		const bool digits = ascii_isdigit(*p), letters = ascii_isalpha(*p);

		for (end = p + 1; (digits && ascii_isdigit(*end)) || (letters && ascii_isalpha(*end));)
			end++;
		if (name_filter_has(words, p, (size_t)(end - p)))
			return true;
		while (*p == '0' && end - p > 1)
			p++;
		if (digits && name_filter_has(words, p, (size_t)(end - p)))
			return true;
	}
	return false;
}

/* Returns whether a table is about the images, or groups of them: patients, whose numbers are in names of folders. */
static bool list_is_of_groups(const struct evidence *e)
{
	const struct name_filter *words = &e->list_words.names;
	unsigned found = 0;

	for (unsigned i = 0; i < e->image_sample.count; i++) {
		const char *path = e->image_sample.v[i].name, *slash = strchr(path, '/');

		found += has_word(words, path) || name_filter_has_stem(words, path) ||
			 (slash && name_filter_has(words, path, (size_t)(slash - path)));
	}
	return found && 16 * found >= e->image_sample.count;
}

/*
 * Returns how many files hold the labels of a family, but for those that are where projects keep plots, and in *items
 * what they describe.
 */
static uint64_t label_files(const struct evidence *e, enum family family, uint64_t *items)
{
	const uint64_t all = e->masks + e->image_masks + e->colours, pngs = all - MIN(all, e->clutter);

	switch (family) {
	case FAMILY_GRID:
		*items = pngs + MAX(e->arrays, e->array_files);
		return pngs + e->array_files;
	case FAMILY_YOLO:
		return *items = e->yolo;
	case FAMILY_COCO:
		*items = e->coco;
		return e->coco_files;
	case FAMILY_IDX:
		*items = e->idx;
		return e->idx_files;
	case FAMILY_LIST:
		*items = e->list;
		return e->lists;
	case FAMILIES:
		break;
	}
	return *items = 0;
}

bool evidence_is_lone(const struct evidence *e, enum family family)
{
	/* images may have no labels, annotations are some */
	enum { IMAGES = 5, ANNOTATIONS = 3 };
	const uint64_t unread = unread_images(e);
	const bool keyed = (family == FAMILY_COCO && e->coco_names.count) ||
			   (family == FAMILY_LIST && (e->list_names.count || e->list_words.count));
	uint64_t items;

	if (family == FAMILY_NONE || label_files(e, family, &items) > 1 || e->placed || e->placed_texts ||
	    e->jpeg_masks || is_bound(e, family) || (family == FAMILY_GRID && colours_are_bound(e)) ||
	    (family == FAMILY_LIST && list_is_of_groups(e)))
		return false;
	/* ids alone may be those of some of the images; named ones are of others */
	items += keyed ? 1 : items;
	return (e->photos >= IMAGES && items <= e->photos) || (unread >= ANNOTATIONS && items <= unread);
}

bool evidence_lists_are_bound(const struct evidence *e)
{
	return is_bound(e, FAMILY_LIST);
}

bool evidence_is_jpeg_masks(const struct evidence *e, enum family family)
{
	/* a list that is not about the images may have any number of rows */
	const uint64_t weight = family == FAMILY_LIST ? e->lists : weight_in_files(e, family);

	return (e->jpeg_masks || family != FAMILY_GRID) && family != FAMILY_NONE && !is_bound(e, family) &&
	       2 * weight <= e->jpeg_masks;
}

uint64_t evidence_among_folders(const struct evidence *e, uint64_t photos)
{
	/* tables and arrays that are not about the photos weigh as files, whatever their number of rows */
	const uint64_t arrays = 2 * e->arrays < photos ? MIN(e->arrays, e->array_files) : e->arrays;

	return unread_images(e) + e->masks + arrays + e->yolo + e->idx + evidence_weight(e, FAMILY_COCO) +
	       (is_bound(e, FAMILY_LIST) ? e->list : MIN(e->list, e->lists));
}

bool evidence_colours_are_masks(const struct evidence *e)
{
	const unsigned most = unread_is_bound(e) ? STRAY : 2;

	return e->colours > most * unread_images(e) && !evidence_has_table_of_images(e) && colours_are_bound(e);
}

bool evidence_outweighs_unread(const struct evidence *e, enum family family)
{
	return is_bound(e, family) || !unread_images(e) ||
	       (family == FAMILY_GRID && e->image_masks > unread_images(e) && evidence_images_hold_masks(e)) ||
	       (family == FAMILY_GRID && evidence_colours_are_masks(e)) ||
	       (family == FAMILY_GRID && e->placed > e->named_colours) ||
	       (unread_is_bound(e) ? 2 : STRAY) * weight_in_files(e, family) > unread_images(e);
}

bool evidence_is_unread(const struct evidence *e)
{
	const uint64_t unnamed = e->masks - e->named + e->image_masks + e->colours;
	const uint64_t coloured = MIN(e->named_colours, e->named);

	/*
	 * Masks are named for their part: where annotations lie beside them, both are labels. Colours in annotations/
	 * may be plots.
	 */
	return !e->named_arrays && !images_have_masks(e) &&
	       STRAY * STRAY * (e->named - coloured) + STRAY * coloured + unnamed + e->arrays < unread_images(e);
}

bool evidence_is_flat(const struct evidence *e)
{
	return e->flat && 2 * e->flat >= e->photos && FEW * unread_images(e) <= e->flat;
}

bool evidence_list_is_stray(const struct evidence *e)
{
	return e->unread && 2 * e->unread >= evidence_weight(e, FAMILY_LIST) &&
	       !(e->list_names.count && listed_names_are_in(&e->list_names, &e->image_names)) && !list_is_of_unread(e);
}

/*
 * Returns whether the only mask or array is bound to no image, and lies in no folder of labels: a preview, an example.
 */
static bool is_lone_grid(const struct evidence *e)
{
	return e->masks + e->image_masks + e->colours + e->array_files == 1 && !e->placed &&
	       !is_bound(e, FAMILY_GRID) && !colours_are_bound(e);
}

/* Returns whether family `b`, which comes later in the order, outweighs `a`. */
static bool outweighs(const struct evidence *e, enum family b, enum family a)
{
	uint64_t less = evidence_weight(e, a), more = evidence_weight(e, b);

	if (!more)
		return false;
	if (!less)
		return true;
	/* an array of fewer elements is not about these images */
	const uint64_t unbound = (a == FAMILY_GRID && e->arrays < more ? weight_in_files(e, a) : less) +
				 (a == FAMILY_GRID ? STRAY * e->placed : 0);

	if (is_bound(e, b) && !is_bound(e, a) && 2 * unbound <= more)
		return true;
	if (a == FAMILY_GRID && b == FAMILY_YOLO)
		return more > less || (!e->arrays && 2 * e->yolo_pairs >= less);
	if (a == FAMILY_GRID && b == FAMILY_COCO && !e->arrays && coco_lists_masks(e))
		return STRAY * e->named <= e->coco;
	/* each image has a mask, made with the COCO file or from it */
	if (a == FAMILY_GRID && b == FAMILY_COCO && images_have_masks(e))
		return false;
	/* COCO that lists images of this PATH outweighs as many PNGs without a mask's name */
	if (a == FAMILY_GRID && b == FAMILY_COCO && !e->arrays && listed_names_are_in(&e->coco_names, &e->image_names))
		return STRAY * e->named + e->masks - e->named <= more;
	/* one file about nothing that is there, beside rows of labels: the rows may be about files elsewhere */
	if (a == FAMILY_GRID && is_lone_grid(e))
		return (e->arrays ? 2 : STRAY) * less <= more;
	/* masks may lie in images/, and no list of them beside them */
	if (a == FAMILY_GRID && b != FAMILY_COCO)
		less += e->image_masks;
	/* some pictures or an array among lists of ids, without an image or a word that says mask */
	if (a == FAMILY_GRID && b == FAMILY_LIST && !e->image_names.bits && !e->placed &&
	    e->lists > e->masks + e->array_files && (!e->named || e->masks == 1))
		return STRAY * STRAY * e->masks + STRAY * e->arrays <= more;
	/* a list that names no image that is there may be about anything */
	if (a == FAMILY_GRID && b == FAMILY_LIST && (!e->image_names.bits || !e->list_names.count))
		return false;
	return STRAY * less <= more;
}

enum family evidence_family(const struct evidence *e)
{
	enum family best = FAMILY_NONE;

	for (int i = 0; i < FAMILIES; i++)
		if (best == FAMILY_NONE ? evidence_weight(e, (enum family)i) > 0
					: PLANTED(first_family_wins, outweighs(e, (enum family)i, best), false))
			best = (enum family)i;
	/* nothing else: then PNGs of any kind are masks */
	if (best == FAMILY_NONE && (e->image_masks || e->colours || e->measured))
		return FAMILY_GRID;
	/* masks in images/: not beside texts of which each describes some of them */
	uint64_t weight = best == FAMILY_NONE ? 0 : evidence_weight(e, best);

	if (((best == FAMILY_IDX || (best == FAMILY_LIST && !is_bound(e, best))) && STRAY * e->image_masks > weight) ||
	    (best == FAMILY_YOLO && e->image_masks >= STRAY * weight) ||
	    (best != FAMILY_NONE && best != FAMILY_GRID &&
	     (e->colours >= STRAY * weight || (!is_bound(e, best) && colours_are_bound(e)))) ||
	    (best == FAMILY_COCO && e->image_masks >= STRAY * weight &&
	     !listed_names_are_in(&e->coco_names, &e->image_names)))
		return FAMILY_GRID;
	return best;
}

unsigned family_kinds(enum family family)
{
	static const unsigned kinds[] = {
		[FAMILY_GRID] = KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY),
		[FAMILY_YOLO] = KIND_BIT(KIND_YOLO),
		[FAMILY_COCO] = KIND_BIT(KIND_COCO),
		[FAMILY_IDX] = KIND_BIT(KIND_IDX),
		[FAMILY_LIST] = KIND_BIT(KIND_LIST),
		[FAMILY_NONE] = KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY),
	};

	return kinds[family];
}
