#include "fix/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"
#include "base/write_all.h"
#include "fix/members.h"
#include "fix/sink.h"
#include "fix/writers.h"
#include "platform/platform.h"
#include "read/input.h"

struct run {
	const struct copy *copy;
	atomic_size_t next; /* entry to draw */
	atomic_bool stop;
	pthread_mutex_t lock;
	size_t failed; /* the first entry that failed; SIZE_MAX: none */
	struct error error;
};

/* One thread's memory. */
struct hand {
	const struct copy *copy;
	size_t entry; /* the current one */
	struct input in;
	struct sink sink;
	struct fix_memory memory;
	struct strbuf temporary; /* its name */
	struct tree_stat kept;   /* of the source */
};

static enum status fail_source(const char *source, const struct fault *fault, struct error *err)
{
	return error_set(err, "%s: %s", source, fault->text);
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

/* Names the temporary of a place: hidden, beside it. */
static void name_temporary(struct hand *h, const char *place)
{
	strbuf_clear(&h->temporary);
	strbuf_add(&h->temporary, place, (size_t)(file_name_of(place) - place));
	strbuf_addf(&h->temporary, ".labelaudit-%zx.tmp", h->entry);
}

static int create_temporary(struct hand *h, const char *place)
{
	name_temporary(h, place);
	return openat(h->copy->destination->fd, h->temporary.s,
		      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
}

/* Gives the temporary the source's mode and times, and its name. Closes fd. */
static enum status place_file(const struct hand *h, const char *place, int fd, struct error *err)
{
	int folder = h->copy->destination->fd;
	/* a file system without modes refuses, and has none to keep */
	bool ok = (fchmod(fd, h->kept.mode & 07777) == 0 || errno == EPERM || errno == ENOTSUP) &&
		  (futimens(fd, h->kept.times) == 0 || errno == EPERM || errno == ENOTSUP);

	ok = close(fd) == 0 && ok;
	if (GUARD(place_taken, faccessat(folder, place, F_OK, AT_SYMLINK_NOFOLLOW) == 0))
		return error_set(err, "%s: another file has its name, or one that the file system takes for the same",
				 place);
	ok = ok && renameat(folder, h->temporary.s, folder, place) == 0;
	return ok ? STATUS_OK : error_set_errno(err, errno, "cannot write %s", place);
}

/* Shares the source's blocks where the file system can; else writes what the input holds. Fills the digest. */
static bool copy_bytes(struct hand *h, const char *source, int fd, struct digest *digest, struct fault *fault)
{
	int from = source ? open(source, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	bool shared = from >= 0 && platform_share_blocks(fd, from);

	if (from >= 0)
		close(from);
	return digest_input(&h->in, shared ? -1 : fd, digest, fault);
}

/*
 * Makes a file in its place from the open input, and records it. file: it changes; NULL: it is copied. source: its
 * path, if it is no member.
 */
static enum status make_place(struct hand *h, const char *place, const struct fix_file *file, const char *source,
			      const char *name, struct error *err)
{
	struct record record = { .state = file ? RECORD_CHANGED : RECORD_COPIED };
	struct fault fault = FAULT_INIT;
	int fd = create_temporary(h, place);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot write %s", place);
	bool ok;

	if (!file) {
		ok = copy_bytes(h, source, fd, &record.output, &fault);
		record.input = record.output;
	} else {
		ok = digest_input(&h->in, -1, &record.input, &fault) && input_rewind(&h->in, &fault);
		sink_begin(&h->sink, fd);
		ok = ok && fix_correct(&h->memory, h->copy->plan, file, &h->in, &h->sink, &record.labels, &fault);
		ok = sink_end(&h->sink, ok, &record.output, &fault);
	}
	ok = ok && (!source || input_unchanged(&h->in, &fault));
	if (!ok) {
		close(fd);
		return fail_source(name, &fault, err);
	}
	if (place_file(h, place, fd, err) != STATUS_OK)
		return STATUS_FAILED;
	manifest_add(h->copy->manifest, place, &record);
	return STATUS_OK;
}

static enum status make_file(struct hand *h, const struct tree_entry *e, struct error *err)
{
	struct fault fault = FAULT_INIT;

	input_reset(&h->in);
	if (!input_open(&h->in, AT_FDCWD, e->source, &fault))
		return fail_source(e->source, &fault, err);
	const struct file_state state = file_state_of(&h->in.st);

	h->kept = tree_stat_of(&h->in.st);
	if (e->file && (state.bytes != e->file->state.bytes || state.changed.tv_sec != e->file->state.changed.tv_sec ||
			state.changed.tv_nsec != e->file->state.changed.tv_nsec))
		return error_set(err, "%s: changed since the plan was made", e->source);
	return make_place(h, e->place, e->changes ? e->file : NULL, e->source, e->source, err);
}

/* Copies a symbolic link, whose target stays as it is written: the digests are the target's. */
static enum status make_link(struct hand *h, const struct tree_entry *e, struct error *err)
{
	int folder = h->copy->destination->fd;
	char target[4096]; /* PATH_MAX */
	struct record record = { .state = RECORD_LINK };
	ssize_t n = readlink(e->source, target, sizeof(target) - 1);

	if (n < 0)
		return error_set_errno(err, errno, "cannot read the link %s", e->source);
	target[n] = '\0';
	digest_bytes(target, (size_t)n, &record.input);
	record.output = record.input;
	if (symlinkat(target, folder, e->place) != 0)
		return error_set_errno(err, errno, "cannot write %s", e->place);
	manifest_add(h->copy->manifest, e->place, &record);
	return STATUS_OK;
}

/* ---- members of archives ----------------------------------------------------------------------------------------- */

/* Makes the folders that a place is in, from the archive's on. */
static bool make_folders_of(int folder, char *place, size_t from)
{
	bool ok = true;

	for (char *slash = place + from; ok && slash && (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		ok = mkdirat(folder, place, 0777) == 0 || errno == EEXIST;
		*slash = '/';
	}
	return ok;
}

/* Writes one member, of a safe name, below the archive's. */
static enum status make_member(struct hand *h, const struct tree_entry *e, struct members *m, struct error *err)
{
	const struct fix_file *file = fix_set_member(h->copy->plan->set, e->source, m->member.name);
	const char *name = m->member.name;
	RELEASED struct strbuf place = STRBUF_INIT, source = STRBUF_INIT;
	struct fault fault = m->member.fault;
	enum status status = STATUS_OK;

	strbuf_addf(&source, "%s#%s", e->source, name);
	strbuf_addf(&place, "%s/%s", e->place, name + 2 * (name[0] == '.' && name[1] == '/'));
	if (file && !fix_plan_file(h->copy->plan, file)->changes)
		file = NULL;
	if (member_name_flaw(name, m->member.name_len) || m->member.name_cut)
		status = error_set(err, "%s: its name is no path below %s: unpack the archive first", source.s,
				   e->place);
	else if (!make_folders_of(h->copy->destination->fd, place.s, 0))
		status = error_set_errno(err, errno, "cannot make the folders of %s", place.s);
	input_reset(&h->in);
	if (status == STATUS_OK && (fault.kind != FAULT_NONE || !members_open_input(m, &h->in, &fault)))
		status = fail_source(source.s, &fault, err);
	if (status == STATUS_OK && file && !input_can_rewind(&h->in))
		status = error_set(err, "%s: is too large to be corrected in its archive: unpack it first", source.s);
	if (status == STATUS_OK)
		status = make_place(h, place.s, file, NULL, source.s, err);
	return status;
}

static enum status make_archive(struct hand *h, const struct tree_entry *e, struct error *err)
{
	const struct limits *limits = &h->copy->plan->set->settings->limits;
	struct fault fault = FAULT_INIT;
	enum status status = STATUS_OK;
	struct members m;
	struct stat st;

	if (stat(e->source, &st) != 0 || (mkdirat(h->copy->destination->fd, e->place, 0777) != 0 && errno != EEXIST))
		return error_set_errno(err, errno, "cannot make the folder %s", e->place);
	h->kept = tree_stat_of(&st);
	h->kept.mode &= 0666;
	if (members_open(&m, AT_FDCWD, e->source, limits, &fault))
		while (status == STATUS_OK && !stop_signal() && members_next(&m, &fault))
			if (m.member.type == MEMBER_FILE)
				status = make_member(h, e, &m, err);
	if (status == STATUS_OK && fault.kind != FAULT_NONE)
		status = fail_source(e->source, &fault, err);
	members_close(&m);
	return status;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void note_failure(struct run *r, size_t entry, const struct error *err)
{
	pthread_mutex_lock(&r->lock);
	if (entry < r->failed) {
		r->failed = entry;
		r->error = *err;
	}
	pthread_mutex_unlock(&r->lock);
	atomic_store(&r->stop, true);
}

static enum status make_entry(struct hand *h, const struct tree_entry *e, struct error *err)
{
	switch ((enum tree_kind)e->kind) {
	case TREE_FILE:
		return make_file(h, e, err);
	case TREE_LINK:
		return make_link(h, e, err);
	case TREE_ARCHIVE:
		return make_archive(h, e, err);
	default:
		return STATUS_OK;
	}
}

/* progress: of the main thread; NULL on the others. */
static void make_entries(struct run *r, struct progress *progress)
{
	const size_t count = r->copy->tree->count;
	struct hand h = { .copy = r->copy };

	input_init(&h.in);
	sink_init(&h.sink);
	strbuf_init(&h.temporary);
	while (!stop_signal() && !atomic_load(&r->stop) && (h.entry = atomic_fetch_add(&r->next, 1)) < count) {
		struct error err = ERROR_INIT;

		if (make_entry(&h, &r->copy->tree->v[h.entry], &err) != STATUS_OK) {
			if (h.temporary.len)
				unlinkat(r->copy->destination->fd, h.temporary.s, 0);
			note_failure(r, h.entry, &err);
		}
		if (progress)
			progress_update(progress, &(struct progress_counts){ .done = h.entry + 1, .total = count });
	}
	strbuf_release(&h.temporary);
	sink_release(&h.sink);
	fix_memory_release(&h.memory);
	input_release(&h.in);
}

static void *thread_main(void *run)
{
	make_entries(run, NULL);
	return NULL;
}

/* Runs on this thread, too, so that none that cannot be started is missed. */
static void make_all(struct run *r, unsigned jobs)
{
	FREED pthread_t *threads = xcalloc(jobs, sizeof(*threads));
	unsigned started = 0;

	while (started + 1 < jobs && thread_start(&threads[started], thread_main, r))
		started++;
	make_entries(r, r->copy->progress);
	progress_finish(r->copy->progress);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

/* Makes the folders; parents sort before what is in them. Only this user may enter them until they are filled. */
static enum status make_folders(const struct copy *c, struct error *err)
{
	for (size_t i = 0; i < c->tree->count; i++) {
		const struct tree_entry *e = &c->tree->v[i];

		if (e->kind == TREE_FOLDER && *e->place && mkdirat(c->destination->fd, e->place, 0700) != 0)
			return error_set_errno(err, errno, "cannot make the folder %s", e->place);
	}
	return STATUS_OK;
}

/* Gives the folders their modes and times, those that lie deepest first, since filling a folder changes its time. */
static enum status settle_folders(const struct copy *c, struct error *err)
{
	for (size_t i = c->tree->count; i-- > 0;) {
		const struct tree_entry *e = &c->tree->v[i];

		if (e->kind != TREE_FOLDER || !*e->place)
			continue;
		if ((fchmodat(c->destination->fd, e->place, e->folder->mode & 07777, 0) != 0 && errno != EPERM &&
		     errno != ENOTSUP) ||
		    (utimensat(c->destination->fd, e->place, e->folder->times, AT_SYMLINK_NOFOLLOW) != 0 &&
		     errno != EPERM))
			return error_set_errno(err, errno, "cannot write the folder %s", e->place);
	}
	return STATUS_OK;
}

enum status copy_run(const struct copy *c, int *signal_number, struct error *err)
{
	struct run r = { .copy = c, .failed = SIZE_MAX };

	if (make_folders(c, err) != STATUS_OK)
		return STATUS_FAILED;
	pthread_mutex_init(&r.lock, NULL);
	make_all(&r, c->jobs);
	pthread_mutex_destroy(&r.lock);
	*signal_number = stop_signal();
	if (*signal_number)
		return STATUS_FAILED;
	if (r.failed != SIZE_MAX) {
		*err = r.error;
		return STATUS_FAILED;
	}
	if (settle_folders(c, err) != STATUS_OK)
		return STATUS_FAILED;
	return platform_sync(c->destination->fd) ? STATUS_OK : error_set_errno(err, errno, "cannot sync the result");
}
