#include "layout/folder_table.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/archive.h"
#include "find/pool.h"

enum {
	POOL_SIBLINGS = 3,
	MEMBER_BYTES = 4 << 20, /* of a member that are looked at: the size of most masks */
};

/* ---- folders ------------------------------------------------------------------------------------------------------
 */

static uint64_t hash_folder(uint32_t typed_path, const char *path, size_t n)
{
	return hash_bytes(hash_word(hash_seed(), typed_path), path, n);
}

static uint32_t find_folder(const struct folder_table *t, uint32_t typed_path, const char *path, size_t n)
{
	const uint64_t hash = hash_folder(typed_path, path, n);
	uint32_t i;

	for (size_t at = table_start(&t->folder_table, hash);
	     (i = table_next(&t->folder_table, hash, &at)) != TABLE_NONE;)
		if (t->folders[i].typed_path == typed_path && strlen(t->folders[i].path) == n &&
		    !memcmp(t->folders[i].path, path, n))
			return i;
	return TABLE_NONE;
}

static uint32_t add_folder(struct folder_table *t, uint32_t typed_path, const char *path, size_t n, uint32_t parent)
{
	const uint32_t index = (uint32_t)t->folders_count;

	GROW(t->folders, t->folders_cap, t->folders_count + 1);
	t->folders[t->folders_count++] = (struct table_folder){
		.path = xmemdup0(path, n), .parent = parent, .typed_path = typed_path, .group = index
	};
	table_add(&t->folder_table, hash_folder(typed_path, path, n), index);
	return index;
}

/* Returns the folder that holds all folders of one that have no rows of their own. */
static uint32_t star_of(struct folder_table *t, uint32_t parent)
{
	FREED char *path = xmalloc(strlen(t->folders[parent].path) + 3);

	sprintf(path, "%s%s*", t->folders[parent].path, *t->folders[parent].path ? "/" : "");
	uint32_t star = find_folder(t, t->folders[parent].typed_path, path, strlen(path));

	if (star == TABLE_NONE) {
		star = add_folder(t, t->folders[parent].typed_path, path, strlen(path), parent);
		t->folders[star].pooled = true;
	}
	return star;
}

/* Returns the folder of a path, adding it and those above; once there are too many, the one that has its files. */
static uint32_t enter_folder(struct folder_table *t, uint32_t typed_path, const char *path, size_t n)
{
	uint32_t found = find_folder(t, typed_path, path, n);

	if (found != TABLE_NONE)
		return found;
	if (!n)
		return add_folder(t, typed_path, "", 0, TABLE_NONE);
	size_t above = n;

	while (above && path[above - 1] != '/')
		above--;
	uint32_t parent = enter_folder(t, typed_path, path, above ? above - 1 : 0);

	if (t->folders[parent].pooled && t->folders_count >= TABLE_FOLDERS_MAX)
		return parent;
	if (t->folders_count >= TABLE_FOLDERS_MAX || t->rows_count >= TABLE_ROWS_MAX)
		return star_of(t, parent);
	return add_folder(t, typed_path, path, n, parent);
}

/* Returns the path of an entry's folder below its PATH, of *n bytes; of a member with its archive's, in `room`. */
static const char *folder_path(const struct entry *entry, struct strbuf *room, size_t *n)
{
	const char *place = entry_place(entry, room);
	const char *path = entry->rel_offset ? place + entry->rel_offset
			   : entry->member   ? place + strlen(entry->path) + 1
					     : "";
	const char *slash = strrchr(path, '/');

	*n = slash ? (size_t)(slash - path) : 0;
	return path;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

static uint64_t hash_row(const struct row_key *k)
{
	const uint64_t what =
		(uint64_t)k->folder << 32 | (unsigned)k->content << 16 | (unsigned)k->declared << 8 | k->kind;

	return hash_bytes(hash_word(hash_seed(), what), k->suffix, k->suffix_n);
}

uint32_t folder_table_row(const struct folder_table *t, const struct row_key *k)
{
	const uint64_t hash = hash_row(k);
	uint32_t i;

	for (size_t at = table_start(&t->row_table, hash); (i = table_next(&t->row_table, hash, &at)) != TABLE_NONE;) {
		const struct folder_row *r = &t->rows[i];

		if (r->folder == k->folder && r->kind == k->kind && r->declared == k->declared &&
		    r->part == k->content && strlen(r->suffix) == k->suffix_n &&
		    !memcmp(r->suffix, k->suffix, k->suffix_n))
			return i;
	}
	return TABLE_NONE;
}

uint32_t folder_table_add_row(struct folder_table *t, const struct row_key *k)
{
	const uint32_t found = folder_table_row(t, k);

	if (found != TABLE_NONE)
		return found;
	GROW(t->rows, t->rows_cap, t->rows_count + 1);
	t->rows[t->rows_count] = (struct folder_row){ .folder = k->folder,
						      .kind = k->kind,
						      .declared = k->declared,
						      .part = k->content,
						      .content = k->content,
						      .suffix = xmemdup0(k->suffix, k->suffix_n),
						      .pair = TABLE_NONE,
						      .rule = "" };
	table_add(&t->row_table, hash_row(k), t->rows_count);
	return (uint32_t)t->rows_count++;
}

/* Finds the suffix of a name that makes a row of its own; of documents the extension. */
static const char *suffix_of(const char *name, size_t stem, enum file_kind kind, size_t *n)
{
	if (file_is_document(kind)) {
		const char *dot = file_name_extension(name);

		*n = strlen(dot);
		return dot;
	}
	const size_t at = suffix_at(name, stem, kind == FILE_ARRAY);

	*n = stem - at;
	if (*n)
		return name + at;
	*n = role_prefix_length(name, stem);
	return name;
}

static void release_item(struct table_item *item)
{
	look_release(&item->look);
	free(item);
}

/* Hashes the numbers in a stem, without the zeros they begin with; or all of it, if it has none. */
static uint64_t hash_numbers(const char *stem, size_t n)
{
	char numbers[NAME_MAX + 1];
	size_t len = 0;

	for (size_t i = 0; i < n && len + 2 < sizeof(numbers); i++) {
		bool first = !i || !ascii_isdigit(stem[i - 1]);

		if (!ascii_isdigit(stem[i]))
			continue;
		if (first)
			numbers[len++] = ' ';
		if (stem[i] != '0' || numbers[len - 1] != ' ')
			numbers[len++] = stem[i];
	}
	return len ? hash_bytes(0, numbers, len) : hash_bytes(0, stem, n);
}

/* Makes room for an item with a hash among the least ones. Returns where it goes, or NULL. */
static struct table_item **place_item(struct folder_table *t, struct folder_row *r, uint64_t hash)
{
	if (r->items_count && r->items_count >= MIN((size_t)TABLE_ITEMS_ROW, TABLE_ITEMS_ALL / t->rows_count)) {
		r->cut = true;
		if (hash >= r->items[r->items_count - 1]->hash)
			return NULL;
		release_item(r->items[--r->items_count]);
	}
	size_t lo = 0, hi = r->items_count;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->items[mid]->hash <= hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	GROW(r->items, r->items_cap, r->items_count + 1);
	memmove(&r->items[lo + 1], &r->items[lo], (r->items_count++ - lo) * sizeof(*r->items));
	return &r->items[lo];
}

const char *table_item_stem(const struct table_item *item, size_t *n)
{
	const char *name = file_name_of(item->path);

	*n = stem_length(name);
	return name;
}

static size_t filter_bit(uint64_t hash, unsigned i)
{
	return (size_t)(hash_mix(hash + i) % TABLE_FILTER_BITS);
}

static void add_image(struct folder_table *t, const char *name)
{
	const uint64_t hash = look_hash_name(name, strlen(name));

	for (unsigned i = 0; i < 2; i++)
		t->images[filter_bit(hash, i) / 64] |= UINT64_C(1) << filter_bit(hash, i) % 64;
}

bool folder_table_has_image(const struct folder_table *t, uint64_t hash)
{
	for (unsigned i = 0; i < 2; i++)
		if (!(t->images[filter_bit(hash, i) / 64] >> filter_bit(hash, i) % 64 & 1))
			return false;
	return true;
}

/* ---- the walk -----------------------------------------------------------------------------------------------------
 */

/* Looks at an entry that can be reached now, and not after the walk. at: its place in the row. */
static void look_in_walk(struct folder_table *t, const struct folder_row *r, const struct entry *entry,
			 struct table_item *item, size_t at)
{
	struct entry_probe probe;

	if (t->settings->kind == KIND_IMAGEFOLDER ||
	    at >= (r->kind >= FILE_ARRAY ? (size_t)TABLE_DOCS : (size_t)TABLE_SAMPLE) || r->kind == FILE_JPEG ||
	    r->kind == FILE_PHOTO)
		return;
	probe_init(&probe);
	look_at(entry, &probe, t->settings, &item->look);
	probe_close(&probe);
}

static void add_file(struct folder_table *t, const struct entry *entry, const char *name, enum file_kind kind,
		     uint32_t folder)
{
	size_t n, stem = stem_length(name), suffix_n;
	const char *suffix = suffix_of(name, stem, kind, &suffix_n);
	const enum role declared = declared_role(t->declared, entry);
	struct row_key key = { folder, kind, declared, LOOK_NONE, suffix, suffix_n };

	if (t->rows_count >= TABLE_SUFFIXES && folder_table_row(t, &key) == TABLE_NONE)
		key.suffix_n = suffix_n = 0;
	const uint32_t at = folder_table_add_row(t, &key);
	struct folder_row *r = &t->rows[at];

	if (declared == ROLE_LABELS && t->declared->preset)
		t->declared->labels = t->declared->by_preset = true;
	r->is_prefix = suffix_n && suffix == name && suffix_n < stem;
	r->is_whole = suffix_n == stem;
	r->files++;
	if (kind < FILE_ARRAY)
		add_image(t, name);
	n = file_is_document(kind) ? stem : stem - suffix_n;
	const uint64_t hash = hash_numbers(name, n ? n : stem);
	struct table_item **place = place_item(t, r, hash);

	if (!place)
		return;
	RELEASED struct strbuf room = STRBUF_INIT;
	const char *path = entry_place(entry, &room);
	const size_t len = strlen(entry->path);
	struct table_item *item = *place = xcalloc(1, sizeof(*item) + strlen(path) + 1);

	memcpy(item->path, path, strlen(path));
	item->hash = hash;
	item->rel = entry->rel_offset ? entry->rel_offset : len + (entry->member != NULL);
	item->in_zip = entry->in_zip;
	item->archive_len = len;
	item->in_walk = entry->member ? !entry->in_zip.known : len >= PATH_MAX;
	if (item->in_walk)
		look_in_walk(t, r, entry, item, (size_t)(place - r->items));
}

static bool observe(void *self, const struct entry *entry)
{
	struct folder_table *t = self;
	RELEASED struct strbuf room = STRBUF_INIT;

	const char *below = entry->path + entry->rel_offset;

	t->entries_seen +=
		!entry->member && (!t->find->shard.count || shard_has(&t->find->shard, below, strlen(below)));
	t->has_members |= entry->member != NULL;
	t->unread += entry->failed && !entry->member && entry->fault.kind == FAULT_UNREADABLE;
	if (entry->archive || entry->failed || entry->skip_reason || entry->standard_input ||
	    (!entry->member && !entry->rel_offset))
		return !stop_signal();
	const char *name = file_name_of(entry->member ? entry->member : entry->path);
	enum file_kind kind = is_clutter_name(name) ? FILE_NONE : entry_file_kind(entry, t->settings);

	if (entry->member && is_archive_name(name))
		kind = FILE_NONE;
	size_t n;
	const char *path = folder_path(entry, &room, &n);
	struct table_folder *f = &t->folders[t->last_folder];

	if (f->typed_path != entry->typed_path || strncmp(f->path, path, n) != 0 || f->path[n])
		t->last_folder = enter_folder(t, entry->typed_path, path, n);
	f = &t->folders[t->last_folder];
	bool image = kind == FILE_PICTURE || kind == FILE_JPEG || kind == FILE_PHOTO;

	f->files += kind != FILE_NONE;
	f->images += image;
	if (kind != FILE_NONE)
		add_file(t, entry, name, kind, t->last_folder);
	return !stop_signal();
}

/* ---- pooling ------------------------------------------------------------------------------------------------------
 */

/* Appends a name with one star for each number. */
static void add_shape(const char *name, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++)
		if (!ascii_isdigit(name[i]))
			strbuf_addch(out, name[i]);
		else if (!i || !ascii_isdigit(name[i - 1]))
			strbuf_addch(out, '*');
}

uint64_t table_shape(const char *name, size_t n)
{
	RELEASED struct strbuf shape = STRBUF_INIT;

	add_shape(name, n, &shape);
	return hash_bytes(0, shape.s, shape.len);
}

/* A folder without a role among those that lie in one. */
struct sibling {
	uint64_t shape;
	uint32_t folder;
};

static int by_shape(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	return x->shape < y->shape ? -1 : x->shape > y->shape;
}

/* Pools folders without a role whose names differ from those of two siblings in numbers alone. */
static void mark_pooled(struct folder_table *t)
{
	FREED struct sibling *v = xcalloc(t->folders_count + 1, sizeof(*v));
	size_t count = 0;

	for (uint32_t i = 0; i < t->folders_count; i++) {
		const struct table_folder *f = &t->folders[i];
		const char *name = file_name_of(f->path);
		const size_t n = strlen(name);

		if (f->parent != TABLE_NONE && role_of_name(name, n) == ROLE_NONE)
			v[count++] = (struct sibling){ hash_word(table_shape(name, n), f->parent), i };
	}
	qsort(v, count, sizeof(*v), by_shape);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && v[end].shape == v[i].shape;)
			end++;
		for (size_t k = i; k < end && end - i >= POOL_SIBLINGS; k++)
			t->folders[v[k].folder].pooled = true;
	}
}

/* Finds for each folder the one of its pooled path, which may be new: patient_* for patient_001, and below that
 * 001_roi is *_roi. */
static void group_folders(struct folder_table *t)
{
	const size_t count = t->folders_count;
	RELEASED struct strbuf path = STRBUF_INIT;

	mark_pooled(t);
	for (size_t i = 0; i < count; i++) {
		const struct table_folder f = t->folders[i];
		const bool below = f.parent != TABLE_NONE && t->folders[f.parent].group != f.parent;

		if (!f.pooled && !below)
			continue;
		const struct table_folder *above = &t->folders[t->folders[f.parent].group];
		const char *name = file_name_of(f.path);

		strbuf_clear(&path);
		strbuf_addf(&path, "%s%s", above->path, *above->path ? "/" : "");
		add_shape(name, strlen(name), &path);
		uint32_t group = find_folder(t, f.typed_path, path.s, path.len);

		if (group == TABLE_NONE) {
			group = add_folder(t, f.typed_path, path.s, path.len, t->folders[f.parent].group);
			t->folders[group].pooled = f.pooled;
		}
		t->folders[i].group = group;
	}
}

/* Moves the files of a row to another. */
static void merge_rows(struct folder_table *t, uint32_t into, struct folder_row *from)
{
	t->rows[into].files += from->files;
	t->rows[into].cut |= from->cut;
	for (size_t i = 0; i < from->items_count; i++) {
		struct table_item **place = place_item(t, &t->rows[into], from->items[i]->hash);

		if (place)
			*place = from->items[i];
		else
			release_item(from->items[i]);
	}
	free(from->items);
	free(from->suffix);
}

/* Puts each row where its folder's group is, and drops suffixes that few files of it have. */
static void regroup_rows(struct folder_table *t, bool by_suffix)
{
	FREED struct folder_row *old = t->rows;
	const size_t count = t->rows_count;
	FREED uint64_t *of_kind = xcalloc(t->folders_count * FILE_KINDS, sizeof(*of_kind));

	for (size_t i = 0; i < count; i++)
		of_kind[old[i].folder * FILE_KINDS + old[i].kind] += old[i].files;
	t->rows = NULL;
	t->rows_count = t->rows_cap = 0;
	table_clear(&t->row_table);
	for (size_t i = 0; i < count; i++) {
		struct folder_row *r = &old[i];
		const uint32_t folder = by_suffix ? r->folder : t->folders[r->folder].group;
		const enum role role = role_of_name(r->suffix, strlen(r->suffix));
		const uint64_t all = of_kind[r->folder * FILE_KINDS + r->kind];
		const bool known = role > ROLE_SPLIT;
		/* image.png and label.png of one sample are no rows; those of many are */
		const bool own = !by_suffix || r->kind >= FILE_ARRAY ||
				 (known && 4 * r->files >= all && !r->is_whole) ||
				 (r->files >= 3 && (known || 100 * r->files >= 15 * all));
		const char *suffix = own ? r->suffix : "";
		const struct row_key key = { folder, r->kind, r->declared, LOOK_NONE, suffix, strlen(suffix) };
		const uint32_t at = folder_table_add_row(t, &key);

		t->rows[at].is_prefix = r->is_prefix && *suffix;
		t->rows[at].is_whole = r->is_whole && *suffix;
		merge_rows(t, at, r);
	}
}

/* ---- looks --------------------------------------------------------------------------------------------------------
 */

/* A look at a file, by a reader where storage is late. */
struct look_task {
	struct task task;
	const struct settings *settings;
	struct table_item *item;
};

/* Looks at a member of an archive that can be read again. */
static void look_in_archive(const struct table_item *item, const struct settings *settings, struct look *out)
{
	FREED char *archive = xmemdup0(item->path, item->archive_len);
	const int fd = open(archive, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *member = item->path + item->archive_len + 1;
	const size_t n = (size_t)MIN(item->in_zip.data.size, (uint64_t)MEMBER_BYTES);
	FREED uint8_t *head = xmalloc(n + 1);
	const struct entry entry = {
		.path = archive,
		.name = member,
		.member = member,
		.rel_offset = item->rel < item->archive_len ? item->rel : 0,
		.bytes = head,
		.bytes_len = fd < 0 ? 0 : zip_read_head(fd, &item->in_zip, head, n),
		.size = item->in_zip.data.size,
	};
	struct entry_probe probe;

	probe_init(&probe);
	if (entry.bytes_len || !entry.size)
		look_at(&entry, &probe, settings, out);
	else
		*out = look_unseen;
	probe_close(&probe);
	if (fd >= 0)
		close(fd);
}

static void look_now(struct task *task, bool ahead)
{
	struct look_task *l = (struct look_task *)task;
	struct table_item *item = l->item;
	const struct entry entry = {
		.path = item->path, .name = item->path, .dirfd = AT_FDCWD, .rel_offset = item->rel
	};
	struct entry_probe probe;

	(void)ahead;
	if (stop_signal())
		return;
	if (item->in_zip.known) {
		look_in_archive(item, l->settings, &item->look);
		return;
	}
	probe_init(&probe);
	look_at(&entry, &probe, l->settings, &item->look);
	probe_close(&probe);
}

static bool is_looked_at(const struct folder_row *r)
{
	return r->kind != FILE_JPEG && r->kind != FILE_PHOTO;
}

/* Returns whether the i-th item of a row is of its sample. first: of the first few pictures. */
static bool is_sampled(const struct folder_row *r, size_t i, bool first)
{
	const size_t wanted = r->kind < FILE_ARRAY     ? (first ? TABLE_PICTURES_FIRST : TABLE_PICTURES)
			      : r->files <= TABLE_DOCS ? TABLE_DOCS
						       : TABLE_SAMPLE;

	return i * wanted / r->items_count != (i + 1) * wanted / r->items_count || r->items_count <= wanted;
}

/* Looks at the samples of all rows, on late storage side by side. Returns how many bytes of pixels were inflated. */
static uint64_t look_at_rows(struct folder_table *t, bool first)
{
	size_t count = 0, cap = 0;
	FREED struct look_task *tasks = NULL;
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->rows_count; i++)
		for (size_t k = 0; k < t->rows[i].items_count && is_looked_at(&t->rows[i]); k++) {
			struct table_item *item = t->rows[i].items[k];

			if (!is_sampled(&t->rows[i], k, first) || item->look.content != LOOK_NONE)
				continue;
			if (item->in_walk) {
				item->look = look_unseen;
				continue;
			}
			GROW(tasks, cap, count + 1);
			tasks[count++] =
				(struct look_task){ .task.run = look_now, .settings = t->settings, .item = item };
		}
	pool_do_all(t->find->pool, tasks, count, sizeof(*tasks));
	for (size_t i = 0; i < count; i++)
		bytes += tasks[i].item->look.pixel_bytes;
	return bytes;
}

/* ---- looking up ---------------------------------------------------------------------------------------------------
 */

uint32_t folder_table_find(const struct folder_table *t, const struct entry *entry, enum file_kind kind)
{
	RELEASED struct strbuf room = STRBUF_INIT;
	const char *name = file_name_of(entry->member ? entry->member : entry->path);
	size_t n, suffix_n;
	const char *path = folder_path(entry, &room, &n);
	uint32_t folder = find_folder(t, entry->typed_path, path, n);

	/* a folder beyond the limits is one of those that its parent's have in common */
	while (folder == TABLE_NONE && n) {
		while (n && path[n - 1] != '/')
			n--;
		RELEASED struct strbuf star = STRBUF_INIT;

		strbuf_addf(&star, "%.*s*", (int)n, path);
		folder = find_folder(t, entry->typed_path, star.s, star.len);
		n = n ? n - 1 : 0;
	}
	if (folder == TABLE_NONE)
		return TABLE_NONE;
	folder = t->folders[folder].group;
	if (kind == FILE_NONE) /* its content says that it is a picture */
		kind = FILE_PICTURE;
	const char *suffix = suffix_of(name, stem_length(name), kind, &suffix_n);
	struct row_key key = { folder, kind, declared_role(t->declared, entry), LOOK_NONE, suffix, suffix_n };
	const uint32_t row = folder_table_row(t, &key);

	key.suffix_n = 0;
	return row == TABLE_NONE ? folder_table_row(t, &key) : row;
}

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

enum status folder_table_fill(struct folder_table *t, const struct find_options *find, const struct settings *settings,
			      struct error *err)
{
	struct find_options whole = *find;

	*t = (struct folder_table){ .settings = settings, .find = find };
	member_folders_init(&t->packed);
	t->images = xcalloc(TABLE_FILTER_BITS / 64, sizeof(*t->images));
	whole.shard = (struct shard){ 0, 0 }; /* all parts of a data set must get the same answer */
	whole.members.names_only = settings->kind == KIND_IMAGEFOLDER;
	whole.members.heads_only = !whole.members.names_only;
	whole.keep_standard_input = true;
	whole.stop = PLANTED(detection_deaf_to_signals, stop_flag(), NULL);
	whole.members.folders = &t->packed;
	for (uint32_t i = 0; i < find->paths_count; i++)
		enter_folder(t, i, "", 0);
	struct source_progress seen = { 0 };

	t->declared = xcalloc(1, sizeof(*t->declared));
	if (declared_open(t->declared, find, settings->files, err) != STATUS_OK ||
	    source_each(&whole, observe, t, &seen, err) != STATUS_OK) {
		folder_table_release(t);
		return STATUS_FAILED;
	}
	if (!seen.complete)
		t->entries_seen = 0;
	t->archive_bytes = seen.complete && !find->shard.count ? seen.archive_bytes : 0;
	if (settings->kind == KIND_IMAGEFOLDER)
		return STATUS_OK; /* the names of folders are enough */
	group_folders(t);
	regroup_rows(t, false);
	regroup_rows(t, true);
	/* large pictures in many rows tell enough by the first few of each */
	if (look_at_rows(t, true) <= TABLE_PIXEL_BYTES)
		look_at_rows(t, false);
	return STATUS_OK;
}

void folder_table_release(struct folder_table *t)
{
	for (size_t i = 0; i < t->rows_count; i++) {
		for (size_t k = 0; k < t->rows[i].items_count; k++)
			release_item(t->rows[i].items[k]);
		free(t->rows[i].items);
		free(t->rows[i].suffix);
	}
	for (size_t i = 0; i < t->folders_count; i++)
		free(t->folders[i].path);
	free(t->rows);
	free(t->folders);
	free(t->images);
	table_release(&t->folder_table);
	table_release(&t->row_table);
	member_folders_release(&t->packed);
	declared_close(t->declared);
	free(t->declared);
	*t = (struct folder_table){ 0 };
}
