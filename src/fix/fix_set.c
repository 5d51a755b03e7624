#include "fix/fix_set.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/content_hash.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "find/skip_reason.h"
#include "fix/text_obstacle.h"
#include "judge/colours.h"
#include "judge/interpolation.h"
#include "judge/rule.h"
#include "read/input.h"

enum {
	FILE_IDS_MAX = 4096, /* a file with more ids holds measured values */
	PIECE = 1 << 20,     /* bytes read at a time */
};

static const char *const containers[] = {
	[FORMAT_BMP] = "is a BMP: convert it to PNG first", [FORMAT_GIF] = "is a GIF: convert it to PNG first"
};

/* Fills how the mask holds its ids. Returns why it cannot be fixed, or NULL. */
static const char *judge_encoding(const struct rule_input *s, struct fix_file *file)
{
	const struct png_header *png = &s->sample->png;

	if (s->sample->container)
		return containers[s->sample->container];
	if (s->settings->view == VIEW_CV2 && (png->colour_type != PNG_GREY || png->bit_depth != 8))
		return "its ids are those of the cv2 view, of which several samples may become one";
	file->kind = FIX_PNG;
	file->colour_type = png->colour_type;
	file->bit_depth = png->bit_depth;
	if (s->stats->coded) {
		file->encoding = MASK_COLOURS;
		return NULL;
	}
	if (!s->stats->colours)
		return NULL;
	file->encoding = MASK_REPLICATED;
	if (channels_use(s) != CHANNELS_REPLICATED)
		return "holds colours, and no table declares their ids (--colors)";
	return png->bit_depth == 8 ? NULL : "has equal channels of 16 bits";
}

/* The formats beside images that are rewritten. */
static const struct {
	enum fix_kind kind; /* FIX_NONE: it is not */
	const char *(*obstacle)(const struct rule_input *s);
} formats[] = {
	[FORMAT_LIST] = { FIX_LIST, fix_list_obstacle },  [FORMAT_YOLO] = { FIX_YOLO, fix_yolo_obstacle },
	[FORMAT_COCO] = { FIX_COCO, fix_coco_obstacle },  [FORMAT_NPY] = { FIX_ARRAY, fix_array_obstacle },
	[FORMAT_IDX] = { FIX_ARRAY, fix_array_obstacle },
};

/* Fills how the file is rewritten. Returns why it cannot be, or NULL. */
static const char *judge_format(const struct rule_input *s, struct fix_file *file)
{
	enum sample_format format = s->sample->format;

	if (format == FORMAT_PNG)
		return judge_encoding(s, file);
	if (format >= ARRAY_SIZE(formats) || !formats[format].kind)
		return "is of a format that is not rewritten";
	file->kind = (uint8_t)formats[format].kind;
	if (file->kind == FIX_ARRAY)
		file->array = (struct fix_array_form){
			.is_idx = format == FORMAT_IDX,
			.one_hot = !s->stats->colours && s->stats->array.use == ARRAY_ONE_HOT,
			.axis = (uint8_t)s->stats->array.axis.axis,
			.dtype = s->sample->array.dtype,
			.rank = s->sample->array.rank,
		};
	return formats[format].obstacle(s);
}

const char *fix_kind_name(enum fix_kind kind)
{
	static const char *const names[FIX_KINDS] = {
		[FIX_NONE] = "other files", [FIX_PNG] = "masks",       [FIX_LIST] = "lists",
		[FIX_YOLO] = "YOLO texts",  [FIX_COCO] = "COCO files", [FIX_ARRAY] = "arrays"
	};

	return names[kind];
}

static void add_ids(struct fix_set *set, const struct rule_input *s, struct fix_file *file)
{
	size_t n = s->stats->ids_count;
	bool one_channel = fix_file_is_mask(file) && file->encoding == MASK_REPLICATED;

	file->ids_at = set->ids_count;
	file->ids_count = n;
	GROW(set->ids, set->ids_cap, set->ids_count + n);
	for (size_t i = 0; i < n; i++)
		set->ids[set->ids_count++] = (struct fix_id){
			.id = one_channel ? s->ids[i].id & 255 : s->ids[i].id,
			.labels = s->ids[i].labels,
		};
}

/* Keeps the path of a PNG that was left out as an image, if it has one channel. */
static void add_left_out(struct fix_set *set, const char *path)
{
	struct fault fault = FAULT_INIT;
	struct png_header png;
	uint8_t head[PEEK_BYTES];

	if (!file_name_ends_in(path, ".png") || input_read_head(AT_FDCWD, path, head, &fault) < PNG_IHDR_END ||
	    memcmp(head, PNG_SIGNATURE, PNG_SIGNATURE_BYTES) != 0)
		return;
	png_header_parse(head + PNG_IHDR_AT, &png);
	if (png.channels != 1)
		return;
	pthread_mutex_lock(&set->lock);
	GROW(set->left_out, set->left_out_cap, set->left_out_count + 1);
	set->left_out[set->left_out_count++] = xstrdup(path);
	pthread_mutex_unlock(&set->lock);
}

/* Keeps the categories, and adds the class of each to the ids, also of one without labels: it is not to merge either.
 */
static void add_categories(struct fix_set *set, const struct rule_input *s, struct fix_file *file)
{
	const struct coco_map *map = s->sample->coco;
	size_t n = map->listed_count;

	file->categories = xcalloc(n + 1, sizeof(*file->categories));
	file->categories_count = n;
	file->ids_at = set->ids_count;
	file->ids_count = n;
	GROW(set->ids, set->ids_cap, set->ids_count + n);
	for (size_t i = 0; i < n; i++) {
		const struct coco_map_entry *e = &map->entries[i];

		file->categories[i] = (struct fix_category){ e->id, e->class_id, e->labels };
		set->ids[set->ids_count++] = (struct fix_id){ e->class_id, e->labels };
	}
}

static void add_other_kind(struct fix_set *set, const char *path)
{
	pthread_mutex_lock(&set->lock);
	if (!set->other_kind || strcmp(path, set->other_kind) < 0) {
		free(set->other_kind);
		set->other_kind = xstrdup(path);
	}
	pthread_mutex_unlock(&set->lock);
}

/* Fills whether the file is packed. Returns why it cannot be packed again, or NULL. */
static const char *judge_packing(const struct rule_input *s, const struct input *input, struct fix_file *file)
{
	const struct sample *sample = s->sample;
	static const char *const extensions[] = { ".gz", ".bz2", ".xz", ".zst" };

	file->packed = !sample->container && input->size != sample->file_bytes;
	for (size_t i = 0; i < ARRAY_SIZE(extensions); i++) /* a packed file may have the size of what it holds */
		file->packed |= !sample->container && file_name_ends_in(sample->path, extensions[i]);
	if (!file->packed)
		return NULL;
	if (fix_file_is_mask(file))
		return "is a packed mask: unpack it first";
	/* both forms are held */
	return input->bytes && sample->file_bytes <= INPUT_WHOLE_MAX && !input->warning
		       ? NULL
		       : "is packed, and large or followed by something else: unpack it first";
}

/* Hashes the bytes that were measured; of a large file, that are there now. Returns false if it cannot be read. */
static bool hash_file(struct fix_file *file, const struct input *input)
{
	struct fault fault = FAULT_INIT;
	struct content_hash *hash;
	struct input again;
	uint8_t *piece;
	int64_t n = -1;

	file->hashed = true;
	if (input->bytes && !file->packed) {
		content_hash_bytes(input->bytes, input->size, file->hash);
		return true;
	}
	input_init(&again);
	if (!input_open(&again, AT_FDCWD, file->path, &fault))
		return false;
	hash = content_hash_new();
	piece = xmalloc(PIECE);
	while ((n = input_read(&again, piece, PIECE, &fault)) > 0)
		content_hash_add(hash, piece, (size_t)n);
	content_hash_finish(hash, file->hash);
	free(piece);
	input_release(&again);
	return n == 0;
}

/* Returns whether the labels are words, which mean the same whatever the ids of other files become. */
static bool holds_names(const struct sample *sample)
{
	return sample->format == FORMAT_FOLDER || (sample->format == FORMAT_LIST && sample->list.names);
}

static void add_file(void *self, const struct rule_input *s, const struct input *input, const struct finding *findings,
		     size_t count)
{
	const struct sample *sample = s->sample;
	struct fix_set *set = self;
	struct fix_file file = { 0 };
	const char *never = NULL;

	if (sample->status == SAMPLE_SKIPPED && sample->skip_reason == SKIP_IMAGE && !sample->member)
		add_left_out(set, sample->path);
	if (sample->skip_reason == SKIP_OTHER_KIND && sample->status == SAMPLE_SKIPPED && sample->looks_like_labels)
		add_other_kind(set, sample->path);
	if (sample->status != SAMPLE_READ && sample->status != SAMPLE_FAILED && sample->status != SAMPLE_ARCHIVE)
		return;
	file.path = xstrdup(sample->path);
	file.rel_offset = strlen(sample->path) - strlen(sample->rel_path);
	file.typed_path = sample->typed_path;
	file.bytes = sample->file_bytes;
	file.interpolated = s->interpolation & INTERPOLATION_DAMAGED;
	if (sample->status == SAMPLE_FAILED)
		never = "could not be read whole";
	else if (sample->status == SAMPLE_ARCHIVE || sample->member)
		never = "is an archive, whose members are not rewritten: unpack it first";
	else
		never = judge_format(s, &file);
	if (!never)
		never = judge_packing(s, input, &file);
	if (!never && s->stats->ids_count > FILE_IDS_MAX)
		never = "has more ids than classes can have";
	if (!never && !hash_file(&file, input))
		never = "could not be read twice";
	if (never) {
		file.keeps_ids = sample->status == SAMPLE_READ && s->stats->ids_count && !holds_names(sample);
		file.kind = FIX_NONE;
		file.never = xstrdup(never);
	}
	for (size_t i = 0; i < count; i++)
		file.has_error |= findings[i].level == LEVEL_ERROR;

	pthread_mutex_lock(&set->lock);
	if (!never && file.kind == FIX_COCO)
		add_categories(set, s, &file);
	else if (!never)
		add_ids(set, s, &file);
	for (size_t i = 0; i < count; i++)
		set->findings[rule_index(findings[i].rule)]++;
	GROW(set->files, set->cap, set->count + 1);
	set->files[set->count++] = file;
	pthread_mutex_unlock(&set->lock);
}

static void add_dataset(void *self, const struct dataset_stats *dataset, const struct finding_list *findings,
			bool complete)
{
	struct fix_set *set = self;

	(void)dataset;
	set->complete = complete;
	for (size_t i = 0; i < findings->count; i++)
		if (!findings->v[i].path)
			set->findings[rule_index(findings->v[i].rule)]++;
}

static int compare_files(const void *pa, const void *pb)
{
	const struct fix_file *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

static int compare_path(const void *key, const void *element)
{
	return strcmp(key, ((const struct fix_file *)element)->path);
}

const struct fix_file *fix_set_find(const struct fix_set *set, const char *path)
{
	return set->count ? bsearch(path, set->files, set->count, sizeof(*set->files), compare_path) : NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum status fix_set_audit(struct fix_set *set, struct options *options, int *signal_number, struct error *err)
{
	const struct audit_observer observer = { set, add_file, add_dataset };

	*set = (struct fix_set){ .settings = &options->settings };
	pthread_mutex_init(&set->lock, NULL);
	set->findings = xcalloc(rule_count, sizeof(*set->findings));
	enum status status = audit_observe(options, &observer, signal_number, err);

	if (set->count)
		qsort(set->files, set->count, sizeof(*set->files), compare_files);
	if (set->left_out_count)
		qsort(set->left_out, set->left_out_count, sizeof(*set->left_out), compare_names);
	if (status != STATUS_OK || *signal_number) {
		fix_set_release(set);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

void fix_set_release(struct fix_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->files[i].path);
		free(set->files[i].never);
		free(set->files[i].categories);
	}
	for (size_t i = 0; i < set->left_out_count; i++)
		free(set->left_out[i]);
	free(set->left_out);
	free(set->other_kind);
	free(set->files);
	free(set->ids);
	free(set->findings);
	pthread_mutex_destroy(&set->lock);
	memset(set, 0, sizeof(*set));
}

static int compare_category(const void *key, const void *element)
{
	int64_t id = *(const int64_t *)key, other = ((const struct fix_category *)element)->id;

	return id < other ? -1 : id > other;
}

const struct fix_category *fix_file_category(const struct fix_file *file, int64_t id)
{
	return file->categories_count ? bsearch(&id, file->categories, file->categories_count,
						sizeof(*file->categories), compare_category)
				      : NULL;
}

bool fix_set_has(const struct fix_set *set, const char *rule)
{
	return set->findings[rule_index(rule_find(rule))] != 0;
}

int64_t fix_file_scale(const struct fix_set *set, const struct fix_file *file)
{
	if (!fix_file_is_mask(file) || file->colour_type != PNG_GREY || set->settings->view != VIEW_PIL)
		return 1;
	return file->bit_depth == 2 ? 85 : file->bit_depth == 4 ? 17 : 1;
}
