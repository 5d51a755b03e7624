#include "layout/text_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/coco.h"
#include "read/count_line.h"
#include "read/csv.h"
#include "read/input.h"
#include "read/json_lines.h"
#include "read/list_words.h"
#include "read/text_shape.h"
#include "read/unread_kind.h"

static bool is_named_idx(const char *name)
{
	return strstr(name, "labels-idx1") || strstr(name, "labels.idx1");
}

/* Returns the kinds that a name claims, of those that are texts or lie among texts. */
static unsigned kinds_by_name(const char *name)
{
	static const char *const tables[] = { ".csv", ".tsv", ".cls", NULL };

	if (is_name_of_notes(name))
		return 0;
	if (file_name_ends_in(name, ".txt"))
		return KIND_BIT(KIND_YOLO) | KIND_BIT(KIND_LIST);
	if (file_name_ends_in(name, ".json"))
		return KIND_BIT(KIND_COCO);
	if (file_name_ends_in_any(name, tables))
		return KIND_BIT(KIND_LIST);
	return is_named_idx(name) ? KIND_BIT(KIND_IDX) : 0;
}

bool is_broken_label_text(const struct file_head *p, unsigned kinds)
{
	unsigned claimed = kinds_by_name(p->name) & kinds;

	switch (p->content) {
	case CONTENT_LFS_POINTER:
	case CONTENT_HTML:
		return claimed;
	case CONTENT_EMPTY: /* nothing tells what an empty .txt was to hold */
		return claimed && !file_name_ends_in(p->name, ".txt");
	case CONTENT_UNKNOWN:
		return claimed && memchr(p->head, '\0', p->n);
	default:
		return false;
	}
}

unsigned lfs_pointer_kinds(const struct file_head *p)
{
	unsigned kinds = p->content == CONTENT_LFS_POINTER ? kinds_by_name(p->name) : 0;

	if (kinds & KIND_BIT(KIND_YOLO)) /* a .txt may be either: lists do not lie in labels/ */
		kinds = KIND_BIT(path_find_folder(p->path, "labels") ? KIND_YOLO : KIND_LIST);
	return kinds;
}

/* The first line of a table, without the line that counts the rows. */
struct first_line {
	const char *s, *end; /* end: NULL if the line is not complete */
	char separator;
};

static struct first_line first_line_of(const struct file_head *p)
{
	const char *s = (const char *)p->head, *const text_end = s + p->n;
	const bool whole = p->n < PEEK_BYTES;
	uint64_t rows;

	if (p->n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
		s += 3;
	s += count_line(s, (size_t)(text_end - s), whole, &rows);
	return (struct first_line){ s, memchr(s, '\n', (size_t)(text_end - s)),
				    csv_guess_separator(s, (size_t)(text_end - s), whole) };
}

bool table_has_header(const struct file_head *p)
{
	const struct first_line line = first_line_of(p);

	return line.end && csv_is_words(line.s, (size_t)(line.end - line.s), line.separator);
}

unsigned table_width(const struct file_head *p)
{
	const struct first_line line = first_line_of(p);
	unsigned width = 1;

	for (const char *c = line.s; line.end && c < line.end; c++)
		width += *c == line.separator && c + 1 < line.end && c[1] != line.separator;
	return width;
}

/* Finds the field of the line that begins at *p, without blanks and quotation marks, and moves *p to the next one. */
static const char *next_field(const struct first_line *line, const char **p, size_t *n)
{
	const char *field = *p, *next = memchr(field, line->separator, (size_t)(line->end - field));
	const char *last = next ? next : line->end;

	*p = last + 1;
	while (field < last && strchr(" \t\"", *field))
		field++;
	while (last > field && strchr(" \t\r\"", last[-1]))
		last--;
	*n = (size_t)(last - field);
	return field;
}

bool table_has_column(const struct file_head *p, const char *name)
{
	int64_t number;
	size_t n;

	if (scan_integer(name, strlen(name), &number) == INTEGER_EXACT)
		return true;
	if (p->content == CONTENT_JSON)
		return json_line_has_key((const char *)p->head, p->n, name);
	const struct first_line line = first_line_of(p);

	if (!line.end)
		return true;
	for (const char *at = line.s; at <= line.end;) {
		const char *field = next_field(&line, &at, &n);

		if (n == strlen(name) && !memcmp(field, name, n))
			return true;
	}
	return false;
}

/* Returns whether the first line has a word for labels; hints: or one with such a word in it. */
static bool has_label_word(const struct file_head *p, bool hints)
{
	const struct first_line line = first_line_of(p);
	size_t n;

	for (const char *at = line.s; line.end && at <= line.end;) {
		struct plain_word word;
		const char *field = next_field(&line, &at, &n);

		plain_word(field, n, &word);
		if (word_label_rank(&word) >= 0 || (hints && word_hints_at_label(&word)))
			return true;
	}
	return false;
}

bool table_names_labels(const struct file_head *p)
{
	return has_label_word(p, true);
}

bool table_has_label_word(const struct file_head *p)
{
	return has_label_word(p, false);
}

bool table_has_labels(const struct file_head *p, const char *column)
{
	int64_t number;

	return file_name_ends_in(p->name, ".cls") || p->content == CONTENT_JSON ||
	       text_is_multi_label(p->name, p->head, p->n) || text_has_labels(p->head, p->n, p->n < PEEK_BYTES) ||
	       (column && scan_integer(column, strlen(column), &number) != INTEGER_EXACT &&
		table_has_column(p, column));
}

bool has_coco_further_on(const struct entry *entry, const struct entry_probe *opened)
{
	enum { FURTHER = 1 << 20 };
	const struct file_head *head = &opened->head;

	if (!file_name_ends_in(head->name, ".json") || opened->is_packed || head->n < PEEK_BYTES ||
	    unread_kind_of(head->content, head->head, head->n) != UNREAD_NONE ||
	    (head->content != CONTENT_JSON && head->content != CONTENT_TEXT && head->content != CONTENT_UNKNOWN))
		return false;
	if (entry->member)
		return entry->bytes_len > head->n &&
		       coco_looks_like(entry->bytes, MIN(entry->bytes_len, (size_t)FURTHER));
	uint8_t *bytes = xmalloc(FURTHER);
	ssize_t n = pread(opened->file.fd, bytes, FURTHER, 0);
	bool coco = n > 0 && coco_looks_like(bytes, (size_t)n);

	free(bytes);
	return coco;
}
