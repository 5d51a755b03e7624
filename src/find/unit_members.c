/* The memory of a unit for members of archives (unit_fill.h). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "find/archive.h"
#include "find/unit_fill.h"

/* Members begin at addresses that wide loads like. */
static size_t with_padding(size_t size)
{
	return (size + UNIT_PADDING + 63) / 64 * 64;
}

struct unit_members *unit_members(struct unit *u)
{
	if (!u->members) {
		u->members = xcalloc(1, sizeof(*u->members));
		u->members->memory = xmalloc(UNIT_MEMORY);
	}
	return u->members;
}

void unit_members_clear(struct unit_members *m)
{
	if (!m)
		return;
	if (m->lent)
		archive_stream_end(m->lent);
	m->lent = NULL;
	m->used = m->packed_used = m->waiting_count = 0;
	m->has_path = false;
}

void unit_members_free(struct unit_members *m)
{
	if (!m)
		return;
	unit_members_clear(m);
	zip_inflater_free(m->inflater);
	free(m->memory);
	free(m->packed);
	free(m->waiting);
	free(m);
}

bool unit_has_room(const struct unit *u, size_t size, size_t packed)
{
	const struct unit_members *m = u->members;

	if (!m)
		return true;
	return with_padding(size) <= UNIT_MEMORY - m->used && packed <= UNIT_MEMORY - m->packed_used;
}

uint8_t *unit_take_memory(struct unit *u, size_t size)
{
	struct unit_members *m = unit_members(u);
	uint8_t *out = m->memory + m->used;

	memset(out + size, 0, UNIT_PADDING);
	m->used += with_padding(size);
	return out;
}

uint8_t *unit_add_packed(struct unit *u, const struct zip_data *data, uint8_t *out)
{
	struct unit_members *m = unit_members(u);

	if (!m->packed)
		m->packed = xmalloc(UNIT_MEMORY);
	uint8_t *room = m->packed + m->packed_used;

	GROW(m->waiting, m->waiting_cap, m->waiting_count + 1);
	m->waiting[m->waiting_count++] = (struct unit_packed){ *data, u->count, room, out };
	m->packed_used += (size_t)data->packed;
	return room;
}

void unit_drop_packed(struct unit *u)
{
	u->members->waiting_count--;
}

void unit_lend(struct unit *u, struct archive_reader *a)
{
	unit_members(u)->lent = a;
}

const struct archive_facts *unit_keep_facts(struct unit *u, const struct archive_facts *f)
{
	struct unit_members *m = unit_members(u);

	m->facts = *f;
	return &m->facts;
}

void unit_unpack(struct unit *u)
{
	struct unit_members *m = u->members;

	for (size_t i = 0; m && i < m->waiting_count; i++) {
		const struct unit_packed *p = &m->waiting[i];
		struct entry *e = &u->entries[p->entry];

		fault_clear(&e->fault);
		e->failed = !zip_unpack(&p->data, p->packed, p->out, &m->inflater, &e->fault);
		if (e->failed)
			e->bytes = NULL;
	}
}
