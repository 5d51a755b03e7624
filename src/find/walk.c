#include "find/walk.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "platform/platform.h"

enum {
	READ_BYTES = 128 << 10,  /* some 4,000 names; larger ones were no faster */
	READ_BYTES_SMALL = 4096, /* once FIND_MEMORY is used up; holds the longest possible name */
};

void walk_init(struct walk *w, struct walk_filter *filter, struct link_roots *roots)
{
	memset(w, 0, sizeof(*w));
	w->roots = roots;
	w->filter = filter;
	w->chunk_names = FIND_CHUNK;
	w->chunk_memory = FIND_MEMORY;
	strbuf_init(&w->path);
	strbuf_init(&w->link_end.target);
	w->buffer = xmalloc(READ_BYTES);
}

static struct walk_level *top_level(struct walk *w)
{
	return &w->levels[w->depth - 1];
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static int open_folder(int dirfd, const char *name, int flags)
{
	int fd;

	do
		fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | flags);
	while (fd < 0 && errno == EINTR);
	return fd;
}

static int found_flags(const struct walk *w)
{
	return GUARD(links_followed, !w->filter->follow) ? O_NOFOLLOW : 0;
}

static struct inode_id inode_of(const struct stat *st)
{
	return (struct inode_id){ st->st_dev, st->st_ino };
}

/* Returns whether a folder is visited for the first time. */
static bool add_visited(struct walk *w, struct inode_id id)
{
	return !GUARD(loops_followed, !hash_set_add(&w->visited, inode_hash(id)));
}

static void push_level(struct walk *w, int fd, struct inode_id folder)
{
	GROW(w->levels, w->levels_cap, w->depth + 1);
	w->levels[w->depth++] = (struct walk_level){
		.dir = dir_handle_new(fd),
		.folder = folder,
		.path_len = w->path.len,
		.first = w->names.count,
		.next = w->names.count,
		.bytes_first = w->names.len,
		.more = true,
	};
}

/* Takes the next folder of a level that was begun. */
static struct folder_task *take_ahead(struct walk *w, struct walk_level *level)
{
	struct folder_task *f = level->ahead;

	level->ahead = f->next;
	level->ahead_count--;
	w->folders_ahead--;
	return f;
}

/* Forgets what was listed ahead of a level's folders, and of the level itself. */
static void drop_ahead(struct walk *w, struct walk_level *level)
{
	while (level->ahead)
		folder_drop(w->pool, take_ahead(w, level));
	free(level->listed.records);
	level->listed.records = NULL;
}

/* Leaves the deepest level. */
static void pop_level(struct walk *w)
{
	struct walk_level *level = top_level(w);

	drop_ahead(w, level);
	names_cut(&w->names, level->first, level->bytes_first);
	dir_handle_put(level->dir);
	w->depth--;
	strbuf_cut(&w->path, w->depth ? top_level(w)->path_len : 0);
}

void walk_release(struct walk *w)
{
	while (w->depth) {
		drop_ahead(w, top_level(w));
		dir_handle_put(top_level(w)->dir);
		w->depth--;
	}
	free(w->levels);
	free(w->buffer);
	names_release(&w->names);
	strbuf_release(&w->path);
	strbuf_release(&w->link_end.target);
	hash_set_release(&w->visited);
}

int walk_start(struct walk *w, const char *root)
{
	struct stat st;

	assert(!w->depth);
	int fd = open_folder(AT_FDCWD, root, 0);

	if (fd < 0)
		return errno;
	if (fstat(fd, &st) < 0) {
		int errnum = errno;

		close(fd);
		return errnum;
	}
	strbuf_set(&w->path, root, path_trimmed(root));
	strbuf_addch(&w->path, '/');
	push_level(w, fd, inode_of(&st));
	hash_set_release(&w->visited);
	if (w->filter->follow)
		add_visited(w, inode_of(&st));
	return 0;
}

/* ---- reading a folder -------------------------------------------------------------------------------------------- */

/*
 * Finds the type of a name; queries the file system only if the record lacks it. Links are followed when they are
 * given, but those to folders here, with `follow`, since folders sort otherwise.
 */
static enum name_type find_type(const struct walk *w, int dirfd, const struct folder_record *e, int *errnum)
{
	static const unsigned char types[] = {
		[DT_REG] = NAME_FILE,    [DT_DIR] = NAME_FOLDER,
		[DT_FIFO] = NAME_FIFO,   [DT_CHR] = NAME_CHARACTER_DEVICE,
		[DT_SOCK] = NAME_SOCKET, [DT_BLK] = NAME_BLOCK_DEVICE,
	};
	unsigned char known = e->type;
	struct stat st;

	*errnum = 0;
	if (known == DT_UNKNOWN) {
		if (fstatat(dirfd, e->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			*errnum = errno;
			return NAME_STAT_FAILED;
		}
		known = (unsigned char)IFTODT(st.st_mode);
	}
	if (known != DT_LNK)
		return known < ARRAY_SIZE(types) ? types[known] : NAME_UNKNOWN;
	return w->filter->follow && fstatat(dirfd, e->name, &st, 0) == 0 && S_ISDIR(st.st_mode) ? NAME_FOLDER
												: NAME_LINK;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static void take_dirent(struct walk *w, int dirfd, const struct folder_record *e)
{
	int extra;

	if (is_dots(e->name))
		return;
	size_t len = strlen(e->name);
	enum name_type type = find_type(w, dirfd, e, &extra);
	bool folder = type == NAME_FOLDER;
	enum skip_reason reason = walk_filter_name(w->filter, &w->path, w->levels[0].path_len, e->name, len, folder);

	if (reason == SKIP_NONE)
		names_add(&w->names, e->name, len, type, extra);
	else
		names_add(&w->names, e->name, len, folder ? NAME_FOLDER_LEFT_OUT : NAME_LEFT_OUT, (int)reason);
}

static void take_records(struct walk *w, int dirfd, const char *records, size_t n)
{
	for (size_t at = 0; at < n;) {
		/* the kernel aligns its records to eight bytes, malloc the buffer to sixteen */
		const struct folder_record *e = (const void *)(records + at);

		take_dirent(w, dirfd, e);
		at += e->length;
	}
}

/* Takes the first names of a level that was listed ahead. */
static void take_listed(struct walk *w, struct walk_level *level)
{
	if (!level->listed.records)
		return;
	take_records(w, level->dir->fd, level->listed.records, level->listed.len);
	level->more = !level->listed.ended && !level->listed.read_errno;
	level->read_errno = level->listed.read_errno;
	free(level->listed.records);
	level->listed.records = NULL;
}

/* Reads the next chunk of the deepest level and sorts it. `more` becomes false at the end or after an error. */
static void read_chunk(struct walk *w)
{
	struct walk_level *level = top_level(w);
	struct names *names = &w->names;

	names_cut(names, level->first, level->bytes_first);
	level->next = level->first;
	take_listed(w, level);
	while (level->more && (names->count == level->first || (names->count - level->first < w->chunk_names &&
								names_memory(names) < w->chunk_memory))) {
		bool full = names_memory(names) >= w->chunk_memory;
		int64_t n = platform_read_folder(level->dir->fd, w->buffer, full ? READ_BYTES_SMALL : READ_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			level->read_errno = errno;
		level->more = n > 0;
		take_records(w, level->dir->fd, w->buffer, n > 0 ? (size_t)n : 0);
	}
	level->ahead_next = level->first;
	names_sort(names, level->first);
}

/* ---- giving items ------------------------------------------------------------------------------------------------ */

static void fill_item(const struct walk *w, struct walk_item *out, const char *name, size_t len)
{
	memset(out, 0, offsetof(struct walk_item, fault));
	out->folder = w->path.s;
	out->folder_len = w->path.len;
	out->name = name;
	out->name_len = len;
}

static void fail_item(struct walk_item *out, const char *what, int errnum)
{
	out->failed = true;
	fault_clear(&out->fault);
	fault_set(&out->fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "%s%s%s", what, errnum ? ": " : "",
		  errnum ? strerror(errnum) : "");
}

/* Reports that the current folder could not be read on. */
static void fail_level(const struct walk *w, struct walk_item *out, int errnum)
{
	fill_item(w, out, "", 0);
	if (out->folder_len > 1)
		out->folder_len--; /* the folder itself: without the '/' */
	fail_item(out, "cannot read the folder", errnum);
}

/* Returns whether the walk is in that folder. */
static bool is_open_level(const struct walk *w, struct inode_id id)
{
	for (size_t i = 0; i < w->depth; i++)
		if (inode_is(w->levels[i].folder, id))
			return true;
	return false;
}

/* Begins to open the folder of the deepest level at names.v[index], and those after it if readers work. */
static void begin_folders(struct walk *w, size_t index)
{
	struct walk_level *level = top_level(w);
	const bool early = pool_is_active(w->pool);
	const size_t most = early ? MIN(pool_descriptors_max() / 2, 2U * FOLDERS_AHEAD) : 0;

	level->ahead_next = MAX(level->ahead_next, index);
	while (level->ahead_next < w->names.count &&
	       (!level->ahead || (level->ahead_count < FOLDERS_AHEAD && w->folders_ahead < most))) {
		const struct name *name = &w->names.v[level->ahead_next++];

		if (name->type != NAME_FOLDER)
			continue;
		struct folder_task *f =
			folder_begin(w->pool, level->dir, names_text(&w->names, name), name->len - 1U, found_flags(w));

		*(level->ahead ? &level->ahead_last->next : &level->ahead) = f;
		level->ahead_last = f;
		level->ahead_count++;
		w->folders_ahead++;
	}
}

/* Opens a folder of the deepest level, whose name is names.v[index]. Folders are entered in the order of their names.
 */
static struct opened_folder open_next_folder(struct walk *w, size_t index, char *text, size_t len)
{
	struct walk_level *level = top_level(w);

	begin_folders(w, index);
	struct opened_folder out = folder_finish(w->pool, take_ahead(w, level));

	if (out.opened || out.errnum != ESTALE)
		return out;
	/* the server does not know the folder above, or this one, any more */
	strbuf_add(&w->path, text, len);
	out.fd = open_folder(AT_FDCWD, w->path.s, found_flags(w));
	out.errnum = errno;
	strbuf_cut(&w->path, w->path.len - len);
	out.opened = out.fd >= 0;
	if (out.opened && fstat(out.fd, &out.st) < 0) {
		out.errnum = errno;
		close(out.fd);
		out.fd = -1;
	}
	return out;
}

/* Enters a folder of the deepest level. Returns false if that fails; then *out says why. */
static bool enter(struct walk *w, const struct name *name, struct walk_item *out)
{
	char *text = w->names.bytes + name->at;
	size_t len = name->len - 1U; /* without the '/', after which O_NOFOLLOW would follow */

	fill_item(w, out, text, len);
	if (GUARD(depth_of_folders, w->depth == WALK_DEPTH_MAX)) {
		_Static_assert(WALK_DEPTH_MAX == 64, "as the text says");
		fail_item(out, "lies more than 64 folders deep: not walked", 0);
		return false;
	}
	struct opened_folder opened = open_next_folder(w, (size_t)(name - w->names.v), text, len);

	fill_item(w, out, text, len);
	if (opened.fd < 0) {
		fail_item(out, opened.opened ? "cannot stat the folder" : "cannot open the folder", opened.errnum);
		return false;
	}
	const struct inode_id folder = inode_of(&opened.st);

	if (w->filter->follow && !add_visited(w, folder)) {
		close(opened.fd); /* a loop, or visited by another path */
		free(opened.records);
		out->dir = top_level(w)->dir;
		out->skip_reason = is_open_level(w, folder) ? SKIP_LINK_LOOP : SKIP_LINK_REPEATED;
		return false;
	}
	strbuf_add(&w->path, text, len + 1);
	push_level(w, opened.fd, folder);
	top_level(w)->listed = opened;
	return true;
}

/* Reports a name that is neither a file nor a folder. */
static void fail_name(struct walk_item *out, const struct name *name)
{
	static const char *const why[] = {
		[NAME_FIFO] = "not a regular file (FIFO)",
		[NAME_SOCKET] = "not a regular file (socket)",
		[NAME_CHARACTER_DEVICE] = "not a regular file (character device)",
		[NAME_BLOCK_DEVICE] = "not a regular file (block device)",
		[NAME_UNKNOWN] = "not a regular file",
		[NAME_STAT_FAILED] = "cannot stat",
	};

	assert(why[name->type]);
	fail_item(out, why[name->type], name->extra);
}

/* Names of a folder that is not walked that are looked at: those of one read. */
enum { PEEKED_BYTES = 8192 };

/* Returns whether one of the first names in a folder that is not walked is a PNG's or an array's. */
static bool holds_label_names(int dirfd, const char *name)
{
	_Alignas(struct folder_record) char buffer[PEEKED_BYTES];
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	int64_t n = fd < 0 ? 0 : platform_read_folder(fd, buffer, sizeof(buffer));
	bool holds = false;

	for (int64_t at = 0; at < n && !holds;) {
		const struct folder_record *e = (const void *)(buffer + at);

		holds = e->name[0] != '.' && (file_name_ends_in(e->name, ".png") || file_name_ends_in(e->name, ".npy"));
		at += e->length;
	}
	if (fd >= 0)
		close(fd);
	return holds;
}

/* Follows a symbolic link. */
static void take_link(struct walk *w, struct walk_item *out)
{
	struct walk_filter *f = w->filter;
	struct link_end *end = &w->link_end;

	link_resolve(w->roots, out->dir->fd, w->path.s, w->path.len, out->name, end);
	bool is_walked =
		end->below && walk_filter_path(f, end->target.s, end->target.len, end->root_len, true) == SKIP_NONE;

	switch (end->kind) {
	case LINK_LEFT_OUT:
		out->skip_reason = end->reason;
		return;
	case LINK_FAILED:
		if (!end->errnum && !end->below && !f->follow) {
			out->skip_reason = SKIP_LINK_OUTSIDE;
			return;
		}
		out->dir = NULL;
		fail_item(out,
			  end->errnum ? "cannot follow the symbolic link"
				      : "not a regular file, reached through a symbolic link",
			  end->errnum);
		return;
	case LINK_TO_FOLDER: /* without `follow` */
		out->skip_reason = !end->below ? SKIP_LINK_OUTSIDE : is_walked ? SKIP_LINK_REPEATED : SKIP_LINK_FOLDER;
		out->looks_like_labels = !is_walked && holds_label_names(out->dir->fd, out->name);
		return;
	case LINK_TO_FILE:
		break;
	}
	if (GUARD(links_followed, !end->below && !f->follow))
		out->skip_reason = SKIP_LINK_OUTSIDE;
	else if (link_is_repeated(w->roots, out->dir->fd, out->name))
		out->skip_reason = SKIP_LINK_REPEATED;
	else if (is_walked)
		out->link_target = end;
}

/* Takes the next name of the deepest level. Returns false if that gives no item. */
static bool take_name(struct walk *w, struct walk_item *out)
{
	struct walk_level *level = top_level(w);
	const struct name *name = &w->names.v[level->next];

	level->next++;
	if (name->type == NAME_FOLDER)
		return !enter(w, name, out);
	if (level->next + 4 < w->names.count) /* sorted names lie anywhere in memory */
		__builtin_prefetch(w->names.bytes + w->names.v[level->next + 4].at);
	fill_item(w, out, names_text(&w->names, name), name->len);
	out->dir = level->dir;
	switch (name->type) {
	case NAME_FILE:
		break;
	case NAME_LINK:
		take_link(w, out);
		break;
	case NAME_FOLDER_LEFT_OUT:
		out->looks_like_labels = name->extra == SKIP_HIDDEN && holds_label_names(out->dir->fd, out->name);
		out->skip_reason = (enum skip_reason)name->extra;
		break;
	case NAME_LEFT_OUT:
		out->skip_reason = (enum skip_reason)name->extra;
		break;
	default:
		out->dir = NULL;
		fail_name(out, name);
	}
	return true;
}

bool walk_next(struct walk *w, struct walk_item *out)
{
	while (w->depth && !is_stopped(w->stop)) {
		struct walk_level *level = top_level(w);

		if (level->next < w->names.count) {
			if (take_name(w, out))
				return true;
		} else if (level->more) {
			read_chunk(w);
		} else if (level->read_errno) {
			fail_level(w, out, level->read_errno);
			level->read_errno = 0;
			return true;
		} else {
			pop_level(w);
		}
	}
	return false;
}
