#include "output/repository.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"

static bool has_git(const char *folder)
{
	RELEASED struct strbuf path = STRBUF_INIT;
	struct stat st;

	strbuf_addf(&path, "%s/.git", folder);
	return lstat(path.s, &st) == 0; /* a folder, or the file of a worktree or a submodule */
}

/* Returns whether a list of folders, separated by colons, has this one. */
static bool list_has(const char *list, const char *folder)
{
	size_t length = strlen(folder);

	while (list && *list) {
		size_t n = strcspn(list, ":");

		if (n == length && !memcmp(list, folder, n))
			return true;
		list += n + (list[n] == ':');
	}
	return false;
}

/*
 * Returns the root, absolute: the nearest folder with a .git, from an absolute folder upwards; else CI_PROJECT_DIR or
 * GITHUB_WORKSPACE. NULL: there is none. Like git, it does not go up into a folder of GIT_CEILING_DIRECTORIES. The
 * caller frees it.
 */
static char *repository_root(const char *folder)
{
	static const char *const variables[] = { "CI_PROJECT_DIR", "GITHUB_WORKSPACE" };
	const char *ceilings = getenv("GIT_CEILING_DIRECTORIES");
	char *at = xstrdup(folder);

	for (;;) {
		char *slash = strrchr(at, '/');

		if (has_git(at))
			return at;
		if (!slash || !*at)
			break;
		*slash = '\0';
		if (list_has(ceilings, *at ? at : "/"))
			break;
	}
	free(at);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *root = getenv(variables[i]);

		if (root && root[0] == '/')
			return xstrdup(root);
	}
	return NULL;
}

void repository_find(struct repository *repository, struct report *r)
{
	bool known = getcwd(repository->current, sizeof(repository->current)) != NULL;

	repository->root = known ? repository_root(repository->current) : NULL;
	r->repository = repository->root;
	r->current = repository->current;
}

void repository_release(struct repository *repository)
{
	free(repository->root);
}
