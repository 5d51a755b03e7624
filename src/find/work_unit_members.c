/* The memory of a unit for members of archives (work_unit_fill.h). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "find/archive.h"
#include "find/work_unit_fill.h"

/* Members begin at addresses that wide loads like. */
static size_t with_padding(size_t size)
{
	return (size + UNIT_PADDING + 63) / 64 * 64;
}

struct work_unit_members *unit_members(struct work_unit *u)
{
	if (!u->members) {
		u->members = xcalloc(1, sizeof(*u->members));
		u->members->memory = xmalloc(UNIT_MEMORY);
	}
	return u->members;
}

void work_unit_members_clear(struct work_unit_members *m)
{
	if (!m)
		return;
	if (m->lent)
		archive_stream_end(m->lent);
	m->lent = NULL;
	m->used = m->packed_used = m->waiting_count = 0;
	m->has_path = false;
}

void work_unit_members_free(struct work_unit_members *m)
{
	if (!m)
		return;
	work_unit_members_clear(m);
	zip_inflater_free(m->inflater);
	free(m->memory);
	free(m->packed);
	free(m->waiting);
	free(m);
}

bool work_unit_has_room(const struct work_unit *u, size_t size, size_t packed)
{
	const struct work_unit_members *m = u->members;

	if (!m)
		return true;
	return with_padding(size) <= UNIT_MEMORY - m->used && packed <= UNIT_MEMORY - m->packed_used;
}

uint8_t *work_unit_take_memory(struct work_unit *u, size_t size)
{
	struct work_unit_members *m = unit_members(u);
	uint8_t *out = m->memory + m->used;

	memset(out + size, 0, UNIT_PADDING);
	m->used += with_padding(size);
	return out;
}

uint8_t *work_unit_add_packed(struct work_unit *u, const struct zip_data *data, uint8_t *out)
{
	struct work_unit_members *m = unit_members(u);

	if (!m->packed)
		m->packed = xmalloc(UNIT_MEMORY);
	uint8_t *room = m->packed + m->packed_used;

	GROW(m->waiting, m->waiting_cap, m->waiting_count + 1);
	m->waiting[m->waiting_count++] = (struct work_unit_packed){ *data, u->count, room, out };
	m->packed_used += (size_t)data->packed;
	return room;
}

void work_unit_drop_packed(struct work_unit *u)
{
	u->members->waiting_count--;
}

void work_unit_lend(struct work_unit *u, struct archive_reader *a)
{
	unit_members(u)->lent = a;
}

const struct archive_facts *work_unit_keep_facts(struct work_unit *u, const struct archive_facts *f)
{
	struct work_unit_members *m = unit_members(u);

	m->facts = *f;
	return &m->facts;
}

void work_unit_unpack(struct work_unit *u)
{
	struct work_unit_members *m = u->members;

	for (size_t i = 0; m && i < m->waiting_count; i++) {
		const struct work_unit_packed *p = &m->waiting[i];
		struct entry *e = &u->entries[p->entry];

		fault_clear(&e->fault);
		e->failed = !zip_unpack(&p->data, p->packed, p->out, &m->inflater, &e->fault);
		if (e->failed)
			e->bytes = NULL;
	}
}
