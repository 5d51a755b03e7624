#include "read/class_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/class_text.h"
#include "read/input.h"
#include "read/small_json.h"

enum {
	/*
	 * Bytes. The longest list in use (ImageNet-21k with synonyms) has 1.4 MB. JSON is held twice, with a tree of up
	 * to 56 MiB (class_tree.c): within the 256 MiB of the whole run.
	 */
	CLASS_FILE_MAX = 16 << 20,
};

/* Reads the file, and unpacks it if it is packed. */
static enum status read_whole(struct class_file *f)
{
	const struct limits limits = { .max_inflated = CLASS_FILE_MAX };
	uint8_t chunk[PEEK_BYTES];
	const uint8_t *head;
	struct fault fault = FAULT_INIT;
	struct input in;
	struct stat st;
	int64_t n = -1;
	int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return class_fail(f, NULL, "%s", strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return class_fail(f, NULL,
				  "this is a folder; expected a count, a list of ids, or a file with the names of the "
				  "classes");
	}
	input_init(&in);
	if (input_read_fd(&in, fd, NULL, 0, CLASS_FILE_MAX, &fault))
		n = input_unpack(&in, chunk, &head, &limits, &fault);
	while (n >= 0 && (n = input_read(&in, chunk, sizeof(chunk), &fault)) > 0)
		strbuf_add(&f->raw, chunk, (size_t)n);
	input_release(&in);
	close(fd);
	if (n == 0)
		return STATUS_OK;
	return class_fail(f, NULL, "%s",
			  fault.kind == FAULT_LIMIT
				  ? "larger than 16 MiB; give a file with only the names or categories"
				  : fault.text);
}

/* ---- recognising the format ------------------------------------------------------------------------------------- */

/* Returns whether the name ends in .yaml, or a line begins with a key of data.yaml: as a class name it would be odd. */
static bool is_yaml(const struct class_file *f)
{
	struct class_line line = { 0 };

	if (file_name_ends_in(f->path, ".yaml") || file_name_ends_in(f->path, ".yml"))
		return true;
	for (const char *start = f->text; class_line_next(f, &line); start = line.next)
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

/* Returns whether a line, from its first word that is a number on, has an id beside a name: "0 road", "road,0,0,0". */
static bool has_number_at_an_end(const struct class_line *line)
{
	static const char between[] = ",;:\t| ";
	uint64_t ignored;
	size_t first = 0, last = line->n;

	while (first < line->n && !strchr(between, line->s[first]))
		first++;
	while (last > first && !strchr(between, line->s[last - 1]))
		last--;
	return last > first &&
	       (scan_whole_uint64(line->s, first, &ignored) ||
		(strchr(",;:\t|", line->s[last - 1]) && scan_whole_uint64(line->s + last, line->n - last, &ignored)));
}

/* Returns whether each line, but for a header, is a name with an id or a colour beside it. */
static bool has_numbers(const struct class_file *f)
{
	struct class_line line = { 0 };
	size_t lines = 0;

	while (class_line_next(f, &line))
		if (line.n && lines++ && !has_number_at_an_end(&line))
			return false;
	return lines > 1;
}

/* Returns whether the text is one line of names with commas between them. */
static bool is_row(const struct class_file *f)
{
	struct class_line line = { 0 }, after;

	if (!class_line_next(f, &line) || !memchr(line.s, ',', line.n))
		return false;
	for (after = line; class_line_next(f, &after);)
		if (after.n)
			return false;
	return true;
}

/* Refuses what would be a list of odd names: forms that other programs write, and that are not read. */
static enum status refuse_odd(struct class_file *f)
{
	const char *start = f->text + strspn(f->text, " \t\r\n");

	if (!strncmp(start, "item", 4) && strchr("{:", start[4 + strspn(start + 4, " \t\r\n")]))
		return class_fail(f, NULL, "label_map.pbtxt is not read; " CLASSES_INSTEAD);
	if (has_numbers(f))
		return class_fail(
			f, NULL,
			"the lines have numbers beside the names; write commas between the columns and say in "
			"the first line what they are: id,name or name,r,g,b; if the numbers are words of the "
			"names, " CLASSES_INSTEAD);
	if (is_row(f))
		return class_fail(f, NULL, "the names stand in one line; write each in a line of its own");
	return STATUS_OK;
}

static enum class_form form_of(const struct class_file *f)
{
	char first = f->text[strspn(f->text, " \t\r\n")];

	if (first == '{' || first == '[' || file_name_ends_in(f->path, ".json"))
		return CLASS_JSON;
	if (is_yaml(f))
		return CLASS_YAML;
	if (class_file_is_csv(f) || file_name_ends_in(f->path, ".csv"))
		return CLASS_CSV;
	return class_file_is_cvat(f) ? CLASS_CVAT : CLASS_NAMES;
}

enum status class_file_open(struct class_file *f, const char *option, const char *path, struct error *err)
{
	*f = (struct class_file){ .option = option, .path = path, .err = err, .raw = STRBUF_INIT };
	if (read_whole(f) != STATUS_OK)
		return STATUS_FAILED;

	const char *other = other_format(&f->raw);
	size_t mark = f->raw.len >= 3 && !memcmp(f->raw.s, "\xef\xbb\xbf", 3) ? 3 : 0;

	f->text = f->raw.s + mark;
	f->size = f->raw.len - mark;
	if (other)
		return class_fail(f, NULL,
				  "this is %s; expected a text file with one name per line, data.yaml, "
				  "labelaudit.yaml, dataset.json, id2label, labelmap.txt, class_dict.csv or COCO "
				  "categories",
				  other);
	f->form = form_of(f);
	return f->form == CLASS_YAML || f->form == CLASS_JSON ? class_file_parse(f) : STATUS_OK;
}

enum status class_file_add(struct class_file *f, struct class_set *s, struct colour_table *colours)
{
	static enum status (*const readers[])(struct class_file * f) = {
		[CLASS_NAMES] = class_file_names, [CLASS_CVAT] = class_file_cvat, [CLASS_CSV] = class_file_csv,
		[CLASS_YAML] = class_file_tree,   [CLASS_JSON] = class_file_tree,
	};

	f->set = s;
	f->colours = colours;
	if ((f->form == CLASS_NAMES && refuse_odd(f) != STATUS_OK) || readers[f->form](f) != STATUS_OK)
		return STATUS_FAILED;
	return s->classes.count ? STATUS_OK : class_fail(f, NULL, "it has no class");
}

void class_file_close(struct class_file *f)
{
	cJSON_Delete(f->values);
	strbuf_release(&f->raw);
}

enum status class_file_read(struct class_set *s, struct colour_table *colours, const char *option, const char *path,
			    struct error *err)
{
	struct class_file f;
	enum status status = class_file_open(&f, option, path, err);

	if (status == STATUS_OK)
		status = class_file_add(&f, s, colours);
	class_file_close(&f);
	return status;
}
