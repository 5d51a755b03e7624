/*
 * struct path_list: the paths of --files-from, each with its place in the result: its path below the folder that all of
 * them share, so that the names of splits and scenes remain. Read once: the audit of the set, the copy and the plan
 * must not differ if the list changes, or is a pipe. Without "." and doubled slashes; sorted. Owner: the command.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "platform/platform.h"

struct path_list {
	char **v; /* the paths; owned */
	size_t count, cap;
};

/* path: a file, or "-" for standard input. Appends its paths. */
enum status path_list_read(struct path_list *list, const char *path, bool nul_separated, struct error *err);
void path_list_release(struct path_list *list);

/* A file in memory with paths that end in NUL, for --files-from and --null. */
struct list_file {
	int fd; /* -1: there is none */
	struct fd_path path;
};

enum status list_file_open(struct list_file *f, const char *const *paths, size_t count, struct error *err);
void list_file_close(struct list_file *f);

/*
 * Fills how many components of their folders all paths share. Fails if some begin at the root and others do not.
 */
enum status path_list_shared(const struct path_list *list, size_t *shared, struct error *err);
/*
 * Returns the place of a path, which the caller frees: its components after those that are shared. NULL if it has none
 * in the result: nothing is left, or a ".." might lead out of it; then *err is set.
 */
char *path_list_place(const char *path, size_t shared, struct error *err);
/* Returns how many bytes of the path reach to the end of component n, the first being 0. */
size_t path_component_end(const char *path, size_t n);
