/*
 * The parts of class_file.c: one function a format, and what they share. Not for other rooms.
 */
#ifndef READ_CLASS_FILE_FORMATS_H
#define READ_CLASS_FILE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/class_set.h"
#include "base/error.h"

/*
 * A file being read. text[size] is NUL, and there is no NUL before it; a byte order mark has been taken off.
 */
struct class_text {
	struct class_set *set;
	const char *path;
	const char *text;
	size_t size;
	size_t entries;
};

/* One line of it, without what ends it. */
struct class_line {
	const char *s;
	size_t n;
	size_t number; /* from 1 */
};

/* The next line of the text; *at is where to go on, NULL at first. False behind the last one. */
bool class_line_next(const struct class_text *t, const char **at, struct class_line *line);
/* Takes blanks and a carriage return off both ends of s[0..n). */
void class_trim(const char **s, size_t *n);

/* Decimal digits alone, at most CLASS_ID_MAX; `where` as below. */
enum status class_scan_id(const struct class_text *t, const char *where, const char *s, size_t n, int64_t *id,
			  struct error *err);
/*
 * Declares class `id` with its name s[0..n). where: "line 7" or "id2label", for the message. Fails on an id or a name
 * that cannot be one, and on an id that was declared before.
 */
enum status class_add(struct class_text *t, const char *where, int64_t id, const char *s, size_t n, struct error *err);

/* Ids with names: names are kept in an array. A mask's ids end at 65535; those of COCO-like sets are far below, too. */
enum { CLASS_ID_MAX = (1 << 20) - 1 };

bool class_file_is_cvat(const struct class_text *t);
enum status class_file_cvat(struct class_text *t, struct error *err);
bool class_file_is_csv(const struct class_text *t);
enum status class_file_csv(struct class_text *t, struct error *err);
enum status class_file_json(struct class_text *t, struct error *err);
enum status class_file_yaml(struct class_text *t, struct error *err);

#endif
