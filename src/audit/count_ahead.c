#include "audit/count_ahead.h"

#include <string.h>
#include <sys/stat.h>

#include "audit/file_count.h"
#include "base/clock.h"
#include "base/stop.h"
#include "base/thread.h"
#include "find/archive.h"

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
	if (c->started || reads_standard_input(find) || !file_count_can(find))
		return;
	c->find = *find;
	c->find.leave_listings = c->find.take_listings = NULL;
	c->find.any_order = true;
	c->find.stop = &c->stop;
	c->started = thread_start(&c->thread, count_main, c);
}

bool count_ahead_is_done(const struct count_ahead *c)
{
	return atomic_load_explicit(&c->done, memory_order_acquire);
}

bool count_ahead_end(struct count_ahead *c)
{
	struct last_wait wait = { 0 };

	atomic_store(&c->stop, true);
	while (c->started && !last_wait_is_over(&wait)) {
		struct timespec until = clock_deadline(LAST_WAIT_MS);

		c->started = pthread_timedjoin_np(c->thread, NULL, &until) != 0;
	}
	if (c->started)
		last_wait_give_up();
	return !c->started;
}
