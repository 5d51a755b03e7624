/*
 * For the readers of class files: splits the text into lines, and checks and adds the classes that a reader finds in
 * it. One thread.
 */
#pragma once

#include "base/fault.h"
#include "read/class_file.h"

/* One line of the text, without its line end and without blanks at either end. All zero: before the first line. */
struct class_line {
	const char *s;
	size_t n;
	size_t number; /* from 1 */
	const char *next;
};

/* Reads the next line. Returns false at the end. */
bool class_line_next(const struct class_file *f, struct class_line *line);

/* Sets *f->err to "--OPTION PATH: WHERE: ...". where: "line 7", "id2label" or NULL. Returns STATUS_FAILED. */
enum status class_fail(const struct class_file *f, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for what is wrong with the syntax of the text. */
enum status class_fault(const struct class_file *f, const struct fault *fault);
/* Reads an id: decimal digits alone, at most CLASS_ID_MAX. */
enum status class_scan_id(const struct class_file *f, const char *where, const char *s, size_t n, int64_t *id);
/*
 * Adds class `id` with the name s[0..n) to the set. Fails if the id is out of range or was added before, or if the name
 * is empty or too long.
 */
enum status class_add(struct class_file *f, const char *where, int64_t id, const char *s, size_t n);

/*
 * Adds the colour of class `id`, three samples. Fails if another class has it, or if the id is too large for a mask in
 * colours.
 */
enum status class_add_colour(struct class_file *f, const char *where, int64_t id, const uint8_t rgb[3]);
/* Reads a sample of a colour: 0 to 255. */
bool class_scan_sample(const char *s, size_t n, uint8_t *sample);

/* Bounds the array of names, which is indexed by id. Mask ids end at 65535, and ids of COCO-like sets are smaller. */
enum { CLASS_ID_MAX = (1 << 20) - 1 };

/* Advice for a file that is none of the forms. */
#define CLASSES_INSTEAD "write a labelaudit.yaml: classes: {0: road, 1: car}"

/* Return whether a text is of a form. */
bool class_file_is_cvat(const struct class_file *f);
bool class_file_is_csv(const struct class_file *f);
/* Parse the text of YAML or JSON, and find what holds the classes: class_tree.c. */
enum status class_file_parse(struct class_file *f);
/* Add the classes to f->set, and the ids that the file itself ignores: class_lines.c, class_csv.c, class_tree.c. */
enum status class_file_names(struct class_file *f);
enum status class_file_cvat(struct class_file *f);
enum status class_file_csv(struct class_file *f);
enum status class_file_tree(struct class_file *f);
