#include "fix/fix_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "fix/nearest.h"
#include "judge/rule.h"
#include "read/input.h"

#define UNREADABLE "could not be read whole"
#define LOSSY      "is a JPEG, which no copy can put right: make the mask again from its source"

enum { NAMES_BLOCK = 1 << 16 };

/* Fills how the file is rewritten. Returns why it cannot be, or NULL. */
static const char *judge_format(const struct rule_input *s, const struct input *input, struct rewriting *r,
				struct fix_file *file)
{
	const struct sample *sample = s->sample;
	const char *never = rewriting_of(s, r);

	file->is_tiff = sample->container == FORMAT_TIFF;
	file->kind = (uint8_t)r->kind;
	file->encoding = (uint8_t)r->encoding;
	file->scale = (uint8_t)r->scale;
	file->recodings = (uint16_t)r->recodings;
	file->is_idx = sample->format == FORMAT_IDX;
	file->keeps_ids = never && r->of_ids && file->clipped + file->dropped + file->unsized;
	if (file->keeps_ids)
		never = NULL;
	return never ? never : rewriting_packing(s, input, &file->packed);
}

/* Fills which boxes change, as the audit counted them. */
static void count_boxes(const struct fix_set *set, const struct rule_input *s, struct fix_file *file)
{
	const struct box_tally *t = rule_input_boxes(s);

	if (set->boxes.drop)
		file->dropped =
			rule_input_box_troubles(s, GEOMETRY_NO_AREA) + rule_input_box_troubles(s, GEOMETRY_INVERTED);
	if (set->boxes.clip) {
		file->clipped = t->clipped;
		file->unsized = t->boxes > t->placed && t->unclipped;
	}
}

static void add_ids(struct fix_set *set, const struct rule_input *s, const struct rewriting *r, struct fix_file *file)
{
	file->ids_count = (uint32_t)s->stats->ids_count;
	file->ids_at = set->ids_count;
	GROW(set->ids, set->ids_cap, set->ids_count + file->ids_count + 1); /* never NULL, also of files without ids */
	for (size_t i = 0; i < file->ids_count; i++) {
		struct fix_id *id = &set->ids[set->ids_count++];

		id->id = rewriting_id(s, r, i, &id->labels);
	}
}

static void add_categories(const struct rule_input *s, struct fix_file *file)
{
	const struct coco_map *map = s->sample->coco;
	size_t n = map->listed_count;

	file->categories = xcalloc(n + 1, sizeof(*file->categories));
	file->categories_count = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct coco_map_entry *e = &map->entries[i];

		file->categories[i] = (struct fix_category){ e->id, e->class_id, e->labels };
	}
}

/* Copies a place to memory of the set: of millions of them, allocations of their own would take much more. */
static const char *keep_name(struct fix_set *set, const char *name)
{
	size_t n = strlen(name) + 1;

	if (n > set->names_left) {
		GROW(set->names, set->names_cap, set->names_count + 1);
		set->names_left = MAX(n, (size_t)NAMES_BLOCK);
		set->names_next = set->names[set->names_count++] = xmalloc(set->names_left);
	}
	char *copy = memcpy(set->names_next, name, n);

	set->names_next += n;
	set->names_left -= n;
	return copy;
}

/* Returns why a file is not rewritten, or NULL. */
static const char *judge_file(const struct rule_input *s, const struct input *input, struct rewriting *r,
			      struct fix_file *file)
{
	const struct sample *sample = s->sample;

	if (sample->status == SAMPLE_FAILED)
		return sample->fault.kind == FAULT_LOSSY ? LOSSY : UNREADABLE;
	if (sample->status == SAMPLE_ARCHIVE)
		return rewriting_archive(s);
	return judge_format(s, input, r, file);
}

static void keep(struct fix_file *file, const char *why)
{
	file->never = file->never ? file->never : why;
	file->kind = FIX_NONE;
	file->ids_count = file->categories_count = 0;
	file->clipped = file->dropped = 0;
}

static void add_file(void *self, const struct rule_input *s, const struct input *input, const struct finding *findings,
		     size_t count)
{
	const struct sample *sample = s->sample;
	struct fix_set *set = self;
	struct rewriting rewriting = { .kind = FIX_NONE };
	struct stat st;
	struct fix_file file = { .member_at = sample->member ? (uint32_t)(strlen(sample->path) + 1) : 0 };

	if (sample->status != SAMPLE_READ && sample->status != SAMPLE_FAILED && sample->status != SAMPLE_ARCHIVE)
		return;
	if (sample->status == SAMPLE_ARCHIVE && !rewriting_archive(s))
		return;
	const bool has_boxes = rewriting_has_boxes(s);

	if (has_boxes)
		count_boxes(set, s, &file);
	file.never = judge_file(s, input, &rewriting, &file);
	if (!sample->member && stat(sample->path, &st) == 0)
		file.state = file_state_of(&st);
	if (!file.never && set->nearest && file.encoding == MASK_COLOURS)
		file.never = nearest_count(s->settings, input, sample->member ? NULL : sample->path, &file.guessed,
					   &file.farthest);
	if (file.never)
		keep(&file, file.never);
	for (size_t i = 0; i < count; i++)
		file.has_error |= findings[i].level == LEVEL_ERROR;
	FREED char *place = sample_place(sample);

	pthread_mutex_lock(&set->lock);
	file.place = keep_name(set, place);
	set->has_boxes |= has_boxes || (file.never && rewriting.kind);
	if (!file.never && file.kind == FIX_COCO && !file.keeps_ids)
		add_categories(s, &file);
	else if (!file.never && !file.keeps_ids)
		add_ids(set, s, &rewriting, &file);
	GROW(set->files, set->cap, set->count + 1);
	set->files[set->count++] = file;
	pthread_mutex_unlock(&set->lock);
}

static void take_decision(void *self, const struct finding_list *findings, struct fix_decision *decision, bool complete)
{
	struct fix_set *set = self;

	(void)findings;
	set->complete = complete;
	set->decision = *decision;
	*decision = (struct fix_decision){ .place = NULL };
}

static int compare_files(const void *pa, const void *pb)
{
	return strcmp(((const struct fix_file *)pa)->place, ((const struct fix_file *)pb)->place);
}

static int compare_place(const void *key, const void *element)
{
	return strcmp(key, ((const struct fix_file *)element)->place);
}

const struct fix_file *fix_set_find(const struct fix_set *set, const char *path)
{
	const struct fix_file *file =
		set->count ? bsearch(path, set->files, set->count, sizeof(*set->files), compare_place) : NULL;

	return file && !file->member_at ? file : NULL;
}

const struct fix_file *fix_set_member(const struct fix_set *set, const char *archive, const char *name)
{
	RELEASED struct strbuf place = STRBUF_INIT;

	strbuf_addf(&place, "%s#%s", archive, name);
	const struct fix_file *file =
		set->count ? bsearch(place.s, set->files, set->count, sizeof(*set->files), compare_place) : NULL;

	return file && file->member_at ? file : NULL;
}

/* Returns the first file whose place does not sort before the prefix, n bytes, and a character. */
static size_t lower_bound(const struct fix_set *set, const char *prefix, size_t n, unsigned char next)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *place = set->files[middle].place;
		int order = strncmp(place, prefix, n);

		if (order < 0 || (!order && (unsigned char)place[n] < next))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct fix_file *with_prefix(const struct fix_set *set, const char *prefix, char next, size_t *count)
{
	size_t n = strlen(prefix), first = lower_bound(set, prefix, n, (unsigned char)next);

	*count = lower_bound(set, prefix, n, (unsigned char)(next + 1)) - first;
	return set->files + first;
}

const struct fix_file *fix_set_members(const struct fix_set *set, const char *archive, size_t *count)
{
	const struct fix_file *files = with_prefix(set, archive, '#', count);

	/* "a#b" is also the name of a file beside the archive a */
	for (; *count && files->member_at != strlen(archive) + 1; files++)
		--*count;
	while (*count && files[*count - 1].member_at != strlen(archive) + 1)
		--*count;
	return files;
}

const struct fix_file *fix_set_below(const struct fix_set *set, const char *folder, size_t *count)
{
	return with_prefix(set, folder, '/', count);
}

/* Leaves archives as they are that cannot become folders: all of their members. */
static void settle_archives(struct fix_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct fix_file *file = &set->files[i];
		const bool whole =
			file->never && file->member_at &&
			(!strcmp(file->never, REWRITTEN_NAME_TWICE) || !strcmp(file->never, REWRITTEN_UNSAFE) ||
			 !strcmp(file->never, UNREADABLE) || !strcmp(file->never, LOSSY));
		size_t n;

		if (!file->never || (file->member_at && !whole))
			continue;
		FREED char *archive = xmemdup0(file->place, whole ? file->member_at - 1 : strlen(file->place));
		const struct fix_file *members = fix_set_members(set, archive, &n);

		for (size_t k = 0; k < n; k++)
			keep(&set->files[members - set->files + (ptrdiff_t)k], file->never);
	}
}

enum status fix_set_audit(struct fix_set *set, struct options *options, int *signal_number, struct error *err)
{
	const struct audit_observer observer = { set, add_file, take_decision };

	*set = (struct fix_set){ .settings = &options->settings,
				 .follows = options->input.find.follow,
				 .nearest = options->fix.declared.nearest,
				 .boxes = { .clip = options->fix.declared.clip,
					    .drop = options->fix.declared.drop_no_area } };
	pthread_mutex_init(&set->lock, NULL);
	enum status status = audit_observe(options, &observer, signal_number, err);

	if (set->count)
		qsort(set->files, set->count, sizeof(*set->files), compare_files);
	settle_archives(set);
	if (status != STATUS_OK || *signal_number) {
		fix_set_release(set);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

bool fix_file_unpack(const struct fix_set *set, const struct fix_file *file, struct input *in, struct fault *fault)
{
	uint8_t buffer[PEEK_BYTES];
	const uint8_t *head;

	return !file->packed || input_unpack(in, buffer, &head, &set->settings->limits, fault) >= 0;
}

void fix_set_release(struct fix_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->files[i].categories);
	for (size_t i = 0; i < set->names_count; i++)
		free(set->names[i]);
	free(set->names);
	free(set->files);
	free(set->ids);
	fix_decision_release(&set->decision);
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
