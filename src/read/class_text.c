#include "read/class_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan_number.h"

enum {
	NAME_MAX_BYTES = 1024,
	CLASSES_MAX = 65536, /* ImageNet-21k has 21,841 */
};

static void class_trim(const char **s, size_t *n)
{
	while (*n && strchr(" \t\r", (*s)[*n - 1]))
		(*n)--;
	while (*n && strchr(" \t", **s)) {
		(*s)++;
		(*n)--;
	}
}

bool class_line_next(const struct class_file *f, struct class_line *line)
{
	const char *start = line->next ? line->next : f->text, *end = f->text + f->size;

	if (start >= end)
		return false;
	const char *newline = memchr(start, '\n', (size_t)(end - start));

	line->s = start;
	line->n = (size_t)((newline ? newline : end) - start);
	line->next = newline ? newline + 1 : end;
	line->number++;
	class_trim(&line->s, &line->n);
	return true;
}

enum status class_fail(const struct class_file *f, const char *where, const char *fmt, ...)
{
	char text[ERROR_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return error_set(f->err, "%s%s%s%s: %s%s%s", f->option ? "--" : "", f->option ? f->option : "",
			 f->option ? " " : "", f->path, where ? where : "", where ? ": " : "", text);
}

enum status class_fault(const struct class_file *f, const struct fault *fault)
{
	if (!fault->line)
		return class_fail(f, NULL, "%s", fault->text);
	return class_fail(f, NULL, "line %" PRIu64 ", column %" PRIu64 ": %s", fault->line, fault->column, fault->text);
}

enum status class_scan_id(const struct class_file *f, const char *where, const char *s, size_t n, int64_t *id)
{
	uint64_t v;

	if (!scan_whole_uint64(s, n, &v))
		return class_fail(f, where, "'%.*s' is not a class id", (int)MIN(n, (size_t)80), s);
	if (v > CLASS_ID_MAX)
		return class_fail(f, where, "the id %" PRIu64 " is larger than %d", v, CLASS_ID_MAX);
	*id = (int64_t)v;
	return STATUS_OK;
}

enum status class_add(struct class_file *f, const char *where, int64_t id, const char *s, size_t n)
{
	char name[NAME_MAX_BYTES + 1];

	class_trim(&s, &n);
	if (id < 0 || id > CLASS_ID_MAX)
		return class_fail(f, where, "the id %" PRId64 " is not in 0-%d", id, CLASS_ID_MAX);
	if (!n)
		return class_fail(f, where, "class %" PRId64 " has no name", id);
	if (n > NAME_MAX_BYTES)
		return class_fail(f, NULL, "%s is longer than %d bytes, so this is not a name", where, NAME_MAX_BYTES);
	if (id_ranges_contain(&f->set->classes, id))
		return class_fail(f, where, "the id %" PRId64 " occurs twice", id);
	if (++f->entries > CLASSES_MAX)
		return class_fail(f, NULL, "more than %d classes", CLASSES_MAX);
	memcpy(name, s, n);
	name[n] = '\0';
	id_ranges_add(&f->set->classes, id, id);
	class_set_name(f->set, (size_t)id, name);
	return STATUS_OK;
}

bool class_scan_sample(const char *s, size_t n, uint8_t *sample)
{
	uint64_t v;

	class_trim(&s, &n);
	if (!scan_whole_uint64(s, n, &v) || v > 255)
		return false;
	*sample = (uint8_t)v;
	return true;
}

enum status class_add_colour(struct class_file *f, const char *where, int64_t id, const uint8_t rgb[3])
{
	uint32_t colour = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
	const char *one, *name = class_set_get_name(f->set, id);
	int32_t other;

	if (!f->colours)
		return STATUS_OK;
	if (id > COLOUR_CLASS_MAX)
		return class_fail(f, where,
				  "a class with a colour has an id of at most %d; pass --colors none to audit "
				  "ids, not colours",
				  COLOUR_CLASS_MAX);
	if (colour_table_add(f->colours, colour, (int32_t)id, &other))
		return STATUS_OK;
	if (other == NO_COLOUR_CLASS)
		return class_fail(f, where, "more than %d colours", COLOUR_TABLE_MAX);
	one = class_set_get_name(f->set, other);
	return class_fail(f, where,
			  "'%.80s' has the colour #%06" PRIx32
			  ", which '%.80s' has already: give each class its own, or "
			  "pass --colors none to audit ids, not colours",
			  name ? name : "", colour, one ? one : "");
}
