#include "read/class_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan_number.h"

enum {
	NAME_MAX_BYTES = 1024,
	CLASSES_MAX = 65536, /* ImageNet-21k has 21,841 */
};

void class_trim(const char **s, size_t *n)
{
	while (*n && strchr(" \t\r", (*s)[*n - 1]))
		(*n)--;
	while (*n && strchr(" \t", **s)) {
		(*s)++;
		(*n)--;
	}
}

bool class_line_next(const struct class_text *t, const char **at, struct class_line *line)
{
	const char *end = t->text + t->size;

	if (!*at) {
		*at = t->text;
		line->number = 0;
	}
	if (*at >= end)
		return false;
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));

	line->s = *at;
	line->n = (size_t)((newline ? newline : end) - *at);
	line->number++;
	class_trim(&line->s, &line->n);
	*at = newline ? newline + 1 : end;
	return true;
}

enum status class_scan_id(const struct class_text *t, const char *where, const char *s, size_t n, int64_t *id,
			  struct error *err)
{
	uint64_t v;

	if (!scan_whole_uint64(s, n, &v))
		return error_set(err, "--classes %s: %s: '%.*s' is no class id", t->path, where,
				 (int)MIN(n, (size_t)80), s);
	if (v > CLASS_ID_MAX)
		return error_set(err, "--classes %s: %s: the id %" PRIu64 " is larger than %d", t->path, where, v,
				 CLASS_ID_MAX);
	*id = (int64_t)v;
	return STATUS_OK;
}

enum status class_add(struct class_text *t, const char *where, int64_t id, const char *s, size_t n, struct error *err)
{
	char name[NAME_MAX_BYTES + 1];

	class_trim(&s, &n);
	if (id < 0 || id > CLASS_ID_MAX)
		return error_set(err, "--classes %s: %s: the id %" PRId64 " is not in 0-%d", t->path, where, id,
				 CLASS_ID_MAX);
	if (!n)
		return error_set(err, "--classes %s: %s: class %" PRId64 " has no name", t->path, where, id);
	if (n > NAME_MAX_BYTES)
		return error_set(err, "--classes %s: %s is longer than %d bytes, so this is no name", t->path, where,
				 NAME_MAX_BYTES);
	if (id_ranges_contain(&t->set->classes, id))
		return error_set(err, "--classes %s: %s: the id %" PRId64 " occurs twice", t->path, where, id);
	if (++t->entries > CLASSES_MAX)
		return error_set(err, "--classes %s: more than %d classes", t->path, CLASSES_MAX);
	memcpy(name, s, n);
	name[n] = '\0';
	id_ranges_add(&t->set->classes, id, id);
	class_set_name(t->set, (size_t)id, name);
	return STATUS_OK;
}
