#include "find/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/file_name.h"
#include "base/file_state.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/stale.h"
#include "base/stop.h"
#include "base/table.h"
#include "base/work_units.h"
#include "find/byte_stream.h"
#include "find/find_options.h"
#include "find/member_folders.h"
#include "find/tar.h"
#include "find/walk_filter.h"
#include "find/work_unit.h"
#include "find/zip.h"

/* Names that are kept to find repeated ones: 8 bytes each, in a table at most half full: 64 MiB. */
enum { NAMES_MAX = 4 << 20 };

/* The member that is read. */
struct current_member {
	struct member member;
	struct zip_data data;      /* of a zip's */
	struct zip_stream *stream; /* the same, if it is read as a stream */
	bool pending;              /* it did not fit into the last unit, and goes into the next one */
	bool noted;                /* note_member() was called for it */
	bool repeated, is_wanted;  /* as in its entry */
	const struct label_format *format;
};

struct archive_reader {
	int fd; /* owned; a tar's belongs to its stream */
	char *path;
	const struct archive_options *options;
	const struct find_options *find; /* the options' */
	bool regular;                    /* a file, not a pipe */
	bool arrays;                     /* an .npz, all of whose members must be label files */
	struct stat st;
	bool is_tar, is_zip;
	struct byte_stream stream;
	struct tar tar;
	struct zip zip;
	struct archive_facts facts;
	struct fault fault;                        /* of the archive as a whole */
	struct strbuf first_special, first_unsafe; /* escaped names */

	struct current_member now;
	uint64_t claimed; /* bytes of the archive on disk that pay for the members so far */

	struct hash_set names; /* of files; at most NAMES_MAX */
	bool names_full;       /* and the report says so */

	pthread_mutex_t lock; /* over lent */
	pthread_cond_t idle;
	bool lent; /* a unit reads a member as a stream: only that one may touch the archive */
};

_Static_assert((int)ARCHIVE_HEAD == (int)BYTE_STREAM_HEAD, "the first bytes that were read go to the stream");

/* ---- what it is -------------------------------------------------------------------------------------------------- */

bool is_archive_name(const char *name)
{
	static const char *const extensions[] = { ".tar",     ".tar.gz", ".tgz", ".taz",    ".tar.bz2",
						  ".tbz",     ".tbz2",   ".tb2", ".tar.xz", ".txz",
						  ".tar.zst", ".tzst",   ".zip", ".npz",    NULL };
	static const char last[] = "rz2tp";
	size_t n = strlen(name);

	/* called for every file that is found: the last character is enough for most */
	return n && strchr(last, ascii_tolower(name[n - 1])) && file_name_ends_in_any(name, extensions);
}

bool is_npz_name(const char *name)
{
	return file_name_ends_in(name, ".npz");
}

static bool begins_as_zip(const uint8_t *head, size_t n)
{
	return n >= 4 && (!memcmp(head, "PK\3\4", 4) || !memcmp(head, "PK\5\6", 4));
}

static bool is_tar(const uint8_t *head, size_t n)
{
	return n >= TAR_BLOCK && (tar_is_header(head) || tar_has_magic(head));
}

bool archive_is_zip(const char *name, const uint8_t *head, size_t n)
{
	if (begins_as_zip(head, n))
		return true;
	/* after other data, or truncated */
	return !is_tar(head, n) && packing_of(head, n) == PACKING_UNKNOWN &&
	       (file_name_ends_in(name, ".zip") || is_npz_name(name));
}

/* A tar without members is all zeros: only its name shows what it is. */
static bool is_empty_tar(const uint8_t *head, size_t n)
{
	return n >= TAR_BLOCK && tar_all_zero(head, n);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/*
 * optional: packed data that turn out to hold no tar are a label file, so they are no archive rather than a faulty one.
 * That needs a file that can be read again.
 */
static enum archive_opened open_tar(struct archive_reader *a, const uint8_t *head, size_t n, enum packing packing,
				    bool optional, struct fault *fault)
{
	a->is_tar = true;
	if (!byte_stream_open(&a->stream, a->fd, head, n, packing, &a->find->limits, a->options->units_free,
			      a->options->stop, fault)) {
		byte_stream_close(&a->stream);
		a->fd = -1;
		a->is_tar = false;
		return ARCHIVE_FAILED;
	}
	if (a->find->members.heads_only)
		byte_stream_heads_only(&a->stream, a->options->heads_units);
	tar_init(&a->tar, &a->stream, &a->find->limits, &a->facts, &a->fault);
	a->tar.heads_only = a->find->members.heads_only;
	if (packing == PACKING_NONE)
		return ARCHIVE_OPENED;
	size_t have;
	const uint8_t *block = byte_stream_peek(&a->stream, TAR_BLOCK, &have);

	if (a->stream.fault.kind != FAULT_UNREADABLE && optional && a->regular && !is_tar(block, have))
		return ARCHIVE_NONE;
	if (a->stream.fault.kind != FAULT_NONE && have < TAR_BLOCK)
		*fault = a->stream.fault;
	else if (!is_tar(block, have) && !is_empty_tar(block, have))
		fault_set(fault, FAULT_NOT_A_LABEL, 0, "its unpacked content is not a tar archive");
	return fault->kind == FAULT_NONE ? ARCHIVE_OPENED : ARCHIVE_FAILED;
}

static enum archive_opened open_zip(struct archive_reader *a, struct fault *fault)
{
	if (!a->regular) {
		fault_set(fault, FAULT_UNSUPPORTED, FAULT_NO_OFFSET,
			  "a zip archive is read from its end, which is impossible for a pipe");
		fault_advise(fault, "name the file instead, or pipe a tar archive");
		return ARCHIVE_FAILED;
	}
	a->is_zip = true;
	a->arrays = is_npz_name(a->path);
	zip_init(&a->zip, a->fd, (uint64_t)a->st.st_size, &a->find->limits, &a->facts, &a->fault);
	a->zip.directory_only = a->find->members.heads_only && !a->find->members.classify;
	return ARCHIVE_OPENED;
}

/*
 * Opens packed data. Without a name that claims a tar they are an archive only if they begin with one; that shows in
 * the first bytes, unless these end within the first block.
 */
static enum archive_opened open_packed(struct archive_reader *a, const uint8_t *head, size_t n, enum packing packing,
				       bool claimed, struct fault *fault)
{
	uint8_t block[TAR_BLOCK];
	int64_t have = claimed ? 0 : unpack_head(head, n, block, sizeof(block), fault);

	if (have < 0)
		return ARCHIVE_FAILED;
	if (!claimed && !is_tar(block, (size_t)have) &&
	    (have == TAR_BLOCK || n < ARCHIVE_HEAD || packing == PACKING_GZIP))
		return ARCHIVE_NONE;
	return open_tar(a, head, n, packing, !claimed, fault);
}

/* Decides by the first bytes what it is. The reader's fd is after them. */
static enum archive_opened open_by_content(struct archive_reader *a, const uint8_t *head, size_t n, bool claimed,
					   struct fault *fault)
{
	enum packing packing = packing_of(head, n);

	if (begins_as_zip(head, n))
		return open_zip(a, fault);
	if (is_tar(head, n))
		return open_tar(a, head, n, PACKING_NONE, false, fault);
	if (packing != PACKING_UNKNOWN)
		return open_packed(a, head, n, packing, claimed, fault);
	if (!claimed || !n || !memcmp(head, "version ", MIN(n, (size_t)8)) || head[0] == '<')
		return ARCHIVE_NONE; /* classify_format() explains a git-lfs pointer and an HTML page better */
	if (archive_is_zip(a->path, head, n))
		return open_zip(a, fault);
	if (file_name_ends_in(a->path, ".tar") && n < TAR_BLOCK) {
		fault_set(fault, FAULT_TRUNCATED, n, "the archive ends within its first header, %zu of %d bytes", n,
			  TAR_BLOCK);
		return ARCHIVE_FAILED;
	}
	return is_empty_tar(head, n) ? open_tar(a, head, n, PACKING_NONE, false, fault) : ARCHIVE_NONE;
}

/* Reads ARCHIVE_HEAD bytes, or the whole file. */
static bool read_head(int fd, uint8_t *head, size_t *n, const atomic_bool *stop, struct fault *fault)
{
	ssize_t got;

	for (*n = 0; *n < ARCHIVE_HEAD; *n += (size_t)got) {
		got = read_or_stop(fd, head + *n, ARCHIVE_HEAD - *n, stop);
		if (got == 0 || (got < 0 && errno == ECANCELED))
			break;
		if (got < 0)
			return fault_set(fault, FAULT_UNREADABLE, *n, "cannot read: %s", strerror(errno));
	}
	return true;
}

/* Takes over fd, of which the first n bytes, head, were read. */
static enum archive_opened open_reader(struct archive_reader **out, int fd, const char *path,
				       const struct archive_options *options, const uint8_t *head, size_t n,
				       bool claimed, struct fault *fault)
{
	struct archive_reader *a = xcalloc(1, sizeof(*a));
	enum archive_opened opened = ARCHIVE_FAILED;

	a->fd = fd;
	a->path = xstrdup(path);
	a->options = options;
	a->find = options->find;
	a->regular = fstat(fd, &a->st) == 0 && S_ISREG(a->st.st_mode);
	fault_clear(&a->fault);
	strbuf_init(&a->first_special);
	strbuf_init(&a->first_unsafe);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->idle, NULL);
	if (a->regular || fd == STDIN_FILENO)
		opened = open_by_content(a, head, n, claimed, fault);
	else /* it was, a moment ago */
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot stat, or replaced while it was opened");
	if (opened == ARCHIVE_OPENED)
		*out = a;
	else
		archive_close(a);
	return opened;
}

enum archive_opened archive_open(struct archive_reader **out, int dirfd, const char *name, const char *path,
				 bool claimed, const struct archive_options *options, struct fault *fault)
{
	uint8_t head[ARCHIVE_HEAD];
	struct stat st;
	size_t n;
	int fd;

	*out = NULL;
	/* a missing or special file is no archive: opening it as a label file reports why */
	if ((!claimed && is_never_archive_name(name)) || fstatat(dirfd, name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return ARCHIVE_NONE;
	fd = open_or_again(dirfd, name, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		/* reported here: a second try may succeed, and an archive is no label file */
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot open: %s", strerror(errno));
		return ARCHIVE_FAILED;
	}
	if (read_head(fd, head, &n, NULL, fault))
		return open_reader(out, fd, path, options, head, n, claimed, fault);
	close(fd);
	return ARCHIVE_FAILED;
}

enum archive_opened archive_open_standard_input(struct archive_reader **out, const struct archive_options *options,
						uint8_t head[ARCHIVE_HEAD], size_t *n, struct fault *fault)
{
	*out = NULL;
	*n = 0;
	if (!read_head(STDIN_FILENO, head, n, options->stop, fault))
		return ARCHIVE_FAILED;
	return open_reader(out, STDIN_FILENO, "-", options, head, *n, false, fault);
}

void archive_close(struct archive_reader *a)
{
	if (!a)
		return;
	zip_stream_close(a->now.stream);
	if (a->is_zip)
		zip_release(&a->zip);
	if (a->is_tar) {
		tar_release(&a->tar);
		byte_stream_close(&a->stream); /* closes fd */
	} else if (a->fd > STDERR_FILENO) {
		close(a->fd);
	}
	free(a->path);
	hash_set_release(&a->names);
	strbuf_release(&a->first_special);
	strbuf_release(&a->first_unsafe);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->idle);
	free(a);
}

const char *archive_path(const struct archive_reader *a)
{
	return a->path;
}

uint64_t archive_position(const struct archive_reader *a)
{
	if (a->is_zip)
		return a->zip.packed;
	/* of a tar that is not packed, data are skipped by seeking */
	return a->stream.packed ? a->stream.file->bytes : a->stream.offset;
}

uint64_t archive_file_size(const struct archive_reader *a)
{
	return a->regular ? (uint64_t)a->st.st_size : 0;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Returns false at the end. */
static bool next_member(struct archive_reader *a, struct member *m)
{
	bool found = a->is_zip ? zip_next(&a->zip, m, &a->now.data) : tar_next(&a->tar, m);

	a->facts.members += found;
	return found;
}

/* Notes the name of a file. Returns false if an earlier member has it. */
static bool add_name(struct archive_reader *a, const char *name, size_t len)
{
	if (a->names.count < NAMES_MAX)
		return hash_set_add(&a->names, hash_bytes(hash_seed(), name, len));
	if (!a->names_full)
		archive_flaw(&a->facts, "more than %d members: repeated names are not detected from there on",
			     NAMES_MAX);
	a->names_full = true;
	return true;
}

/* After the last member: checks whether the archive changed, or has no members. */
static void check_end(struct archive_reader *a)
{
	struct stat now;

	if (a->regular && (fstat(a->fd, &now) < 0 || !file_state_same(&a->st, &now)))
		fault_set(&a->fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "the archive changed while it was read");
	if (!a->facts.members)
		fault_set(&a->fault, FAULT_EMPTY, FAULT_NO_OFFSET, "the archive has no members");
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

int64_t archive_stream_read(void *self, void *out, size_t n, struct fault *fault)
{
	struct archive_reader *a = self;
	enum fault_kind before = fault->kind;
	size_t got = a->is_zip ? zip_stream_read(a->now.stream, out, n, fault) : tar_read(&a->tar, out, n, fault);

	return fault->kind != before ? -1 : (int64_t)got;
}

/* Ends a unit's use of the stream. */
static void end_stream(struct archive_reader *a)
{
	pthread_mutex_lock(&a->lock);
	zip_stream_close(a->now.stream);
	a->now.stream = NULL;
	a->lent = false;
	pthread_cond_broadcast(&a->idle);
	pthread_mutex_unlock(&a->lock);
}

/* Waits until no unit has a stream. Returns false if the audit is stopped. */
static bool wait_idle(struct archive_reader *a)
{
	bool idle;

	pthread_mutex_lock(&a->lock);
	while (a->lent && !is_stopped(a->options->stop)) {
		/* not woken by a signal: a thread that stops the source cannot take this lock */
		struct timespec until = clock_deadline(WAIT_MS);

		pthread_cond_timedwait(&a->idle, &a->lock, &until);
	}
	idle = !a->lent;
	pthread_mutex_unlock(&a->lock);
	return idle;
}

/* ---- filling units ----------------------------------------------------------------------------------------------- */

/* Heads that a unit holds: each costs what lies before it, and the detection may need no more than a few. */
enum { HEADS_AT_ONCE = 32 };

enum taken {
	TAKEN,    /* the current member is done */
	NO_ROOM,  /* it goes into the next unit */
	STREAMED, /* it is read as a stream: the unit is full */
};

static void note_first(struct strbuf *first, const struct member *m)
{
	if (!first->len)
		escape_terminal(first, m->name, MIN(m->name_len, (size_t)128));
}

/* Counts unsafe names of members that are no label files; label files get findings of their own. */
static void note_unsafe(struct archive_reader *a, const struct member *m)
{
	if (!m->name_cut && !member_name_flaw(m->name, m->name_len))
		return;
	a->facts.unsafe_names++;
	note_first(&a->first_unsafe, m);
}

static struct entry *add_entry(struct archive_reader *a, struct work_unit *u)
{
	const struct member *m = &a->now.member;
	struct entry *e = work_unit_add_member(u, a->path, m->name, m->name_len);

	e->size = m->size;
	e->repeated = a->now.repeated;
	e->name_cut = m->name_cut;
	e->is_wanted = a->now.is_wanted;
	e->format = a->now.format;
	return e;
}

static struct entry *add_skipped(struct archive_reader *a, struct work_unit *u, enum skip_reason reason)
{
	struct entry *e = add_entry(a, u);

	e->skip_reason = (uint8_t)reason;
	note_unsafe(a, &a->now.member);
	return e;
}

static void add_failed(struct archive_reader *a, struct work_unit *u, const struct fault *fault)
{
	entry_fail(add_entry(a, u), fault);
}

/* Adds the member's folders. The name of a folder may lack the '/' at its end. */
static void note_folders(struct archive_reader *a)
{
	const struct member *m = &a->now.member;
	RELEASED struct strbuf name = STRBUF_INIT;

	if (m->type != MEMBER_FOLDER) {
		member_folders_add(a->find->members.folders, a->path, m->name);
		return;
	}
	strbuf_add(&name, m->name, m->name_len);
	strbuf_addch(&name, '/');
	member_folders_add(a->find->members.folders, a->path, name.s);
}

/* Notes the folders, type and name of a new member. Returns false if there is nothing more to do for it. */
static bool note_member(struct archive_reader *a, struct work_unit *u)
{
	const struct member *m = &a->now.member;
	const struct archive_options *o = a->options;
	/* as a walk of the unpacked archive would; "./" before a name is no hidden folder */
	const char *plain = member_name_plain(m->name);
	enum skip_reason reason =
		walk_filter_path(o->filter, plain, m->name_len - (size_t)(plain - m->name), 0, o->is_explicit);

	a->now.repeated = false;
	if (a->find->members.folders && !a->arrays && m->type != MEMBER_DEVICE)
		note_folders(a);
	if (m->type == MEMBER_FOLDER) {
		note_unsafe(a, m);
		return false;
	}
	if (reason != SKIP_NONE) {
		add_skipped(a, u, reason);
		return false;
	}
	if (m->type != MEMBER_FILE) {
		a->facts.links += m->type == MEMBER_LINK;
		a->facts.devices += m->type == MEMBER_DEVICE;
		note_first(&a->first_special, m);
		add_skipped(a, u, m->type == MEMBER_LINK ? SKIP_MEMBER_LINK : SKIP_MEMBER_DEVICE);
		return false;
	}
	a->now.repeated = !add_name(a, m->name, m->name_len);
	if (m->fault.kind == FAULT_NONE)
		return true;
	add_failed(a, u, &m->fault);
	return false;
}

/* Unpacks the first bytes of a zip member. It can be read again from the beginning. */
static size_t zip_head(struct archive_reader *a, uint8_t *head, struct fault *fault)
{
	struct zip_stream *s = zip_stream_open(&a->zip, &a->now.data);
	size_t n = zip_stream_read(s, head, ARCHIVE_HEAD, fault);

	zip_stream_close(s);
	return n;
}

/*
 * Returns the bytes on disk that pay for the work of the current member, whose first n bytes are in head. Members share
 * out what the archive has, in their order: what several layers of packing multiply is paid for once. Members of a
 * packed tar, whose packed sizes nobody knows, claim no more than they need, if they are masks or packed themselves.
 */
static uint64_t claim_bytes(struct archive_reader *a, const uint8_t *head, size_t n)
{
	uint64_t total = a->regular ? (uint64_t)a->st.st_size : a->stream.file->bytes;
	uint64_t want = a->now.member.size + TAR_BLOCK;

	if (a->is_zip)
		want = a->now.data.packed + ZIP_HEADER_BYTES;
	else if (a->stream.packed && packing_of(head, n) == PACKING_UNKNOWN)
		want = png_work_units(head, n) / WORK_UNITS_A_BYTE + 1;
	uint64_t got = PLANTED(bytes_claimed_of_an_archive, MIN(want, total - MIN(a->claimed, total)), want);

	a->claimed += got;
	return got;
}

static enum taken take_whole(struct archive_reader *a, struct work_unit *u, const uint8_t *head, size_t n)
{
	const struct member *m = &a->now.member;
	size_t size = (size_t)m->size, packed = (size_t)a->now.data.packed;
	struct fault fault = FAULT_INIT;

	if (!work_unit_fits(u, size, a->is_zip ? packed : 0))
		return NO_ROOM;
	uint64_t disk_bytes = claim_bytes(a, head, n);
	uint8_t *bytes = work_unit_take_memory(u, size);

	if (a->is_zip) {
		uint8_t *room = work_unit_add_packed(u, &a->now.data, bytes);

		zip_read_packed(&a->zip, &a->now.data, 0, room, packed, &fault);
	} else {
		tar_read(&a->tar, bytes, size, &fault);
	}
	if (fault.kind != FAULT_NONE) {
		if (a->is_zip)
			work_unit_drop_packed(u);
		add_failed(a, u, &fault);
		return TAKEN;
	}
	struct entry *e = add_entry(a, u);

	e->bytes = bytes;
	e->bytes_len = size;
	e->disk_bytes = disk_bytes;
	return TAKEN;
}

/* Adds a member too large for memory, as a stream alone in its unit; or, with heads_only, the beginning of any. */
static enum taken take_head(struct archive_reader *a, struct work_unit *u, const uint8_t *head, size_t n)
{
	bool stream = !a->find->members.heads_only;

	if ((stream && u->count) || !work_unit_fits(u, n, 0))
		return NO_ROOM;
	if (stream && a->is_zip)
		a->now.stream = zip_stream_open(&a->zip, &a->now.data);
	uint8_t *bytes = work_unit_take_memory(u, n);

	memcpy(bytes, head, n);
	struct entry *e = add_entry(a, u);

	e->bytes = bytes;
	e->bytes_len = n;
	if (!stream)
		return TAKEN;
	e->disk_bytes = claim_bytes(a, bytes, n);
	e->stream = a;
	pthread_mutex_lock(&a->lock);
	a->lent = true;
	pthread_mutex_unlock(&a->lock);
	work_unit_lend(u, a, end_stream);
	return STREAMED;
}

/* Decides by the first bytes of the current member whether it is read. If not, adds its entry. */
static bool is_wanted(struct archive_reader *a, const uint8_t *head, size_t n, struct work_unit *u)
{
	const char *name = a->now.member.name;
	struct entry member = { .path = a->path,
				.name = name,
				.member = name,
				.bytes = head,
				.bytes_len = n,
				.size = a->now.member.size,
				.typed_path = a->options->typed_path };

	if (!a->find->members.classify || a->arrays)
		return true;
	enum skip_reason reason = a->find->members.classify(a->find->members.chooser, &member);

	if (reason != SKIP_NONE) {
		struct entry *e = add_skipped(a, u, reason);

		e->looks_like_labels = member.looks_like_labels;
		e->unread_kind = member.unread_kind;
		return false;
	}
	a->now.is_wanted = member.is_wanted;
	a->now.format = member.format;
	return true;
}

/* Returns whether a member is read, or would be, by its name alone. */
static bool is_wanted_by_name(const struct archive_reader *a)
{
	struct entry member = { .path = a->path,
				.name = a->now.member.name,
				.member = a->now.member.name,
				.typed_path = a->options->typed_path };

	return !a->find->members.classify || a->find->members.classify(a->find->members.chooser, &member) == SKIP_NONE;
}

/*
 * Returns whether a zip's member is not read whole before it is known to be wanted: photos are not. Most PNGs are, and
 * what is short was read with its header.
 */
static bool may_be_unwanted(const struct archive_reader *a)
{
	return !a->arrays && a->now.data.packed > FILE_WINDOW_LEAST && !file_name_ends_in(a->now.member.name, ".png");
}

/* Returns whether no byte of a member is needed: only where it lies. */
static bool is_found_again(const struct archive_reader *a)
{
	return a->find->members.heads_only && !a->find->members.classify && (a->is_zip || a->stream.seekable);
}

/* Returns where the current member lies in the archive, if that can be read again. */
static struct zip_place place_of(const struct archive_reader *a)
{
	const uint64_t size = a->now.member.size;

	if (a->is_zip)
		return (struct zip_place){ .known = true, .local = a->zip.local_at, .data = a->now.data };
	return (struct zip_place){
		.known = a->stream.seekable,
		.in_tar = true,
		.data = { .method = ZIP_STORED, .at = a->stream.offset, .packed = size, .size = size }
	};
}

static enum taken take_member(struct archive_reader *a, struct work_unit *u)
{
	const struct member *m = &a->now.member;
	const struct member_options *o = &a->find->members;
	bool large = GUARD(member_held_whole, m->size > UNIT_MEMBER_MAX) ||
		     (a->is_zip && a->now.data.packed > UNIT_MEMBER_MAX);
	bool needs_head = !a->is_zip || large || o->heads_only || (!o->in_place && may_be_unwanted(a));
	uint8_t unpacked[ARCHIVE_HEAD];
	const uint8_t *head = unpacked;
	struct fault fault = FAULT_INIT;
	size_t n = 0;

	if (!a->now.noted) {
		a->now.noted = true;
		if (!note_member(a, u))
			return TAKEN;
	}
	const struct zip_place place = place_of(a);

	if (o->in_place && !is_wanted_by_name(a)) {
		add_skipped(a, u, SKIP_NO_LABELS);
		return TAKEN;
	}
	if (is_found_again(a) || (o->names_only && is_wanted_by_name(a)) ||
	    (o->in_place && place.known && place.data.method == ZIP_STORED)) {
		add_entry(a, u)->in_zip = place;
		return TAKEN;
	}
	if (needs_head && a->is_zip)
		n = zip_head(a, unpacked, &fault);
	else if (needs_head)
		head = tar_peek(&a->tar, ARCHIVE_HEAD, &n);
	if (fault.kind != FAULT_NONE) {
		add_failed(a, u, &fault);
		return TAKEN;
	}
	if (needs_head && !is_wanted(a, head, n, u))
		return TAKEN;
	/* what comes out of a packed tar had to be unpacked anyway */
	const bool heads = o->heads_only && (a->is_zip || o->classify);

	return large || heads ? take_head(a, u, head, n) : take_whole(a, u, head, n);
}

/* Adds an entry for the archive itself, if there is something to report. */
static void end_archive(struct archive_reader *a, struct work_unit *u)
{
	struct archive_facts *f = &a->facts;

	check_end(a);
	text_addf(&f->first_special, "%s", a->first_special.len ? a->first_special.s : "");
	text_addf(&f->first_unsafe, "%s", a->first_unsafe.len ? a->first_unsafe.s : "");
	if (a->fault.kind == FAULT_NONE && archive_facts_silent(f))
		return;
	struct entry *e = work_unit_add_path(u, a->path, strlen(a->path));

	e->archive = work_unit_keep_facts(u, f);
	entry_fail(e, &a->fault);
}

bool archive_fill(struct archive_reader *a, struct work_unit *u, size_t max)
{
	if (!wait_idle(a))
		return true;
	if (a->find->members.heads_only)
		max = MIN(max, (size_t)HEADS_AT_ONCE);
	while (u->count < max && !is_stopped(a->options->stop)) {
		if (!a->now.pending) {
			if (!next_member(a, &a->now.member)) {
				if (!a->stream.heads_ended &&
				    !is_stopped(a->options->stop)) /* else the end was not reached */
					end_archive(a, u);
				return false;
			}
			a->now.noted = a->now.is_wanted = false;
			a->now.format = NULL;
		}
		enum taken taken = take_member(a, u);

		a->now.pending = taken == NO_ROOM;
		if (taken != TAKEN)
			break;
	}
	return true;
}
