#include "find/tar_header.h"

#include <string.h>

enum {
	NAME_AT = 0,
	NAME_ROOM = 100,
	CHECKSUM_AT = 148,
	CHECKSUM_ROOM = 8,
	MAGIC_AT = 257,
	VERSION_AT = 262, /* NUL of ustar's magic, a space in GNU's */
	PREFIX_AT = 345,
	PREFIX_ROOM = 155,
};

bool tar_all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

uint64_t tar_padding(uint64_t size)
{
	return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}

/* Big-endian, behind the mark in the highest bit; the next one is the sign. */
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

bool tar_number(const uint8_t *p, size_t n, uint64_t *out)
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

bool tar_checksum_right(const uint8_t *h, uint64_t *found, uint64_t *expected)
{
	uint64_t sum = 0;
	int64_t signed_sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i - CHECKSUM_AT < CHECKSUM_ROOM ? ' ' : h[i];

		sum += c;
		signed_sum += (int8_t)c;
	}
	*expected = sum;
	if (!tar_number(h + CHECKSUM_AT, CHECKSUM_ROOM, found))
		return false;
	return *found == sum || (int64_t)*found == signed_sum;
}

bool tar_is_header(const uint8_t *block)
{
	uint64_t found, expected;

	return tar_checksum_right(block, &found, &expected);
}

bool tar_has_magic(const uint8_t *h)
{
	return memcmp(h + MAGIC_AT, "ustar", 5) == 0;
}

static size_t field_length(const uint8_t *p, size_t room)
{
	const uint8_t *end = memchr(p, '\0', room);

	return end ? (size_t)(end - p) : room;
}

void tar_header_name(const uint8_t *h, struct strbuf *out)
{
	strbuf_clear(out);
	/* GNU's headers have other things where the prefix is */
	if (tar_has_magic(h) && h[VERSION_AT] == '\0' && h[PREFIX_AT]) {
		strbuf_add(out, h + PREFIX_AT, field_length(h + PREFIX_AT, PREFIX_ROOM));
		strbuf_addch(out, '/');
	}
	strbuf_add(out, h + NAME_AT, field_length(h + NAME_AT, NAME_ROOM));
}
