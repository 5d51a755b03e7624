#include "read/class_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/strbuf.h"
#include "read/class_file_formats.h"
#include "read/identify.h"
#include "read/input.h"

enum {
	/*
	 * Bytes. The longest list in use (ImageNet-21k with synonyms) has 1.4 MB. As JSON it is held twice, and its
	 * tree takes up to 56 MiB besides (class_file_json.c): within the 256 MiB of the whole run.
	 */
	CLASS_FILE_MAX = 16 << 20,
	NAME_MAX_BYTES = 1024,
	CLASSES_MAX = 65536, /* ImageNet-21k has 21,841 */
};

static enum status too_large(const char *path, struct error *err)
{
	return error_set(err, "--classes %s: larger than 16 MiB; give a file with the names or categories alone", path);
}

static enum status read_whole(const char *path, struct strbuf *text, struct error *err)
{
	enum status status = STATUS_OK;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return error_set_errno(err, errno, "--classes %s", path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		status = error_set(err,
				   "--classes %s: this is a folder; expected a count, a list of ids, or a file with "
				   "the names of the classes",
				   path);
	while (status == STATUS_OK) {
		char chunk[16384];
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			status = error_set_errno(err, errno, "--classes %s", path);
		if (n <= 0)
			break;
		strbuf_add(text, chunk, (size_t)n);
		if (text->len > CLASS_FILE_MAX)
			status = too_large(path, err);
	}
	close(fd);
	return status;
}

/* Replaces packed text by what it unpacks to. */
static enum status unpack(const char *path, struct strbuf *text, struct error *err)
{
	const struct limits limits = { .max_inflated = CLASS_FILE_MAX };
	struct strbuf packed = *text;
	uint8_t chunk[PEEK_BYTES];
	const uint8_t *head;
	struct fault fault;
	struct input in;
	int64_t n;

	if (content_packing(identify((const uint8_t *)text->s, text->len)) == PACKING_NONE)
		return STATUS_OK;
	fault_clear(&fault);
	strbuf_init(text);
	input_init(&in);
	input_from_memory(&in, packed.s, packed.len);
	n = input_unpack(&in, chunk, &head, &limits, &fault);
	while (n >= 0 && (n = input_read(&in, chunk, sizeof(chunk), &fault)) > 0)
		strbuf_add(text, chunk, (size_t)n);
	input_release(&in);
	strbuf_release(&packed);
	if (n == 0)
		return STATUS_OK;
	return fault.kind == FAULT_LIMIT ? too_large(path, err) : error_set(err, "--classes %s: %s", path, fault.text);
}

/* ---- what the formats share ------------------------------------------------------------------------------------- */

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

/* ---- names.txt -------------------------------------------------------------------------------------------------- */

static enum status read_names(struct class_text *t, struct error *err)
{
	struct class_line line = { 0 };
	const char *at = NULL;
	size_t blank_line = 0;
	int64_t id = 0;

	while (class_line_next(t, &at, &line)) {
		char where[40];

		if (!line.n) {
			blank_line = blank_line ? blank_line : line.number;
			continue;
		}
		if (blank_line) /* at the end it means nothing; in the middle the ids below it are anybody's guess */
			return error_set(err,
					 "--classes %s: line %zu is empty, with names below it; every line is a class",
					 t->path, blank_line);
		if (line.number == 1 && line.n == 10 && !memcmp(line.s, "__ignore__", 10)) {
			/* labelme counts from -1 and writes that as 255 into 8 bits. */
			id_ranges_add(&t->set->ignored, -1, -1);
			id_ranges_add(&t->set->ignored, 255, 255);
			continue;
		}
		snprintf(where, sizeof(where), "line %zu", line.number);
		if (class_add(t, where, id++, line.s, line.n, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- which format it is ----------------------------------------------------------------------------------------- */

/* A line that begins with one of the keys that data.yaml is read for; in a list of names it would be an odd name. */
static bool is_yaml(const struct class_text *t)
{
	struct class_line line = { 0 };
	const char *at = NULL;

	if (file_name_ends_in(t->path, ".yaml") || file_name_ends_in(t->path, ".yml"))
		return true;
	for (const char *start = t->text; class_line_next(t, &at, &line); start = at)
		if (line.s == start && line.n >= 3 &&
		    (!strncmp(line.s, "nc:", 3) || (line.n >= 6 && !strncmp(line.s, "names:", 6))))
			return true;
	return false;
}

/* What the file is instead of one that can be read, or NULL. */
static const char *other_format(const struct strbuf *raw)
{
	if (raw->len >= 2 && (!memcmp(raw->s, "\xff\xfe", 2) || !memcmp(raw->s, "\xfe\xff", 2)))
		return "UTF-16 text; save it as UTF-8";
	if (memchr(raw->s, '\0', raw->len))
		return "no text";
	if (raw->s[strspn(raw->s, " \t\r\n")] == '<')
		return "XML or HTML";
	return NULL;
}

static enum status read_format(struct class_text *t, struct error *err)
{
	char first = t->text[strspn(t->text, " \t\r\n")];

	if (first == '{' || first == '[' || file_name_ends_in(t->path, ".json"))
		return class_file_json(t, err);
	if (is_yaml(t))
		return class_file_yaml(t, err);
	if (class_file_is_csv(t) || file_name_ends_in(t->path, ".csv"))
		return class_file_csv(t, err);
	if (class_file_is_cvat(t))
		return class_file_cvat(t, err);
	return read_names(t, err);
}

enum status class_file_read(struct class_set *s, const char *path, struct error *err)
{
	struct strbuf raw = STRBUF_INIT;
	enum status status = read_whole(path, &raw, err);

	if (status == STATUS_OK)
		status = unpack(path, &raw, err);
	if (status == STATUS_OK) {
		const char *other = other_format(&raw);
		size_t mark = raw.len >= 3 && !memcmp(raw.s, "\xef\xbb\xbf", 3) ? 3 : 0;
		struct class_text t = { .set = s, .path = path, .text = raw.s + mark, .size = raw.len - mark };

		if (other)
			status = error_set(err,
					   "--classes %s: this is %s; expected a text file with one name a line, "
					   "data.yaml, dataset.json, id2label, labelmap.txt, _classes.csv or COCO "
					   "categories",
					   path, other);
		else
			status = read_format(&t, err);
		if (status == STATUS_OK && !s->classes.count)
			status = error_set(err, "--classes %s: no class in it; expected one name a line", path);
	}
	strbuf_release(&raw);
	return status;
}
