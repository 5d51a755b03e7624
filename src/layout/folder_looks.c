#include "layout/folder_looks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"
#include "find/split.h"
#include "layout/photo_probe.h"
#include "layout/probe.h"
#include "layout/sampling.h"

enum {
	PATHS_BYTES = 1 << 20,
	FEW_PROBED = 6, /* a folder of fewer is judged with others */
	CERTAIN = 80,
};

#define NOT_PROBED SIZE_MAX

void folder_looks_init(struct folder_looks *l)
{
	*l = (struct folder_looks){ .last = SIZE_MAX };
	strbuf_init(&l->paths);
}

void folder_looks_release(struct folder_looks *l)
{
	free(l->v);
	table_release(&l->table);
	strbuf_release(&l->paths);
	folder_looks_init(l);
}

/* ---- folders ---------------------------------------------------------------------------------------------------- */

static uint64_t hash_folder(const struct entry *entry, size_t *len)
{
	const char *path = entry->member ? entry->member : entry->path, *slash = strrchr(path, '/');

	*len = slash ? (size_t)(slash - path) : 0;
	return hash_bytes(hash_bytes(hash_seed(), entry->path, entry->member ? strlen(entry->path) : 0), path, *len);
}

static uint32_t find_folder(const struct folder_looks *l, uint64_t path)
{
	uint32_t i;

	for (size_t at = table_start(&l->table, path); (i = table_next(&l->table, path, &at)) != TABLE_NONE;)
		if (l->v[i].path == path)
			return i;
	return TABLE_NONE;
}

/* Returns the hash of the last folder of path[0..n), or of the path before it. */
static uint64_t hash_part(const char *path, size_t n, bool parent)
{
	const char *slash = memrchr(path, '/', n), *name = slash ? slash + 1 : path;

	return parent ? hash_bytes(hash_seed(), path, (size_t)(name - path))
		      : hash_bytes(hash_seed(), name, n - (size_t)(name - path));
}

static struct folder_look *enter_folder(struct folder_looks *l, const struct entry *entry, enum role role)
{
	const char *inner = entry_inner_path(entry), *slash = strrchr(inner, '/');
	size_t len, inner_len = slash ? (size_t)(slash - inner) : 0;
	uint64_t path = hash_folder(entry, &len);

	if (l->last < l->count && l->v[l->last].path == path)
		return &l->v[l->last];
	uint32_t found = find_folder(l, path);

	if (found != TABLE_NONE) {
		l->last = found;
		return &l->v[found];
	}
	l->last = SIZE_MAX;
	if (l->count == FOLDER_LOOKS_MAX)
		return NULL;
	GROW(l->v, l->cap, l->count + 1);
	table_add(&l->table, path, l->count);
	l->last = l->count;
	l->v[l->count] = (struct folder_look){ .path = path,
					       .role = role,
					       .inherits = role_of_folder(entry_inner_path(entry)) != role,
					       .split = (uint8_t)split_by_name(inner, 0),
					       .name = hash_part(inner, inner_len, false),
					       .parent = hash_part(inner, inner_len, true),
					       .above = hash_bytes(hash_seed(), inner, inner_len + (slash != NULL)),
					       .is_member = entry->member != NULL,
					       .is_clutter = role_is_clutter(inner),
					       .is_coloured = role_is_coloured(inner) };
	return &l->v[l->count++];
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

/* Returns the length of a name[0..n) without a short tag at its end, if a number comes before: 0001TP_00_L, 7_1stHO. */
static size_t length_without_tag(const char *name, size_t n)
{
	enum { TAG_MAX = 6 };
	size_t tag = 0, letters = 0;

	for (; tag < n && tag <= TAG_MAX && ascii_isalnum(name[n - 1 - tag]); tag++)
		letters += ascii_isalpha(name[n - 1 - tag]) != 0;
	if (!letters || tag == n || tag > TAG_MAX || !strchr("_-", name[n - 1 - tag]))
		return n;
	for (size_t i = 0; i < n - 1 - tag; i++)
		if (ascii_isdigit(name[i]))
			return n - 1 - tag;
	return n;
}

/* Hashes a name without its extension and the words for images and masks, or the tag, at its end. */
static uint64_t hash_stem(const char *name)
{
	const char *file = file_name_of(name);
	size_t whole = strlen(file) - strlen(file_name_extension(file)), stem = whole;

	if (!role_label_suffix(file, &stem) && !role_other_suffix(file, &stem))
		stem = length_without_tag(file, whole);
	return hash_bytes(0, file, stem);
}

/* Returns whether a folder of the path before `file` is called like a word of n letters. */
static bool is_folder_name(const char *path, const char *file, const char *word, size_t n)
{
	for (const char *slash; path < file; path = slash + 1) {
		slash = memchr(path, '/', (size_t)(file - path));
		if ((size_t)(slash - path) == n && !strncasecmp(path, word, n))
			return true;
	}
	return false;
}

/*
 * Hashes a name without the words that folders above it are called, and with one sign between the others. Returns 0 if
 * there is no such word.
 */
static uint64_t hash_rest(const char *path)
{
	enum { LETTERS_MIN = 3 };
	const char *file = file_name_of(path), *last = file_name_extension(path), *end;
	char rest[NAME_MAX + 1];
	size_t n = 0;
	bool found = false;

	if (!*last || (size_t)(last - file) > NAME_MAX)
		return 0;
	for (const char *p = file; p < last; p = end) {
		for (end = p + 1; ascii_isalpha(*p) && end < last && ascii_isalpha(*end);)
			end++;
		const size_t len = (size_t)(end - p);

		if (len >= LETTERS_MIN && is_folder_name(path, file, p, len)) {
			found = true;
		} else if (ascii_isalnum(*p)) {
			memcpy(rest + n, p, len);
			n += len;
		} else if (n && rest[n - 1] != '_') {
			rest[n++] = '_';
		}
	}
	return found && n ? hash_bytes(0, rest, n) : 0;
}

/* Adds a file's rest to the folder's, as far as all names have one. */
static void add_rest(struct folder_look *f, const struct entry *entry)
{
	const uint64_t rest = f->files == 1 || f->repeats ? hash_rest(entry_inner_path(entry)) : 0;

	f->repeats = rest;
	if (rest)
		sample_insert(f->rests, sizeof(f->rests[0]), &f->rests_count, FOLDER_STEMS, rest);
}

static void count_look(struct folder_look *f, const struct entry *entry, struct entry_probe *probe)
{
	struct png_sight sight;

	if (!photo_probe_look(entry, probe, true, &sight) || sight.look == PNG_LOOK_NONE)
		return;
	bool photo = sight_is_of_photo(&sight);

	f->probed++;
	f->photos += photo;
	f->varied += photo && sight.varied;
	f->masks += !photo && sight.look == PNG_LOOK_MASK;
	f->colours += sight.look == PNG_LOOK_COLOUR;
}

static size_t keep_path(struct folder_looks *l, const struct entry *entry)
{
	size_t at = l->paths.len, n = strlen(entry->path) + 1;

	if (at + n > PATHS_BYTES)
		return NOT_PROBED;
	strbuf_add(&l->paths, entry->path, n);
	return at;
}

/* Adds a file to the folder's sample if its stem's hash is small enough. Returns whether it is to be probed. */
static struct sampled_file *add_to_sample(struct folder_look *f, uint64_t stem)
{
	const unsigned at = sample_insert(f->sample, sizeof(f->sample[0]), &f->sample_count, FOLDER_STEMS, stem);

	if (at == FOLDER_STEMS)
		return NULL;
	f->sample[at].path = NOT_PROBED;
	return at < FOLDER_SAMPLE ? &f->sample[at] : NULL;
}

void folder_looks_add(struct folder_looks *l, const struct entry *entry, enum role role)
{
	struct folder_look *f = enter_folder(l, entry, role);
	bool png = is_png_name(entry->name);

	if (!f)
		return;
	f->files++;
	f->pngs += png;
	add_rest(f, entry);
	struct sampled_file *sampled = add_to_sample(f, hash_stem(entry->name));

	if (!sampled || !png)
		return;
	if (!entry->member) {
		sampled->path = keep_path(l, entry);
	} else if (l->probes < FOLDER_PROBES) {
		struct entry_probe probe;

		/* all that were in the sample for a while: members cannot be read again */
		probe_init(&probe);
		count_look(f, entry, &probe);
		probe_close(&probe);
		l->probes++;
	}
}

void folder_looks_count(struct folder_looks *l, uint64_t masks, uint64_t plain, uint64_t colours)
{
	if (l->last >= l->count)
		return;
	struct folder_look *f = &l->v[l->last];

	f->as_masks += masks;
	f->as_plain += plain;
	f->as_colours += colours;
	l->clutter += f->is_clutter ? masks + plain + colours : 0;
}

static void name_sample(const struct folder_looks *l, const struct folder_look *f, struct probe_ahead *ahead)
{
	for (unsigned i = 0; i < MIN(f->sample_count, (unsigned)FOLDER_SAMPLE) && ahead->count < FOLDER_PROBES; i++)
		if (f->sample[i].path != NOT_PROBED)
			probe_ahead_name(ahead, l->paths.s + f->sample[i].path);
}

static void probe_sample(struct folder_looks *l, struct folder_look *f, struct probe_ahead *ahead)
{
	for (unsigned i = 0; i < MIN(f->sample_count, (unsigned)FOLDER_SAMPLE) && l->probes < FOLDER_PROBES; i++) {
		if (f->sample[i].path == NOT_PROBED)
			continue;
		const char *path = l->paths.s + f->sample[i].path;
		const struct entry entry = { .path = path, .name = path, .dirfd = AT_FDCWD };
		struct entry_probe *probe = probe_ahead_begin(ahead, &entry);

		if (!probe)
			return;
		count_look(f, &entry, probe);
		probe_ahead_end(ahead);
		l->probes++;
	}
}

/* ---- conclusions ------------------------------------------------------------------------------------------------ */

/* The sorted hashes that elements of `size` bytes begin with: all, or the least FOLDER_STEMS. */
struct hashes {
	const void *v;
	size_t size;
	unsigned count;
};

static uint64_t hash_at(const struct hashes *h, unsigned i)
{
	uint64_t hash;

	memcpy(&hash, (const unsigned char *)h->v + i * h->size, sizeof(hash));
	return hash;
}

/* Returns whether most of the masks' hashes are among the photos', as far as both reach. */
static bool has_most(const struct hashes *photos, const struct hashes *masks)
{
	const uint64_t reach = photos->count == FOLDER_STEMS ? hash_at(photos, FOLDER_STEMS - 1) : UINT64_MAX;
	unsigned common = 0, seen = 0;

	for (unsigned k = 0; seen < masks->count && hash_at(masks, seen) <= reach; seen++) {
		while (k < photos->count && hash_at(photos, k) < hash_at(masks, seen))
			k++;
		common += k < photos->count && hash_at(photos, k) == hash_at(masks, seen);
	}
	return seen && 2 * common > seen;
}

static struct hashes stems_of(const struct folder_look *f)
{
	return (struct hashes){ f->sample, sizeof(f->sample[0]), f->sample_count };
}

static struct hashes rests_of(const struct folder_look *f)
{
	return (struct hashes){ f->rests, sizeof(f->rests[0]), f->rests_count };
}

/* Returns whether masks have the names of photos, but for the words that are those of the folders. */
static bool is_paired(const struct folder_look *photos, const struct folder_look *masks)
{
	const struct hashes stems[] = { stems_of(photos), stems_of(masks) };
	const struct hashes rests[] = { rests_of(photos), rests_of(masks) };

	return has_most(&stems[0], &stems[1]) || (photos->repeats && masks->repeats && has_most(&rests[0], &rests[1]));
}

struct look_sums {
	unsigned probed, photos, masks, colours;
	size_t folders;
};

static void add_sums(struct look_sums *s, const struct folder_look *f)
{
	s->probed += f->probed;
	s->photos += f->photos;
	s->masks += f->masks;
	s->colours += f->colours;
	s->folders++;
}

static enum folder_content content_of(const struct look_sums *s)
{
	if (!s->probed)
		return FOLDER_UNKNOWN;
	if (2 * s->photos >= s->probed)
		return FOLDER_PHOTOS;
	/* masks: hardly one takes a photo's bits */
	return 2 * s->masks > s->probed && 10 * s->photos <= s->probed ? FOLDER_MASKS : FOLDER_UNKNOWN;
}

/* Returns how far a sum is from being undecided: 0 to 100. */
static unsigned certainty(const struct look_sums *s)
{
	unsigned others = s->probed - s->photos, more = MAX(others, s->photos);

	return s->probed ? (2 * more - s->probed) * 100 / s->probed : 0;
}

/* Returns what the folders of few files that have the same name, or the same parent, hold in sum. */
static enum folder_content content_with_others(const struct folder_looks *l, const struct folder_look *f)
{
	struct look_sums named = { 0 }, below = { 0 };

	for (size_t i = 0; i < l->count; i++) {
		const struct folder_look *other = &l->v[i];

		if (other->name == f->name)
			add_sums(&named, other);
		if (other->parent == f->parent)
			add_sums(&below, other);
	}
	const struct look_sums *sum = certainty(&named) >= certainty(&below) ? &named : &below;
	enum folder_content content = content_of(sum);

	/* what contradicts its own files must be certain: nine photos of ten */
	return content == FOLDER_PHOTOS && !f->photos && certainty(sum) < CERTAIN ? FOLDER_UNKNOWN : content;
}

static void decide(struct folder_looks *l, struct folder_look *f)
{
	struct look_sums alone = { 0 };

	add_sums(&alone, f);
	f->content = alone.probed >= FEW_PROBED || l->count < 3 ? content_of(&alone) : content_with_others(l, f);
	/* JPEGs without PNGs among them */
	if (!f->pngs)
		f->content = FOLDER_PHOTOS;
}

/* Returns whether nothing but masks was seen, be it in colours. */
static bool is_flat(const struct folder_look *f)
{
	return f->probed >= FEW_PROBED && f->colours + f->masks == f->probed;
}

/* Returns whether a folder holds masks, by its name or its content. */
static bool holds_masks(const struct folder_look *f)
{
	return f->pngs &&
	       (f->role == ROLE_LABELS || f->content == FOLDER_MASKS || (f->role == ROLE_UNKNOWN && is_flat(f)));
}

/* Returns whether a folder holds masks, and more than the name of a folder above says so. */
static bool holds_masks_itself(const struct folder_look *f)
{
	return holds_masks(f) && (!f->inherits || f->content == FOLDER_MASKS || is_flat(f));
}

/* Returns whether photos and masks may belong together: val/ holds no photos of train/, but its own masks, broken. */
static bool are_of_one_split(const struct folder_look *a, const struct folder_look *b)
{
	return a->split == SPLIT_NONE || b->split == SPLIT_NONE || a->split == b->split;
}

/*
 * Returns whether photos have masks: in a folder that is called so, or that has files of their names. Where no name
 * tells which are which, the photos must be some beyond doubt: masks that were saved as JPEG have as many bits. So must
 * they be where a folder above both is called as those of masks: segmentation/raw/ beside segmentation/gt/.
 */
static bool has_masks(const struct folder_looks *l, const struct folder_look *photos)
{
	const bool certain = photos->role == ROLE_IMAGES || 2 * photos->varied >= photos->probed;
	const bool as_labels = photos->role == ROLE_LABELS;

	for (size_t i = 0; i < l->count && (!as_labels || photos->inherits); i++) {
		const struct folder_look *f = &l->v[i];
		const bool masks = as_labels ? holds_masks_itself(f) : holds_masks(f);

		if (f != photos && masks && are_of_one_split(photos, f) &&
		    ((f->role == ROLE_LABELS && !as_labels) || (certain && is_paired(photos, f))))
			return true;
	}
	return false;
}

static bool belongs_to_photos(const struct folder_looks *l, const struct folder_look *f)
{
	for (size_t i = 0; i < l->count; i++)
		if (&l->v[i] != f && l->v[i].content == FOLDER_PHOTOS && is_paired(&l->v[i], f))
			return true;
	return false;
}

/*
 * Returns whether a folder holds some plots or previews: it has few PNGs, none of them a mask, and folders in it have
 * the masks of photos.
 */
static bool is_above_masks(const struct folder_looks *l, const struct folder_look *f)
{
	enum { FEW = 4 };

	if (!f->pngs || f->pngs > FEW || f->masks || f->colours + f->photos < f->probed || !f->probed)
		return false;
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].parent == f->above && &l->v[i] != f && l->v[i].content == FOLDER_MASKS &&
		    l->v[i].masks > f->pngs && belongs_to_photos(l, &l->v[i]))
			return true;
	return false;
}

/* Returns whether a folder of PNGs has some other images: masks that were saved as JPEG. */
static bool has_some_others(const struct folder_look *f)
{
	return f->files > f->pngs && 2 * (f->files - f->pngs) <= f->pngs;
}

/* Returns whether a folder's sample is probed now; that of one in an archive was. */
static bool is_to_be_probed(const struct folder_look *f)
{
	return f->pngs && !f->is_member;
}

void folder_looks_end(struct folder_looks *l, struct probe_ahead *ahead)
{
	size_t pngs = 0;

	/* the usual case: one folder of masks, with JPEGs beside it or none */
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].pngs)
			pngs += l->v[i].is_clutter || (l->v[i].is_member && has_some_others(&l->v[i])) ? 2 : 1;
	probe_ahead_forget(ahead);
	for (size_t i = 0; i < l->count && pngs > 1; i++)
		if (is_to_be_probed(&l->v[i]))
			name_sample(l, &l->v[i], ahead);
	for (size_t i = 0; i < l->count && pngs > 1; i++)
		if (is_to_be_probed(&l->v[i]))
			probe_sample(l, &l->v[i], ahead);
	probe_ahead_forget(ahead);
	for (size_t i = 0; i < l->count && pngs > 1; i++)
		decide(l, &l->v[i]);
	for (size_t i = 0; i < l->count && pngs > 1; i++) {
		struct folder_look *f = &l->v[i];

		if (f->role == ROLE_UNKNOWN && !belongs_to_photos(l, f) &&
		    ((f->is_clutter && f->pngs && f->colours == f->probed) || is_above_masks(l, f)))
			f->content = FOLDER_PLOTS;
		else if (f->content == FOLDER_PHOTOS && !has_masks(l, f))
			f->content = FOLDER_UNKNOWN;
		l->paired |= f->content == FOLDER_PHOTOS;
	}
}

/*
 * Returns whether a folder that is called as those of masks shows them drawn over the photos, in files of the names in
 * the folder of ids beside it: masks_human/, masks_machine/.
 */
static bool shows_masks_on_photos(const struct folder_look *f, const struct folder_look *ids)
{
	return !f->inherits && !ids->inherits && 2 * f->varied >= f->probed && ids->parent == f->parent;
}

void folder_looks_find_renderings(struct folder_looks *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct folder_look *f = &l->v[i];
		bool found = false;

		const bool coloured = f->is_coloured && f->colours == f->probed;

		if (f->role != ROLE_LABELS || f->is_member || f->probed < FEW_PROBED / 2)
			continue;
		for (size_t k = 0; k < l->count && !found; k++) {
			const struct folder_look *ids = &l->v[k];

			found = (coloured || shows_masks_on_photos(f, ids)) && ids->role == ROLE_LABELS &&
				ids->probed && ids->masks == ids->probed && ids->files >= f->files &&
				ids->split == f->split && is_paired(ids, f) && is_paired(f, ids);
		}
		if (found)
			f->content = FOLDER_PLOTS;
	}
}

bool folder_looks_have_named_pair(const struct folder_looks *l)
{
	for (size_t i = 0; i < l->count; i++)
		for (size_t k = 0; k < l->count && l->v[i].role == ROLE_LABELS; k++)
			if (l->v[k].role == ROLE_IMAGES && is_paired(&l->v[k], &l->v[i]))
				return true;
	return false;
}

void folder_looks_forget_plots(struct folder_looks *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].content == FOLDER_PLOTS)
			l->v[i].content = FOLDER_UNKNOWN;
}

static const struct folder_look *find_look(const struct folder_looks *l, const struct entry *entry)
{
	size_t len;
	uint32_t found = l->count ? find_folder(l, hash_folder(entry, &len)) : TABLE_NONE;

	return found == TABLE_NONE ? NULL : &l->v[found];
}

enum folder_content folder_looks_find(const struct folder_looks *l, const struct entry *entry)
{
	const struct folder_look *f = find_look(l, entry);

	return f ? f->content : FOLDER_UNKNOWN;
}

bool folder_looks_is_of_pngs(const struct folder_looks *l, const struct entry *entry)
{
	const struct folder_look *f = find_look(l, entry);

	return f && f->content == FOLDER_MASKS && has_some_others(f);
}
