/*
 * For tests: everything that a source draws from archives, copied, so that it can be looked at in any order.
 */
#pragma once

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "find/archive.h"
#include "find/source.h"
#include "find_tree.h"

struct drawn_entry {
	char *path, *member; /* member NULL: a file, or the archive itself */
	uint8_t *bytes;
	size_t len;
	uint64_t size, unit;
	enum skip_reason skip_reason;
	bool failed, streamed;
	struct fault fault;
};

struct drawn {
	struct drawn_entry *v;
	size_t count, cap;
};

static inline void drawn_read(struct drawn_entry *d, const struct entry *e)
{
	size_t room = e->stream ? (size_t)e->size + 1 : e->bytes_len;

	d->streamed = e->stream;
	d->bytes = xmalloc(room + 1);
	if (!e->stream) {
		if (e->bytes_len)
			memcpy(d->bytes, e->bytes, e->bytes_len);
		d->len = e->bytes_len;
		for (size_t i = 0; i < 64; i++)
			ck_assert_uint_eq(e->bytes[e->bytes_len + i], 0);
		return;
	}
	fault_clear(&d->fault);
	for (;;) { /* odd steps, to cross every boundary */
		int64_t n =
			archive_stream_read(e->stream, d->bytes + d->len, MIN(room - d->len, (size_t)99991), &d->fault);

		if (n <= 0) {
			d->failed = n < 0;
			break;
		}
		d->len += (size_t)n;
		if (d->len == room)
			break;
	}
	ck_assert_uint_ge(d->len, d->failed ? 0 : e->bytes_len);
	if (!d->failed)
		ck_assert_int_eq(memcmp(d->bytes, e->bytes, e->bytes_len), 0);
}

static inline void drawn_add(struct drawn *all, const struct entry *e, uint64_t unit)
{
	GROW(all->v, all->cap, all->count + 1);
	struct drawn_entry *d = &all->v[all->count++];

	memset(d, 0, sizeof(*d));
	d->path = xstrdup(e->path);
	d->member = e->member ? xstrdup(e->member) : NULL;
	d->size = e->size;
	d->unit = unit;
	d->failed = e->failed;
	d->skip_reason = (enum skip_reason)e->skip_reason;
	if (e->failed)
		d->fault = e->fault;
	else if (e->bytes)
		drawn_read(d, e);
}

static inline void drawn_release(struct drawn *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct drawn_entry *d = &all->v[i];

		free(d->path);
		free(d->member);
		free(d->bytes);
	}
	free(all->v);
	memset(all, 0, sizeof(*all));
}

/* All that is below the options' PATHs. */
static inline struct drawn draw(const struct find_options *o, size_t max)
{
	struct error err = ERROR_INIT;
	struct drawn all = { 0 };
	struct source *source;
	struct work_unit unit;

	ck_assert_msg(source_open(&source, o, &err) == STATUS_OK, "%s", err.text);
	work_unit_init(&unit);
	do {
		work_unit_clear(&unit);
		ck_assert_int_eq(source_draw(source, &unit, max, &err), STATUS_OK);
		for (size_t i = 0; i < unit.count; i++)
			drawn_add(&all, &unit.entries[i], unit.number);
	} while (unit.count);
	work_unit_release(&unit);
	source_close(source);
	return all;
}
