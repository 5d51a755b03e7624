#include "find/near_path.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/nearest.h"

/* Names of a folder that are compared: in a larger one, no name is nearer than the others. */
enum { NAMES_MAX = 10000 };

/* Returns the name in the folder that is nearest to `name`, of equally near ones the first; NULL: none. Owned. */
static char *nearest_name(const char *folder, const char *name)
{
	DIR *dir = opendir(folder);
	size_t distance = 0; /* of best */
	struct dirent *entry;
	char *best = NULL;

	for (int i = 0; dir && i < NAMES_MAX && (entry = readdir(dir)); i++) {
		struct nearest this;

		nearest_init(&this, name);
		nearest_try(&this, entry->d_name);
		if (entry->d_name[0] == '.' || !this.name)
			continue;
		if (best &&
		    (this.distance > distance || (this.distance == distance && strcmp(entry->d_name, best) > 0)))
			continue;
		distance = this.distance;
		free(best);
		best = xstrdup(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return best;
}

bool near_path(const char *path, struct strbuf *out)
{
	struct strbuf found = STRBUF_INIT;
	size_t n = path_trimmed(path), name = n;
	struct stat st;

	while (name && path[name - 1] != '/')
		name--;
	strbuf_add(&found, path, name);
	char *typed = xmemdup0(path + name, n - name);
	char *near = nearest_name(name ? found.s : ".", typed);

	free(typed);
	if (near)
		strbuf_adds(&found, near);
	/* not so for a link to nothing, which may be the path itself */
	bool exists = near && stat(found.s, &st) == 0;

	if (exists) {
		strbuf_add(out, found.s, found.len);
		strbuf_adds(out, S_ISDIR(st.st_mode) ? "/" : "");
	}
	strbuf_release(&found);
	free(near);
	return exists;
}
