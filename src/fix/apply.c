#include "fix/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/thread.h"
#include "base/write_all.h"
#include "fix/archive_copy.h"
#include "fix/file_digest.h"
#include "fix/sink.h"
#include "fix/writers.h"
#include "read/input.h"

struct run {
	const struct apply *apply;
	unsigned archives;  /* that change */
	atomic_size_t next; /* entry to draw */
	atomic_bool stop;
	pthread_mutex_t lock;
	size_t failed; /* the first entry that failed; SIZE_MAX: none */
	struct error error;
};

/* One thread's memory. */
struct hand {
	const struct apply *apply;
	unsigned archives; /* that change */
	struct input in;
	struct sink sink; /* for a corrected file */
	struct fix_memory memory;
	struct strbuf temporary; /* its name */
	struct tree_stat kept;   /* of the source */
};

static enum status fail_entry(const struct tree_entry *e, const struct fault *fault, struct error *err)
{
	return error_set(err, "%s: %s", e->source, fault->text);
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

/* Names the temporary: hidden, beside its place, and the same in each run, so that a killed one leaves none. */
static void name_temporary(struct hand *h, size_t entry)
{
	const char *place = h->apply->tree->v[entry].place;

	strbuf_clear(&h->temporary);
	strbuf_add(&h->temporary, place, (size_t)(file_name_of(place) - place));
	strbuf_addf(&h->temporary, ".labelaudit-%zx.tmp", entry);
}

/* Returns whether the result has the file already, with these bytes. */
static bool is_there(const struct hand *h, const struct tree_entry *e, const struct digest *digest)
{
	struct fault fault = FAULT_INIT;
	struct digest have = { 0 };
	struct input in;
	struct stat st;

	if (!h->apply->destination->goes_on)
		return false;
	if (fstatat(h->apply->destination->fd, e->place, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return false;
	input_init(&in);
	bool equal = input_open(&in, h->apply->destination->fd, e->place, &fault) &&
		     digest_input(&in, -1, &have, &fault) && digest_equal(&have, digest);

	input_release(&in);
	return equal;
}

/* Gives the temporary the source's mode and times, and its name. Closes fd. */
static enum status place_file(const struct hand *h, const struct tree_entry *e, int fd, struct error *err)
{
	int folder = h->apply->destination->fd;
	/* a file system without modes refuses, and has none to keep */
	bool ok = (fchmod(fd, h->kept.mode & 07777) == 0 || errno == EPERM || errno == ENOTSUP) &&
		  (futimens(fd, h->kept.times) == 0 || errno == EPERM || errno == ENOTSUP);

	ok = close(fd) == 0 && ok;
	ok = ok && renameat(folder, h->temporary.s, folder, e->place) == 0;
	return ok ? STATUS_OK : error_set_errno(err, errno, "cannot write %s", e->place);
}

static int create_temporary(const struct hand *h)
{
	return openat(h->apply->destination->fd, h->temporary.s,
		      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
}

static enum status write_corrected(struct hand *h, const struct tree_entry *e, struct error *err)
{
	int fd = create_temporary(h);

	if (fd >= 0 && write_all(fd, h->sink.text.s, h->sink.text.len))
		return place_file(h, e, fd, err);
	error_set_errno(err, errno, "cannot write %s", e->place);
	if (fd >= 0)
		close(fd);
	return STATUS_FAILED;
}

/* Makes the place a hard link to the source. Returns false if that cannot be. */
static bool link_file(const struct hand *h, const struct tree_entry *e)
{
	int folder = h->apply->destination->fd;

	if (!h->apply->link)
		return false;
	unlinkat(folder, h->temporary.s, 0);
	return linkat(AT_FDCWD, e->source, folder, h->temporary.s, AT_SYMLINK_FOLLOW) == 0 &&
	       renameat(folder, h->temporary.s, folder, e->place) == 0;
}

/* Shares the source's blocks where the file system can; else writes its bytes. */
static enum status copy_file(struct hand *h, const struct tree_entry *e, const struct digest *digest, struct error *err)
{
	struct fault fault = FAULT_INIT;
	struct digest written = *digest;
	int fd = create_temporary(h),
	    source = fd >= 0 ? open(e->source, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	bool shared = source >= 0 && ioctl(fd, FICLONE, source) == 0;
	enum status status = STATUS_OK;

	if (source >= 0)
		close(source);
	if (fd < 0)
		return error_set_errno(err, errno, "cannot write %s", e->place);
	if (!shared && h->in.bytes && !write_all(fd, h->in.bytes, h->in.size))
		status = error_set_errno(err, errno, "cannot write %s", e->place);
	else if (!shared && !h->in.bytes &&
		 (!input_rewind(&h->in, &fault) || !digest_input(&h->in, fd, &written, &fault)))
		status = fail_entry(e, &fault, err);
	else if (!input_unchanged(&h->in, &fault) || !digest_equal(&written, digest))
		status = error_set(err, "%s: changed while it was copied", e->source);
	if (status == STATUS_OK)
		return place_file(h, e, fd, err);
	close(fd);
	return status;
}

/* Compares the file with the one that was planned for. */
static enum status check_planned(const struct tree_entry *e, const struct digest *input, struct error *err)
{
	const uint64_t *hash = e->is_archive                ? (e->archive->hashed ? e->archive->hash : NULL)
			       : e->file && e->file->hashed ? e->file->hash
							    : NULL;

	if (hash && (hash[0] != input->xxh3[0] || hash[1] != input->xxh3[1]))
		return error_set(err, "%s: changed since the plan was made", e->source);
	return STATUS_OK;
}

/* Makes a file that changes; one that is streamed is written on the way. */
static enum status make_corrected(struct hand *h, const struct tree_entry *e, struct fix_record *record,
				  struct error *err)
{
	struct fault fault = FAULT_INIT;
	int fd = h->in.bytes ? -1 : create_temporary(h);

	if (!h->in.bytes && fd < 0)
		return error_set_errno(err, errno, "cannot write %s", e->place);
	sink_begin(&h->sink, fd);
	bool ok = fix_correct(&h->memory, h->apply->plan, e->file, &h->in, &h->sink, &record->output, &record->labels,
			      &fault);

	if (ok && fd < 0)
		return is_there(h, e, &record->output) ? STATUS_OK : write_corrected(h, e, err);
	if (ok)
		return place_file(h, e, fd, err);
	if (fd >= 0)
		close(fd);
	return fail_entry(e, &fault, err);
}

/* Makes an archive of which members change. */
static enum status make_archive(struct hand *h, const struct tree_entry *e, struct fix_record *record,
				struct error *err)
{
	const struct archive_job job = { .plan = h->apply->plan,
					 .archive = e->archive,
					 .folder = h->apply->destination->path,
					 .jobs = MAX(h->apply->jobs / h->archives, 1u),
					 .out = &h->sink };
	struct fault fault = FAULT_INIT;
	int fd = create_temporary(h);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot write %s", e->place);
	record->members_count = fix_plan_changing(h->apply->plan, e->archive);
	record->members = xcalloc(record->members_count, sizeof(*record->members));
	sink_begin(&h->sink, fd);
	bool ok = archive_copy(&job, e->source, record->members, &fault);

	ok = sink_end(&h->sink, ok, &record->output, &fault);
	for (size_t i = 0; i < record->members_count; i++)
		record->labels += record->members[i].labels;
	if (ok)
		return place_file(h, e, fd, err);
	close(fd);
	return error_set(err, "%s%s%s", e->source, fault.text[0] == '#' ? "" : ": ", fault.text);
}

/* Makes a file in its place, and fills its record. */
static enum status make_place(struct hand *h, size_t entry, struct fix_record *record, struct error *err)
{
	const struct tree_entry *e = &h->apply->tree->v[entry];
	struct fault fault = FAULT_INIT;

	input_reset(&h->in);
	if (!input_open(&h->in, AT_FDCWD, e->source, &fault))
		return fail_entry(e, &fault, err);
	h->kept = tree_stat_of(&h->in.st);
	if (h->in.bytes)
		digest_bytes(h->in.bytes, h->in.size, &record->input);
	else if (!digest_input(&h->in, -1, &record->input, &fault) || !input_rewind(&h->in, &fault))
		return fail_entry(e, &fault, err);
	if (check_planned(e, &record->input, err) != STATUS_OK)
		return STATUS_FAILED;
	name_temporary(h, entry);
	record->output = record->input;
	if (!e->changes) {
		if (is_there(h, e, &record->output) || link_file(h, e))
			return STATUS_OK;
		return copy_file(h, e, &record->output, err);
	}
	return (e->is_archive ? make_archive : make_corrected)(h, e, record, err);
}

static enum status make_file(struct hand *h, size_t entry, struct error *err)
{
	struct fix_record record = { 0 };
	enum status status = make_place(h, entry, &record, err);

	if (status == STATUS_OK)
		return records_put(h->apply->records, entry, &record, err);
	free(record.members);
	return status;
}

/* Copies a symbolic link, whose target stays as it is written, and fills its record: the digests are the target's. */
static enum status make_link(struct hand *h, size_t entry, struct error *err)
{
	const struct tree_entry *e = &h->apply->tree->v[entry];
	int folder = h->apply->destination->fd;
	char target[4096]; /* PATH_MAX */
	struct fix_record record = { 0 };
	ssize_t n = readlink(e->source, target, sizeof(target) - 1);

	if (n < 0)
		return error_set_errno(err, errno, "cannot read the link %s", e->source);
	target[n] = '\0';
	digest_bytes(target, (size_t)n, &record.input);
	record.output = record.input;
	name_temporary(h, entry);
	unlinkat(folder, h->temporary.s, 0);
	if (symlinkat(target, folder, h->temporary.s) != 0 || renameat(folder, h->temporary.s, folder, e->place) != 0)
		return error_set_errno(err, errno, "cannot write %s", e->place);
	return records_put(h->apply->records, entry, &record, err);
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

/* progress: of the main thread; NULL on the others. */
static void make_entries(struct run *r, struct progress *progress)
{
	const size_t count = r->apply->tree->count;
	struct hand h = { .apply = r->apply, .archives = r->archives };
	size_t entry;

	input_init(&h.in);
	sink_init(&h.sink);
	strbuf_init(&h.temporary);
	while (!stop_signal() && !atomic_load(&r->stop) && (entry = atomic_fetch_add(&r->next, 1)) < count) {
		const struct tree_entry *e = &r->apply->tree->v[entry];
		struct error err = ERROR_INIT;
		enum status status = STATUS_OK;

		if (e->kind == TREE_FILE)
			status = make_file(&h, entry, &err);
		else if (e->kind == TREE_LINK)
			status = make_link(&h, entry, &err);
		if (progress)
			progress_update(progress, &(struct progress_counts){ .done = entry + 1, .total = count });
		if (status == STATUS_OK)
			continue;
		unlinkat(r->apply->destination->fd, h.temporary.s, 0);
		note_failure(r, entry, &err);
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
	pthread_t *threads = xcalloc(jobs, sizeof(*threads));
	unsigned started = 0;

	while (started + 1 < jobs && thread_start(&threads[started], thread_main, r))
		started++;
	make_entries(r, r->apply->progress);
	progress_finish(r->apply->progress);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

/* Makes the folders; parents sort before what is in them. Only this user may enter them until they are filled. */
static enum status make_folders(const struct apply *a, struct error *err)
{
	for (size_t i = 0; i < a->tree->count; i++) {
		const struct tree_entry *e = &a->tree->v[i];

		if (e->kind == TREE_FOLDER && *e->place && mkdirat(a->destination->fd, e->place, 0700) != 0 &&
		    errno != EEXIST)
			return error_set_errno(err, errno, "cannot make the folder %s", e->place);
	}
	return STATUS_OK;
}

/* Gives the folders their modes and times, those that lie deepest first, since filling a folder changes its time. */
static enum status settle_folders(const struct apply *a, struct error *err)
{
	for (size_t i = a->tree->count; i-- > 0;) {
		const struct tree_entry *e = &a->tree->v[i];
		if (e->kind != TREE_FOLDER || !*e->place)
			continue;
		if ((fchmodat(a->destination->fd, e->place, e->folder->mode & 07777, 0) != 0 && errno != EPERM &&
		     errno != ENOTSUP) ||
		    (utimensat(a->destination->fd, e->place, e->folder->times, AT_SYMLINK_NOFOLLOW) != 0 &&
		     errno != EPERM))
			return error_set_errno(err, errno, "cannot write the folder %s", e->place);
	}
	return STATUS_OK;
}

enum status apply_run(const struct apply *a, int *signal_number, struct error *err)
{
	struct run r = { .apply = a, .failed = SIZE_MAX };

	if (make_folders(a, err) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < a->tree->count; i++)
		r.archives += a->tree->v[i].changes && a->tree->v[i].is_archive;
	pthread_mutex_init(&r.lock, NULL);
	make_all(&r, a->jobs);
	pthread_mutex_destroy(&r.lock);
	*signal_number = stop_signal();
	if (*signal_number)
		return STATUS_FAILED;
	if (r.failed != SIZE_MAX) {
		*err = r.error;
		return STATUS_FAILED;
	}
	return settle_folders(a, err);
}

static void *sync_main(void *sync)
{
	struct apply_sync *s = sync;

	s->errnum = syncfs(s->destination->fd) == 0 ? 0 : errno;
	return NULL;
}

void apply_sync_begin(struct apply_sync *s, const struct destination *destination)
{
	*s = (struct apply_sync){ .destination = destination };
	s->started = thread_start(&s->thread, sync_main, s);
}

enum status apply_sync_end(struct apply_sync *s, struct error *err)
{
	if (s->started)
		pthread_join(s->thread, NULL);
	else
		sync_main(s);
	return s->errnum ? error_set_errno(err, s->errnum, "cannot sync the result") : STATUS_OK;
}
