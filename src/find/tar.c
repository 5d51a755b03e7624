#include "find/tar.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "find/zip_hidden.h"

enum {
	/* Other fields of a header than those of tar.h (POSIX, "ustar Interchange Format"; GNU tar manual). */
	NAME_AT = 0,
	NAME_BYTES = 100,
	MAGIC_AT = 257,
	VERSION_AT = 262, /* NUL of ustar's magic, a space in GNU's */
	PREFIX_AT = 345,
	PREFIX_BYTES = 155,
	/* GNU's old sparse headers, type 'S': */
	SPARSE_MORE_AT = 482, /* not 0: blocks with more of the map follow */
	REAL_SIZE_AT = 483,
	MAP_MORE_AT = 504, /* in such a block: another one follows */
};

/* ---- headers ----------------------------------------------------------------------------------------------------- */

bool tar_all_zero(const uint8_t *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

/* Returns the bytes from the end of data of this size to the next block. */
static uint64_t tar_padding(uint64_t size)
{
	return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}

/* Big-endian, after the mark in the highest bit; the next bit is the sign. */
static bool binary_number(const uint8_t *p, size_t n, uint64_t *out)
{
	uint64_t value = p[0] & 0x3f;

	if (p[0] & 0x40)
		return false;
	for (size_t i = 1; i < n; i++) {
		if (value >> 55)
			return false;
		value = value << 8 | p[i];
	}
	*out = value;
	return true;
}

/*
 * Parses octal digits between spaces and a NUL, or, GNU's extension, a binary number (the high bit of the first byte is
 * set). Returns false if it is neither, negative, or too large for 64 bits.
 */
static bool tar_parse_number(const uint8_t *p, size_t n, uint64_t *out)
{
	uint64_t value = 0;
	size_t i = 0;

	if (p[0] & 0x80)
		return binary_number(p, n, out);
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

/*
 * Returns whether the checksum is right, as the sum of unsigned bytes (POSIX) or of signed ones (some old writers).
 * *found: what the header says; *expected: the unsigned sum.
 */
static bool is_checksum_right(const uint8_t *h, uint64_t *found, uint64_t *expected)
{
	uint32_t sum = TAR_CHECKSUM_BYTES * ' ', negative = 0; /* the field itself counts as spaces */

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		sum += h[i];
		negative += h[i] >> 7;
	}
	for (size_t i = TAR_CHECKSUM_AT; i < TAR_CHECKSUM_AT + TAR_CHECKSUM_BYTES; i++) {
		sum -= h[i];
		negative -= h[i] >> 7;
	}
	*expected = sum;
	if (!tar_parse_number(h + TAR_CHECKSUM_AT, TAR_CHECKSUM_BYTES, found))
		return false;
	return *found == sum || (int64_t)*found == (int64_t)sum - 256 * (int64_t)negative;
}

bool tar_is_header(const uint8_t *block)
{
	uint64_t found, expected;

	return is_checksum_right(block, &found, &expected);
}

bool tar_has_magic(const uint8_t *h)
{
	return memcmp(h + MAGIC_AT, "ustar", 5) == 0;
}

static size_t field_length(const uint8_t *p, size_t n)
{
	const uint8_t *end = memchr(p, '\0', n);

	return end ? (size_t)(end - p) : n;
}

/* Sets out to the name with its prefix. */
static void header_name(const uint8_t *h, struct strbuf *out)
{
	strbuf_clear(out);
	/* GNU's headers have other fields where the prefix is */
	if (tar_has_magic(h) && h[VERSION_AT] == '\0' && h[PREFIX_AT]) {
		strbuf_add(out, h + PREFIX_AT, field_length(h + PREFIX_AT, PREFIX_BYTES));
		strbuf_addch(out, '/');
	}
	strbuf_add(out, h + NAME_AT, field_length(h + NAME_AT, NAME_BYTES));
}

/* ---- extended headers -------------------------------------------------------------------------------------------- */

static void set_long_name(struct tar_extended *e, const char *s, size_t n)
{
	size_t len = strnlen(s, n);

	strbuf_set(&e->name, s, MIN(len, (size_t)MEMBER_NAME_MAX));
	e->name_cut = len < n;
	e->has_name = true;
}

static bool key_is(const char *key, size_t n, const char *name)
{
	return n == strlen(name) && memcmp(key, name, n) == 0;
}

/* Applies one record. The many other keys do not matter here. */
static void apply_record(struct tar_extended *e, const char *key, size_t key_len, const char *value, size_t n,
			 uint64_t offset)
{
	if (key_is(key, key_len, "path") || key_is(key, key_len, "GNU.sparse.name")) {
		set_long_name(e, value, n);
	} else if (key_is(key, key_len, "size")) {
		e->has_size = scan_whole_uint64(value, n, &e->size) && e->size <= INT64_MAX;
		if (!e->has_size)
			fault_set(&e->fault, FAULT_CORRUPT, offset,
				  "its extended header has a size that is not a number from 0 to 2^63-1: %.*s",
				  (int)MIN(n, (size_t)32), value);
	} else if (key_is(key, key_len, "GNU.sparse.realsize") || key_is(key, key_len, "GNU.sparse.size") ||
		   key_is(key, key_len, "SCHILY.realsize")) {
		e->sparse = true;
		if (!scan_whole_uint64(value, n, &e->real_size))
			e->real_size = UINT64_MAX;
	}
}

/* Parses records of "length key=value\n". A length of 64 bits has at most 20 digits. */
static void parse_pax(struct tar_extended *e, const char *s, size_t n, uint64_t offset)
{
	for (size_t at = 0; at < n;) {
		const char *space = memchr(s + at, ' ', MIN(n - at, (size_t)21));
		uint64_t length;

		if (!space || !scan_whole_uint64(s + at, (size_t)(space - s) - at, &length) || length > n - at ||
		    length <= (size_t)(space + 1 - s) - at || s[at + length - 1] != '\n') {
			fault_set(&e->fault, FAULT_CORRUPT, offset + at,
				  "its extended header cannot be parsed: a record's length is not that of the record");
			return;
		}
		const char *key = space + 1, *end = s + at + length - 1;
		const char *equals = memchr(key, '=', (size_t)(end - key));

		if (equals)
			apply_record(e, key, (size_t)(equals - key), equals + 1, (size_t)(end - equals - 1),
				     offset + at);
		at += (size_t)length;
	}
}

/* Returns whether a type is that of an extended header: pax 'x' and 'g', Sun's 'X', GNU's 'L' and 'K'. */
static bool tar_is_extended(uint8_t type)
{
	return type && strchr("xXgLK", type);
}

/* Makes the stream's fault the one of the archive or of a member, unless that has one. */
static void keep_stream_fault(const struct tar *t, struct fault *fault)
{
	if (fault->kind == FAULT_NONE)
		*fault = t->stream->fault;
}

static void forget_extended(struct tar *t)
{
	struct strbuf name = t->next.name;

	strbuf_clear(&name);
	t->next = (struct tar_extended){ .name = name };
	t->extended_run = 0;
	t->extended_waits = false;
}

/* Reads an extended header of `size` bytes. Returns false if the archive ends in it. */
static bool read_extended(struct tar *t, uint8_t type, uint64_t size, uint64_t offset)
{
	struct tar_extended *e = type == 'g' ? &t->global : &t->next;

	if (size > TAR_EXTENDED_MAX) {
		fault_set(t->fault, FAULT_CORRUPT, offset,
			  "an extended header at byte %" PRIu64 " claims %" PRIu64 " bytes; at most %d are read",
			  offset, size, TAR_EXTENDED_MAX);
		return true; /* then the next header is searched for */
	}
	FREED char *data = xmalloc((size_t)size + 1);
	size_t got = byte_stream_read(t->stream, data, (size_t)size);

	bool whole = got == size && byte_stream_skip(t->stream, tar_padding(size));

	data[got] = '\0';
	if (whole && type == 'L') /* GNU: the long name, with a NUL after it, which does not cut it */
		set_long_name(e, data, got && !data[got - 1] ? got - 1 : got);
	else if (whole && type != 'K') /* GNU: a link's target, which is never followed */
		parse_pax(e, data, got, offset + TAR_BLOCK);
	if (!whole)
		return fault_set(t->fault, FAULT_TRUNCATED, offset,
				 "the archive ends within the extended header at byte %" PRIu64, offset);
	t->extended_waits = t->extended_waits || type != 'g';
	if (++t->extended_run == TAR_EXTENDED_RUN + 1)
		archive_flaw(t->facts, "more than %d extended headers in a row, at byte %" PRIu64, TAR_EXTENDED_RUN,
			     offset);
	return true;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Counts what follows the first block of zeros. */
struct trailer {
	uint64_t zero_blocks; /* before any other block */
	uint64_t bytes;       /* of blocks that are not zero */
	uint64_t headers;     /* such blocks that are headers */
	bool zip;             /* the first such block begins a member of a zip */
	uint64_t at;          /* of the first such block */
	uint64_t read;        /* bytes */
	struct strbuf first;  /* the name in the first header, escaped */
};

static void add_trailing_block(struct tar *t, struct trailer *e, const uint8_t *block, size_t n)
{
	bool whole = n == TAR_BLOCK;

	if (tar_all_zero(block, n)) {
		e->zero_blocks += whole && !e->bytes;
		return;
	}
	if (!e->bytes) {
		e->at = t->stream->offset;
		e->zip = zip_is_local_header(block, n);
	}
	e->bytes += n;
	if (!whole || !tar_is_header(block) || e->headers++)
		return;
	header_name(block, &t->name);
	escape_terminal(&e->first, t->name.s, MIN(t->name.len, (size_t)128));
}

static void read_trailer(struct tar *t, struct trailer *e)
{
	struct byte_stream *s = t->stream;

	while (e->read < TAR_TRAILER_MAX) {
		size_t have;
		const uint8_t *block = byte_stream_peek(s, TAR_BLOCK, &have);

		if (!have)
			break;
		e->read += have;
		add_trailing_block(t, e, block, have);
		byte_stream_skip(s, have);
	}
}

/* Reads what follows the first block of zeros: a second one, and maybe more zeros. */
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
	t->facts->hides_members |= GUARD(members_after_the_end, e.headers || e.zip);
	if (s->fault.kind != FAULT_NONE)
		keep_stream_fault(t, t->fault);
	else if (e.headers)
		archive_flaw(t->facts,
			     "%" PRIu64 " more header%s (the first: %s) from byte %" PRIu64
			     " on, after the end marker, where most readers stop",
			     e.headers, e.headers == 1 ? "" : "s", e.first.s, e.at);
	else if (e.zip)
		archive_flaw(t->facts, "a zip from byte %" PRIu64 " on, after the end marker, which other readers see",
			     e.at);
	else if (e.bytes)
		archive_flaw(t->facts, "%" PRIu64 " bytes of other data from byte %" PRIu64 " on, after the end marker",
			     e.bytes, e.at);
	else if (e.zero_blocks < 2)
		archive_flaw(t->facts, "the end marker is one block of zeros instead of two");
	if (e.read >= TAR_TRAILER_MAX)
		archive_flaw(t->facts,
			     "more than %d MiB after the end marker: the bytes from %" PRIu64 " on were not read",
			     TAR_TRAILER_MAX >> 20, s->offset);
	strbuf_release(&e.first);
}

/* The stream ends before a whole header. */
static void end_without_marker(struct tar *t, size_t have)
{
	struct byte_stream *s = t->stream;

	if (s->fault.kind != FAULT_NONE) {
		keep_stream_fault(t, t->fault);
	} else if (have) {
		fault_set(t->fault, FAULT_TRUNCATED, s->offset, "the archive ends within a header, %zu of %d bytes",
			  have, TAR_BLOCK);
	} else if (t->extended_waits) {
		fault_set(t->fault, FAULT_TRUNCATED, s->offset, "the archive ends after an extended header");
	} else if (t->fault->kind == FAULT_NONE) {
		archive_flaw(t->facts, "the end marker is missing: it may have been cut off between two members");
	}
	t->ended = true;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

void tar_init(struct tar *t, struct byte_stream *stream, const struct limits *limits, struct archive_facts *facts,
	      struct fault *fault)
{
	*t = (struct tar){ .stream = stream,
			   .limits = limits,
			   .facts = facts,
			   .fault = fault,
			   .name = STRBUF_INIT,
			   .next.name = STRBUF_INIT,
			   .global.name = STRBUF_INIT };
}

void tar_release(struct tar *t)
{
	strbuf_release(&t->name);
	strbuf_release(&t->next.name);
	strbuf_release(&t->global.name);
}

static enum member_type type_of(uint8_t type, const struct strbuf *name)
{
	/*
	 * Devices and FIFOs; 'A' is an access control list of Solaris; of GNU, 'D' a folder with the list of its files
	 * as data, 'M' the rest of a file on an earlier volume, and 'V' the name of the volume.
	 */
	static const char special[] = "346DAMV";

	if (type == '1' || type == '2')
		return MEMBER_LINK;
	if (type && strchr(special, type))
		return MEMBER_DEVICE;
	/* V7 has no type for folders; types that are not defined are regular files (POSIX) */
	return type == '5' || (!type && name->len && name->s[name->len - 1] == '/') ? MEMBER_FOLDER : MEMBER_FILE;
}

/* Links, devices, folders and FIFOs have none, whatever their size says. */
static bool has_data(uint8_t type)
{
	return !(type >= '2' && type <= '6');
}

/* A hard link has no data in the old formats, and may have some in POSIX: if no header follows it, there are. */
static bool link_has_data(struct tar *t, uint64_t offset)
{
	size_t have;
	const uint8_t *block = byte_stream_peek(t->stream, TAR_BLOCK, &have);

	if (have < TAR_BLOCK || tar_all_zero(block, TAR_BLOCK) || tar_is_header(block))
		return false;
	archive_flaw(t->facts,
		     "the hard link at byte %" PRIu64 " carries data: readers disagree on where the next header is",
		     offset);
	return true;
}

/* Skips the blocks of an old sparse header's map. Returns false if the archive ends there. */
static bool skip_sparse_map(struct tar *t, bool more)
{
	while (more) {
		size_t have;
		const uint8_t *block = byte_stream_peek(t->stream, TAR_BLOCK, &have);

		if (have < TAR_BLOCK)
			return false;
		more = block[MAP_MORE_AT];
		byte_stream_skip(t->stream, TAR_BLOCK);
	}
	return true;
}

static void set_name(struct tar *t, const uint8_t *h, struct member *m)
{
	const struct tar_extended *e = t->next.has_name ? &t->next : t->global.has_name ? &t->global : NULL;

	if (e)
		strbuf_set(&t->name, e->name.s, e->name.len);
	else
		header_name(h, &t->name);
	m->name = t->name.s;
	m->name_len = t->name.len;
	m->name_cut = e && e->name_cut;
}

/* Returns the size that the headers say; 0 with *fault set if that is none. */
static uint64_t read_size(struct tar *t, const uint8_t *h, uint64_t offset, struct fault *fault)
{
	uint64_t size;

	if (t->next.has_size)
		return t->next.size;
	if (t->global.has_size)
		return t->global.size;
	if (tar_parse_number(h + TAR_SIZE_AT, TAR_SIZE_BYTES, &size) && size <= INT64_MAX)
		return size;
	fault_set(fault, FAULT_CORRUPT, offset + TAR_SIZE_AT,
		  "its size in the header is not a number from 0 to 2^63-1");
	t->searching = true;
	return 0;
}

/* Refuses a sparse member; m->size becomes what it would unpack to. */
static void check_sparse(struct tar *t, const uint8_t *h, uint64_t offset, struct member *m)
{
	bool old = h[TAR_TYPE_AT] == 'S';
	uint64_t limit = t->limits->max_inflated;

	if (!old && !t->next.sparse)
		return;
	m->size = t->next.real_size;
	if (old && !tar_parse_number(h + REAL_SIZE_AT, TAR_SIZE_BYTES, &m->size))
		m->size = UINT64_MAX;
	if (limit && m->size > limit)
		fault_set(&m->fault, FAULT_LIMIT, offset,
			  "a sparse member of %" PRIu64 " bytes; the limit is %" PRIu64 " (--max-inflated)", m->size,
			  limit);
	else
		fault_set(&m->fault, FAULT_UNSUPPORTED, offset, "a sparse member; these are not read");
	if (old && !skip_sparse_map(t, h[SPARSE_MORE_AT]))
		t->data_left = t->padding = 0;
}

/* Fills m from a header with a right checksum, which the stream is past. */
static void read_member(struct tar *t, const uint8_t *h, uint64_t offset, struct member *m)
{
	const struct byte_stream *s = t->stream;
	uint8_t type = h[TAR_TYPE_AT];

	m->fault = t->next.fault.kind != FAULT_NONE ? t->next.fault : t->global.fault;
	set_name(t, h, m);
	m->type = type_of(type, &t->name);
	t->searching = false;
	m->size = read_size(t, h, offset, &m->fault);

	bool none = !has_data(type) || (type == '1' && m->size && !link_has_data(t, offset));

	t->data_left = none ? 0 : m->size;
	t->padding = tar_padding(t->data_left);
	check_sparse(t, h, offset, m);

	uint64_t left = s->seekable ? s->file_size - MIN(s->offset, s->file_size) : UINT64_MAX;

	if (t->data_left > left)
		fault_set(&m->fault, FAULT_TRUNCATED, offset,
			  "declares %" PRIu64 " bytes, but the archive ends %" PRIu64 " bytes after its header",
			  t->data_left, left);
	t->has_fault = m->fault.kind != FAULT_NONE;
	forget_extended(t);
}

/*
 * Skips a damaged header and whole blocks up to the next header, and reports what is lost. Returns whether it could
 * name the member, which m then is.
 */
static bool skip_damaged(struct tar *t, const uint8_t *h, uint64_t found, uint64_t expected, struct member *m)
{
	struct byte_stream *s = t->stream;
	uint64_t offset = s->offset, lost = 0;
	bool named = tar_has_magic(h) && h[0] && !t->searching; /* the name is the first field */
	size_t have;
	const uint8_t *block;

	if (named)
		header_name(h, &t->name);
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
	if (!named)
		return fault_set(t->fault, FAULT_CORRUPT, offset,
				 "no member header at byte %" PRIu64 ": %" PRIu64
				 " bytes up to the next one are lost, with the members in them",
				 offset, lost);
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
		if (t->has_fault)
			return false;
		keep_stream_fault(t, t->fault);
		return fault_set(t->fault, FAULT_TRUNCATED, s->offset,
				 "the archive ends within the data of its last member");
	}
	byte_stream_skip(s, t->padding);
	t->data_left = t->padding = 0;
	while (!t->ended) {
		uint64_t offset = s->offset, size;
		size_t have;
		const uint8_t *block = byte_stream_peek(s, TAR_BLOCK, &have);

		if (have < TAR_BLOCK) {
			end_without_marker(t, have);
			break;
		}
		if (!is_checksum_right(block, &found, &expected)) {
			if (tar_all_zero(block, TAR_BLOCK))
				read_end(t);
			else if (skip_damaged(t, block, found, expected, m))
				return true;
			continue;
		}
		uint8_t h[TAR_BLOCK];

		memcpy(h, block, TAR_BLOCK);
		byte_stream_skip(s, TAR_BLOCK);
		if (!tar_is_extended(h[TAR_TYPE_AT])) {
			read_member(t, h, offset, m);
			return true;
		}
		if (!tar_parse_number(h + TAR_SIZE_AT, TAR_SIZE_BYTES, &size))
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
	keep_stream_fault(t, fault);
	fault_set(fault, FAULT_TRUNCATED, s->offset, "the archive ends %" PRIu64 " bytes before the member does",
		  t->data_left);
	t->has_fault = t->ended = true;
	return got;
}

const uint8_t *tar_peek(struct tar *t, size_t n, size_t *have)
{
	return byte_stream_peek(t->stream, (size_t)MIN((uint64_t)n, t->data_left), have);
}
