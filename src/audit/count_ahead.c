#include "audit/count_ahead.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/stop.h"
#include "base/thread.h"
#include "find/archive.h"

/* Files per step. */
enum { DRAW = 1024 };

static bool can_count(const struct find_options *find)
{
	struct stat st;

	return !find->files_from ||
	       (strcmp(find->files_from, "-") != 0 && stat(find->files_from, &st) == 0 && S_ISREG(st.st_mode));
}

void file_count_init(struct file_count *c, const struct find_options *find)
{
	struct error ignored = ERROR_INIT;

	c->find = *find;
	c->find.no_archives = c->find.keep_standard_input = true;
	c->files = 0;
	work_unit_init(&c->unit);
	if (!can_count(&c->find) || source_open(&c->source, &c->find, &ignored) != STATUS_OK)
		c->source = NULL;
}

static void close_source(struct file_count *c)
{
	work_unit_clear(&c->unit);
	source_close(c->source);
	c->source = NULL;
}

void file_count_release(struct file_count *c)
{
	close_source(c);
	work_unit_release(&c->unit);
}

bool file_count_more(struct file_count *c)
{
	struct error ignored = ERROR_INIT;

	if (!c->source)
		return false;
	work_unit_clear(&c->unit);
	if (source_draw(c->source, &c->unit, DRAW, &ignored) != STATUS_OK || !c->unit.count) {
		close_source(c);
		return false;
	}
	c->files += c->unit.count;
	return true;
}

/* ---- ahead ------------------------------------------------------------------------------------------------------- */

/* Adds the size of an archive instead of counting it. Returns whether the entry is one. */
static bool add_archive(struct count_ahead *c, const struct entry *entry)
{
	struct stat st;

	if (entry->failed || entry->skip_reason || !is_archive_name(entry->name))
		return false;
	if (fstatat(entry->dirfd, entry->name, &st, 0) == 0 && S_ISREG(st.st_mode))
		c->archive_bytes += (uint64_t)st.st_size;
	c->archives++;
	return true;
}

static void *count_main(void *arg)
{
	struct count_ahead *c = arg;
	struct file_count count;

	file_count_init(&count, &c->find);
	while (file_count_more(&count)) {
		uint64_t archives = c->archives;

		for (size_t i = 0; i < count.unit.count; i++)
			add_archive(c, &count.unit.entries[i]);
		c->files += count.unit.count - (c->archives - archives);
	}
	file_count_release(&count);
	if (!atomic_load(&c->stop))
		atomic_store_explicit(&c->done, true, memory_order_release);
	return NULL;
}

static bool reads_standard_input(const struct find_options *find)
{
	for (size_t i = 0; i < find->paths_count; i++)
		if (!strcmp(find->paths[i], "-"))
			return true;
	return false;
}

void count_ahead_start(struct count_ahead *c, const struct find_options *find)
{
	if (c->started || reads_standard_input(find) || !can_count(find))
		return;
	c->find = *find;
	c->find.any_order = true;
	c->find.stop = &c->stop;
	c->started = thread_start(&c->thread, count_main, c);
}

bool count_ahead_is_done(const struct count_ahead *c)
{
	return atomic_load_explicit(&c->done, memory_order_acquire);
}

void count_ahead_end(struct count_ahead *c)
{
	struct last_wait wait = { 0 };

	atomic_store(&c->stop, true);
	while (c->started && !last_wait_is_over(&wait)) {
		struct timespec until = clock_deadline(LAST_WAIT_MS);

		c->started = pthread_timedjoin_np(c->thread, NULL, &until) != 0;
	}
	if (c->started)
		last_wait_give_up();
}
