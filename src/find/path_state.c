#include "find/path_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/late.h"
#include "base/mem.h"
#include "find/io_task.h"

enum {
	QUERIES = 64,    /* at a time */
	LATE_NS = 20000, /* memory takes 2 us */
	LATE_PATHS = 2,  /* more than others: then the rest is asked side by side */
};

static struct path_state query(const char *path)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return (struct path_state){ .mode = 0 };
	if (late_fstatat(AT_FDCWD, path, &st, 0) < 0)
		return (struct path_state){ .errnum = errno };
	return (struct path_state){ .mode = st.st_mode, .id = { st.st_dev, st.st_ino } };
}

/* The threads share it. */
struct queries {
	const char *const *paths;
	struct path_state *out;
	size_t count;
	atomic_size_t next;
};

struct query_task {
	struct io_task task;
	struct queries *all;
};

static void query_rest(struct queries *q)
{
	size_t i;

	while ((i = atomic_fetch_add(&q->next, 1)) < q->count)
		q->out[i] = query(q->paths[i]);
}

static void query_in_thread(struct io_task *task)
{
	query_rest(((struct query_task *)task)->all);
}

static void keep_task(struct io_task *task)
{
	(void)task; /* it lies in an array */
}

/* Asks about the rest in many threads, this one included. Returns when all are done. */
static void query_side_by_side(struct queries *q, struct io *io)
{
	size_t wanted = MIN(q->count - atomic_load(&q->next), (size_t)QUERIES), begun = 0;
	struct query_task *tasks = xcalloc(wanted, sizeof(*tasks));

	for (; begun < wanted; begun++) {
		tasks[begun].task.work = query_in_thread;
		tasks[begun].task.release = keep_task;
		tasks[begun].all = q;
		if (!io_task_begin(io, &tasks[begun].task))
			break;
	}
	query_rest(q);
	for (size_t i = 0; i < begun; i++)
		io_task_wait(&tasks[i].task, NULL);
	free(tasks);
}

void path_states_query(struct path_state *out, const char *const *paths, size_t count, struct io *io)
{
	struct queries q = { .paths = paths, .out = out, .count = count };
	unsigned late = 0;
	size_t i = 0;

	for (; i < count && !(io && late >= LATE_PATHS); i++) {
		uint64_t since = clock_ns();

		late_begin();
		out[i] = query(paths[i]);
		if (late_end(clock_ns() - since, LATE_NS))
			late++;
		else if (late)
			late--;
	}
	atomic_store(&q.next, i);
	if (i < count)
		query_side_by_side(&q, io);
}

struct path_state path_state_of(const struct find_options *find, size_t index)
{
	return find->states ? find->states[index] : query(find->paths[index]);
}

bool path_is_folder(const struct find_options *find, size_t index)
{
	const struct path_state state = path_state_of(find, index);

	return !state.errnum && S_ISDIR(state.mode);
}
