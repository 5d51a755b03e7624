/* What the readers of class files share, one for each format; for class_file*.c alone. */
#ifndef READ_CLASS_FILE_FORMATS_H
#define READ_CLASS_FILE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/class_set.h"
#include "base/error.h"

/* A class file that is being read: its text without a byte order mark. text[size] is the first NUL in it. */
struct class_text {
	struct class_set *set;
	const char *path;
	const char *text;
	size_t size;
	size_t entries;
};

/* One line of the text, without its end and without blanks at either end. */
struct class_line {
	const char *s;
	size_t n;
	size_t number; /* from 1 */
};

/* Gives the next line. *at, NULL at first, keeps where to go on. False: there are no more lines. */
bool class_line_next(const struct class_text *t, const char **at, struct class_line *line);
/* Takes blanks and a carriage return off both ends of s[0..n). */
void class_trim(const char **s, size_t *n);

/* Reads an id, which is decimal digits alone and at most CLASS_ID_MAX. where: as below. */
enum status class_scan_id(const struct class_text *t, const char *where, const char *s, size_t n, int64_t *id,
			  struct error *err);
/*
 * Declares class `id` with the name s[0..n). where: "line 7" or "id2label", for the message. Fails if the id is out of
 * range or was declared before, or if the name is empty or too long.
 */
enum status class_add(struct class_text *t, const char *where, int64_t id, const char *s, size_t n, struct error *err);

/* Names are kept in an array that is indexed by id. Ids of masks end at 65535, and those of COCO-like sets are fewer.
 */
enum { CLASS_ID_MAX = (1 << 20) - 1 };

bool class_file_is_cvat(const struct class_text *t);
enum status class_file_cvat(struct class_text *t, struct error *err);
bool class_file_is_csv(const struct class_text *t);
enum status class_file_csv(struct class_text *t, struct error *err);
enum status class_file_json(struct class_text *t, struct error *err);
enum status class_file_yaml(struct class_text *t, struct error *err);

#endif
