#include "find/zip.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/escape.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/work_units.h"
#include "base/write_all.h"
#include "base/zlib_inflate.h"
#include "find/byte_stream.h"

/* Other fields than those of zip.h (APPNOTE, sections 4.4.2, 4.4.4, 4.5.3). */
enum {
	COMMENT_MAX = 65535,
	FLAG_ENCRYPTED = 1,
	HOST_UNIX = 3,
	HOST_MACOS = 19,
};

enum {
	WINDOW = 256 << 10, /* of the directory: more than any one entry (46 + 3 * 65535) */
	STREAM_PACKED = 64 << 10,
	STREAM_FIRST = 8 << 10, /* read at once of a member of which only the head may be wanted; the window has it */
};

/* Reads n bytes at byte `at` of the file. Returns how many, fewer only at its end, or -1 with *fault set. */
static int64_t read_at(int fd, uint64_t at, void *out, size_t n, struct fault *fault)
{
	int64_t got = at > INT64_MAX - n ? 0 : pread_all(fd, out, n, at);

	if (got < 0)
		fault_set(fault, FAULT_UNREADABLE, at, "cannot read at byte %" PRIu64 ": %s", at, strerror(errno));
	return got;
}

/* The same of members, which lie one after the other in most archives. */
static int64_t read_member(struct zip *z, uint64_t at, void *out, size_t n, struct fault *fault)
{
	int64_t got = at > INT64_MAX - FILE_WINDOW_MOST - n ? 0 : file_window_read(&z->members, z->fd, out, n, at);

	if (got < 0)
		fault_set(fault, FAULT_UNREADABLE, at, "cannot read at byte %" PRIu64 ": %s", at, strerror(errno));
	return got;
}

static bool window_has(const struct zip *z, uint64_t at, size_t n)
{
	const struct zip_window *w = &z->window;

	return at >= w->at && at - w->at <= w->len && n <= w->len - (at - w->at);
}

/* Reads a record of n bytes. Returns whether it has the signature; an `at` outside the file has none. */
static bool read_record(const struct zip *z, uint64_t at, uint8_t *p, size_t n, uint32_t signature)
{
	if (window_has(z, at, n))
		memcpy(p, z->window.bytes + (at - z->window.at), n);
	else if (read_at(z->fd, at, p, n, z->fault) != (int64_t)n)
		return false;
	return le32(p) == signature;
}

/* ---- the end of the file ----------------------------------------------------------------------------------------- */

struct end_record {
	uint64_t at; /* in the file */
	uint64_t disk, directory_disk, here, total, size, offset;
	uint16_t comment;
};

/*
 * Finds the end record in the last bytes of the file: the last one whose comment ends where the file does, else the
 * last one. Returns how many there could be.
 */
static unsigned find_end(const uint8_t *tail, size_t n, uint64_t tail_at, struct end_record *out)
{
	unsigned candidates = 0;
	bool exact = false;

	for (size_t i = n < ZIP_END_BYTES ? 0 : n - ZIP_END_BYTES + 1; i-- > 0;) {
		const uint8_t *p = tail + i;

		if (le32(p) != ZIP_END)
			continue;
		bool fits = i + ZIP_END_BYTES + le16(p + 20) == n;

		if (!candidates++ || (fits && !exact)) {
			*out = (struct end_record){ .at = tail_at + i,
						    .disk = le16(p + 4),
						    .directory_disk = le16(p + 6),
						    .here = le16(p + 8),
						    .total = le16(p + 10),
						    .size = le32(p + 12),
						    .offset = le32(p + 16),
						    .comment = le16(p + 20) };
			exact = fits;
		}
	}
	return candidates;
}

/* Replaces *e by the record of zip64, if there is one. Returns false if it should be there; then z->fault is set. */
static bool read_end64(const struct zip *z, struct end_record *e)
{
	uint8_t locator[ZIP_LOCATOR64_BYTES], p[ZIP_END64_BYTES];
	uint64_t locator_at = e->at - ZIP_LOCATOR64_BYTES; /* wraps, to where nothing is read, if there is no space */

	if (!read_record(z, locator_at, locator, sizeof(locator), ZIP_LOCATOR64)) {
		if (e->size != ZIP_FULL_32 && e->offset != ZIP_FULL_32)
			return true;
		return fault_set(z->fault, FAULT_CORRUPT, e->at,
				 "the end record points past 4 GiB, but there is no zip64 record");
	}
	uint64_t at = le64(locator + 8);

	if (!read_record(z, at, p, sizeof(p), ZIP_END64)) {
		at = locator_at - ZIP_END64_BYTES; /* there in an archive after other data */
		if (!read_record(z, at, p, sizeof(p), ZIP_END64))
			return fault_set(z->fault, FAULT_CORRUPT, locator_at,
					 "the zip64 locator points to byte %" PRIu64 ", but there is no zip64 record",
					 le64(locator + 8));
	}
	*e = (struct end_record){ .at = at,
				  .disk = le32(p + 16),
				  .directory_disk = le32(p + 20),
				  .here = le64(p + 24),
				  .total = le64(p + 32),
				  .size = le64(p + 40),
				  .offset = le64(p + 48),
				  .comment = e->comment };
	return true;
}

/* Finds the directory: where the record says, or, in an archive after other data, right before the record. */
static bool place_directory(struct zip *z, const struct end_record *e)
{
	const uint64_t places[] = { e->offset, e->at - e->size };
	uint8_t signature[4];
	uint64_t end;

	for (size_t i = 0; i < ARRAY_SIZE(places) && size_add(e->offset, e->size, &end) && end <= e->at; i++) {
		if (e->size && !read_record(z, places[i], signature, 4, ZIP_CENTRAL))
			continue;
		z->base = places[i] - e->offset;
		z->next = places[i];
		z->end = z->next + e->size;
		return true;
	}
	return fault_set(z->fault, FAULT_CORRUPT, e->at,
			 "the end record says that the directory is at byte %" PRIu64 ", %" PRIu64
			 " bytes long, which is not so",
			 e->offset, e->size);
}

static void check_ends(struct zip *z, const struct end_record *e, uint64_t after, unsigned candidates)
{
	uint8_t signature[4];

	if (e->disk || e->directory_disk || e->here != e->total)
		archive_flaw(z->facts, "it claims to be one of several disks");
	if (after > e->comment)
		archive_flaw(z->facts, "%" PRIu64 " bytes of other data follow the end record", after - e->comment);
	if (after < e->comment)
		archive_flaw(z->facts, "its comment of %u bytes extends beyond the end of the file", e->comment);
	if (candidates > 1)
		archive_flaw(z->facts,
			     "it has %u end records: readers disagree on which one counts, and so on its members",
			     candidates);
	/* in the window of the members, the first of which begins there */
	if (e->total &&
	    (z->base || file_window_read(&z->members, z->fd, signature, 4, 0) != 4 || le32(signature) != ZIP_LOCAL))
		archive_flaw(z->facts, "other data precede it");
}

/* Returns whether an end record after the directory leads to another one. */
static bool has_other_directory(const struct zip *z, const uint8_t *tail, size_t n, uint64_t tail_at)
{
	for (size_t i = 0; i + ZIP_END_BYTES <= n; i++) {
		const uint8_t *p = tail + i;
		uint64_t at = tail_at + i, size = le32(p + 12), offset = le32(p + 16);
		uint8_t signature[4];

		if (at < z->end || le32(p) != ZIP_END || !size || size > at || at - size == z->next ||
		    offset == z->next)
			continue;
		if (read_record(z, at - size, signature, 4, ZIP_CENTRAL) ||
		    read_record(z, offset, signature, 4, ZIP_CENTRAL))
			return true;
	}
	return false;
}

/*
 * Sets next, end, base and expected of z from the records at the end of the file, and notes in its facts what makes
 * readers disagree. Returns false if there is no directory; then z->fault is set.
 */
static bool find_directory(struct zip *z)
{
	struct zip_window *w = &z->window; /* of the directory, most of which precedes its end */
	const size_t n = (size_t)MIN(z->file_size, (uint64_t)(COMMENT_MAX + ZIP_END_BYTES));
	const uint64_t tail_at = z->file_size - n;
	struct end_record e = { 0 };

	w->len = (size_t)MIN(z->file_size, (uint64_t)WINDOW);
	w->at = z->file_size - w->len;
	if (read_at(z->fd, w->at, w->bytes, w->len, z->fault) != (int64_t)w->len)
		return fault_set(z->fault, FAULT_UNREADABLE, w->at, "changed while it was read");
	const uint8_t *tail = w->bytes + (tail_at - w->at);
	const unsigned candidates = find_end(tail, n, tail_at, &e);

	if (!candidates)
		return fault_set(
			z->fault, FAULT_TRUNCATED, z->file_size,
			"no end record within the last %zu bytes: the archive was cut off, or this is no archive", n);
	uint64_t after = z->file_size - e.at - ZIP_END_BYTES;

	bool ok = read_end64(z, &e) && place_directory(z, &e);

	z->directory = z->next;
	z->expected = e.total;
	if (ok)
		check_ends(z, &e, after, candidates);
	if (ok && GUARD(second_directory, candidates > 1 && has_other_directory(z, tail, n, tail_at)))
		z->facts->hides_members = true;
	return ok;
}

/* ---- the directory ----------------------------------------------------------------------------------------------- */

/* Returns n bytes of the directory at `at`, or NULL. */
static const uint8_t *directory_bytes(struct zip *z, uint64_t at, size_t n)
{
	if (!window_has(z, at, n)) {
		int64_t got = read_at(z->fd, at, z->window.bytes,
				      (size_t)MIN((uint64_t)WINDOW, z->end - MIN(at, z->end)), z->fault);

		if (got < (int64_t)n)
			return NULL;
		z->window.at = at;
		z->window.len = (size_t)got;
	}
	return z->window.bytes + (at - z->window.at);
}

struct central {
	const uint8_t *p;
	size_t name_len, extra_len, comment_len;
	uint64_t packed, size, offset;
};

/* Reads the zip64 extra field, which has only those numbers that are too large for their own fields. */
static void read_extra64(struct central *c)
{
	const uint8_t *p = c->p + ZIP_CENTRAL_BYTES + c->name_len, *end = p + c->extra_len;

	while (end - p >= 4) {
		size_t n = le16(p + 2);
		const uint8_t *value = p + 4;

		if (n > (size_t)(end - value))
			return;
		if (le16(p) == ZIP_EXTRA_ZIP64) {
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

/* Reads the next entry of the directory into the window. Returns false if there is none, or it is damaged. */
static bool next_central(struct zip *z, struct central *c)
{
	const uint8_t *p;

	if (z->end - z->next < ZIP_CENTRAL_BYTES)
		return false;
	p = directory_bytes(z, z->next, ZIP_CENTRAL_BYTES);
	if (!p || le32(p) != ZIP_CENTRAL)
		return false;
	c->name_len = le16(p + 28);
	c->extra_len = le16(p + 30);
	c->comment_len = le16(p + 32);
	size_t whole = ZIP_CENTRAL_BYTES + c->name_len + c->extra_len + c->comment_len;

	if (whole > z->end - z->next)
		return false;
	c->p = directory_bytes(z, z->next, whole);
	if (!c->p)
		return false;
	c->packed = le32(c->p + 20);
	c->size = le32(c->p + 24);
	c->offset = le32(c->p + 42);
	read_extra64(c);
	z->next += whole;
	return true;
}

/* Returns false if the members claim more bytes than the file has, so that they must overlap. */
static bool check_overlap(struct zip *z)
{
	uint64_t first = z->next, members = 0, claimed = 0, unpacked = 0, largest = 0;
	struct central c;

	while (next_central(z, &c)) {
		members++;
		claimed = size_add_saturating(claimed, size_add_saturating(ZIP_LOCAL_BYTES + c.name_len, c.packed));
		unpacked = size_add_saturating(unpacked, c.size);
		largest = MAX(largest, c.packed);
	}
	z->next = first;
	/* a single member, or one that is larger than the file, is truncated: that is the member's fault */
	if (members < 2 || claimed <= z->file_size || largest > z->file_size)
		return true;
	return fault_set(z->fault, FAULT_LIMIT, first,
			 "its %" PRIu64 " members claim %" PRIu64 " bytes of a file of %" PRIu64
			 ", so they overlap; they would unpack to %" PRIu64 " bytes",
			 members, claimed, z->file_size, unpacked);
}

bool zip_init(struct zip *z, int fd, uint64_t file_size, const struct limits *limits, struct archive_facts *facts,
	      struct fault *fault)
{
	*z = (struct zip){ .fd = fd, .file_size = file_size, .limits = limits, .facts = facts, .fault = fault };
	z->window.bytes = xmalloc(WINDOW);
	strbuf_init(&z->name);
	strbuf_init(&z->first_differing);
	z->ended = !find_directory(z) || !check_overlap(z);
	return !z->ended;
}

void zip_release(struct zip *z)
{
	free(z->window.bytes);
	file_window_release(&z->members);
	free(z->local);
	strbuf_release(&z->name);
	strbuf_release(&z->first_differing);
	zip_hidden_release(&z->hidden);
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
		/* a folder's mode does not matter: by its name it is a file for unzip and Python */
		if (!S_ISREG(mode) && PLANTED(file_with_the_mode_of_a_folder, !S_ISDIR(mode), true))
			return MEMBER_DEVICE;
	}
	return MEMBER_FILE;
}

static const char *method_name(unsigned method)
{
	static const char *const names[] = { [9] = "deflate64",  [12] = "bzip2", [14] = "LZMA",
					     [93] = "Zstandard", [95] = "xz",    [99] = "AES encryption" };

	return method < ARRAY_SIZE(names) && names[method] ? names[method] : "unknown";
}

/* Checks the ratio of all members so far, since a bomb may be many small ones. A refused one does not count. */
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

/* Checks whether the numbers of the directory can be true, without reading the member. */
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
			  "the member is compressed by method %u (%s); only stored and deflated members are read",
			  data->method, method_name(data->method));
	else if (!size_add(c->offset, z->base, &at) || !size_add(at, c->packed, &end) || end > z->file_size)
		fault_set(&m->fault, FAULT_TRUNCATED, FAULT_NO_OFFSET,
			  "its %" PRIu64 " bytes at byte %" PRIu64
			  " extend beyond the end of the file at byte %" PRIu64,
			  c->packed, c->offset, z->file_size);
	else if (data->method == ZIP_STORED && c->packed != c->size)
		fault_set(&m->fault, FAULT_CORRUPT, FAULT_NO_OFFSET,
			  "it is stored, so its sizes should be equal: %" PRIu64 " and %" PRIu64, c->packed, c->size);
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

/* Reads the local header, which says where the data begin, and compares it with the directory. */
static void read_local(struct zip *z, struct member *m, struct zip_data *data)
{
	size_t want = ZIP_LOCAL_BYTES + z->name.len;
	const uint64_t at = z->local_at;

	GROW(z->local, z->local_cap, want);
	const uint8_t *p = z->local;
	int64_t got = read_member(z, at, z->local, want, &m->fault);

	if (got < ZIP_LOCAL_BYTES || le32(p) != ZIP_LOCAL) {
		fault_set(&m->fault, FAULT_CORRUPT, at,
			  "the directory places it at byte %" PRIu64 ", but no member is there", at);
		return;
	}
	data->at = at + ZIP_LOCAL_BYTES + le16(p + 26) + le16(p + 28);
	if (data->at > z->file_size || data->packed > z->file_size - data->at)
		fault_set(&m->fault, FAULT_TRUNCATED, at, "the file ends before the member does");
	bool same = got == (int64_t)want && le16(p + 26) == z->name.len && le16(p + 8) == data->method &&
		    !memcmp(p + ZIP_LOCAL_BYTES, z->name.s, z->name.len);

	if (!same && !z->differing++)
		escape_terminal(&z->first_differing, z->name.s, MIN(z->name.len, (size_t)128));
}

/* Adds where the member lies. Its end is known well if its local header was read, else but for an extra field. */
static void add_extent(struct zip *z, const struct central *c, const struct zip_data *data)
{
	uint64_t at, end;

	if (!size_add(c->offset, z->base, &at) || !size_add(at, ZIP_LOCAL_BYTES + c->name_len, &end))
		return;
	if (!size_add(MAX(end, data->at), c->packed, &end))
		return;
	zip_hidden_add(&z->hidden, at, MIN(end, z->file_size));
}

static void tell_hidden(struct zip *z)
{
	const struct zip_hidden *h = &z->hidden;
	RELEASED struct strbuf name = STRBUF_INIT;

	if (h->full)
		archive_flaw(z->facts,
			     "more than %d gaps between its members: they are not searched for members that the "
			     "directory does not list",
			     ZIP_EXTENTS_MAX);
	if (!h->found)
		return;
	z->facts->hides_members = true;
	escape_terminal(&name, h->name, strlen(h->name));
	archive_flaw(z->facts,
		     "the directory does not list a member at byte %" PRIu64
		     " (%s), which readers of local headers see",
		     h->at, name.s);
}

/* Checks the counts after the last entry. */
static void end_directory(struct zip *z)
{
	if (z->next < z->end)
		fault_set(z->fault, FAULT_CORRUPT, z->next,
			  "the directory is damaged at byte %" PRIu64 ", after %" PRIu64 " members", z->next, z->count);
	else if (z->count != z->expected && (z->count & 0xffff) != z->expected)
		archive_flaw(z->facts,
			     "the end record counts %" PRIu64 " members, but the directory has %" PRIu64
			     ": readers disagree",
			     z->expected, z->count);
	if (z->differing)
		archive_flaw(z->facts,
			     "%" PRIu64 " local header%s (the first: %s) contradict%s the directory: readers disagree",
			     z->differing, z->differing == 1 ? "" : "s", z->first_differing.s,
			     z->differing == 1 ? "s" : "");
	if (z->next >= z->end && !z->directory_only) {
		zip_hidden_add(&z->hidden, z->directory, z->end);
		zip_hidden_search(&z->hidden, z->fd);
		tell_hidden(z);
	}
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
	strbuf_set(&z->name, c.p + ZIP_CENTRAL_BYTES, c.name_len);
	fault_clear(&m->fault);
	memset(data, 0, sizeof(*data));
	m->name = z->name.s;
	m->name_len = strlen(z->name.s);
	m->name_cut = m->name_len < z->name.len;
	m->type = type_of(c.p, &z->name);
	m->size = c.size;
	if (m->type == MEMBER_FILE) {
		check_entry(z, &c, m, data);
		z->local_at = size_add_saturating(c.offset, z->base);
		if (m->fault.kind == FAULT_NONE && !z->directory_only)
			read_local(z, m, data);
	}
	add_extent(z, &c, data);
	return true;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

struct zip_stream {
	struct zip *zip;
	struct zip_data data;
	uint64_t packed_read, given;
	uint32_t crc;
	bool failed, inflating;
	z_stream z;
	uint8_t packed[STREAM_PACKED];
};

bool zip_read_packed(struct zip *z, const struct zip_data *data, uint64_t offset, void *out, size_t n,
		     struct fault *fault)
{
	uint64_t at = data->at + offset;
	int64_t got = read_member(z, at, out, n, fault);

	if (got >= 0 && (size_t)got < n)
		fault_set(fault, FAULT_UNREADABLE, at + (uint64_t)got,
			  "cannot read: the file became shorter while it was read");
	return got == (int64_t)n;
}

static bool crc_fits(const struct zip_data *data, uint32_t crc, struct fault *fault)
{
	if (crc == data->crc)
		return true;
	return fault_set(fault, FAULT_CORRUPT, data->at,
			 "the CRC-32 of the member is %08" PRIx32 ", but %08" PRIx32 " in the directory", crc,
			 data->crc);
}

/* how: "fewer" or "more". Returns false. */
static bool wrong_size(const struct zip_data *data, const char *how, struct fault *fault)
{
	return fault_set(fault, FAULT_CORRUPT, data->at,
			 "the member unpacks to %s bytes than the %" PRIu64 " that the directory declares", how,
			 data->size);
}

static bool no_memory(struct fault *fault)
{
	return fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to unpack the member");
}

bool zip_unpack(const struct zip_data *data, const uint8_t *packed, uint8_t *out,
		struct libdeflate_decompressor **inflater, struct fault *fault)
{
	size_t used, made = (size_t)data->size;

	if (data->method == ZIP_STORED) {
		memcpy(out, packed, made);
		return crc_fits(data, libdeflate_crc32(0, out, made), fault);
	}
	if (!*inflater)
		*inflater = libdeflate_alloc_decompressor();
	if (!*inflater)
		return no_memory(fault);
	switch (libdeflate_deflate_decompress_ex(*inflater, packed, (size_t)data->packed, out, (size_t)data->size,
						 &used, &made)) {
	case LIBDEFLATE_SUCCESS:
		return made == data->size ? crc_fits(data, libdeflate_crc32(0, out, made), fault)
					  : wrong_size(data, "fewer", fault);
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return wrong_size(data, "more", fault);
	default:
		return fault_set(fault, FAULT_CORRUPT, data->at, "the deflated data of the member are damaged");
	}
}

/* Returns where the data of a member begin; 0 if its local header cannot be read. */
static uint64_t find_data(int fd, const struct zip_place *place)
{
	uint8_t header[ZIP_LOCAL_BYTES];

	if (place->in_tar)
		return place->data.at;
	if (place->local > INT64_MAX || pread_all(fd, header, sizeof(header), place->local) < ZIP_LOCAL_BYTES ||
	    le32(header) != ZIP_LOCAL)
		return 0;
	return place->local + ZIP_LOCAL_BYTES + le16(header + 26) + le16(header + 28);
}

size_t zip_read_head(int fd, const struct zip_place *place, uint8_t *out, size_t n)
{
	uint8_t bytes[FILE_WINDOW_LEAST];
	uint64_t data = find_data(fd, place), left = place->data.packed;
	z_stream z;
	int64_t got = 1;
	int code = Z_OK;

	n = data && data <= INT64_MAX ? (size_t)MIN((uint64_t)n, place->data.size) : 0;
	if (!n)
		return 0;
	if (place->data.method == ZIP_STORED)
		return (size_t)MAX(pread_all(fd, out, (size_t)MIN((uint64_t)n, left), data), INT64_C(0));
	zlib_inflate_begin(&z, INFLATE_RAW);
	z.next_out = out;
	z.avail_out = (uInt)n;
	/* what came out before damage counts */
	for (; code == Z_OK && z.avail_out && left && got > 0; left -= (uint64_t)got, data += (uint64_t)got) {
		got = MAX(pread_all(fd, bytes, (size_t)MIN(left, (uint64_t)sizeof(bytes)), data), INT64_C(0));
		z.next_in = bytes;
		z.avail_in = (uInt)got;
		code = inflate(&z, Z_SYNC_FLUSH);
	}
	inflateEnd(&z);
	return n - z.avail_out;
}

struct zip_stream *zip_stream_open(struct zip *z, const struct zip_data *data)
{
	struct zip_stream *s = xcalloc(1, sizeof(*s));

	s->zip = z;
	s->data = *data;
	s->inflating = data->method != ZIP_STORED;
	if (s->inflating)
		zlib_inflate_begin(&s->z, INFLATE_RAW);
	return s;
}

void zip_stream_close(struct zip_stream *s)
{
	if (!s)
		return;
	if (s->inflating)
		inflateEnd(&s->z);
	free(s);
}

/* Unpacks up to n bytes. *ended: the deflate stream has. */
static size_t inflate_some(struct zip_stream *s, uint8_t *out, size_t n, bool *ended, struct fault *fault)
{
	s->z.next_out = out;
	s->z.avail_out = (uInt)n;
	*ended = false;
	while (s->z.avail_out && !*ended) {
		if (!s->z.avail_in) {
			uint64_t most = s->packed_read ? STREAM_PACKED : STREAM_FIRST;
			size_t more = (size_t)MIN(s->data.packed - s->packed_read, most);

			if (!more) {
				wrong_size(&s->data, "fewer", fault);
				break;
			}
			if (!zip_read_packed(s->zip, &s->data, s->packed_read, s->packed, more, fault))
				break;
			s->packed_read += more;
			s->z.next_in = s->packed;
			s->z.avail_in = (uInt)more;
		}
		int code = inflate(&s->z, Z_NO_FLUSH);

		*ended = code == Z_STREAM_END;
		if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
			fault_set(fault, FAULT_CORRUPT, s->data.at, "the deflated data of the member are damaged: %s",
				  s->z.msg ? s->z.msg : "an invalid stream");
			break;
		}
	}
	return n - s->z.avail_out;
}

size_t zip_stream_read(struct zip_stream *s, void *out, size_t n, struct fault *fault)
{
	size_t want = (size_t)MIN(MIN((uint64_t)n, s->data.size - s->given), (uint64_t)1 << 30), got;
	bool ended = false;

	if (!want || s->failed)
		return 0;
	if (s->data.method == ZIP_STORED)
		got = zip_read_packed(s->zip, &s->data, s->given, out, want, fault) ? want : 0;
	else
		got = inflate_some(s, out, want, &ended, fault);
	s->crc = libdeflate_crc32(s->crc, out, got);
	s->given += got;
	s->failed = got < want;
	if (s->failed)
		wrong_size(&s->data, "fewer", fault);
	if (s->failed || s->given < s->data.size)
		return got;
	/* the last bytes are given only with a right CRC, and only if none would follow */
	uint8_t beyond;

	if (s->inflating && !ended && (inflate_some(s, &beyond, 1, &ended, fault) || !ended))
		wrong_size(&s->data, "more", fault);
	else if (crc_fits(&s->data, s->crc, fault))
		return got;
	s->failed = true;
	return 0;
}
