#include "find/path_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/mem.h"
#include "find/pool.h"

static struct path_state query(const char *path)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return (struct path_state){ .mode = 0 };
	if (fstatat(AT_FDCWD, path, &st, 0) < 0)
		return (struct path_state){ .errnum = errno };
	return (struct path_state){ .mode = st.st_mode, .id = { st.st_dev, st.st_ino } };
}

struct query_task {
	struct task task;
	const char *path;
	struct path_state *out;
};

static void query_path(struct task *task, bool ahead)
{
	struct query_task *t = (struct query_task *)task;

	(void)ahead;
	*t->out = query(t->path);
}

void path_states_query(struct path_state *out, const char *const *paths, size_t count, struct pool *pool)
{
	FREED struct query_task *tasks = xcalloc(count + 1, sizeof(*tasks));

	for (size_t i = 0; i < count; i++)
		tasks[i] = (struct query_task){ .task.run = query_path, .path = paths[i], .out = &out[i] };
	pool_do_all(pool, tasks, count, sizeof(*tasks));
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
