#include "layout/text_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "read/coco.h"
#include "read/input.h"
#include "read/text_look.h"
#include "read/text_shape.h"
#include "read/unread_kind.h"

unsigned kinds_by_name(const char *name)
{
	static const struct {
		const char *end;
		unsigned kinds;
	} ends[] = {
		{ ".png", KIND_BIT(KIND_MASK) },
		{ ".npy", KIND_BIT(KIND_ARRAY) },
		{ ".txt", KIND_BIT(KIND_YOLO) | KIND_BIT(KIND_LIST) },
		{ ".json", KIND_BIT(KIND_COCO) },
		{ ".csv", KIND_BIT(KIND_LIST) },
		{ ".tsv", KIND_BIT(KIND_LIST) },
		{ ".cls", KIND_BIT(KIND_LIST) },
		{ "labels-idx1-ubyte", KIND_BIT(KIND_IDX) },
		{ "labels.idx1-ubyte", KIND_BIT(KIND_IDX) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (file_name_ends_in(name, ends[i].end))
			return is_name_of_notes(name) ? 0 : ends[i].kinds;
	return is_volume_name(name) && !is_name_of_notes(name) ? KIND_BIT(KIND_ARRAY) : 0;
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

bool table_has_column(const struct file_head *p, const struct text_look *look, const char *name)
{
	struct fault ignored = FAULT_INIT;
	struct input in;
	struct csv c;
	bool found = false;
	int64_t number;

	if (scan_integer(name, strlen(name), &number) == INTEGER_EXACT)
		return true;
	if (text_open_head(&c, &in, (const char *)p->head, p->n, p->n < PEEK_BYTES, look) && csv_next(&c, &ignored))
		for (size_t i = 0; i < c.count; i++)
			found |= c.fields[i].n == strlen(name) && !memcmp(c.fields[i].s, name, c.fields[i].n);
	csv_close(&c);
	input_release(&in);
	return found;
}

bool table_has_labels(const struct file_head *p, const struct text_look *look, const char *column)
{
	int64_t number;

	if (file_name_ends_in(p->name, ".cls") || (p->content == CONTENT_JSON && look->json != JSON_LINES) ||
	    text_is_multi_label(p->name, p->head, p->n))
		return true;
	if (column && scan_integer(column, strlen(column), &number) != INTEGER_EXACT &&
	    table_has_column(p, look, column))
		return true;
	return look->kind == TEXT_IS_LIST || look->kind == TEXT_IS_BOXES ||
	       (look->kind == TEXT_IS_TABLE && (look->label_word || look->flags || (column && look->path_word)));
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
	FREED uint8_t *bytes = xmalloc(FURTHER);
	ssize_t n = pread(opened->file.fd, bytes, FURTHER, 0);

	return n > 0 && coco_looks_like(bytes, (size_t)n);
}
