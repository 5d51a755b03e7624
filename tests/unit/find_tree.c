#include "find_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdlib.h>

#include "base/mem.h"
#include "check_main.h"

char tree_path[64];

void tree_enter(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(tree_path, sizeof(tree_path), "%.40s/test_find.XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(tree_path));
	ck_assert_int_eq(chmod(tree_path, 0755), 0);
	ck_assert_int_eq(chdir(tree_path), 0);
}

void tree_leave(void)
{
	char command[256];

	ck_assert_int_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "chmod -R u+rwx '%s' && rm -rf '%s'", tree_path, tree_path);
	ck_assert_int_eq(system(command), 0);
}

void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	close(fd);
}

void make_folder(const char *path)
{
	ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
}

void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

void found_release(struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->v[i].path);
	free(f->v);
	memset(f, 0, sizeof(*f));
}

bool entry_opens(const struct entry *e)
{
	int fd = openat(e->dirfd, e->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void found_add(struct found *f, const struct work_unit *u)
{
	for (size_t i = 0; i < u->count; i++) {
		const struct entry *e = &u->entries[i];
		size_t path_len = strlen(e->path), name_len = strlen(e->name);

		ck_assert(name_len <= path_len && !strcmp(e->path + path_len - name_len, e->name));
		GROW(f->v, f->cap, f->count + 1);
		struct found_entry *out = &f->v[f->count++];

		*out = (struct found_entry){ .path = xstrdup(e->path),
					     .unit = u->number,
					     .at = i,
					     .is_explicit = e->is_explicit,
					     .standard_input = e->standard_input,
					     .failed = e->failed,
					     .skip_reason = (enum skip_reason)e->skip_reason };
		out->opens = !e->failed && !e->skip_reason && !e->standard_input && entry_opens(e);
		if (e->failed) {
			ck_assert_int_eq(e->fault.kind, FAULT_UNREADABLE);
			strcpy(out->fault, e->fault.text);
		}
	}
	f->units++;
}

void source_draw_all(struct source *s, size_t max, struct found *f)
{
	struct error err = ERROR_INIT;
	struct work_unit u;

	work_unit_init(&u);
	for (;;) {
		work_unit_clear(&u);
		ck_assert_msg(source_draw(s, &u, max, &err) == STATUS_OK, "%s", err.text);
		if (!u.count)
			break;
		ck_assert_uint_le(u.count, max);
		ck_assert_uint_eq(u.number, f->units);
		found_add(f, &u);
	}
	work_unit_release(&u);
}

struct source *open_source(const struct find_options *o)
{
	struct error err = ERROR_INIT;
	struct source *s;

	ck_assert_msg(source_open(&s, o, &err) == STATUS_OK, "%s", err.text);
	return s;
}

struct found find_with(const struct find_options *o, size_t max)
{
	struct found f = { 0 };
	struct source *s = open_source(o);

	source_draw_all(s, max, &f);
	ck_assert_uint_eq(source_progress(s).drawn, f.count);
	ck_assert(source_progress(s).complete);
	source_close(s);
	return f;
}

static const char *const here[] = { "." };

struct find_options options_here(void)
{
	return (struct find_options){ .paths = here, .paths_count = 1 };
}

/*
 * wanted: the paths in order, one a line, without those that --exclude and --include leave out; "!" before one that
 * failed, its reason before one that was left out.
 */
void found_expect(const struct found *f, const char *wanted)
{
	char *got = xcalloc(1, 1), *p = got;
	size_t len = 0;

	for (size_t i = 0; i < f->count; i++) {
		size_t n = strlen(f->v[i].path);

		if (f->v[i].skip_reason == SKIP_EXCLUDED || f->v[i].skip_reason == SKIP_NOT_INCLUDED)
			continue;
		got = xrealloc(got, len + n + 32);
		p = got + len;
		if (f->v[i].skip_reason)
			p += sprintf(p, "%s: ", skip_reason_name(f->v[i].skip_reason));
		if (f->v[i].failed)
			*p++ = '!';
		memcpy(p, f->v[i].path, n);
		p[n] = '\n';
		p[n + 1] = '\0';
		len = (size_t)(p - got) + n + 1;
	}
	ck_assert_msg(!strcmp(got, wanted), "got:\n%swanted:\n%s", got, wanted);
	free(got);
}

void find_and_expect(const struct find_options *o, const char *wanted)
{
	struct found f = find_with(o, 32);

	found_expect(&f, wanted);
	found_release(&f);
}

const struct found_entry *found_entry_of(const struct found *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->v[i].path, path))
			return &f->v[i];
	ck_abort_msg("no entry %s", path);
	return NULL;
}

void found_expect_sorted(const struct found *f)
{
	for (size_t i = 1; i < f->count; i++)
		ck_assert_msg(strcmp(f->v[i - 1].path, f->v[i].path) < 0, "%s before %s", f->v[i - 1].path,
			      f->v[i].path);
}

void found_expect_opens(const struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		ck_assert_msg(f->v[i].opens, "%s does not open", f->v[i].path);
}
