#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "fix/archive_copy.h"

/* Fields of the records (APPNOTE, sections 4.3.7, 4.3.9, 4.3.12, 4.3.14 to 4.3.16). */
enum {
	LOCAL_FLAGS = 6,
	LOCAL_CRC = 14,
	LOCAL_PACKED = 18,
	LOCAL_SIZE = 22,
	LOCAL_NAME_LENGTH = 26,
	LOCAL_EXTRA_LENGTH = 28,
	CENTRAL_VERSION = 6,
	CENTRAL_CRC = 16,
	CENTRAL_PACKED = 20,
	CENTRAL_SIZE = 24,
	CENTRAL_EXTRA_LENGTH = 30,
	CENTRAL_OFFSET = 42,
	FLAG_DESCRIPTOR = 8, /* the sizes follow the data */
	DESCRIPTOR_MAX = 24,
	VERSION_ZIP64 = 45,
	END_MAX = 1 << 20, /* bytes after the directory: a comment, and two records of zip64 */
};
#define SIGNATURE_DESCRIPTOR 0x08074b50u

static void put16(uint8_t *p, uint64_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint64_t v)
{
	put16(p, v);
	put16(p + 2, v >> 16);
}

static void put64(uint8_t *p, uint64_t v)
{
	put32(p, v);
	put32(p + 4, v >> 32);
}

static bool read_exactly(struct archive_copy *c, uint64_t at, void *out, size_t n, struct fault *fault)
{
	int64_t got = pread_all(c->members.fd, out, n, at);

	return got == (int64_t)n || fault_set(fault, FAULT_UNREADABLE, at, "cannot be read: %s",
					      got < 0 ? strerror(errno) : "it became shorter");
}

/* Returns the extra field of that number among n bytes, or NULL; *size: its bytes, with the 4 of its own head. */
static uint8_t *find_extra(uint8_t *p, size_t n, unsigned number, size_t *size)
{
	for (const uint8_t *end = p + n; end - p >= 4; p += *size) {
		*size = 4 + (size_t)le16(p + 2);
		if (*size > (size_t)(end - p))
			return NULL;
		if (le16(p) == number)
			return p;
	}
	return NULL;
}

/* ---- a member's records ------------------------------------------------------------------------------------------ */

/*
 * Returns the length of the data descriptor at p, of n bytes at most: of four forms, with a signature or without, with
 * sizes of 32 bits or 64; the one that says what the directory does. 0: none does.
 */
static size_t descriptor_length(const uint8_t *p, size_t n, uint32_t crc, const struct zip_entry *e)
{
	for (unsigned form = 0; form < 4; form++) {
		size_t head = form & 1 ? 0 : 4, wide = form & 2 ? 8 : 4, length = head + 4 + 2 * wide;
		const uint8_t *sizes = p + head + 4;

		if (length > n || (head && le32(p) != SIGNATURE_DESCRIPTOR) || le32(p + head) != crc)
			continue;
		if (wide == 8 ? le64(sizes) == e->packed && le64(sizes + 8) == e->size
			      : le32(sizes) == (uint32_t)e->packed && le32(sizes + 4) == (uint32_t)e->size)
			return length;
	}
	return 0;
}

/* Writes a descriptor of the same form for other data. */
static void set_descriptor(struct strbuf *tail, const struct zip_data *data)
{
	uint8_t *p = (uint8_t *)tail->s;
	size_t wide = tail->len >= 20 ? 8 : 4;
	uint8_t *sizes = p + tail->len - 2 * wide;

	put32(sizes - 4, data->crc);
	(wide == 8 ? put64 : put32)(sizes, data->packed);
	(wide == 8 ? put64 : put32)(sizes + wide, data->size);
}

/* Puts a number in the place of another: in its field, or, if that is full, in the zip64 field. */
static bool set_number(uint8_t *field, uint8_t **wide, uint64_t value, bool optional)
{
	if (le32(field) == ZIP_FULL_32 && *wide) {
		if (!optional || le64(*wide))
			put64(*wide, value);
		*wide += 8;
		return true;
	}
	if (!optional || le32(field))
		put32(field, value);
	return value < ZIP_FULL_32;
}

/* Makes a local header say what the member's data are now. With a descriptor it may leave that to it. */
static bool set_local(struct strbuf *head, const struct zip_data *data)
{
	uint8_t *p = (uint8_t *)head->s;
	size_t name = le16(p + LOCAL_NAME_LENGTH), extra = le16(p + LOCAL_EXTRA_LENGTH), size;
	bool optional = le16(p + LOCAL_FLAGS) & FLAG_DESCRIPTOR;
	uint8_t *wide = find_extra(p + ZIP_LOCAL_BYTES + name, extra, ZIP_EXTRA_ZIP64, &size);
	bool has_both = wide && size >= 4 + 16;

	wide = has_both ? wide + 4 : NULL;
	if (!optional || le32(p + LOCAL_CRC))
		put32(p + LOCAL_CRC, data->crc);
	bool ok = set_number(p + LOCAL_SIZE, &wide, data->size, optional);

	return set_number(p + LOCAL_PACKED, &wide, data->packed, optional) && ok;
}

/*
 * Makes an entry of the directory say where the member is now, and what it has. Numbers that were in the zip64 field
 * stay there, and an offset that became too large joins them.
 */
static bool set_central(struct strbuf *entry, size_t name, const struct zip_data *data, uint64_t offset)
{
	uint8_t *p = (uint8_t *)entry->s;
	size_t extra_at = ZIP_CENTRAL_BYTES + name, extra = le16(p + CENTRAL_EXTRA_LENGTH), size = 0;
	const uint8_t *old = find_extra(p + extra_at, extra, ZIP_EXTRA_ZIP64, &size);
	size_t old_at = old ? (size_t)(old - p) : extra_at, n = 4, taken = 0;
	static const size_t fields[] = { CENTRAL_SIZE, CENTRAL_PACKED, CENTRAL_OFFSET };
	const uint64_t values[] = { data->size, data->packed, offset };
	struct strbuf out = STRBUF_INIT;
	uint8_t wide[4 + 3 * 8];

	size = old ? size : 0;
	put32(p + CENTRAL_CRC, data->crc);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		bool was_wide = old && le32(p + fields[i]) == ZIP_FULL_32 && 4 + taken + 8 <= size;

		taken += was_wide ? 8 : 0;
		if (!was_wide && values[i] < ZIP_FULL_32) {
			put32(p + fields[i], values[i]);
			continue;
		}
		put32(p + fields[i], ZIP_FULL_32);
		put64(wide + n, values[i]);
		n += 8;
	}
	size_t rest = size > 4 + taken ? size - 4 - taken : 0; /* the number of the disk */

	if (n == 4 && !old)
		return true;
	put16(wide, ZIP_EXTRA_ZIP64);
	put16(wide + 2, n - 4 + rest);
	bool ok = extra - size + n + rest <= UINT16_MAX;

	put16(p + CENTRAL_EXTRA_LENGTH, extra - size + n + rest);
	if (n != 4 + taken && le16(p + CENTRAL_VERSION) < VERSION_ZIP64)
		put16(p + CENTRAL_VERSION, VERSION_ZIP64);
	strbuf_add(&out, p, old_at);
	strbuf_add(&out, wide, n);
	strbuf_add(&out, p + old_at + size - rest, rest);
	strbuf_add(&out, p + old_at + size, entry->len - old_at - size);
	strbuf_set(entry, out.s, out.len);
	strbuf_release(&out);
	return ok;
}

static bool too_large(struct fault *fault)
{
	return fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET, "a member grows beyond 4 GiB, and has no zip64 field");
}

/* Adds an entry to the new directory; name: bytes of its name. */
static bool add_entry(struct archive_copy *c, struct copy_item *item, uint64_t offset, struct fault *fault)
{
	size_t name = le16((const uint8_t *)item->directory.s + 28);

	if (!set_central(&item->directory, name, &item->data, offset))
		return too_large(fault);
	strbuf_add(&c->directory, item->directory.s, item->directory.len);
	return true;
}

bool zip_write_item(struct archive_copy *c, struct copy_item *item, struct fault *fault)
{
	uint64_t offset = c->written;
	const struct strbuf *stored = &item->corrected.text;
	bool is_stored = item->data.method == ZIP_STORED;

	if (!item->file)
		return copy_write(c, item->head.s, item->head.len, fault) &&
		       copy_write_file(c, c->members.fd, item->data.at, item->data.packed, fault) &&
		       copy_write(c, item->tail.s, item->tail.len, fault) && add_entry(c, item, offset, fault);
	if (!set_local(&item->head, &item->data))
		return too_large(fault);
	if (item->tail.len)
		set_descriptor(&item->tail, &item->data);
	return copy_write(c, item->head.s, item->head.len, fault) &&
	       copy_write(c, is_stored ? stored->s : item->body.s, (size_t)item->data.packed, fault) &&
	       copy_write(c, item->tail.s, item->tail.len, fault) && add_entry(c, item, offset, fault);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Reads the local header and the descriptor of the current member, and says in item->data where its bytes are. */
static bool read_records(struct archive_copy *c, struct copy_item *item, struct fault *fault)
{
	const struct zip *z = &c->members.zip;
	uint8_t p[ZIP_LOCAL_BYTES], tail[DESCRIPTOR_MAX];
	struct zip_entry e;
	uint64_t at, end;

	zip_entry(z, &e);
	strbuf_set(&item->directory, e.p, e.n);
	if (!size_add(e.offset, z->base, &at) || at > z->file_size || !read_exactly(c, at, p, sizeof(p), fault) ||
	    le32(p) != ZIP_LOCAL)
		return fault_set(fault, FAULT_CORRUPT, at, "no member is where the directory says");
	size_t n = ZIP_LOCAL_BYTES + (size_t)le16(p + LOCAL_NAME_LENGTH) + le16(p + LOCAL_EXTRA_LENGTH);
	uint8_t *head = xmalloc(n);
	bool ok = read_exactly(c, at, head, n, fault);

	strbuf_set(&item->head, head, n);
	free(head);
	if (!ok)
		return false;
	item->data = (struct zip_data){ .method = le16(e.p + 10),
					.crc = le32(e.p + CENTRAL_CRC),
					.at = at + n,
					.packed = e.packed,
					.size = e.size };
	if (!size_add(item->data.at, e.packed, &end) || end > z->directory)
		return fault_set(fault, FAULT_CORRUPT, at, "a member reaches into the directory");
	if (!(le16(p + LOCAL_FLAGS) & FLAG_DESCRIPTOR))
		return true;
	size_t have = (size_t)MIN(z->directory - end, (uint64_t)DESCRIPTOR_MAX);

	if (!read_exactly(c, end, tail, have, fault))
		return false;
	strbuf_set(&item->tail, tail, descriptor_length(tail, have, item->data.crc, &e));
	return item->tail.len || fault_set(fault, FAULT_CORRUPT, end, "a member has no data descriptor that fits it");
}

/* Writes a member that changes and is too large for memory, after those before it. */
static bool copy_large(struct archive_copy *c, struct copy_item *last, struct fault *fault)
{
	struct copy_item item = *last;
	int fd;

	/* what it has is not used by the batch, which it is not in */
	if (!copy_flush(c, fault))
		return false;
	bool ok = copy_make_large(c, &item, &fd, fault);

	if (ok) {
		uint64_t offset = c->written;

		ok = set_local(&item.head, &item.data) || too_large(fault);
		if (ok && item.tail.len)
			set_descriptor(&item.tail, &item.data);
		ok = ok && copy_write(c, item.head.s, item.head.len, fault) &&
		     copy_write_file(c, fd, 0, item.data.packed, fault) &&
		     copy_write(c, item.tail.s, item.tail.len, fault) && add_entry(c, &item, offset, fault);
		close(fd);
	}
	*last = item; /* its memory may have moved */
	return ok;
}

static bool copy_member(struct archive_copy *c, struct fault *fault)
{
	struct copy_item *item = copy_next_item(c, fault);

	if (!item || !read_records(c, item, fault))
		return false;
	if (!item->file)
		return copy_add_item(c, item, fault);
	if (!members_is_small(&c->members))
		return copy_large(c, item, fault);
	uint8_t *packed = xmalloc((size_t)item->data.packed + 1);
	bool ok = read_exactly(c, item->data.at, packed, (size_t)item->data.packed, fault);

	strbuf_set(&item->body, packed, (size_t)item->data.packed);
	free(packed);
	return ok && copy_add_item(c, item, fault);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Returns the end record in the last n bytes of the file, whose comment ends with them; or NULL. */
static uint8_t *find_end(uint8_t *tail, size_t n)
{
	for (size_t i = n < ZIP_END_BYTES ? 0 : n - ZIP_END_BYTES + 1; i-- > 0;)
		if (le32(tail + i) == ZIP_END && i + ZIP_END_BYTES + le16(tail + i + 20) == n)
			return tail + i;
	return NULL;
}

static void set_full_32(uint8_t *field, uint64_t value)
{
	if (le32(field) != ZIP_FULL_32)
		put32(field, MIN(value, (uint64_t)ZIP_FULL_32));
}

/* Writes the directory, and the records after it with where it is now. */
static bool write_directory(struct archive_copy *c, struct fault *fault)
{
	const struct zip *z = &c->members.zip;
	uint64_t at = c->written, size = c->directory.len, n = z->file_size - z->end;
	uint8_t record[ZIP_END64_BYTES + ZIP_LOCATOR64_BYTES] = { 0 };

	if (n > END_MAX)
		return fault_set(fault, FAULT_CORRUPT, z->end, "other data follow the directory");
	uint8_t *bytes = xmalloc((size_t)n + 1);
	uint8_t *end = read_exactly(c, z->end, bytes, (size_t)n, fault) ? find_end(bytes, (size_t)n) : NULL;
	size_t before = end ? (size_t)(end - bytes) : 0;
	uint8_t *locator = before >= ZIP_LOCATOR64_BYTES ? end - ZIP_LOCATOR64_BYTES : NULL;
	bool has64 = locator && le32(locator) == ZIP_LOCATOR64;
	bool ok =
		end && (has64 ? before >= ZIP_END64_BYTES + ZIP_LOCATOR64_BYTES && le32(bytes) == ZIP_END64 : !before);

	if (!ok)
		fault_set(fault, FAULT_CORRUPT, z->end, "other data follow the directory");
	ok = ok && copy_write(c, c->directory.s, c->directory.len, fault);
	if (ok && has64) {
		put64(bytes + 40, size);
		put64(bytes + 48, at);
		put64(locator + 8, at + size);
	} else if (ok && (at >= ZIP_FULL_32 || size >= ZIP_FULL_32)) {
		put32(record, ZIP_END64);
		put64(record + 4, ZIP_END64_BYTES - 12);
		put16(record + 12, VERSION_ZIP64);
		put16(record + 14, VERSION_ZIP64);
		put64(record + 24, z->count);
		put64(record + 32, z->count);
		put64(record + 40, size);
		put64(record + 48, at);
		put32(record + ZIP_END64_BYTES, ZIP_LOCATOR64);
		put64(record + ZIP_END64_BYTES + 8, at + size);
		put32(record + ZIP_END64_BYTES + 16, 1);
		ok = copy_write(c, record, sizeof(record), fault);
	}
	if (ok) {
		set_full_32(end + 12, size);
		set_full_32(end + 16, at);
		ok = copy_write(c, bytes, (size_t)n, fault);
	}
	free(bytes);
	return ok;
}

bool zip_copy(struct archive_copy *c, struct fault *fault)
{
	while (members_next(&c->members, fault))
		if (!copy_member(c, fault))
			return false;
	return fault->kind == FAULT_NONE && copy_flush(c, fault) && write_directory(c, fault);
}
