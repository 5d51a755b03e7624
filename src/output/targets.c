#include "output/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "read/input.h"
#include "read/own_report.h"
#include "report/output_file.h"
#include "report/report.h"

/* Returns whether both files exist and are one, by any of their names. */
static bool same_file(const struct stat *a, const struct stat *b)
{
	return GUARD(same_file_by_two_names, a->st_dev == b->st_dev && a->st_ino == b->st_ino);
}

static bool same_path(const char *a, const char *b)
{
	return a && b && GUARD(same_path_spelled_twice, !strcmp(a, b));
}

/* Returns the target that is that file, or NULL. */
static const struct target *targets_find(const struct targets *t, const struct stat *st)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->v[i].exists && same_file(&t->v[i].st, st))
			return &t->v[i];
	return NULL;
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
	FREED char *real = found ? NULL : path_resolve(path);

	for (size_t i = 0; real && i < t->count && !found; i++)
		if (same_path(t->v[i].real, real))
			found = &t->v[i];
	return found;
}

/* Returns whether a file holds something that we did not write. */
static bool is_foreign(const char *file, const struct stat *st)
{
	struct fault ignored = FAULT_INIT;
	struct file_peek peek;

	if (!S_ISREG(st->st_mode) || !st->st_size)
		return false;
	if (!peek_open(&peek, AT_FDCWD, file, file, &ignored))
		return true;
	const bool own = own_report_begins(peek.head, peek.n);

	peek_close(&peek);
	return !own;
}

static enum status add(struct targets *t, const char *option, const char *path, struct error *err)
{
	struct target new = { .option = option, .path = path };
	char *file = path ? output_file_target(path) : NULL;
	const struct target *old = NULL;

	if (!file) /* a descriptor; or opening it will say what is wrong */
		return STATUS_OK;
	new.exists = stat(file, &new.st) == 0;
	if (!new.exists || S_ISREG(new.st.st_mode) || S_ISFIFO(new.st.st_mode)) {
		new.real = path_resolve(file);
		old = new.exists ? targets_find(t, &new.st) : NULL;
		if (!old)
			old = targets_find_path(t, file);
		new.is_foreign = new.exists &&is_foreign(file, &new.st);
		t->foreign |= new.is_foreign;
		t->v[t->count++] = new;
	}
	free(file);
	return old ? error_set(err, "%s %s: the same file as %s %s", option, path, old->option, old->path) : STATUS_OK;
}

enum status targets_resolve(struct targets *t, const struct options *options, struct error *err)
{
	const char *summary = options_write(options, reporter_github.name) ? getenv("GITHUB_STEP_SUMMARY") : NULL;
	const struct {
		const char *option, *path;
	} others[] = {
		{ "--write-baseline", options->baseline.write },
		{ "GITHUB_STEP_SUMMARY", summary && *summary ? summary : NULL },
	};
	enum status status = STATUS_OK;

	*t = (struct targets){ .v = xcalloc(options->output.files_count + ARRAY_SIZE(others), sizeof(*t->v)) };
	for (size_t i = 0; i < ARRAY_SIZE(others) && status == STATUS_OK; i++)
		status = add(t, others[i].option, others[i].path, err);
	for (size_t i = 0; i < options->output.files_count && status == STATUS_OK; i++)
		status = add(t, "--output", options->output.files[i].path, err);
	return status;
}

void targets_release(struct targets *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->v[i].real);
	free(t->v);
	*t = (struct targets){ 0 };
}

static enum status refuse(const struct target *target, const char *option, const char *input, struct error *err)
{
	return error_set(err, "%s %s would replace %s%s%s, which this run reads", target->option, target->path, option,
			 *option ? " " : "", strcmp(input, "-") != 0 ? input : "standard input");
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
	/* today's findings become those that are known */
	if (found && !strcmp(option, "--baseline") && !strcmp(found->option, "--write-baseline"))
		return STATUS_OK;
	return GUARD(output_onto_an_input, found != NULL) ? refuse(found, option, path, err) : STATUS_OK;
}

/* Fails if a foreign target lies below a folder. */
static enum status check_folder(const struct targets *t, const char *folder, struct error *err)
{
	FREED char *root = t->foreign && folder ? realpath(folder, NULL) : NULL;
	enum status status = STATUS_OK;

	for (size_t i = 0; root && i < t->count && status == STATUS_OK; i++) {
		const struct target *target = &t->v[i];

		if (GUARD(output_among_the_inputs,
			  target->is_foreign && target->real && path_lies_in(target->real, root)))
			status = error_set(err, "%s %s would replace a file of %s that is no report of labelaudit",
					   target->option, target->path, folder);
	}
	return status;
}

enum status targets_check_inputs(const struct targets *t, const struct options *options,
				 const struct path_state *states, struct error *err)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{ "--files-from", options->input.find.files_from }, { "--classes", options->classes.classes },
		{ "--colors", options->classes.colours },           { "--config", options->config.read.path },
		{ "--baseline", options->baseline.file },
	};
	enum status status = STATUS_OK;

	for (size_t i = 0; states && i < options->input.paths.count && status == STATUS_OK; i++) {
		status = check_file(t, "", options->input.paths.v[i], &states[i], err);
		if (status == STATUS_OK && !states[i].errnum)
			status = check_folder(t, options->input.paths.v[i], err);
	}
	for (size_t i = 0; i < options->words.count && status == STATUS_OK; i++)
		status = check_file(t, "", options->words.v[i], NULL, err);
	for (size_t i = 0; i < ARRAY_SIZE(files) && status == STATUS_OK; i++)
		status = check_file(t, files[i].option, files[i].path, NULL, err);
	for (size_t i = 0; i < options->input.taken.read.count && status == STATUS_OK; i++) {
		FREED char *folder = path_folder(options->input.taken.read.v[i]);

		status = check_file(t, "", options->input.taken.read.v[i], NULL, err);
		if (status == STATUS_OK) /* the images that it names lie there, too */
			status = check_folder(t, folder, err);
	}
	return status == STATUS_OK ? check_folder(t, options->input.images, err) : status;
}

enum status targets_check_met(const struct targets *t, int dirfd, const char *name, const char *path, struct error *err)
{
	struct stat st;
	const struct target *found = t->foreign && fstatat(dirfd, name, &st, 0) == 0 ? targets_find(t, &st) : NULL;

	return GUARD(met_file_replaced, found && found->is_foreign) ? refuse(found, "", path, err) : STATUS_OK;
}

enum status targets_check(const struct options *options, struct error *err)
{
	struct targets t;
	enum status status = targets_resolve(&t, options, err);

	if (status == STATUS_OK)
		status = targets_check_inputs(&t, options, NULL, err);
	targets_release(&t);
	return status;
}
