#include "read/class_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/scan_number.h"
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

/* The words of a line, of which `first` numbers begin it and `last` end it. */
struct line_words {
	size_t count, first, last;
	uint64_t value; /* of the first */
	bool separated; /* by something else than blanks */
};

static struct line_words split_words(const struct class_line *line)
{
	struct line_words w = { 0 };

	for (size_t at = 0, n; at < line->n; at += n) {
		uint64_t value;

		n = 0;
		while (at + n < line->n && !strchr(",;:\t| ", line->s[at + n]))
			n++;
		const bool number = scan_whole_uint64(line->s + at, n, &value);

		w.value = number && !w.count ? value : w.value;
		w.first += number && w.first == w.count;
		w.last = number ? w.last + 1 : 0;
		w.count++;
		for (; at + n < line->n && strchr(",;:\t| ", line->s[at + n]); n++)
			w.separated |= line->s[at + n] != ' ';
	}
	return w;
}

/*
 * Returns whether each line, but for a header, is a name with an id or a colour beside it. Numbers that blanks alone
 * set off may be words of the name, as in "10 to 20": they must count the lines, or be three.
 */
static bool has_numbers(const struct class_text *t)
{
	struct class_line line = { 0 };
	uint64_t before = 0;
	size_t lines = 0;

	while (class_line_next(t, &line)) {
		const struct line_words w = split_words(&line);
		const bool counts = w.first && w.value == before + 1;

		if (!line.n)
			continue;
		if (lines++ &&
		    (w.first == w.count || !(w.first + w.last) || !(w.separated || counts || w.first + w.last >= 3)))
			return false;
		before = w.value;
	}
	return lines > 1;
}

/* Returns whether the text is one line of names with commas between them. */
static bool is_row(const struct class_text *t)
{
	struct class_line line = { 0 }, after;

	if (!class_line_next(t, &line) || !memchr(line.s, ',', line.n))
		return false;
	for (after = line; class_line_next(t, &after);)
		if (after.n)
			return false;
	return true;
}

/* Refuses what would be a list of odd names: forms that other programs write, and that are not read. */
static enum status refuse_odd(struct class_text *t)
{
	const char *start = t->text + strspn(t->text, " \t\r\n");

	if (!strncmp(start, "item", 4) && strchr("{:", start[4 + strspn(start + 4, " \t\r\n")]))
		return class_fail(t, NULL, "label_map.pbtxt is not read; " CLASSES_INSTEAD);
	if (has_numbers(t))
		return class_fail(
			t, NULL,
			"the lines have numbers beside the names; write commas between the columns and say in "
			"the first line what they are: id,name or name,r,g,b");
	if (is_row(t))
		return class_fail(t, NULL, "the names stand in one line; write each in a line of its own");
	return STATUS_OK;
}

static enum status read_format(struct class_text *t)
{
	char first = t->text[strspn(t->text, " \t\r\n")];

	if (first == '{' || first == '[' || file_name_ends_in(t->path, ".json"))
		return class_file_json(t);
	if (is_yaml(t))
		return class_file_yaml(t);
	if (class_file_is_csv(t) || file_name_ends_in(t->path, ".csv"))
		return class_file_csv(t);
	if (class_file_is_cvat(t))
		return class_file_cvat(t);
	return refuse_odd(t) == STATUS_OK ? class_file_names(t) : STATUS_FAILED;
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
				"labelaudit.yaml, dataset.json, id2label, labelmap.txt, class_dict.csv or COCO "
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
