#include "find/zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/escape.h"
#include "base/guard.h"
#include "base/mem.h"
#include "find/byte_stream.h"
#include "find/zip_end.h"

/* Of a directory entry and of a local header (APPNOTE, sections 4.3.7, 4.3.12, 4.4.2, 4.4.4, 4.5.3). */
enum {
	LOCAL_BYTES = 30,
	CENTRAL_BYTES = 46,
	WINDOW = 256 << 10, /* of the directory: more than any one entry (46 + 3 * 65535) */
	EXTRA_ZIP64 = 1,
	FLAG_ENCRYPTED = 1,
	HOST_UNIX = 3,
	HOST_MACOS = 19,
	/* Deflate gives at most 258 bytes for a length and a distance of one bit each: 258 * 8 / 2. */
	DEFLATE_RATIO_MAX = 1032,
};

/* ---- the directory ----------------------------------------------------------------------------------------------- */

/* n bytes of it at `at`, or NULL. */
static const uint8_t *directory_bytes(struct zip *z, uint64_t at, size_t n)
{
	if (at < z->window_at || at - z->window_at > z->window_len || n > z->window_len - (at - z->window_at)) {
		int64_t got = zip_read_at(z->fd, at, z->window, (size_t)MIN((uint64_t)WINDOW, z->end - MIN(at, z->end)),
					  z->fault);

		if (got < (int64_t)n)
			return NULL;
		z->window_at = at;
		z->window_len = (size_t)got;
	}
	return z->window + (at - z->window_at);
}

struct central {
	const uint8_t *p;
	size_t name_len, extra_len, comment_len;
	uint64_t packed, size, offset;
};

/* The numbers of the zip64 extra field, of which only those are there that had no room. */
static void take_extra64(struct central *c)
{
	const uint8_t *p = c->p + CENTRAL_BYTES + c->name_len, *end = p + c->extra_len;

	while (end - p >= 4) {
		size_t n = le16(p + 2);
		const uint8_t *value = p + 4;

		if (n > (size_t)(end - value))
			return;
		if (le16(p) == EXTRA_ZIP64) {
			uint64_t *const fields[] = { &c->size, &c->packed, &c->offset };

			for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
				if (*fields[i] != ZIP_FULL_32)
					continue;
				if (n < 8)
					return;
				*fields[i] = le64(value);
				value += 8;
				n -= 8;
			}
			return;
		}
		p = value + n;
	}
}

/* The next entry of the directory, whole in the window. False: no more, or damaged. */
static bool next_central(struct zip *z, struct central *c)
{
	const uint8_t *p;

	if (z->end - z->next < CENTRAL_BYTES)
		return false;
	p = directory_bytes(z, z->next, CENTRAL_BYTES);
	if (!p || le32(p) != ZIP_SIGNATURE_CENTRAL)
		return false;
	c->name_len = le16(p + 28);
	c->extra_len = le16(p + 30);
	c->comment_len = le16(p + 32);
	size_t whole = CENTRAL_BYTES + c->name_len + c->extra_len + c->comment_len;

	if (whole > z->end - z->next)
		return false;
	c->p = directory_bytes(z, z->next, whole);
	if (!c->p)
		return false;
	c->packed = le32(c->p + 20);
	c->size = le32(c->p + 24);
	c->offset = le32(c->p + 42);
	take_extra64(c);
	z->next += whole;
	return true;
}

/* Bytes that all members claim in the file; more than there are means that they overlap. */
static bool check_overlap(struct zip *z)
{
	uint64_t first = z->next, members = 0, claimed = 0, unpacked = 0;
	struct central c;

	while (next_central(z, &c)) {
		members++;
		if (!size_add(claimed, LOCAL_BYTES + c.name_len, &claimed) || !size_add(claimed, c.packed, &claimed))
			claimed = UINT64_MAX;
		if (!size_add(unpacked, c.size, &unpacked))
			unpacked = UINT64_MAX;
	}
	z->next = first;
	/* one alone cannot overlap; it is cut off, which is the member's fault */
	if (members < 2 || claimed <= z->file_size)
		return true;
	uint64_t largest = 0;

	while (next_central(z, &c))
		largest = MAX(largest, c.packed);
	z->next = first;
	if (largest > z->file_size)
		return true;
	fault_set(z->fault, FAULT_LIMIT, first,
		  "its %" PRIu64 " members claim %" PRIu64 " bytes of a file of %" PRIu64
		  ", so they overlap; they would unpack to %" PRIu64 " bytes",
		  members, claimed, z->file_size, unpacked);
	return false;
}

bool zip_init(struct zip *z, int fd, uint64_t file_size, const struct limits *limits, struct archive_facts *facts,
	      struct fault *fault)
{
	memset(z, 0, sizeof(*z));
	z->fd = fd;
	z->file_size = file_size;
	z->limits = limits;
	z->facts = facts;
	z->fault = fault;
	z->window = xmalloc(WINDOW);
	strbuf_init(&z->name);
	strbuf_init(&z->first_differing);
	z->ended = !zip_find_directory(z) || !check_overlap(z);
	return !z->ended;
}

void zip_release(struct zip *z)
{
	free(z->window);
	strbuf_release(&z->name);
	strbuf_release(&z->first_differing);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static enum member_type type_of(const uint8_t *p, const struct strbuf *name)
{
	unsigned host = p[5], mode = le16(p + 40); /* of the external attributes, the upper half */

	if (name->len && name->s[name->len - 1] == '/')
		return MEMBER_FOLDER;
	if ((host == HOST_UNIX || host == HOST_MACOS) && mode & S_IFMT) {
		if (S_ISLNK(mode))
			return MEMBER_LINK;
		if (S_ISDIR(mode))
			return MEMBER_FOLDER;
		if (!S_ISREG(mode))
			return MEMBER_DEVICE;
	}
	return MEMBER_FILE;
}

static const char *method_name(unsigned method)
{
	switch (method) {
	case 9:
		return "deflate64";
	case 12:
		return "bzip2";
	case 14:
		return "LZMA";
	case 93:
		return "Zstandard";
	case 95:
		return "xz";
	case 99:
		return "AES encryption";
	default:
		return "unknown";
	}
}

/* Of all members so far, since a bomb may be many small ones. One that is refused is not counted. */
static void check_ratio(struct zip *z, const struct central *c, struct member *m)
{
	uint64_t ratio = z->limits->max_archive_ratio;

	z->packed += c->packed;
	z->unpacked += c->size;
	if (!ratio || z->unpacked < BYTE_STREAM_RATIO_FLOOR || z->unpacked / ratio <= z->packed)
		return;
	fault_set(&m->fault, FAULT_LIMIT, FAULT_NO_OFFSET,
		  "with it, %" PRIu64 " packed bytes would unpack to %" PRIu64 "; the limit is %" PRIu64
		  " to 1 (--max-archive-ratio)",
		  z->packed, z->unpacked, ratio);
	z->packed -= c->packed;
	z->unpacked -= c->size;
}

/* Whether the numbers of the directory can be true; as far as that shows without reading the member. */
static void check_entry(struct zip *z, const struct central *c, struct member *m, struct zip_data *data)
{
	unsigned flags = le16(c->p + 8);
	uint64_t at, end;

	data->method = le16(c->p + 10);
	data->crc = le32(c->p + 16);
	data->packed = c->packed;
	data->size = c->size;
	if (flags & FLAG_ENCRYPTED)
		fault_set(&m->fault, FAULT_UNSUPPORTED, FAULT_NO_OFFSET, "the member is encrypted");
	else if (data->method != ZIP_STORED && data->method != ZIP_DEFLATED)
		fault_set(&m->fault, FAULT_UNSUPPORTED, FAULT_NO_OFFSET,
			  "the member is packed by method %u (%s); stored and deflated ones are read", data->method,
			  method_name(data->method));
	else if (!size_add(c->offset, z->base, &at) || !size_add(at, c->packed, &end) || end > z->file_size)
		fault_set(&m->fault, FAULT_TRUNCATED, FAULT_NO_OFFSET,
			  "its %" PRIu64 " bytes at byte %" PRIu64 " are not in a file of %" PRIu64, c->packed,
			  c->offset, z->file_size);
	else if (data->method == ZIP_STORED && c->packed != c->size)
		fault_set(&m->fault, FAULT_CORRUPT, FAULT_NO_OFFSET,
			  "stored, so that its sizes should be equal: %" PRIu64 " and %" PRIu64, c->packed, c->size);
	else if (GUARD(size_of_a_zip_member, c->size / DEFLATE_RATIO_MAX > c->packed))
		fault_set(&m->fault, FAULT_CORRUPT, FAULT_NO_OFFSET,
			  "declares %" PRIu64 " bytes, but %" PRIu64 " packed ones hold at most %d times as many",
			  c->size, c->packed, DEFLATE_RATIO_MAX);
	else if (GUARD(member_over_the_limit,
		       z->limits->max_inflated && data->method == ZIP_DEFLATED && c->size > z->limits->max_inflated))
		fault_set(&m->fault, FAULT_LIMIT, FAULT_NO_OFFSET,
			  "unpacks to %" PRIu64 " bytes; the limit is %" PRIu64 " (--max-inflated)", c->size,
			  z->limits->max_inflated);
	else
		check_ratio(z, c, m);
}

static void note_differing(struct zip *z)
{
	if (!z->differing++)
		escape_terminal(&z->first_differing, z->name.s, MIN(z->name.len, (size_t)128));
}

/* Reads the local header, which says where the data begin, and compares what it says. */
static void take_local(struct zip *z, const struct central *c, struct member *m, struct zip_data *data)
{
	uint8_t p[LOCAL_BYTES];
	uint64_t at = c->offset + z->base;
	int64_t got = zip_read_at(z->fd, at, p, sizeof(p), &m->fault);

	if (got < (int64_t)sizeof(p) || le32(p) != ZIP_SIGNATURE_LOCAL) {
		fault_set(&m->fault, FAULT_CORRUPT, at,
			  "the directory says that it is at byte %" PRIu64 ", where no member is", at);
		return;
	}
	size_t name_len = le16(p + 26);

	data->at = at + LOCAL_BYTES + name_len + le16(p + 28);
	if (data->at > z->file_size || data->packed > z->file_size - data->at)
		fault_set(&m->fault, FAULT_TRUNCATED, at, "the file ends before the member does");
	bool same = name_len == z->name.len && le16(p + 8) == data->method;

	if (same && name_len) {
		char *name = xmalloc(name_len);

		same = zip_read_at(z->fd, at + LOCAL_BYTES, name, name_len, &m->fault) == (int64_t)name_len &&
		       memcmp(name, z->name.s, name_len) == 0;
		free(name);
	}
	if (!same)
		note_differing(z);
}

/* The directory has been read: what its end tells. */
static void end_directory(struct zip *z)
{
	if (z->next < z->end)
		fault_set(z->fault, FAULT_CORRUPT, z->next,
			  "the directory is damaged at byte %" PRIu64 ", behind %" PRIu64 " members", z->next,
			  z->count);
	else if (z->count != z->expected && (z->count & 0xffff) != z->expected)
		archive_flaw(z->facts,
			     "the end record counts %" PRIu64 " members, and the directory has %" PRIu64
			     ": readers disagree",
			     z->expected, z->count);
	if (z->differing)
		archive_flaw(z->facts,
			     "%" PRIu64 " local header%s (the first: %s) contradict%s the directory: readers disagree",
			     z->differing, z->differing == 1 ? "" : "s", z->first_differing.s,
			     z->differing == 1 ? "s" : "");
	z->ended = true;
}

bool zip_next(struct zip *z, struct member *m, struct zip_data *data)
{
	struct central c;

	if (z->ended)
		return false;
	if (!next_central(z, &c)) {
		end_directory(z);
		return false;
	}
	z->count++;
	z->facts->members++;
	strbuf_clear(&z->name);
	strbuf_add(&z->name, c.p + CENTRAL_BYTES, c.name_len);
	fault_clear(&m->fault);
	memset(data, 0, sizeof(*data));
	m->name = z->name.s;
	m->name_len = strlen(z->name.s);
	m->name_cut = m->name_len < z->name.len;
	m->type = type_of(c.p, &z->name);
	m->size = c.size;
	if (m->type == MEMBER_FILE) {
		check_entry(z, &c, m, data);
		if (m->fault.kind == FAULT_NONE)
			take_local(z, &c, m, data);
	}
	return true;
}
