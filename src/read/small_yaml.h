/*
 * Small YAML texts, such as class files, as trees of cJSON: so that they are read as small_json.h's are. The caller
 * frees the tree with cJSON_Delete. Any thread.
 *
 * Scalars are strings; ~, null and nothing at all are null. An alias is a copy of the value with its anchor, and counts
 * as many values as that has. A key that is a list or a map is "". Only the first document counts.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

/*
 * Returns NULL if the text is no YAML, holds a NUL in a value, or is over a limit; then *fault is set. *more: whether
 * another document follows; more may be NULL.
 */
cJSON *small_yaml_parse(const char *text, size_t n, bool *more, struct fault *fault);

/* Returns the line, from 1, in which a value of such a tree begins. */
static inline size_t small_yaml_line(const cJSON *value)
{
	return (size_t)value->valuedouble; /* cJSON has no use for it but in numbers */
}

/* Returns the column, from 1, in which it begins. */
static inline int small_yaml_column(const cJSON *value)
{
	return value->valueint;
}
