/* What a unit gets of an archive. */
#include <assert.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/extensions.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/wait.h"
#include "find/archive_reader.h"
#include "find/member_folders.h"
#include "find/work_unit_fill.h"

/*
 * Where only heads are wanted, unpacking all is the cost: after so many bytes (a second or three) the rest is left
 * unseen.
 */
#define HEADS_UNPACKED_MAX ((uint64_t)1 << 30)

enum taken {
	TAKEN,    /* the member in hand is done with */
	NO_ROOM,  /* it waits for the next unit */
	STREAMED, /* it is read as a stream: the unit is full */
};

/* A part of it begins with a dot, as those that a walk passes over do; but "./x" and "../x" are no such names. */
static bool is_hidden(const char *name)
{
	for (const char *p = name; *p; p++)
		if (*p == '.' && (p == name || p[-1] == '/') && p[1] && p[1] != '/' && p[1] != '.')
			return true;
	return false;
}

static void note_first(struct strbuf *first, const struct member *m)
{
	if (!first->len)
		escape_terminal(first, m->name, MIN(m->name_len, (size_t)128));
}

/* Of members that are not handed out as label files: those are judged one by one. */
static void note_unsafe(struct archive_reader *a, const struct member *m)
{
	if (!m->name_cut && !member_name_flaw(m->name, m->name_len))
		return;
	a->facts.unsafe_names++;
	note_first(&a->first_unsafe, m);
}

static struct entry *add_entry(struct archive_reader *a, struct work_unit *u)
{
	const struct member *m = &a->member;
	struct entry *e = work_unit_add_member(u, a->path, m->name, m->name_len);

	e->size = m->size;
	e->repeated = a->repeated;
	e->name_cut = m->name_cut;
	e->is_wanted = a->is_wanted;
	e->format = a->format;
	return e;
}

static void add_skipped(struct archive_reader *a, struct work_unit *u)
{
	add_entry(a, u)->skipped = true;
	note_unsafe(a, &a->member);
}

static void add_failed(struct archive_reader *a, struct work_unit *u, const struct fault *fault)
{
	struct entry *e = add_entry(a, u);

	e->failed = true;
	e->fault = *fault;
}

/* The name of a folder may lack the '/' at its end. */
static void note_folders(struct archive_reader *a, bool seen)
{
	const struct member *m = &a->member;
	struct strbuf name = STRBUF_INIT;

	if (m->type != MEMBER_FOLDER) {
		member_folders_add(a->wishes->folders, a->path, m->name, seen && has_torchvision_extension(m->name));
		return;
	}
	strbuf_add(&name, m->name, m->name_len);
	strbuf_addch(&name, '/');
	member_folders_add(a->wishes->folders, a->path, name.s, false);
	strbuf_release(&name);
}

/* Looks at a member for the first time. False: there is nothing more to do for it. */
static bool judge_member(struct archive_reader *a, struct work_unit *u)
{
	const struct member *m = &a->member;
	const struct archive_wishes *w = a->wishes;

	bool seen = (w->hidden || !is_hidden(m->name)) && (!w->lets_in || w->lets_in(w->filter, m->name, m->name_len));

	a->repeated = false;
	if (w->folders && !a->arrays && m->type != MEMBER_DEVICE)
		note_folders(a, seen);
	if (m->type == MEMBER_FOLDER) {
		note_unsafe(a, m);
		return false;
	}
	if (!seen)
		return false;
	if (m->type != MEMBER_FILE) {
		a->facts.links += m->type == MEMBER_LINK;
		a->facts.devices += m->type == MEMBER_DEVICE;
		note_first(&a->first_special, m);
		add_skipped(a, u);
		return false;
	}
	a->repeated = !archive_name_is_new(a, m->name, m->name_len);
	if (m->fault.kind == FAULT_NONE)
		return true;
	add_failed(a, u, &m->fault);
	return false;
}

/* The first bytes of a member of a zip, which has to be unpacked for that; then it is at its beginning again. */
static size_t zip_head(struct archive_reader *a, uint8_t *head, struct fault *fault)
{
	struct zip_stream *s = zip_stream_open(&a->zip, &a->zip_data, fault);
	size_t n = s ? zip_stream_read(s, head, ARCHIVE_HEAD, fault) : 0;

	zip_stream_close(s);
	return n;
}

static enum taken take_whole(struct archive_reader *a, struct work_unit *u)
{
	const struct member *m = &a->member;
	size_t size = (size_t)m->size, packed = (size_t)a->zip_data.packed;
	struct fault fault;

	if (!work_unit_has_room(u, size, a->is_zip ? packed : 0))
		return NO_ROOM;
	fault_clear(&fault);
	uint8_t *bytes = work_unit_take_memory(u, size);

	if (a->is_zip) {
		uint8_t *room = work_unit_add_packed(u, &a->zip_data, bytes);

		zip_read_packed(&a->zip, &a->zip_data, 0, room, packed, &fault);
	} else {
		tar_read(&a->tar, bytes, size, &fault);
	}
	if (fault.kind != FAULT_NONE) {
		if (a->is_zip)
			work_unit_drop_packed(u);
		add_failed(a, u, &fault);
		return TAKEN;
	}
	struct entry *e = add_entry(a, u);

	e->bytes = bytes;
	e->bytes_len = size;
	return TAKEN;
}

/* A member too large for memory, which is the unit alone; or the beginning of any, if no more is asked for. */
static enum taken take_head(struct archive_reader *a, struct work_unit *u, const uint8_t *head, size_t n)
{
	bool stream = !a->wishes->heads_only;
	struct fault fault;

	if ((stream && u->count) || !work_unit_has_room(u, n, 0))
		return NO_ROOM;
	fault_clear(&fault);
	if (stream && a->is_zip) {
		a->zip_stream = zip_stream_open(&a->zip, &a->zip_data, &fault);
		if (!a->zip_stream) {
			add_failed(a, u, &fault);
			return TAKEN;
		}
	}
	uint8_t *bytes = work_unit_take_memory(u, n);

	memcpy(bytes, head, n);
	struct entry *e = add_entry(a, u);

	e->bytes = bytes;
	e->bytes_len = n;
	if (!stream)
		return TAKEN;
	e->stream = a;
	archive_stream_begin(a);
	work_unit_lend(u, a);
	return STREAMED;
}

/* Decides by the first bytes of the current member. */
static bool is_wanted(struct archive_reader *a, const uint8_t *head, size_t n)
{
	const char *name = a->member.name;
	struct entry member = { .path = a->path, .name = name, .member = name, .bytes = head, .bytes_len = n };

	if (!a->wishes->wants || a->arrays)
		return true;
	if (!a->wishes->wants(a->wishes->chooser, &member))
		return false;
	a->is_wanted = member.is_wanted;
	a->format = member.format;
	return true;
}

static enum taken take_member(struct archive_reader *a, struct work_unit *u)
{
	const struct member *m = &a->member;
	const struct archive_wishes *w = a->wishes;
	bool large = GUARD(member_held_whole, m->size > UNIT_MEMBER_MAX) ||
		     (a->is_zip && a->zip_data.packed > UNIT_MEMBER_MAX);
	bool look = !a->is_zip || large || w->heads_only;
	uint8_t unpacked[ARCHIVE_HEAD];
	const uint8_t *head = unpacked;
	struct fault fault;
	size_t n = 0;

	if (!a->judged) {
		a->judged = true;
		if (!judge_member(a, u))
			return TAKEN;
	}
	if (w->names_only) {
		add_entry(a, u);
		return TAKEN;
	}
	fault_clear(&fault);
	if (look && a->is_zip)
		n = zip_head(a, unpacked, &fault);
	else if (look)
		head = tar_peek(&a->tar, ARCHIVE_HEAD, &n);
	if (fault.kind != FAULT_NONE) {
		add_failed(a, u, &fault);
		return TAKEN;
	}
	if (look && !is_wanted(a, head, n)) {
		add_skipped(a, u);
		return TAKEN;
	}
	return large || w->heads_only ? take_head(a, u, head, n) : take_whole(a, u);
}

/* The archive's own entry, if there is something to say. */
static void end_archive(struct archive_reader *a, struct work_unit *u)
{
	struct archive_facts *f = &a->facts;

	archive_check_end(a);
	if (f->links || f->devices) {
		if (f->links)
			text_addf(&f->specials, "%" PRIu64 " link%s", f->links, f->links == 1 ? "" : "s");
		if (f->devices)
			text_addf(&f->specials, "%s%" PRIu64 " device%s or the like", f->links ? " and " : "",
				  f->devices, f->devices == 1 ? "" : "s");
		text_addf(&f->specials, " (the first: %s)", a->first_special.s);
	}
	if (f->unsafe_names)
		text_addf(&f->unsafe, "%" PRIu64 " member%s that %s no label file%s (the first: %s)", f->unsafe_names,
			  f->unsafe_names == 1 ? "" : "s", f->unsafe_names == 1 ? "is" : "are",
			  f->unsafe_names == 1 ? "" : "s", a->first_unsafe.s);
	if (a->fault.kind == FAULT_NONE && archive_facts_silent(f))
		return;
	struct entry *e = work_unit_add_path(u, a->path, strlen(a->path));

	e->archive = work_unit_keep_facts(u, f);
	e->failed = a->fault.kind != FAULT_NONE;
	if (e->failed)
		e->fault = a->fault;
}

/* The rest is not looked at, which the archive's own entry tells. */
static void leave_rest(struct archive_reader *a, struct work_unit *u)
{
	struct entry *e = work_unit_add_path(u, a->path, strlen(a->path));

	e->archive = work_unit_keep_facts(u, &a->facts);
	e->skipped = true;
}

bool archive_fill(struct archive_reader *a, struct work_unit *u, size_t max)
{
	if (!archive_wait_idle(a))
		return true;
	if (a->wishes->heads_only && a->stream.unpacked > HEADS_UNPACKED_MAX) {
		leave_rest(a, u);
		return false;
	}
	while (u->count < max && !is_stopped(a->wishes->stop)) {
		if (!a->pending) {
			if (!archive_next(a, &a->member)) {
				if (!is_stopped(a->wishes->stop)) /* else what is missing was not reached, and nobody's
								     fault */
					end_archive(a, u);
				return false;
			}
			a->judged = a->is_wanted = false;
			a->format = NULL;
		}
		enum taken taken = take_member(a, u);

		a->pending = taken == NO_ROOM;
		if (taken != TAKEN)
			break;
	}
	return true;
}
