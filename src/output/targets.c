#include "output/targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "report/output_file.h"

/* Returns the absolute path of a file in a folder that exists, without links, or NULL; the caller frees it. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	if (real)
		return real;
	char *folder = path_folder(path);

	real = realpath(folder, NULL);
	free(folder);
	if (!real)
		return NULL;
	struct strbuf whole = STRBUF_INIT;

	strbuf_addf(&whole, "%s/%s", strcmp(real, "/") != 0 ? real : "", file_name_of(path));
	free(real);
	real = xstrdup(whole.s);
	strbuf_release(&whole);
	return real;
}

/* Returns whether both files exist and are one, by any of their names. */
static bool same_file(const struct stat *a, const struct stat *b)
{
	return GUARD(same_file_by_two_names, a->st_dev == b->st_dev && a->st_ino == b->st_ino);
}

static bool same_path(const char *a, const char *b)
{
	return a && b && GUARD(same_path_spelled_twice, !strcmp(a, b));
}

/* Returns the target that is the file which the path names, or would name; or NULL. */
static const struct target *targets_find_path(const struct targets *t, const char *path)
{
	const struct target *found = NULL;
	struct stat st;

	if (!t->count)
		return NULL;
	if (stat(path, &st) == 0)
		found = targets_find(t, &st);
	char *real = found ? NULL : resolve(path);

	for (size_t i = 0; real && i < t->count && !found; i++)
		if (same_path(t->v[i].real, real))
			found = &t->v[i];
	free(real);
	return found;
}

enum status targets_resolve(struct targets *t, const struct options *options, struct error *err)
{
	t->v = xcalloc(options->outputs_count + 1, sizeof(*t->v));
	t->count = 0;
	for (size_t i = 0; i < options->outputs_count; i++) {
		struct target new = { .path = options->outputs[i].path };
		char *file = output_file_target(new.path);
		const struct target *old;

		if (!file) /* a descriptor; or opening it will say what is wrong */
			continue;
		new.exists = stat(file, &new.st) == 0;
		if (!new.exists || S_ISREG(new.st.st_mode) || S_ISFIFO(new.st.st_mode)) {
			new.real = resolve(file);
			old = new.exists ? targets_find(t, &new.st) : NULL;
			if (!old)
				old = targets_find_path(t, file);
			t->v[t->count++] = new;
			if (old) {
				free(file);
				return error_set(err, "--output %s: the same file as --output %s", new.path, old->path);
			}
		}
		free(file);
	}
	return STATUS_OK;
}

void targets_release(struct targets *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->v[i].real);
	free(t->v);
	*t = (struct targets){ 0 };
}

const struct target *targets_find(const struct targets *t, const struct stat *st)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->v[i].exists && same_file(&t->v[i].st, st))
			return &t->v[i];
	return NULL;
}

/* Returns the target that a PATH is. One that exists cannot be a file that does not exist yet. */
static const struct target *targets_find_input(const struct targets *t, const char *path,
					       const struct path_state *state)
{
	const struct stat st = { .st_dev = state->id.device, .st_ino = state->id.inode };

	return state->errnum == ENOENT ? targets_find_path(t, path) : !state->errnum ? targets_find(t, &st) : NULL;
}

/* state: the path's, or NULL. */
static enum status check_file(const struct targets *t, const char *option, const char *path,
			      const struct path_state *state, struct error *err)
{
	struct stat st;
	const struct target *found = NULL;

	if (path && !strcmp(path, "-"))
		found = fstat(STDIN_FILENO, &st) == 0 ? targets_find(t, &st) : NULL;
	else if (path)
		found = state ? targets_find_input(t, path, state) : targets_find_path(t, path);
	if (!GUARD(output_onto_an_input, found != NULL))
		return STATUS_OK;
	return error_set(err, "--output %s would replace %s%s, which this audit %s", found->path, option,
			 strcmp(path, "-") != 0 ? path : "standard input",
			 strcmp(option, "--write-baseline ") != 0 ? "reads" : "writes, too");
}

enum status targets_check_inputs(const struct targets *t, const struct options *options,
				 const struct path_state *states, struct error *err)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{ "--files-from ", options->find.files_from },
		{ "--classes ", options->classes },
		{ "", options->config.path },
		{ "--baseline ", options->baseline },
		{ "--write-baseline ", options->write_baseline },
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < options->paths.count && status == STATUS_OK; i++)
		status = check_file(t, "", options->paths.v[i], &states[i], err);
	for (size_t i = 0; i < ARRAY_SIZE(files) && status == STATUS_OK; i++)
		status = check_file(t, files[i].option, files[i].path, NULL, err);
	return status;
}
