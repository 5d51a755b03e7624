#include "fix/fix_set.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/content_hash.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "find/skip_reason.h"
#include "fix/deep_ids.h"
#include "fix/members.h"
#include "fix/unaudited.h"
#include "judge/interpolation.h"
#include "judge/rule.h"
#include "read/input.h"

#define ARCHIVE_OF_ONE_NAME "is an archive with several members of one name: unpack it first"

enum {
	PIECE = 1 << 20, /* bytes read at a time */
	NAMES_BLOCK = 1 << 16,
};

/* Fills how the file is rewritten. Returns why it cannot be, or NULL. */
static const char *judge_format(const struct rule_input *s, struct rewriting *r, struct fix_file *file)
{
	const struct sample *sample = s->sample;
	const char *never = rewriting_of(s, r);

	file->kind = (uint8_t)r->kind;
	file->encoding = (uint8_t)r->encoding;
	file->peak = r->peak;
	file->lone_channel = r->lone_channel;
	file->in_colours = r->in_colours;
	if (r->kind == FIX_PNG) {
		file->colour_type = sample->png.colour_type;
		file->bit_depth = sample->png.bit_depth;
	} else if (r->kind == FIX_ARRAY) {
		file->array = (struct fix_array_form){ .is_idx = sample->format == FORMAT_IDX,
						       .one_hot = r->one_hot,
						       .axis = (uint8_t)s->stats->array.axis.axis,
						       .dtype = sample->array.dtype,
						       .rank = sample->array.rank };
	}
	return never;
}

const char *fix_kind_name(enum fix_kind kind)
{
	static const char *const names[FIX_KINDS] = {
		[FIX_NONE] = "other files", [FIX_PNG] = "masks",       [FIX_LIST] = "lists",
		[FIX_YOLO] = "YOLO texts",  [FIX_COCO] = "COCO files", [FIX_ARRAY] = "arrays"
	};

	return names[kind];
}

static struct fix_id id_of(const struct rule_input *s, const struct rewriting *r, size_t i)
{
	struct fix_id id;

	id.id = rewriting_id(s, r, i, &id.labels);
	return id;
}

/* deep: ids that take the place of the audit's; or NULL. */
static void add_ids(struct fix_set *set, const struct rule_input *s, const struct rewriting *r,
		    const struct fix_id *deep, size_t deep_count, struct fix_file *file)
{
	size_t n = deep ? deep_count : s->stats->ids_count;

	file->ids_count = (uint32_t)n;
	file->narrow = true;
	for (size_t i = 0; i < n; i++) {
		struct fix_id id = deep ? deep[i] : id_of(s, r, i);

		file->narrow &= id.id >= 0 && id.id <= UINT16_MAX && id.labels <= UINT32_MAX;
	}
	file->ids_at = file->narrow ? set->narrow_count : set->ids_count;
	if (file->narrow)
		GROW(set->narrow, set->narrow_cap, set->narrow_count + n);
	else
		GROW(set->ids, set->ids_cap, set->ids_count + n);
	for (size_t i = 0; i < n; i++) {
		struct fix_id id = deep ? deep[i] : id_of(s, r, i);

		if (file->narrow)
			set->narrow[set->narrow_count++] =
				(struct narrow_id){ (uint16_t)id.id,
						    { (uint16_t)id.labels, (uint16_t)(id.labels >> 16) } };
		else
			set->ids[set->ids_count++] = id;
	}
}

/* Returns "path" or "path#member", and how much of it is the folder. */
static char *place_of(const struct sample *sample, size_t *folder)
{
	char *place = sample_place(sample);
	const char *name = sample->member ? place + strlen(sample->path) + 1 : place;

	*folder = (size_t)(file_name_of(name) - place);
	return place;
}

static void keep_left_out(struct fix_set *set, const struct sample *sample)
{
	struct fix_left_out left = { .in_archive = sample->member };

	left.place = place_of(sample, &left.folder);
	pthread_mutex_lock(&set->lock);
	GROW(set->left_out, set->left_out_cap, set->left_out_count + 1);
	set->left_out[set->left_out_count++] = left;
	pthread_mutex_unlock(&set->lock);
}

/* Keeps the path of a file that was left out, if it may hold ids. */
static void add_left_out(struct fix_set *set, const struct sample *sample)
{
	struct fault fault = FAULT_INIT;
	struct input in;

	if (sample->member) { /* check_left_out() looks at it */
		keep_left_out(set, sample);
		return;
	}
	input_init(&in);
	if (input_open(&in, AT_FDCWD, sample->path, &fault) && unaudited_may_hold_ids(sample->path, &in))
		keep_left_out(set, sample);
	input_release(&in);
}

/* Keeps the categories, and adds the class of each to the ids, also of one without labels: it is not to merge either.
 */
static void add_categories(struct fix_set *set, const struct rule_input *s, struct fix_file *file)
{
	const struct coco_map *map = s->sample->coco;
	size_t n = map->listed_count;

	file->categories = xcalloc(n + 1, sizeof(*file->categories));
	file->categories_count = (uint32_t)n;
	file->ids_at = set->ids_count;
	file->ids_count = (uint32_t)n;
	GROW(set->ids, set->ids_cap, set->ids_count + n);
	for (size_t i = 0; i < n; i++) {
		const struct coco_map_entry *e = &map->entries[i];

		file->categories[i] = (struct fix_category){ e->id, e->class_id, e->labels };
		set->ids[set->ids_count++] = (struct fix_id){ e->class_id, e->labels };
	}
}

static void add_other_kind(struct fix_set *set, const struct sample *sample)
{
	char *place = sample_place(sample);

	pthread_mutex_lock(&set->lock);
	if (!set->other_kind || strcmp(place, set->other_kind) < 0) {
		free(set->other_kind);
		set->other_kind = place;
		place = NULL;
	}
	pthread_mutex_unlock(&set->lock);
	free(place);
}

/* Hashes the bytes that are in a file now. Returns false if it cannot be read. size: NULL if nobody asks. */
static bool hash_again(const char *path, uint64_t hash[2], uint64_t *size)
{
	struct fault fault = FAULT_INIT;
	struct content_hash *h;
	struct input in;
	uint8_t *piece;
	int64_t n;

	input_init(&in);
	if (!input_open(&in, AT_FDCWD, path, &fault))
		return false;
	if (size)
		*size = in.size;
	h = content_hash_new();
	piece = xmalloc(PIECE);
	while ((n = input_read(&in, piece, PIECE, &fault)) > 0)
		content_hash_add(h, piece, (size_t)n);
	content_hash_finish(h, hash);
	free(piece);
	input_release(&in);
	return n == 0;
}

/* Hashes the bytes that were measured; of a large file, that are there now. Returns false if it cannot be read. */
static bool hash_file(struct fix_file *file, const struct input *input)
{
	file->hashed = true;
	if (input->bytes && !file->packed) {
		content_hash_bytes(input->bytes, input->size, file->hash);
		return true;
	}
	return hash_again(file->path, file->hash, NULL);
}

/* Copies a path to memory of the set: of millions of them, allocations of their own would take much more. */
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

/* Returns the path of an archive, which most of the last files had. */
static const char *path_of_archive(struct fix_set *set, const char *path)
{
	enum { OPEN_ARCHIVES = 64 }; /* threads read them one each */

	for (size_t i = 0; i < MIN(set->archive_paths_count, (size_t)OPEN_ARCHIVES); i++) {
		const char *last = set->archive_paths[set->archive_paths_count - 1 - i];

		if (!strcmp(last, path))
			return last;
	}
	GROW(set->archive_paths, set->archive_paths_cap, set->archive_paths_count + 1);
	return set->archive_paths[set->archive_paths_count++] = keep_name(set, path);
}

static void add_file(void *self, const struct rule_input *s, const struct input *input, const struct finding *findings,
		     size_t count)
{
	const struct sample *sample = s->sample;
	struct fix_set *set = self;
	struct fix_file file = { 0 };
	struct rewriting rewriting = { .kind = FIX_NONE };
	struct fix_id *deep = NULL;
	const char *never = NULL;
	char *place;
	size_t folder, ids_count = 0;

	if (sample->status == SAMPLE_SKIPPED &&
	    unaudited_is_suspect(sample->member ? sample->member : sample->path, sample->skip_reason))
		add_left_out(set, sample);
	if (sample->skip_reason == SKIP_OTHER_KIND && sample->status == SAMPLE_SKIPPED && sample->looks_like_labels)
		add_other_kind(set, sample);
	if (sample->status != SAMPLE_READ && sample->status != SAMPLE_FAILED && sample->status != SAMPLE_ARCHIVE)
		return;
	if (sample->status == SAMPLE_ARCHIVE && !GUARD(archive_read_in_two_ways, sample->archive->flaws.len))
		return;
	if (sample->status == SAMPLE_READ) /* then there are stats */
		ids_count = s->stats->ids_count;
	place = place_of(sample, &folder);
	file.path = sample->path;
	file.member_at = sample->member ? (uint32_t)(strlen(sample->path) + 1) : 0;
	file.bytes = sample->file_bytes;
	file.interpolated = s->interpolation & INTERPOLATION_DAMAGED;
	if (sample->status == SAMPLE_FAILED)
		never = "could not be read whole";
	else if (sample->status == SAMPLE_ARCHIVE)
		never = "is an archive that readers may take for another: unpack it first";
	else if (GUARD(members_of_one_name, sample->member_repeated || sample->member_name_cut))
		never = ARCHIVE_OF_ONE_NAME;
	else
		never = judge_format(s, &rewriting, &file);
	const bool counted = ids_count;

	if (!never) {
		bool packed;

		never = rewriting_packing(s, input, &packed);
		file.packed = packed;
	}
	if (!never && fix_file_is_mask(&file) && file.encoding == MASK_REPLICATED && file.bit_depth == 16) {
		deep = deep_ids_count(input, sample->member || file.packed ? NULL : sample->path, &s->settings->limits,
				      &ids_count);
		never = deep ? NULL : "has equal channels of 16 bits whose ids cannot be counted";
	}
	if (!never && ids_count > REWRITTEN_IDS_MAX) /* those of 16 bits */
		never = REWRITTEN_IDS_TOO_MANY;
	if (!never && !sample->member && !hash_file(&file, input))
		never = "could not be read twice";
	if (never) {
		file.kind = FIX_NONE;
		file.never = never;
	}
	file.holds_ids = (counted || rewriting.one_hot) && !rewriting_has_names(s);
	for (size_t i = 0; i < count; i++)
		file.has_error |= findings[i].level == LEVEL_ERROR;

	pthread_mutex_lock(&set->lock);
	file.place = keep_name(set, place);
	file.path = sample->member ? path_of_archive(set, sample->path) : file.place;
	if (!never && file.kind == FIX_COCO)
		add_categories(set, s, &file);
	else if (!never)
		add_ids(set, s, &rewriting, deep, ids_count, &file);
	for (size_t i = 0; i < count; i++)
		set->findings[rule_index(findings[i].rule)]++;
	GROW(set->files, set->cap, set->count + 1);
	set->files[set->count++] = file;
	pthread_mutex_unlock(&set->lock);
	free(deep);
	free(place);
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

	int order = strcmp(a->path, b->path);

	if (order || !a->member_at || !b->member_at)
		return order ? order : (a->member_at != 0) - (b->member_at != 0);
	return strcmp(fix_file_member(a), fix_file_member(b));
}

/* Finds files that are in no archive, which sort before the members of one. */
static int compare_path(const void *key, const void *element)
{
	const struct fix_file *file = element;
	int order = strcmp(key, file->path);

	return order ? order : -(file->member_at != 0);
}

static int compare_member(const void *key, const void *element)
{
	const struct fix_file *file = element;

	return strcmp(key, file->place + file->member_at);
}

static int compare_archive(const void *key, const void *element)
{
	return strcmp(key, ((const struct fix_archive *)element)->path);
}

const struct fix_archive *fix_set_archive(const struct fix_set *set, const char *path)
{
	return set->archives_count
		       ? bsearch(path, set->archives, set->archives_count, sizeof(*set->archives), compare_archive)
		       : NULL;
}

const struct fix_file *fix_archive_find(const struct fix_set *set, const struct fix_archive *archive, const char *name)
{
	return bsearch(name, set->files + archive->first, archive->count, sizeof(*set->files), compare_member);
}

const struct fix_file *fix_set_find(const struct fix_set *set, const char *path)
{
	return set->count ? bsearch(path, set->files, set->count, sizeof(*set->files), compare_path) : NULL;
}

bool fix_set_has_below(const struct fix_set *set, const char *folder)
{
	size_t n = strlen(folder), low = 0, high = set->count;

	while (low < high) { /* the first path that does not sort before those below the folder */
		size_t middle = low + (high - low) / 2;
		const char *path = set->files[middle].path;
		int order = strncmp(path, folder, n);

		if (order < 0 || (!order && (unsigned char)path[n] < '/'))
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->count && !strncmp(set->files[low].path, folder, n) && set->files[low].path[n] == '/';
}

static int compare_left_out(const void *a, const void *b)
{
	return strcmp(((const struct fix_left_out *)a)->place, ((const struct fix_left_out *)b)->place);
}

/* ---- masks in three channels --------------------------------------------------------------------------------------
 */

/* Returns why a mask with a lone channel is not known to be one-hot, or NULL. */
static const char *judge_lone_channel(const struct fix_set *set, const struct fix_file *lone)
{
	bool proved = false;

	for (size_t i = 0; i < set->count; i++) {
		const struct fix_file *file = &set->files[i];

		if (file->in_colours)
			return "sets only one of its channels, which may be a class or a colour: others hold colours";
		if (!fix_file_is_mask(file) || file->encoding != MASK_ONE_HOT || file->lone_channel)
			continue;
		if (file->peak != lone->peak)
			return "sets only one of its channels, to another value than the one-hot masks";
		proved = true;
	}
	return proved ? NULL : "sets only one of its channels, and no other mask shows that these are classes";
}

/* Refuses masks that use one channel, unless all others show that it is a class. They are alike, but for their peaks.
 */
static void settle_lone_channels(struct fix_set *set)
{
	const char *why[UINT8_MAX + 1];
	bool asked[UINT8_MAX + 1] = { false };

	for (size_t i = 0; i < set->count; i++) {
		struct fix_file *file = &set->files[i];

		if (!file->lone_channel || file->never)
			continue;
		if (!asked[file->peak])
			why[file->peak] = judge_lone_channel(set, file);
		asked[file->peak] = true;
		if (!GUARD(lone_channel_of_a_colour, why[file->peak]))
			continue;
		file->never = why[file->peak];
		file->kind = FIX_NONE;
		file->ids_count = 0;
	}
}

/* ---- archives ---------------------------------------------------------------------------------------------------- */

/* Leaves the members of an archive as they are. */
static void keep_members(struct fix_set *set, const struct fix_archive *archive, const char *why)
{
	for (size_t i = 0; i < archive->count; i++) {
		struct fix_file *file = &set->files[archive->first + i];

		if (!file->never)
			file->never = why;
		file->kind = FIX_NONE;
		file->ids_count = 0;
		file->categories_count = 0;
	}
}

/* Returns why no member of the archive can be rewritten, or NULL. before: the file before its members; or NULL. */
static const char *judge_archive(const struct fix_set *set, struct fix_archive *archive, const struct fix_file *before)
{
	if (before && !strcmp(before->path, archive->path))
		return before->never;
	for (size_t i = 0; i < archive->count; i++) {
		const struct fix_file *file = &set->files[archive->first + i];

		if (file->never && !strcmp(file->never, ARCHIVE_OF_ONE_NAME))
			return ARCHIVE_OF_ONE_NAME;
	}
	archive->hashed = hash_again(archive->path, archive->hash, &archive->bytes);
	return archive->hashed ? NULL : "could not be read twice";
}

static int compare_place(const void *key, const void *element)
{
	return strcmp(key, ((const struct fix_left_out *)element)->place);
}

/* Returns whether the current member may hold ids. */
static bool member_may_hold_ids(struct members *m)
{
	struct fault fault = FAULT_INIT;
	struct input in;

	input_init(&in);
	bool may = m->member.fault.kind == FAULT_NONE && members_open_input(m, &in, &fault) &&
		   unaudited_may_hold_ids(m->member.name, &in);

	input_release(&in);
	return may;
}

/* Returns whether an array has the name of a mask, to which it belongs: a depth, an image. archive: NULL for none. */
static bool accompanies_mask(const struct fix_set *set, const struct fix_archive *archive, const char *name)
{
	struct strbuf mask = STRBUF_INIT;
	bool found = false;

	if (file_name_ends_in(name, ".npy")) {
		strbuf_add(&mask, name, strlen(name) - strlen(".npy"));
		strbuf_adds(&mask, ".png");
		found = archive ? fix_archive_find(set, archive, mask.s) : fix_set_find(set, mask.s);
	}
	strbuf_release(&mask);
	return found;
}

/* Reads the files of an archive that were left out; those that may hold ids remain in the list. */
static void check_left_out(struct fix_set *set, const struct fix_archive *archive, bool *remains)
{
	const char *path = archive->path;
	struct strbuf place = STRBUF_INIT;
	struct fault fault = FAULT_INIT;
	struct members m;

	if (members_open(&m, AT_FDCWD, path, &set->settings->limits, &fault)) {
		while (members_next(&m, &fault)) {
			strbuf_clear(&place);
			strbuf_addf(&place, "%s#%s", path, m.member.name);
			const struct fix_left_out *left =
				bsearch(place.s, set->left_out, set->left_out_count, sizeof(*left), compare_place);

			if (left && left->in_archive && m.member.type == MEMBER_FILE)
				remains[left - set->left_out] =
					!accompanies_mask(set, archive, m.member.name) && member_may_hold_ids(&m);
		}
	}
	members_close(&m);
	strbuf_release(&place);
}

/* Fills the archives, whose files are sorted. */
static void gather_archives(struct fix_set *set)
{
	bool *remains = xcalloc(set->left_out_count + 1, sizeof(*remains));
	size_t at = 0, n = 0;

	for (size_t i = 0; i < set->count; i += MAX(n, (size_t)1)) {
		struct fix_archive archive = { .path = set->files[i].path, .first = i };

		for (n = 0;
		     i + n < set->count && set->files[i + n].member_at && !strcmp(set->files[i + n].path, archive.path);
		     n++)
			;
		if (!n)
			continue;
		archive.count = n;
		const char *why = judge_archive(set, &archive, i ? &set->files[i - 1] : NULL);

		if (why)
			keep_members(set, &archive, why);
		GROW(set->archives, set->archives_cap, set->archives_count + 1);
		set->archives[set->archives_count++] = archive;
		/* "path#" is where its members begin */
		while (at < set->left_out_count &&
		       strncmp(set->left_out[at].place, archive.path, strlen(archive.path)) < 0)
			at++;
		if (at < set->left_out_count && set->left_out[at].in_archive &&
		    !strncmp(set->left_out[at].place, archive.path, strlen(archive.path)))
			check_left_out(set, &archive, remains);
	}
	n = 0;
	for (size_t i = 0; i < set->left_out_count; i++) {
		const struct fix_left_out *left = &set->left_out[i];

		if (left->in_archive ? remains[i] : !accompanies_mask(set, NULL, left->place))
			set->left_out[n++] = *left;
		else
			free(left->place);
	}
	set->left_out_count = n;
	free(remains);
}

enum status fix_set_audit(struct fix_set *set, struct options *options, const struct path_list *listed,
			  int *signal_number, struct error *err)
{
	const struct audit_observer observer = { set, add_file, add_dataset };

	*set = (struct fix_set){ .settings = &options->settings, .listed = listed, .follows = options->find.follow };
	pthread_mutex_init(&set->lock, NULL);
	set->findings = xcalloc(rule_count, sizeof(*set->findings));
	enum status status = audit_observe(options, &observer, signal_number, err);

	if (set->count)
		qsort(set->files, set->count, sizeof(*set->files), compare_files);
	if (set->left_out_count)
		qsort(set->left_out, set->left_out_count, sizeof(*set->left_out), compare_left_out);
	settle_lone_channels(set);
	gather_archives(set);
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
	for (size_t i = 0; i < set->left_out_count; i++)
		free(set->left_out[i].place);
	free(set->left_out);
	free(set->other_kind);
	free(set->files);
	free(set->archives);
	free(set->archive_paths);
	free(set->ids);
	free(set->narrow);
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

uint64_t fix_set_findings(const struct fix_set *set, const char *rule)
{
	return set->findings[rule_index(rule_find(rule))];
}

bool fix_set_has(const struct fix_set *set, const char *rule)
{
	return fix_set_findings(set, rule) != 0;
}

int64_t fix_file_scale(const struct fix_set *set, const struct fix_file *file)
{
	return fix_file_is_mask(file) ? rewriting_scale(set->settings->view, file->colour_type, file->bit_depth) : 1;
}
