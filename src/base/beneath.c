#include "base/beneath.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/strbuf.h"
#include "platform/platform.h"

/* As many symbolic links as the kernel follows in a path (path_resolution(7)). */
enum { LINKS_MAX = 40 };

/* Puts the target of the symbolic link dirfd/name before the steps in *rest. Returns false if there is no target. */
static bool prepend_target(int dirfd, const char *name, struct strbuf *rest)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dirfd, name, target, sizeof(target));
	struct strbuf joined = STRBUF_INIT;

	if (n <= 0 || (size_t)n == sizeof(target))
		return false;
	strbuf_add(&joined, target, (size_t)n);
	strbuf_addch(&joined, '/');
	strbuf_add(&joined, rest->s, rest->len);
	strbuf_release(rest);
	*rest = joined;
	return true;
}

/* Takes the first step off *rest and into name. Returns false at the end, or if the step is too long to exist. */
static bool next_step(struct strbuf *rest, char name[NAME_MAX + 1])
{
	size_t from = strspn(rest->s, "/"), n = strcspn(rest->s + from, "/");

	if (!n || n > NAME_MAX)
		return false;
	memcpy(name, rest->s + from, n);
	name[n] = '\0';
	rest->len -= from + n;
	memmove(rest->s, rest->s + from + n, rest->len + 1);
	return true;
}

/* Replaces *folder by its entry of that name. Returns false, and leaves it, if there is no such folder. */
static bool enter(int *folder, const char *name)
{
	int fd = platform_open_folder(*folder, name, O_NOFOLLOW);

	if (fd < 0)
		return false;
	close(*folder);
	*folder = fd;
	return true;
}

/* Goes step by step, since openat2(2) is missing before Linux 5.6 and forbidden in some containers. */
bool path_is_beneath(int dirfd, const char *path)
{
	RELEASED struct strbuf rest = STRBUF_INIT;
	char name[NAME_MAX + 1];
	int folder = platform_open_folder(dirfd, ".", 0), depth = 0, links = 0;
	bool beneath = folder >= 0 && path[0] != '/';

	strbuf_adds(&rest, path);
	while (beneath && next_step(&rest, name)) {
		struct stat st;

		bool up = !strcmp(name, "..");

		if (!strcmp(name, "."))
			continue;
		if (up && GUARD(step_out_of_folder, depth == 0)) {
			beneath = false;
			continue;
		}
		if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			break;
		if (S_ISLNK(st.st_mode))
			beneath = ++links <= LINKS_MAX && prepend_target(folder, name, &rest) && rest.s[0] != '/';
		else if (!enter(&folder, name))
			break;
		else
			depth += up ? -1 : 1;
	}
	if (folder >= 0)
		close(folder);
	return beneath;
}
