#include "read/class_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strbuf.h"

enum {
	/* The longest list in use (ImageNet-21k with synonyms) has 1.4 MB; this is some other file. */
	CLASS_FILE_MAX = 16 << 20,
	NAME_MAX_BYTES = 1024,
};

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
				   "one name a line",
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
			status = error_set(err, "--classes %s: larger than 16 MiB, so this is no list of names", path);
	}
	close(fd);
	return status;
}

/* What the file is instead of a plain list of names, or NULL. */
static const char *other_format(const char *path, const struct strbuf *text)
{
	static const struct {
		const char *extension, *what;
	} known[] = {
		{ ".yaml", "YAML" }, { ".yml", "YAML" }, { ".json", "JSON" }, { ".csv", "CSV" }, { ".xml", "XML" },
	};
	const char *extension = strrchr(path, '.');
	const char *start = text->s + strspn(text->s, " \t\r\n");

	for (size_t i = 0; extension && i < ARRAY_SIZE(known); i++)
		if (!strcasecmp(extension, known[i].extension))
			return known[i].what;
	if (*start == '{' || *start == '[')
		return "JSON";
	if (!strncmp(start, "# label:", 8))
		return "a CVAT label map";
	if (memchr(text->s, '\0', text->len))
		return "no text";
	return NULL;
}

/* Takes blanks and a carriage return off both ends of s[0..n). */
static void trim(const char **s, size_t *n)
{
	while (*n && strchr(" \t\r", (*s)[*n - 1]))
		(*n)--;
	while (*n && strchr(" \t", **s)) {
		(*s)++;
		(*n)--;
	}
}

static enum status add_names(struct class_set *s, const char *path, const char *p, const char *end, struct error *err)
{
	size_t id = 0, blank_line = 0, line = 0;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *name = p;
		size_t n = (size_t)((newline ? newline : end) - p);
		char copy[NAME_MAX_BYTES + 1];

		p = newline ? newline + 1 : end;
		line++;
		trim(&name, &n);
		if (!n) {
			blank_line = blank_line ? blank_line : line;
			continue;
		}
		if (blank_line) /* at the end it means nothing; in the middle the ids below it are anybody's guess */
			return error_set(err,
					 "--classes %s: line %zu is empty, with names below it; every line is a class",
					 path, blank_line);
		if (n > NAME_MAX_BYTES)
			return error_set(err, "--classes %s: line %zu is longer than %d bytes, so this is no name",
					 path, line, NAME_MAX_BYTES);
		memcpy(copy, name, n);
		copy[n] = '\0';
		class_set_name(s, id++, copy);
	}
	if (!id)
		return error_set(err, "--classes %s: no name in it; expected one a line", path);
	id_ranges_add(&s->classes, 0, (int64_t)id - 1);
	return STATUS_OK;
}

enum status class_file_read(struct class_set *s, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	enum status status = read_whole(path, &text, err);

	if (status == STATUS_OK) {
		const char *other = other_format(path, &text);
		size_t mark = text.len >= 3 && !memcmp(text.s, "\xef\xbb\xbf", 3) ? 3 : 0;

		if (other)
			status = error_set(err, "--classes %s: this is %s; expected a text file with one name a line",
					   path, other);
		else
			status = add_names(s, path, text.s + mark, text.s + text.len, err);
	}
	strbuf_release(&text);
	return status;
}
