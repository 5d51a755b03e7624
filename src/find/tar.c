#include "find/tar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"

/* Where the fields of a header are (POSIX, "ustar Interchange Format"; "GNU tar: Basic Tar Format"). */
enum {
	NAME_AT = 0,
	NAME_ROOM = 100,
	SIZE_AT = 124,
	SIZE_ROOM = 12,
	CHECKSUM_AT = 148,
	CHECKSUM_ROOM = 8,
	TYPE_AT = 156,
	MAGIC_AT = 257,
	PREFIX_AT = 345,
	PREFIX_ROOM = 155,
	GNU_EXTENDED_AT = 482, /* of an old sparse header: blocks of its map follow */
	GNU_REAL_SIZE_AT = 483,
	GNU_MAP_EXTENDED_AT = 504, /* of such a block: one more follows */
};

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/*
 * A number: octal digits between spaces and a NUL, or, by GNU's extension, binary (high bit of the first byte set,
 * 0xff in front of a negative one). False: neither, or it does not fit.
 */
static bool parse_number(const uint8_t *p, size_t n, uint64_t *out)
{
	uint64_t value = 0;
	size_t i = 0;

	if (p[0] & 0x80) {
		value = p[0] & 0x3f;
		if (p[0] & 0x40)
			return false; /* negative */
		for (i = 1; i < n; i++) {
			if (value >> 55)
				return false;
			value = value << 8 | p[i];
		}
		*out = value;
		return true;
	}
	while (i < n && p[i] == ' ')
		i++;
	for (; i < n && p[i] >= '0' && p[i] <= '7'; i++) {
		if (value >> 60)
			return false;
		value = value << 3 | (uint64_t)(p[i] - '0');
	}
	*out = value;
	return i == n || p[i] == ' ' || p[i] == '\0';
}

/* Unsigned bytes, as POSIX says, or signed ones, as some old writers summed them. */
static bool checksum_right(const uint8_t *h, uint64_t *found, uint64_t *expected)
{
	uint64_t sum = 0;
	int64_t signed_sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i - CHECKSUM_AT < CHECKSUM_ROOM ? ' ' : h[i];

		sum += c;
		signed_sum += (int8_t)c;
	}
	*expected = sum;
	if (!parse_number(h + CHECKSUM_AT, CHECKSUM_ROOM, found))
		return false;
	return *found == sum || (int64_t)*found == signed_sum;
}

bool tar_is_header(const uint8_t block[TAR_BLOCK])
{
	uint64_t found, expected;

	/* a block of zeros has a sum of 256 and says 0 */
	return checksum_right(block, &found, &expected);
}

static bool has_magic(const uint8_t *h)
{
	return memcmp(h + MAGIC_AT, "ustar", 5) == 0;
}

static size_t field_length(const uint8_t *p, size_t room)
{
	const uint8_t *end = memchr(p, '\0', room);

	return end ? (size_t)(end - p) : room;
}

static void set_name(struct strbuf *name, const uint8_t *h)
{
	strbuf_clear(name);
	/* GNU's magic ends in a space; its headers have other things where the prefix is */
	if (has_magic(h) && h[MAGIC_AT + 5] == '\0' && h[PREFIX_AT]) {
		strbuf_add(name, h + PREFIX_AT, field_length(h + PREFIX_AT, PREFIX_ROOM));
		strbuf_addch(name, '/');
	}
	strbuf_add(name, h + NAME_AT, field_length(h + NAME_AT, NAME_ROOM));
}

/* ---- extended headers -------------------------------------------------------------------------------------------- */

static void extended_clear(struct tar_extended *e)
{
	strbuf_clear(&e->name);
	e->has_name = e->name_cut = e->has_size = e->sparse = e->waits = false;
	e->size = e->real_size = 0;
	e->run = 0;
	fault_clear(&e->fault);
}

static bool parse_decimal(const char *s, size_t n, uint64_t *out)
{
	uint64_t value = 0;

	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9' || !size_mul(value, 10, &value) ||
		    !size_add(value, (uint64_t)(s[i] - '0'), &value))
			return false;
	}
	*out = value;
	return true;
}

static void take_name(struct tar_extended *e, const char *s, size_t n)
{
	size_t len = strnlen(s, n);

	strbuf_clear(&e->name);
	strbuf_add(&e->name, s, MIN(len, (size_t)MEMBER_NAME_MAX));
	e->name_cut = len < n;
	e->has_name = true;
}

static bool key_is(const char *key, size_t n, const char *name)
{
	return n == strlen(name) && memcmp(key, name, n) == 0;
}

static void take_record(struct tar_extended *e, const char *key, size_t key_len, const char *value, size_t n,
			uint64_t offset)
{
	if (key_is(key, key_len, "path") || key_is(key, key_len, "GNU.sparse.name")) {
		take_name(e, value, n);
	} else if (key_is(key, key_len, "size")) {
		e->has_size = parse_decimal(value, n, &e->size) && e->size <= INT64_MAX;
		if (!e->has_size)
			fault_set(&e->fault, FAULT_CORRUPT, offset,
				  "its extended header has a size that is no number from 0 to 2^63-1: %.*s",
				  (int)MIN(n, (size_t)32), value);
	} else if (key_is(key, key_len, "GNU.sparse.realsize") || key_is(key, key_len, "GNU.sparse.size") ||
		   key_is(key, key_len, "SCHILY.realsize")) {
		e->sparse = true;
		if (!parse_decimal(value, n, &e->real_size))
			e->real_size = UINT64_MAX;
	}
}

/* Records of "length key=value\n" (POSIX, "pax Header Block"). */
static void parse_pax(struct tar_extended *e, const char *s, size_t n, uint64_t offset)
{
	for (size_t at = 0; at < n;) {
		const char *space = memchr(s + at, ' ', MIN(n - at, (size_t)21));
		uint64_t length;

		if (!space || !parse_decimal(s + at, (size_t)(space - s) - at, &length) || length > n - at ||
		    length <= (size_t)(space + 1 - s) - at || s[at + length - 1] != '\n') {
			fault_set(&e->fault, FAULT_CORRUPT, offset + at,
				  "its extended header cannot be parsed: a record's length is not that of the record");
			return;
		}
		const char *key = space + 1, *end = s + at + length - 1;
		const char *equals = memchr(key, '=', (size_t)(end - key));

		if (equals)
			take_record(e, key, (size_t)(equals - key), equals + 1, (size_t)(end - equals - 1),
				    offset + at);
		at += (size_t)length;
	}
}

/* Bytes up to the next block. */
static uint64_t padding_of(uint64_t size)
{
	return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
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

	if (got < size || !byte_stream_skip(t->stream, padding_of(size))) {
		free(data);
		fault_set(t->fault, FAULT_TRUNCATED, offset,
			  "the archive ends within the extended header at byte %" PRIu64, offset);
		return false;
	}
	data[got] = '\0';
	if (type == 'L') /* with a NUL behind it, which is not cutting it */
		take_name(e, data, got && !data[got - 1] ? got - 1 : got);
	else if (type != 'K')
		parse_pax(e, data, got, offset + TAR_BLOCK);
	free(data);
	t->next.waits = t->next.waits || type != 'g';
	if (++t->next.run == TAR_EXTENDED_RUN + 1)
		archive_flaw(t->facts, "more than %d extended headers in a row, at byte %" PRIu64, TAR_EXTENDED_RUN,
			     offset);
	return true;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void escape_into(struct strbuf *out, const char *s, size_t n)
{
	strbuf_clear(out);
	escape_terminal(out, s, MIN(n, (size_t)128));
}

/* From the first zero block on: another one, zeros to the end, or what readers that stop here do not see. */
static void read_end(struct tar *t)
{
	struct byte_stream *s = t->stream;
	uint64_t zeros = 0, hidden = 0, bytes = 0, first_at = 0, looked_at = 0;
	struct strbuf first = STRBUF_INIT;
	size_t have;
	const uint8_t *block;

	t->ended = true;
	if (t->heads_only)
		return;
	if (t->next.waits)
		fault_set(t->fault, FAULT_CORRUPT, s->offset,
			  "the end marker at byte %" PRIu64 " follows an extended header, whose member is lost",
			  s->offset);
	while (looked_at < TAR_TRAILER_MAX) {
		uint64_t hole = byte_stream_skip_hole(s, TAR_BLOCK);

		zeros += bytes ? 0 : hole / TAR_BLOCK;
		block = byte_stream_peek(s, TAR_BLOCK, &have);
		if (!have)
			break;
		looked_at += have;
		if (all_zero(block, have)) {
			zeros += !bytes && have == TAR_BLOCK;
		} else {
			if (!bytes)
				first_at = s->offset;
			bytes += have;
			if (have == TAR_BLOCK && tar_is_header(block)) {
				if (!hidden++) {
					set_name(&t->name, block);
					escape_into(&first, t->name.s, t->name.len);
				}
			}
		}
		byte_stream_skip(s, have);
	}
	if (s->fault.kind != FAULT_NONE)
		*t->fault = t->fault->kind == FAULT_NONE ? s->fault : *t->fault;
	else if (hidden)
		archive_flaw(t->facts,
			     "%" PRIu64 " more header%s (the first: %s) from byte %" PRIu64
			     " on, behind the end marker, where most readers stop",
			     hidden, hidden == 1 ? "" : "s", first.s, first_at);
	else if (bytes)
		archive_flaw(t->facts,
			     "%" PRIu64 " bytes of other data from byte %" PRIu64 " on, behind the end marker", bytes,
			     first_at);
	else if (zeros < 2)
		archive_flaw(t->facts, "the end marker is one block of zeros instead of two");
	if (looked_at >= TAR_TRAILER_MAX)
		archive_flaw(t->facts,
			     "more than %d MiB behind the end marker: what comes from byte %" PRIu64
			     " on was not looked at",
			     TAR_TRAILER_MAX >> 20, s->offset);
	strbuf_release(&first);
}

/* The stream has no more whole header. */
static void end_without_marker(struct tar *t, size_t have)
{
	struct byte_stream *s = t->stream;

	if (s->fault.kind != FAULT_NONE) {
		if (t->fault->kind == FAULT_NONE)
			*t->fault = s->fault;
	} else if (have) {
		fault_set(t->fault, FAULT_TRUNCATED, s->offset, "the archive ends within a header, %zu of %d bytes",
			  have, TAR_BLOCK);
	} else if (t->next.waits) {
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
	strbuf_init(&t->next.name);
	strbuf_init(&t->global.name);
	fault_clear(&t->next.fault);
	fault_clear(&t->global.fault);
}

void tar_release(struct tar *t)
{
	strbuf_release(&t->name);
	strbuf_release(&t->next.name);
	strbuf_release(&t->global.name);
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

	if (have < TAR_BLOCK || all_zero(block, TAR_BLOCK) || tar_is_header(block))
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
		more = block[GNU_MAP_EXTENDED_AT];
		byte_stream_skip(t->stream, TAR_BLOCK);
	}
	return true;
}

/* Fills m from a header with a right checksum, which has been taken from the stream. */
static void take_member(struct tar *t, const uint8_t *h, uint64_t offset, struct member *m)
{
	struct tar_extended *e = &t->next;
	uint64_t size, left;
	bool size_fine = parse_number(h + SIZE_AT, SIZE_ROOM, &size) && size <= INT64_MAX;

	fault_clear(&m->fault);
	m->name_cut = false;
	set_name(&t->name, h);
	if (e->has_name || t->global.has_name) {
		const struct tar_extended *from = e->has_name ? e : &t->global;

		strbuf_clear(&t->name);
		strbuf_add(&t->name, from->name.s, from->name.len);
		m->name_cut = from->name_cut;
	}
	m->name = t->name.s;
	m->name_len = t->name.len;
	m->type = type_of(h[TYPE_AT], &t->name);
	if (e->has_size || t->global.has_size) {
		size = e->has_size ? e->size : t->global.size;
		size_fine = true;
	}
	if (e->fault.kind != FAULT_NONE || t->global.fault.kind != FAULT_NONE)
		m->fault = e->fault.kind != FAULT_NONE ? e->fault : t->global.fault;
	if (!size_fine) {
		fault_set(&m->fault, FAULT_CORRUPT, offset + SIZE_AT,
			  "its size in the header is no number from 0 to 2^63-1");
		size = 0;
	}
	m->size = size;
	if (!has_data(h[TYPE_AT]) || (h[TYPE_AT] == '1' && size && !link_has_data(t, offset)))
		size = 0;
	t->data_left = size;
	t->padding = padding_of(size);
	if (h[TYPE_AT] == 'S') {
		if (!parse_number(h + GNU_REAL_SIZE_AT, SIZE_ROOM, &size))
			size = UINT64_MAX;
		take_sparse(t, m, size, offset);
		if (!skip_sparse_map(t, h[GNU_EXTENDED_AT]))
			t->data_left = t->padding = 0;
	} else if (e->sparse) {
		take_sparse(t, m, e->real_size, offset);
	}
	left = t->stream->seekable ? t->stream->file_size - MIN(t->stream->offset, t->stream->file_size) : UINT64_MAX;
	if (t->data_left > left)
		fault_set(&m->fault, FAULT_TRUNCATED, offset,
			  "declares %" PRIu64 " bytes, but the archive ends %" PRIu64 " bytes behind its header",
			  t->data_left, left);
	t->told = m->fault.kind != FAULT_NONE;
	t->searching = !size_fine;
	extended_clear(e);
}

/*
 * A block where a header should be and is none: names the member if it can, and searches for the next header, by whole
 * blocks. What lies between is lost, which is reported.
 */
static bool take_damaged(struct tar *t, const uint8_t *h, uint64_t found, uint64_t expected, struct member *m)
{
	struct byte_stream *s = t->stream;
	uint64_t offset = s->offset, lost = 0;
	bool named = has_magic(h) && h[NAME_AT] && !t->searching;
	size_t have;
	const uint8_t *block;

	if (named)
		set_name(&t->name, h);
	do {
		lost += have = TAR_BLOCK;
		byte_stream_skip(s, TAR_BLOCK);
		block = byte_stream_peek(s, TAR_BLOCK, &have);
	} while (have == TAR_BLOCK && !tar_is_header(block) && !all_zero(block, TAR_BLOCK));
	extended_clear(&t->next);
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

static bool is_extended(uint8_t type)
{
	return type == 'x' || type == 'X' || type == 'g' || type == 'L' || type == 'K';
}

bool tar_next(struct tar *t, struct member *m)
{
	struct byte_stream *s = t->stream;
	uint64_t found, expected;

	if (t->ended)
		return false;
	if (!byte_stream_skip(s, t->data_left)) {
		t->ended = true;
		if (s->fault.kind != FAULT_NONE && t->fault->kind == FAULT_NONE && !t->told)
			*t->fault = s->fault;
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
		if (!checksum_right(block, &found, &expected)) {
			if (all_zero(block, TAR_BLOCK))
				read_end(t);
			else if (take_damaged(t, block, found, expected, m))
				return t->facts->members++, true;
			continue;
		}
		memcpy(h, block, TAR_BLOCK);
		byte_stream_skip(s, TAR_BLOCK);
		if (!is_extended(h[TYPE_AT])) {
			take_member(t, h, offset, m);
			t->facts->members++;
			return true;
		}
		if (!parse_number(h + SIZE_AT, SIZE_ROOM, &size))
			size = UINT64_MAX;
		if (!read_extended(t, h[TYPE_AT], size, offset))
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
