#include "read/class_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/strbuf.h"
#include "read/class_text.h"
#include "read/input.h"

enum {
	/*
	 * Bytes. The longest list in use (ImageNet-21k with synonyms) has 1.4 MB. JSON is held twice, with a tree of up
	 * to 56 MiB (class_file_json.c): within the 256 MiB of the whole run.
	 */
	CLASS_FILE_MAX = 16 << 20,
};

/* Reads the file, and unpacks it if it is packed. */
static enum status read_whole(const struct class_text *t, struct strbuf *text)
{
	const struct limits limits = { .max_inflated = CLASS_FILE_MAX };
	uint8_t chunk[PEEK_BYTES];
	const uint8_t *head;
	struct fault fault = FAULT_INIT;
	struct input in;
	struct stat st;
	int64_t n = -1;
	int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return class_fail(t, NULL, "%s", strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return class_fail(t, NULL,
				  "this is a folder; expected a count, a list of ids, or a file with the names of the "
				  "classes");
	}
	input_init(&in);
	if (input_read_fd(&in, fd, NULL, 0, CLASS_FILE_MAX, &fault))
		n = input_unpack(&in, chunk, &head, &limits, &fault);
	while (n >= 0 && (n = input_read(&in, chunk, sizeof(chunk), &fault)) > 0)
		strbuf_add(text, chunk, (size_t)n);
	input_release(&in);
	close(fd);
	if (n == 0)
		return STATUS_OK;
	return class_fail(t, NULL, "%s",
			  fault.kind == FAULT_LIMIT
				  ? "larger than 16 MiB; give a file with only the names or categories"
				  : fault.text);
}

/* ---- recognising the format ------------------------------------------------------------------------------------- */

/* Returns whether the name ends in .yaml, or a line begins with a key of data.yaml: as a class name it would be odd. */
static bool is_yaml(const struct class_text *t)
{
	struct class_line line = { 0 };

	if (file_name_ends_in(t->path, ".yaml") || file_name_ends_in(t->path, ".yml"))
		return true;
	for (const char *start = t->text; class_line_next(t, &line); start = line.next)
		if (line.s == start && line.n >= 3 &&
		    (!strncmp(line.s, "nc:", 3) || (line.n >= 6 && !strncmp(line.s, "names:", 6))))
			return true;
	return false;
}

/* Returns a name for content that is no class file, or NULL. */
static const char *other_format(const struct strbuf *raw)
{
	if (raw->len >= 2 && (!memcmp(raw->s, "\xff\xfe", 2) || !memcmp(raw->s, "\xfe\xff", 2)))
		return "UTF-16 text; save it as UTF-8";
	if (memchr(raw->s, '\0', raw->len))
		return "not text";
	if (raw->s[strspn(raw->s, " \t\r\n")] == '<')
		return "XML or HTML";
	return NULL;
}

static enum status read_format(struct class_text *t)
{
	char first = t->text[strspn(t->text, " \t\r\n")];

	if (first == '{' || first == '[' || file_name_ends_in(t->path, ".json"))
		return class_file_json(t);
	if (is_yaml(t))
		return class_file_yaml(t);
	if (class_file_is_pbtxt(t))
		return class_file_pbtxt(t);
	if (class_file_is_ids_and_colours(t))
		return class_file_ids_and_colours(t);
	if (class_file_is_csv(t))
		return class_file_csv(t);
	if (class_file_is_cvat(t))
		return class_file_cvat(t);
	if (class_file_is_colours(t))
		return class_file_colours(t);
	if (class_file_is_row(t))
		return class_file_row(t);
	if (file_name_ends_in(t->path, ".csv"))
		return class_file_csv(t);
	return class_file_names(t);
}

enum status class_file_read(struct class_set *s, struct colour_table *colours, const char *option, const char *path,
			    struct error *err)
{
	struct class_text t = { .set = s, .colours = colours, .option = option, .path = path, .err = err };
	struct strbuf raw = STRBUF_INIT;
	enum status status = read_whole(&t, &raw);

	if (status == STATUS_OK) {
		const char *other = other_format(&raw);
		size_t mark = raw.len >= 3 && !memcmp(raw.s, "\xef\xbb\xbf", 3) ? 3 : 0;

		t.text = raw.s + mark;
		t.size = raw.len - mark;
		if (other)
			status = class_fail(
				&t, NULL,
				"this is %s; expected a text file with one name per line, data.yaml, "
				"dataset.json, id2label, labelmap.txt, label_map.pbtxt, CSV of names and ids, or COCO "
				"categories",
				other);
		else
			status = read_format(&t);
		if (status == STATUS_OK && !s->classes.count)
			status = class_fail(&t, NULL, "it has no class; expected one name per line");
	}
	strbuf_release(&raw);
	return status;
}
