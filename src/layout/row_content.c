#include "layout/row_content.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Sets what a row holds: what three quarters of its files agree on, empty and unreadable ones not counted. */
static void conclude_row(struct folder_row *r)
{
	uint64_t votes[LOOKS] = { 0 }, all = 0;
	enum content_look best = LOOK_NONE;

	r->amount = r->files;
	if (r->kind == FILE_JPEG || r->kind == FILE_PHOTO) {
		r->content = LOOK_PHOTO;
		return;
	}
	for (size_t i = 0; i < r->items_count; i++) {
		votes[r->items[i].look.content]++;
		r->wrong_id |= r->items[i].look.wrong_id;
	}
	for (enum content_look c = LOOK_POINTER; c < LOOKS; c++) {
		all += votes[c];
		best = votes[c] > votes[best] || best == LOOK_NONE ? c : best;
	}
	if (!all)
		r->content = votes[LOOK_EMPTY] ? LOOK_EMPTY : LOOK_UNREADABLE;
	else
		r->content = 4 * votes[best] >= 3 * all ? best : LOOK_MIXED;
}

enum content_look folder_table_content(const struct folder_table *t, const struct look *look)
{
	/* a split that lacks the column is a list all the same */
	const bool other = (t->some_have_column && !look->has_column &&
			    (look->is_test || (t->column_width && look->width != t->column_width))) ||
			   (!t->settings->list.column && t->some_have_word && look->lacks_word);

	return look->content == LOOK_LIST && other ? LOOK_TABLE : look->content;
}

/* Splits a row of documents into parts of one content. */
static void split_row(struct folder_table *t, uint32_t index)
{
	uint64_t votes[LOOKS] = { 0 }, amounts[LOOKS] = { 0 }, looked = 0;
	uint32_t part[LOOKS];
	enum content_look best = LOOK_NONE;

	for (size_t i = 0; i < t->rows[index].items_count; i++) {
		struct look *l = &t->rows[index].items[i].look;

		l->content = folder_table_content(t, l);
		votes[l->content]++;
		amounts[l->content] += l->amount;
		looked += l->content != LOOK_NONE;
	}
	for (enum content_look c = LOOK_POINTER; c < LOOKS; c++)
		best = votes[c] > votes[best] || (best == LOOK_NONE && votes[c]) ? c : best;
	if (best != LOOK_NONE) { /* what could not be seen is as the others */
		votes[best] += votes[LOOK_UNREADABLE];
		amounts[best] += amounts[LOOK_UNREADABLE];
		votes[LOOK_UNREADABLE] = 0;
	}
	for (enum content_look c = LOOK_UNREADABLE; c < LOOKS; c++) {
		part[c] = TABLE_NONE;
		if (!votes[c])
			continue;
		part[c] = (uint32_t)t->rows_count;
		GROW(t->rows, t->rows_cap, t->rows_count + 1);
		const struct folder_row *from = &t->rows[index];

		t->rows[t->rows_count++] = (struct folder_row){
			.folder = from->folder,
			.kind = from->kind,
			.suffix = xstrdup(from->suffix),
			.is_part = true,
			.declared = from->declared,
			.content = c,
			.pair = TABLE_NONE,
			.rule = "",
			.cut = from->cut,
			.files = MAX(from->files * votes[c] / looked, (uint64_t)1),
			.amount = MAX((uint64_t)((double)amounts[c] * ((double)from->files / (double)looked)),
				      (uint64_t)1),
		};
	}
	for (size_t i = 0; i < t->rows[index].items_count; i++) {
		struct table_item *item = &t->rows[index].items[i];
		enum content_look c = item->look.content;

		if (c == LOOK_NONE || (c == LOOK_UNREADABLE && best != LOOK_NONE))
			c = best;
		if (c == LOOK_NONE)
			continue;
		struct folder_row *to = &t->rows[part[c]];

		to->unread = item->look.unread != UNREAD_NONE ? item->look.unread : to->unread;
		GROW(to->items, to->items_cap, to->items_count + 1);
		to->items[to->items_count++] = *item;
		*item = (struct table_item){ .hash = item->hash };
	}
	t->rows[index].content = best;
}

uint32_t folder_table_part(const struct folder_table *t, uint32_t row, enum content_look content)
{
	const struct folder_row *r = &t->rows[row];

	for (size_t i = 0; i < t->rows_count; i++)
		if (t->rows[i].is_part && t->rows[i].content == content && t->rows[i].folder == r->folder &&
		    t->rows[i].declared == r->declared && t->rows[i].kind == r->kind &&
		    !strcmp(t->rows[i].suffix, r->suffix))
			return (uint32_t)i;
	return TABLE_NONE;
}

void folder_table_conclude(struct folder_table *t)
{
	for (size_t i = 0; i < t->rows_count; i++)
		for (size_t k = 0; k < t->rows[i].items_count; k++) {
			const struct look *l = &t->rows[i].items[k].look;

			if (t->settings->list.column && l->content == LOOK_LIST && l->has_column) {
				t->column_width = !t->some_have_column || t->column_width == l->width ? l->width : 0;
				t->some_have_column = true;
			}
			t->unread += l->failed;
			t->some_have_word |= l->content == LOOK_LIST && l->has_word;
		}
	const size_t count = t->rows_count;

	for (size_t i = 0; i < count; i++)
		if (t->rows[i].kind >= FILE_ARRAY)
			split_row(t, (uint32_t)i);
		else
			conclude_row(&t->rows[i]);
}
