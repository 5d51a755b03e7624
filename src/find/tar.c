#include "find/tar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"

/* The first fault of the archive is the one that counts. */
static void keep_stream_fault(struct tar *t)
{
	if (t->fault->kind == FAULT_NONE)
		*t->fault = t->stream->fault;
}

/* ---- extended headers -------------------------------------------------------------------------------------------- */

static void forget_extended(struct tar *t)
{
	tar_extended_clear(&t->next);
	t->extended_run = 0;
	t->extended_waits = false;
}

/* Reads an extended header's data of `size` bytes. False: the archive ends here. */
static bool read_extended(struct tar *t, uint8_t type, uint64_t size, uint64_t offset)
{
	struct tar_extended *e = type == 'g' ? &t->global : &t->next;

	if (size > TAR_EXTENDED_MAX) {
		fault_set(t->fault, FAULT_CORRUPT, offset,
			  "an extended header at byte %" PRIu64 " claims %" PRIu64 " bytes; at most %d are read",
			  offset, size, TAR_EXTENDED_MAX);
		return true; /* the search for the next header begins behind it */
	}
	char *data = xmalloc((size_t)size + 1);
	size_t got = byte_stream_read(t->stream, data, (size_t)size);

	if (got < size || !byte_stream_skip(t->stream, tar_padding(size))) {
		free(data);
		fault_set(t->fault, FAULT_TRUNCATED, offset,
			  "the archive ends within the extended header at byte %" PRIu64, offset);
		return false;
	}
	data[got] = '\0';
	tar_extended_take(e, type, data, got, offset + TAR_BLOCK);
	free(data);
	t->extended_waits = t->extended_waits || type != 'g';
	if (++t->extended_run == TAR_EXTENDED_RUN + 1)
		archive_flaw(t->facts, "more than %d extended headers in a row, at byte %" PRIu64, TAR_EXTENDED_RUN,
			     offset);
	return true;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* What is found behind the first block of zeros. */
struct trailer {
	uint64_t zero_blocks; /* before anything else */
	uint64_t bytes;       /* of blocks that are not zero */
	uint64_t headers;     /* of these blocks, those that are headers */
	uint64_t at;          /* where the first of these blocks is */
	uint64_t looked_at;   /* bytes; holes are not among them */
	struct strbuf first;  /* the name in the first header, escaped */
};

static void take_trailing_block(struct tar *t, struct trailer *e, const uint8_t *block, size_t n)
{
	bool whole = n == TAR_BLOCK;

	if (tar_all_zero(block, n)) {
		e->zero_blocks += whole && !e->bytes;
		return;
	}
	if (!e->bytes)
		e->at = t->stream->offset;
	e->bytes += n;
	if (!whole || !tar_is_header(block) || e->headers++)
		return;
	tar_header_name(block, &t->name);
	escape_terminal(&e->first, t->name.s, MIN(t->name.len, (size_t)128));
}

static void read_trailer(struct tar *t, struct trailer *e)
{
	struct byte_stream *s = t->stream;

	while (e->looked_at < TAR_TRAILER_MAX) {
		uint64_t hole = byte_stream_skip_hole(s, TAR_BLOCK);
		size_t have;

		e->zero_blocks += e->bytes ? 0 : hole / TAR_BLOCK;

		const uint8_t *block = byte_stream_peek(s, TAR_BLOCK, &have);

		if (!have)
			break;
		e->looked_at += have;
		take_trailing_block(t, e, block, have);
		byte_stream_skip(s, have);
	}
}

/* The archive ends with two blocks of zeros, and zeros may follow; this stands behind the first block. */
static void read_end(struct tar *t)
{
	struct byte_stream *s = t->stream;
	struct trailer e = { .first = STRBUF_INIT };

	t->ended = true;
	if (t->heads_only)
		return;
	if (t->extended_waits)
		fault_set(t->fault, FAULT_CORRUPT, s->offset,
			  "the end marker at byte %" PRIu64 " follows an extended header, whose member is lost",
			  s->offset);
	read_trailer(t, &e);
	if (s->fault.kind != FAULT_NONE)
		keep_stream_fault(t);
	else if (e.headers)
		archive_flaw(t->facts,
			     "%" PRIu64 " more header%s (the first: %s) from byte %" PRIu64
			     " on, behind the end marker, where most readers stop",
			     e.headers, e.headers == 1 ? "" : "s", e.first.s, e.at);
	else if (e.bytes)
		archive_flaw(t->facts,
			     "%" PRIu64 " bytes of other data from byte %" PRIu64 " on, behind the end marker", e.bytes,
			     e.at);
	else if (e.zero_blocks < 2)
		archive_flaw(t->facts, "the end marker is one block of zeros instead of two");
	if (e.looked_at >= TAR_TRAILER_MAX)
		archive_flaw(t->facts,
			     "more than %d MiB behind the end marker: what comes from byte %" PRIu64
			     " on was not looked at",
			     TAR_TRAILER_MAX >> 20, s->offset);
	strbuf_release(&e.first);
}

/* The stream has no more whole header. */
static void end_without_marker(struct tar *t, size_t have)
{
	struct byte_stream *s = t->stream;

	if (s->fault.kind != FAULT_NONE) {
		keep_stream_fault(t);
	} else if (have) {
		fault_set(t->fault, FAULT_TRUNCATED, s->offset, "the archive ends within a header, %zu of %d bytes",
			  have, TAR_BLOCK);
	} else if (t->extended_waits) {
		fault_set(t->fault, FAULT_TRUNCATED, s->offset, "the archive ends behind an extended header");
	} else if (t->fault->kind == FAULT_NONE) {
		archive_flaw(t->facts, "the end marker is missing: it may have been cut off between two members");
	}
	t->ended = true;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

void tar_init(struct tar *t, struct byte_stream *stream, const struct limits *limits, struct archive_facts *facts,
	      struct fault *fault)
{
	memset(t, 0, sizeof(*t));
	t->stream = stream;
	t->limits = limits;
	t->facts = facts;
	t->fault = fault;
	strbuf_init(&t->name);
	tar_extended_init(&t->next);
	tar_extended_init(&t->global);
}

void tar_release(struct tar *t)
{
	strbuf_release(&t->name);
	tar_extended_release(&t->next);
	tar_extended_release(&t->global);
}

static enum member_type type_of(uint8_t type, const struct strbuf *name)
{
	switch (type) {
	case '5':
	case 'D': /* GNU: a folder with the list of its files as data */
		return MEMBER_FOLDER;
	case '1':
	case '2':
		return MEMBER_LINK;
	case '3':
	case '4':
	case '6':
	case 'A': /* Solaris: an access control list */
	case 'M': /* GNU: the rest of a file on an earlier volume */
	case 'V': /* GNU: the name of the volume */
		return MEMBER_DEVICE;
	case '\0': /* V7 has no type for folders */
		return name->len && name->s[name->len - 1] == '/' ? MEMBER_FOLDER : MEMBER_FILE;
	default: /* POSIX: to be treated as a regular file */
		return MEMBER_FILE;
	}
}

/* Types of members that have no data, whatever their size says. */
static bool has_data(uint8_t type)
{
	return !(type >= '2' && type <= '6');
}

/*
 * A hard link has no data by the old formats, and may have by POSIX. Its data are there if what follows the header is
 * none.
 */
static bool link_has_data(struct tar *t, uint64_t offset)
{
	size_t have;
	const uint8_t *block = byte_stream_peek(t->stream, TAR_BLOCK, &have);

	if (have < TAR_BLOCK || tar_all_zero(block, TAR_BLOCK) || tar_is_header(block))
		return false;
	archive_flaw(t->facts,
		     "the hard link at byte %" PRIu64 " carries data: readers disagree where the next header is",
		     offset);
	return true;
}

static void take_sparse(struct tar *t, struct member *m, uint64_t real_size, uint64_t offset)
{
	if (t->limits->max_inflated && real_size > t->limits->max_inflated)
		fault_set(&m->fault, FAULT_LIMIT, offset,
			  "a sparse member of %" PRIu64 " bytes; the limit is %" PRIu64 " (--max-inflated)", real_size,
			  t->limits->max_inflated);
	else
		fault_set(&m->fault, FAULT_UNSUPPORTED, offset, "a sparse member, which is not read");
	m->size = real_size;
}

/* The blocks of an old sparse header's map. */
static bool skip_sparse_map(struct tar *t, bool more)
{
	while (more) {
		size_t have;
		const uint8_t *block = byte_stream_peek(t->stream, TAR_BLOCK, &have);

		if (have < TAR_BLOCK)
			return false;
		more = block[TAR_MAP_MORE_AT];
		byte_stream_skip(t->stream, TAR_BLOCK);
	}
	return true;
}

static void take_name(struct tar *t, const uint8_t *h, struct member *m)
{
	const struct tar_extended *e = t->next.has_name ? &t->next : t->global.has_name ? &t->global : NULL;

	if (e) {
		strbuf_clear(&t->name);
		strbuf_add(&t->name, e->name.s, e->name.len);
	} else {
		tar_header_name(h, &t->name);
	}
	m->name = t->name.s;
	m->name_len = t->name.len;
	m->name_cut = e && e->name_cut;
}

/* What the headers say; 0, and the fault is filled, if that is no size. */
static uint64_t take_size(struct tar *t, const uint8_t *h, uint64_t offset, struct fault *fault)
{
	uint64_t size;

	if (t->next.has_size)
		return t->next.size;
	if (t->global.has_size)
		return t->global.size;
	if (tar_number(h + TAR_SIZE_AT, TAR_SIZE_BYTES, &size) && size <= INT64_MAX)
		return size;
	fault_set(fault, FAULT_CORRUPT, offset + TAR_SIZE_AT, "its size in the header is no number from 0 to 2^63-1");
	t->searching = true;
	return 0;
}

/* A member whose zeros were left out; m->size becomes what it unpacks to. */
static void check_sparse(struct tar *t, const uint8_t *h, uint64_t offset, struct member *m)
{
	uint64_t size;

	if (h[TAR_TYPE_AT] == 'S') {
		if (!tar_number(h + TAR_REAL_SIZE_AT, TAR_SIZE_BYTES, &size))
			size = UINT64_MAX;
		take_sparse(t, m, size, offset);
		if (!skip_sparse_map(t, h[TAR_SPARSE_MORE_AT]))
			t->data_left = t->padding = 0;
	} else if (t->next.sparse) {
		take_sparse(t, m, t->next.real_size, offset);
	}
}

/* Fills m from a header with a right checksum, which has been taken from the stream. */
static void take_member(struct tar *t, const uint8_t *h, uint64_t offset, struct member *m)
{
	const struct byte_stream *s = t->stream;
	uint8_t type = h[TAR_TYPE_AT];

	fault_clear(&m->fault);
	if (t->next.fault.kind != FAULT_NONE)
		m->fault = t->next.fault;
	else if (t->global.fault.kind != FAULT_NONE)
		m->fault = t->global.fault;
	take_name(t, h, m);
	m->type = type_of(type, &t->name);
	t->searching = false;
	m->size = take_size(t, h, offset, &m->fault);

	bool none = !has_data(type) || (type == '1' && m->size && !link_has_data(t, offset));

	t->data_left = none ? 0 : m->size;
	t->padding = tar_padding(t->data_left);
	check_sparse(t, h, offset, m);

	uint64_t left = s->seekable ? s->file_size - MIN(s->offset, s->file_size) : UINT64_MAX;

	if (t->data_left > left)
		fault_set(&m->fault, FAULT_TRUNCATED, offset,
			  "declares %" PRIu64 " bytes, but the archive ends %" PRIu64 " bytes behind its header",
			  t->data_left, left);
	t->told = m->fault.kind != FAULT_NONE;
	forget_extended(t);
}

/*
 * A block where a header should be and is none: names the member if it can, and searches for the next header, by whole
 * blocks. What lies between is lost, which is reported.
 */
static bool take_damaged(struct tar *t, const uint8_t *h, uint64_t found, uint64_t expected, struct member *m)
{
	struct byte_stream *s = t->stream;
	uint64_t offset = s->offset, lost = 0;
	bool named = tar_has_magic(h) && h[0] && !t->searching; /* the name is the first field */
	size_t have;
	const uint8_t *block;

	if (named)
		tar_header_name(h, &t->name);
	do {
		lost += have = TAR_BLOCK;
		byte_stream_skip(s, TAR_BLOCK);
		block = byte_stream_peek(s, TAR_BLOCK, &have);
	} while (have == TAR_BLOCK && !tar_is_header(block) && !tar_all_zero(block, TAR_BLOCK));
	forget_extended(t);
	if (t->searching) {
		t->searching = false;
		return false;
	}
	if (!named) {
		fault_set(t->fault, FAULT_CORRUPT, offset,
			  "no member header at byte %" PRIu64 ": %" PRIu64
			  " bytes up to the next one are lost, and the members in them",
			  offset, lost);
		return false;
	}
	fault_clear(&m->fault);
	fault_set(&m->fault, FAULT_CORRUPT, offset,
		  "the checksum of its header is %" PRIu64 " instead of %" PRIu64 ", so nothing in it can be trusted",
		  found, expected);
	m->name = t->name.s;
	m->name_len = t->name.len;
	m->name_cut = false;
	m->type = MEMBER_FILE;
	m->size = 0;
	t->data_left = t->padding = 0;
	return true;
}

bool tar_next(struct tar *t, struct member *m)
{
	struct byte_stream *s = t->stream;
	uint64_t found, expected;

	if (t->ended)
		return false;
	if (!byte_stream_skip(s, t->data_left)) {
		t->ended = true;
		if (!t->told && s->fault.kind != FAULT_NONE)
			keep_stream_fault(t);
		if (!t->told)
			fault_set(t->fault, FAULT_TRUNCATED, s->offset,
				  "the archive ends within the data of its last member");
		return false;
	}
	byte_stream_skip(s, t->padding);
	t->data_left = t->padding = 0;
	while (!t->ended) {
		uint64_t offset = s->offset, size;
		uint8_t h[TAR_BLOCK];
		size_t have;
		const uint8_t *block = byte_stream_peek(s, TAR_BLOCK, &have);

		if (have < TAR_BLOCK) {
			end_without_marker(t, have);
			break;
		}
		if (!tar_checksum_right(block, &found, &expected)) {
			if (tar_all_zero(block, TAR_BLOCK))
				read_end(t);
			else if (take_damaged(t, block, found, expected, m))
				return t->facts->members++, true;
			continue;
		}
		memcpy(h, block, TAR_BLOCK);
		byte_stream_skip(s, TAR_BLOCK);
		if (!tar_is_extended(h[TAR_TYPE_AT])) {
			take_member(t, h, offset, m);
			t->facts->members++;
			return true;
		}
		if (!tar_number(h + TAR_SIZE_AT, TAR_SIZE_BYTES, &size))
			size = UINT64_MAX;
		if (!read_extended(t, h[TAR_TYPE_AT], size, offset))
			t->ended = true;
	}
	return false;
}

size_t tar_read(struct tar *t, void *out, size_t n, struct fault *fault)
{
	struct byte_stream *s = t->stream;
	size_t want = (size_t)MIN((uint64_t)n, t->data_left), got = byte_stream_read(s, out, want);

	t->data_left -= got;
	if (got == want)
		return got;
	if (s->fault.kind != FAULT_NONE && fault->kind == FAULT_NONE)
		*fault = s->fault;
	fault_set(fault, FAULT_TRUNCATED, s->offset, "the archive ends %" PRIu64 " bytes before the member does",
		  t->data_left);
	t->told = t->ended = true;
	return got;
}

const uint8_t *tar_peek(struct tar *t, size_t n, size_t *have)
{
	return byte_stream_peek(t->stream, (size_t)MIN((uint64_t)n, t->data_left), have);
}
