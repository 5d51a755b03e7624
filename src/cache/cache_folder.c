#include "cache/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/strbuf.h"

static bool has_tag(const char *folder)
{
	RELEASED struct strbuf path = STRBUF_INIT;
	struct stat st;

	strbuf_addf(&path, "%s/CACHEDIR.TAG", folder);
	return stat(path.s, &st) == 0;
}

bool cache_is_folder(const char *word)
{
	struct stat st;
	const struct dirent *e;
	bool empty = true;

	if (stat(word, &st) < 0)
		return errno == ENOENT;
	if (!S_ISDIR(st.st_mode))
		return false;
	if (has_tag(word))
		return true;
	DIR *dir = opendir(word);

	while (dir && empty && (e = readdir(dir)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return dir && empty;
}

char *cache_usual_folder(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct strbuf out = STRBUF_INIT;

	if (xdg && xdg[0] == '/')
		strbuf_addf(&out, "%s/labelaudit", xdg);
	else if (home && home[0] == '/')
		strbuf_addf(&out, "%s/.cache/labelaudit", home);
	return out.len ? strbuf_detach(&out) : NULL;
}

/* Returns 0 or errno. */
static int make_folder(const char *folder)
{
	FREED char *path = xstrdup(folder);

	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return errno;
		*p = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? errno : 0;
}

int cache_open_folder(const char *folder, const char **why)
{
	int errnum = make_folder(folder), fd = -1;
	struct stat st;

	*why = NULL;
	if (!errnum) {
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st) < 0)
			errnum = errno;
	}
	if (errnum)
		*why = strerror(errnum);
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		*why = "the folder belongs to another user";
	else if (GUARD(cache_folder_for_all, st.st_mode & (S_IWGRP | S_IWOTH)))
		*why = "others can write to the folder (chmod go-w fixes that)";
	if (*why && fd >= 0)
		close(fd);
	return *why ? -1 : fd;
}
