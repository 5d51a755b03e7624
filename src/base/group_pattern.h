/*
 * struct group_pattern: --group, a regular expression that says which patient, scene or video a path belongs to.
 *
 * POSIX extended syntax (regex(7)), where \d is a digit as well. What other dialects add and this one reads differently
 * is refused: lazy repetition, groups that begin with ?, back references. Read-only once it is compiled, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct group_pattern;

/* Returns NULL if err is set, which begins with `option`. The caller frees it with group_pattern_free(). */
struct group_pattern *group_pattern_compile(const char *option, const char *text, struct error *err);
void group_pattern_free(struct group_pattern *p);
/* Finds the group of a path: the first capture, or all that matches if there is none. Returns false if it has none. */
bool group_pattern_find(const struct group_pattern *p, const char *path, const char **group, size_t *len);
