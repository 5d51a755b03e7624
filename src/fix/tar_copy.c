#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "fix/archive_copy.h"

enum {
	RECORD = 20 * TAR_BLOCK, /* what writers fill a tar up to (GNU tar, "Blocking Factor") */
	PIECE = 256 << 10,       /* bytes read at a time */
};

/* ---- headers ----------------------------------------------------------------------------------------------------- */

/* Writes a size: octal digits before the byte that ended those of the old one, or GNU's binary number. */
static void set_size(uint8_t *header, uint64_t size)
{
	uint8_t *field = header + TAR_SIZE_AT;
	char digits[32];

	if (size >> 33 || field[0] & 0x80) { /* more than 11 octal digits */
		memset(field, 0, TAR_SIZE_BYTES);
		field[0] = 0x80;
		for (unsigned i = 0; i < 8; i++)
			field[TAR_SIZE_BYTES - 1 - i] = (uint8_t)(size >> 8 * i);
		return;
	}
	snprintf(digits, sizeof(digits), "%011" PRIo64, size);
	memcpy(field, digits, TAR_SIZE_BYTES - 1);
}

static void set_checksum(uint8_t *header)
{
	char digits[32];
	unsigned sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i - TAR_CHECKSUM_AT < TAR_CHECKSUM_BYTES ? ' ' : header[i];
	snprintf(digits, sizeof(digits), "%06o", sum);
	memcpy(header + TAR_CHECKSUM_AT, digits, 7); /* with the NUL; a space follows */
	header[TAR_CHECKSUM_AT + 7] = ' ';
}

/* Returns the length of a pax record of n bytes beside the number that says this length. */
static size_t record_length(size_t n)
{
	size_t length = n + 1;

	while (length != n + (size_t)snprintf(NULL, 0, "%zu", length))
		length++;
	return length;
}

/* Appends pax records with another size in place of theirs. Returns whether they have one. */
static bool add_records(struct strbuf *out, const char *s, size_t n, uint64_t size)
{
	bool has_size = false;

	for (size_t at = 0; at < n;) {
		const char *space = memchr(s + at, ' ', n - at);
		uint64_t length = 0;

		/* the reader parsed them already */
		if (!space || !scan_whole_uint64(s + at, (size_t)(space - s) - at, &length) || !length ||
		    length > n - at) {
			strbuf_add(out, s + at, n - at);
			break;
		}
		if (n - at > (size_t)(space - s) - at + 6 && !memcmp(space, " size=", 6)) {
			char value[32];
			size_t beside = (size_t)snprintf(value, sizeof(value), " size=%" PRIu64 "\n", size);

			strbuf_addf(out, "%zu%s", record_length(beside), value);
			has_size = true;
		} else {
			strbuf_add(out, s + at, (size_t)length);
		}
		at += (size_t)length;
	}
	return has_size;
}

/* Makes the headers of a member those of one of another size. */
static bool set_sizes(struct strbuf *head, uint64_t old, uint64_t size, struct fault *fault)
{
	struct strbuf out = STRBUF_INIT;
	bool has_record = false;
	uint64_t n = 0;
	size_t at = 0;

	while (head->len - at > TAR_BLOCK && tar_is_extended((uint8_t)head->s[at + TAR_TYPE_AT])) {
		const uint8_t *h = (const uint8_t *)head->s + at;
		uint8_t type = h[TAR_TYPE_AT];
		struct strbuf records = STRBUF_INIT;

		if (!tar_parse_number(h + TAR_SIZE_AT, TAR_SIZE_BYTES, &n) || n > head->len - at - TAR_BLOCK)
			break;
		bool resized = (type == 'x' || type == 'X') &&
			       add_records(&records, head->s + at + TAR_BLOCK, (size_t)n, size);
		size_t whole = MIN((size_t)(TAR_BLOCK + n + tar_padding(n)), head->len - at);

		if (resized) {
			uint8_t header[TAR_BLOCK];

			memcpy(header, h, TAR_BLOCK);
			set_size(header, records.len);
			set_checksum(header);
			strbuf_add(&out, header, TAR_BLOCK);
			strbuf_add(&out, records.s, records.len);
			for (uint64_t i = tar_padding(records.len); i; i--)
				strbuf_addch(&out, '\0');
		} else {
			strbuf_add(&out, h, whole);
		}
		has_record |= resized;
		strbuf_release(&records);
		at += whole;
	}
	bool ok = head->len - at == TAR_BLOCK;

	if (ok) {
		uint8_t header[TAR_BLOCK];
		uint64_t said;

		memcpy(header, head->s + at, TAR_BLOCK);
		said = tar_parse_number(header + TAR_SIZE_AT, TAR_SIZE_BYTES, &n) ? n : 0;
		ok = has_record || said == old; /* else a global header says it */
		if (said == old)
			set_size(header, size);
		set_checksum(header);
		strbuf_add(&out, header, TAR_BLOCK);
		strbuf_set(head, out.s, out.len);
	}
	strbuf_release(&out);
	return ok || fault_set(fault, FAULT_UNSUPPORTED, FAULT_NO_OFFSET,
			       "the size of a member is not in headers of its own");
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static bool write_padding(struct archive_copy *c, uint64_t size, struct fault *fault)
{
	return copy_write_zeros(c, tar_padding(size), fault);
}

bool tar_write_item(struct archive_copy *c, struct copy_item *item, struct fault *fault)
{
	const struct strbuf *corrected = &item->corrected.text;

	if (!item->file)
		return copy_write(c, item->head.s, item->head.len, fault) &&
		       copy_write(c, item->body.s, item->body.len, fault) &&
		       copy_write(c, item->tail.s, item->tail.len, fault);
	return set_sizes(&item->head, item->body.len, corrected->len, fault) &&
	       copy_write(c, item->head.s, item->head.len, fault) &&
	       copy_write(c, corrected->s, corrected->len, fault) && write_padding(c, corrected->len, fault);
}

/* Reads the next n bytes of the archive into out. */
static bool read_exactly(struct archive_copy *c, uint64_t n, struct strbuf *out, struct fault *fault)
{
	struct byte_stream *s = &c->members.stream;

	while (n) {
		size_t have;
		const uint8_t *bytes = byte_stream_peek(s, (size_t)MIN(n, (uint64_t)BYTE_STREAM_PEEK), &have);

		if (!have)
			return s->fault.kind != FAULT_NONE
				       ? fault_set(fault, s->fault.kind, s->fault.offset, "%s", s->fault.text)
				       : fault_set(fault, FAULT_TRUNCATED, s->offset, "the archive became shorter");
		strbuf_add(out, bytes, have);
		byte_stream_skip(s, have);
		n -= have;
	}
	return true;
}

/* Reads the member's data, which are small. */
static bool read_data(struct archive_copy *c, struct copy_item *item, struct fault *fault)
{
	struct tar *t = &c->members.tar;
	bool ok = read_exactly(c, t->data_left, &item->body, fault) && read_exactly(c, t->padding, &item->tail, fault);

	t->data_left = t->padding = 0;
	return ok;
}

/* Copies the data and the padding of a large member. */
static bool copy_data(struct archive_copy *c, struct copy_item *item, struct fault *fault)
{
	struct tar *t = &c->members.tar;
	uint64_t left = t->data_left + t->padding;
	bool ok = copy_write(c, item->head.s, item->head.len, fault);

	t->data_left = t->padding = 0;
	for (; ok && left; left -= MIN(left, (uint64_t)PIECE)) {
		strbuf_clear(&item->body);
		ok = read_exactly(c, MIN(left, (uint64_t)PIECE), &item->body, fault) &&
		     copy_write(c, item->body.s, item->body.len, fault);
	}
	return ok;
}

/* Writes a member that is too large for memory, after those before it. */
static bool copy_large(struct archive_copy *c, struct fault *fault)
{
	struct copy_item *item = &c->items[0], *last = &c->items[c->count];
	uint64_t old = c->members.member.size;
	int fd;

	if (!copy_flush(c, fault))
		return false;
	if (item != last) { /* the first item is free now */
		strbuf_set(&item->head, last->head.s, last->head.len);
		item->file = last->file;
		item->record = last->record;
	}
	if (!item->file)
		return copy_data(c, item, fault);
	if (!copy_make_large(c, item, &fd, fault))
		return false;
	bool ok = byte_stream_skip(&c->members.stream, c->members.tar.padding) &&
		  set_sizes(&item->head, old, item->data.size, fault) &&
		  copy_write(c, item->head.s, item->head.len, fault) &&
		  copy_write_file(c, fd, 0, item->data.size, fault) && write_padding(c, item->data.size, fault);

	c->members.tar.data_left = c->members.tar.padding = 0;
	close(fd);
	return ok;
}

/*
 * Writes the end marker, and the zeros after it: as many as there were, or, if the size of the archive changed, as many
 * as fill its last record.
 */
static bool write_end(struct archive_copy *c, struct fault *fault)
{
	struct byte_stream *s = &c->members.stream;
	uint64_t members = s->offset, zeros = 0;
	size_t have;

	for (const uint8_t *p; p = byte_stream_peek(s, BYTE_STREAM_PEEK, &have), have; zeros += have) {
		if (!tar_all_zero(p, have))
			return fault_set(fault, FAULT_CORRUPT, s->offset, "data follow the end marker");
		byte_stream_skip(s, have);
	}
	if (s->fault.kind != FAULT_NONE)
		return fault_set(fault, s->fault.kind, s->fault.offset, "%s", s->fault.text);
	if (c->written != members && (members + zeros) % RECORD == 0)
		zeros = 2 * TAR_BLOCK + (RECORD - (c->written + 2 * TAR_BLOCK) % RECORD) % RECORD;
	return copy_write_zeros(c, zeros, fault);
}

bool tar_copy(struct archive_copy *c, struct fault *fault)
{
	struct members *m = &c->members;

	for (;;) {
		struct copy_item *item = &c->items[c->count];
		size_t have;
		const uint8_t *block = byte_stream_peek(&m->stream, TAR_BLOCK, &have);

		if (tar_all_zero(block, have))
			return copy_flush(c, fault) && write_end(c, fault);
		strbuf_clear(&item->head);
		m->stream.copy = &item->head;
		bool found = members_next(m, fault);

		m->stream.copy = NULL;
		if (!found || m->tar.searching || item->head.len >= BYTE_STREAM_COPY)
			return fault_set(fault, FAULT_CORRUPT, m->stream.offset, "the archive's headers are damaged");
		item = copy_next_item(c, fault);
		if (!item)
			return false;
		bool ok;

		if (m->tar.data_left <= INPUT_WHOLE_MAX)
			ok = read_data(c, item, fault) && copy_add_item(c, item, fault);
		else
			ok = copy_large(c, fault);
		if (!ok)
			return false;
	}
}
