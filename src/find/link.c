#include "find/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"

void link_roots_init(struct link_roots *r, const char *const *typed, size_t count)
{
	*r = (struct link_roots){ .typed = typed, .count = count };
}

void link_roots_release(struct link_roots *r)
{
	for (size_t i = 0; r->real && i < r->count; i++)
		free(r->real[i]);
	free(r->real);
	hash_set_release(&r->files);
	memset(r, 0, sizeof(*r));
}

static void resolve_roots(struct link_roots *r)
{
	if (r->real)
		return;
	r->real = xcalloc(r->count + 1, sizeof(*r->real));
	for (size_t i = 0; i < r->count; i++)
		r->real[i] = realpath(r->typed[i], NULL);
}

/* Fills out->below, target and root_len. */
static void find_root(struct link_roots *r, const char *real, struct link_end *out)
{
	for (size_t i = 0; i < r->count && !out->below; i++) {
		if (!r->real[i] || !path_lies_in(real, r->real[i]))
			continue;
		size_t n = MAX(path_trimmed(r->typed[i]), (size_t)1), root = path_trimmed(r->real[i]);

		out->below = true;
		strbuf_add(&out->target, r->typed[i], n);
		out->root_len = n + (real[root] == '/');
		strbuf_adds(&out->target, real + root);
	}
}

static void leave_out(struct link_end *out, enum skip_reason reason)
{
	out->kind = LINK_LEFT_OUT;
	out->reason = reason;
}

static void fail(struct link_end *out, int errnum)
{
	if (errnum == ENOENT || errnum == ENOTDIR) {
		leave_out(out, SKIP_LINK_DANGLING);
	} else if (errnum == ELOOP) {
		leave_out(out, SKIP_LINK_LOOP);
	} else {
		out->kind = LINK_FAILED;
		out->errnum = errnum;
	}
}

void link_resolve(struct link_roots *r, int dirfd, const char *folder, size_t folder_len, const char *name,
		  struct link_end *out)
{
	RELEASED struct strbuf path = STRBUF_INIT;
	struct stat st;

	strbuf_clear(&out->target);
	out->below = false;
	out->errnum = 0;
	out->root_len = 0;
	if (fstatat(dirfd, name, &st, 0) < 0) {
		fail(out, errno);
		return;
	}
	resolve_roots(r);
	strbuf_add(&path, folder, folder_len);
	FREED char *real_folder = realpath(path.s, NULL);

	strbuf_adds(&path, name);
	FREED char *real = realpath(path.s, NULL);

	if (real)
		find_root(r, real, out);
	out->kind = S_ISREG(st.st_mode) ? LINK_TO_FILE : S_ISDIR(st.st_mode) ? LINK_TO_FOLDER : LINK_FAILED;
	if (out->kind == LINK_TO_FOLDER && real && real_folder && path_lies_in(real_folder, real))
		leave_out(out, SKIP_LINK_LOOP);
}

bool link_is_repeated(struct link_roots *r, int dirfd, const char *name)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, 0) < 0)
		return false; /* opening it will say why */
	return GUARD(linked_file_counted_twice,
		     !hash_set_add(&r->files, inode_hash((struct inode_id){ st.st_dev, st.st_ino })));
}
