#include "find/tar_extended.h"

#include <string.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "find/member.h"

void tar_extended_init(struct tar_extended *e)
{
	memset(e, 0, sizeof(*e));
	strbuf_init(&e->name);
	fault_clear(&e->fault);
}

void tar_extended_release(struct tar_extended *e)
{
	strbuf_release(&e->name);
}

void tar_extended_clear(struct tar_extended *e)
{
	strbuf_clear(&e->name);
	e->has_name = e->name_cut = e->has_size = e->sparse = false;
	e->size = e->real_size = 0;
	fault_clear(&e->fault);
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

/* One record. Keys that are not asked for here, and there are many, say nothing that matters. */
static void take_record(struct tar_extended *e, const char *key, size_t key_len, const char *value, size_t n,
			uint64_t offset)
{
	if (key_is(key, key_len, "path") || key_is(key, key_len, "GNU.sparse.name")) {
		take_name(e, value, n);
	} else if (key_is(key, key_len, "size")) {
		e->has_size = scan_whole_uint64(value, n, &e->size) && e->size <= INT64_MAX;
		if (!e->has_size)
			fault_set(&e->fault, FAULT_CORRUPT, offset,
				  "its extended header has a size that is no number from 0 to 2^63-1: %.*s",
				  (int)MIN(n, (size_t)32), value);
	} else if (key_is(key, key_len, "GNU.sparse.realsize") || key_is(key, key_len, "GNU.sparse.size") ||
		   key_is(key, key_len, "SCHILY.realsize")) {
		e->sparse = true;
		if (!scan_whole_uint64(value, n, &e->real_size))
			e->real_size = UINT64_MAX;
	}
}

/* Records of "length key=value\n". A length of 64 bits has 20 digits at most. */
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
			take_record(e, key, (size_t)(equals - key), equals + 1, (size_t)(end - equals - 1),
				    offset + at);
		at += (size_t)length;
	}
}

bool tar_is_extended(uint8_t type)
{
	return type == 'x' || type == 'X' || type == 'g' || type == 'L' || type == 'K';
}

void tar_extended_take(struct tar_extended *e, uint8_t type, const char *data, size_t n, uint64_t offset)
{
	if (type == 'L') /* GNU: the long name, with a NUL behind it, which does not cut it */
		take_name(e, data, n && !data[n - 1] ? n - 1 : n);
	else if (type != 'K') /* GNU: where a link leads, which nobody follows */
		parse_pax(e, data, n, offset);
}
