/* Strings of the pull tokenizer that are more than plain ASCII: escapes, UTF-8, and those cut by the end of a buffer.
 */
#include "base/ascii.h"
#include "base/json_pull_parts.h"

#include <string.h>

#include "base/mem.h"

/* A string that is being put together. */
struct decoding {
	uint32_t high; /* a high surrogate that waits for its other half, or 0 */
	/* UTF-8: bytes that must follow, and what the next one may be */
	uint8_t need, lowest, highest;
};

static void keep(struct json_pull *p, const void *bytes, size_t n)
{
	size_t room = p->text_max - p->text_len;

	if (p->skipping || !n)
		return;
	if (n > room || (p->text_flags & JSON_TEXT_CUT)) {
		if (p->text_flags & JSON_TEXT_CUT)
			return;
		p->text_flags |= JSON_TEXT_CUT;
		n = room;
	}
	memcpy(p->decoded + p->text_len, bytes, n);
	p->text_len += n;
}

static void keep_character(struct json_pull *p, uint32_t c)
{
	uint8_t utf8[4];
	size_t n;

	if (c < 0x80) {
		utf8[0] = (uint8_t)c;
		n = 1;
	} else if (c < 0x800) {
		utf8[0] = (uint8_t)(0xc0 | c >> 6);
		n = 2;
	} else if (c < 0x10000) {
		utf8[0] = (uint8_t)(0xe0 | c >> 12);
		n = 3;
	} else {
		utf8[0] = (uint8_t)(0xf0 | c >> 18);
		n = 4;
	}
	for (size_t i = 1; i < n; i++)
		utf8[i] = (uint8_t)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
	keep(p, utf8, n);
}

/* What is neither a continuation byte nor the other half of a surrogate comes next. */
static inline void end_partial(struct json_pull *p, struct decoding *d)
{
	if (d->high) {
		p->text_flags |= JSON_TEXT_LONE_SURROGATE;
		keep_character(p, 0xfffd);
		d->high = 0;
	}
	if (d->need) {
		p->text_flags |= JSON_TEXT_BAD_UTF8;
		d->need = 0;
	}
}

/* A byte from 0x80; kept whether well-formed or not. Unicode 15, table 3-7. */
static void take_byte(struct json_pull *p, struct decoding *d, uint8_t c)
{
	if (d->need && c >= d->lowest && c <= d->highest) {
		d->need--;
		d->lowest = 0x80;
		d->highest = 0xbf;
		keep(p, &c, 1);
		return;
	}
	end_partial(p, d);
	d->lowest = 0x80;
	d->highest = 0xbf;
	if (c >= 0xc2 && c <= 0xdf) {
		d->need = 1;
	} else if (c >= 0xe0 && c <= 0xef) {
		d->need = 2;
		if (c == 0xe0)
			d->lowest = 0xa0;
		else if (c == 0xed)
			d->highest = 0x9f;
	} else if (c >= 0xf0 && c <= 0xf4) {
		d->need = 3;
		if (c == 0xf0)
			d->lowest = 0x90;
		else if (c == 0xf4)
			d->highest = 0x8f;
	} else {
		p->text_flags |= JSON_TEXT_BAD_UTF8;
	}
	keep(p, &c, 1);
}

static bool read_hex4(struct json_pull *p, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		int digit = ascii_xdigit_value(json_peek(p));

		if (digit < 0)
			return json_fail_expected(p, "four hexadecimal digits after \\u"), false;
		v = v << 4 | (uint32_t)digit;
		p->at++;
	}
	*out = v;
	return true;
}

/* Behind the backslash. */
static bool read_escape(struct json_pull *p, struct decoding *d)
{
	static const char plain[] = "\"\"\\\\//b\bf\fn\nr\rt\t"; /* pairs: what is written, what it means */
	int c = json_peek(p);
	uint32_t v;

	if (c != 'u') {
		end_partial(p, d);
		for (const char *pair = plain; *pair; pair += 2)
			if (c == *pair) {
				keep(p, pair + 1, 1);
				p->at++;
				return true;
			}
		return json_fail_expected(p, "one of \"\\/bfnrtu after a backslash"), false;
	}
	p->at++;
	if (!read_hex4(p, &v))
		return false;
	if (d->high && v >= 0xdc00 && v <= 0xdfff) {
		v = 0x10000 + ((d->high - 0xd800) << 10) + (v - 0xdc00);
		d->high = 0;
		keep_character(p, v);
		return true;
	}
	end_partial(p, d);
	if (v >= 0xd800 && v <= 0xdbff) {
		d->high = v;
	} else if (v >= 0xdc00 && v <= 0xdfff) {
		p->text_flags |= JSON_TEXT_LONE_SURROGATE;
		keep_character(p, 0xfffd);
	} else {
		keep_character(p, v);
	}
	return true;
}

/* Takes a character away that the cut left half. */
static void trim_cut(struct json_pull *p)
{
	size_t back = 0, length;
	uint8_t lead;

	do {
		if (++back > 4 || back > p->text_len)
			return;
		lead = (uint8_t)p->decoded[p->text_len - back];
	} while (lead >= 0x80 && lead < 0xc0);
	length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	if (length > back)
		p->text_len -= back;
}

bool json_read_string_slowly(struct json_pull *p)
{
	struct decoding d = { 0 };

	if (!p->decoded && !p->skipping)
		p->decoded = xmalloc(p->text_max);
	p->text_len = 0;
	for (;;) {
		const uint8_t *from = p->at;

		p->at = json_plain_end(from, p->end);
		if (p->at > from) {
			end_partial(p, &d);
			keep(p, from, (size_t)(p->at - from));
		}
		if (p->at == p->end) {
			if (json_fill(p))
				continue;
			return json_fail_expected(p, "the closing quote of a string"), false;
		}

		uint8_t c = *p->at;

		if (c < ' ')
			return json_fail_expected(p, "a string without control bytes"), false;
		p->at++;
		if (c >= 0x80) {
			if (d.high)
				end_partial(p, &d);
			take_byte(p, &d, c);
			continue;
		}
		if (c == '"')
			break;
		if (!read_escape(p, &d))
			return false;
	}
	end_partial(p, &d);
	if (p->text_flags & JSON_TEXT_CUT)
		trim_cut(p);
	p->text = p->decoded ? p->decoded : "";
	p->bad_text += (p->text_flags & (JSON_TEXT_BAD_UTF8 | JSON_TEXT_LONE_SURROGATE)) != 0;
	return true;
}
