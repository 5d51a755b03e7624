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
		votes[r->items[i]->look.content]++;
		r->wrong_id |= r->items[i]->look.wrong_id;
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

/* Returns the key of a part of a row of documents. */
static struct row_key part_key(const struct folder_row *r, enum content_look content)
{
	return (struct row_key){ r->folder, r->kind, r->declared, content, r->suffix, strlen(r->suffix) };
}

uint32_t folder_table_part(const struct folder_table *t, uint32_t row, enum content_look content)
{
	const struct row_key key = part_key(&t->rows[row], content);

	return folder_table_row(t, &key);
}

/* Moves the items of a row of documents into parts of one content. */
static void split_row(struct folder_table *t, uint32_t index)
{
	uint64_t votes[LOOKS] = { 0 }, amounts[LOOKS] = { 0 }, looked = 0;
	enum content_look best = LOOK_NONE;
	const size_t items = t->rows[index].items_count;

	for (size_t i = 0; i < items; i++) {
		struct look *l = &t->rows[index].items[i]->look;

		l->content = folder_table_content(t, l);
		votes[l->content]++;
		looked += l->content != LOOK_NONE;
	}
	for (enum content_look c = LOOK_POINTER; c < LOOKS; c++)
		best = votes[c] > votes[best] || (best == LOOK_NONE && votes[c]) ? c : best;
	memset(votes, 0, sizeof(votes));
	for (size_t i = 0; i < items; i++) {
		struct table_item *item = t->rows[index].items[i];
		const bool unseen = item->look.content == LOOK_NONE, known = item->look.content != LOOK_UNREADABLE;
		/* what could not be seen is as the others */
		const enum content_look c = best != LOOK_NONE && (unseen || !known) ? best : item->look.content;
		const struct row_key key = part_key(&t->rows[index], c);

		if (c == LOOK_NONE)
			continue;
		const uint32_t at = folder_table_add_row(t, &key);
		struct folder_row *to = &t->rows[at];

		votes[c] += !unseen;
		amounts[c] += unseen ? 0 : item->look.amount;
		to->unread = item->look.unread != UNREAD_NONE ? item->look.unread : to->unread;
		GROW(to->items, to->items_cap, to->items_count + 1);
		to->items[to->items_count++] = item;
		t->rows[index].items[i] = xcalloc(1, sizeof(*item));
		t->rows[index].items[i]->hash = item->hash;
	}
	for (enum content_look c = LOOK_UNREADABLE; c < LOOKS; c++) {
		const struct folder_row *from = &t->rows[index];
		const uint32_t part = folder_table_part(t, index, c);

		if (part == TABLE_NONE)
			continue;
		t->rows[part].cut = from->cut;
		t->rows[part].files = MAX(from->files * votes[c] / looked, (uint64_t)1);
		t->rows[part].amount =
			MAX((uint64_t)((double)amounts[c] * ((double)from->files / (double)looked)), (uint64_t)1);
	}
	t->rows[index].content = best;
}

void folder_table_conclude(struct folder_table *t)
{
	for (size_t i = 0; i < t->rows_count; i++)
		for (size_t k = 0; k < t->rows[i].items_count; k++) {
			const struct look *l = &t->rows[i].items[k]->look;

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
