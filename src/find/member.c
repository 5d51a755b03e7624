#include "find/member.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/escape.h"

void archive_flaw(struct archive_facts *f, const char *fmt, ...)
{
	char part[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(part, sizeof(part), fmt, args);
	va_end(args);
	text_addf(&f->flaws, "%s%s", f->flaws.len ? "; " : "", part);
}

bool archive_facts_silent(const struct archive_facts *f)
{
	return !f->flaws.len && !f->specials.len && !f->unsafe.len;
}

/* Returns whether a part of the name begins with two dots. */
static bool has_dots(const char *name, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (name[i] == '.' && name[i + 1] == '.' && (i == 0 || name[i - 1] == '/' || name[i - 1] == '\\'))
			return true;
	return false;
}

/* U+202A..U+202E and U+2066..U+2069 (e2 80 aa..ae, e2 81 a6..a9), U+200E, U+200F, U+061C. */
static bool has_bidi(const char *name, size_t len)
{
	const unsigned char *p = (const unsigned char *)name;

	for (size_t i = 0; i + 1 < len; i++) {
		if (p[i] == 0xd8 && p[i + 1] == 0x9c)
			return true;
		if (p[i] != 0xe2 || i + 2 >= len)
			continue;
		if (p[i + 1] == 0x80 &&
		    ((p[i + 2] >= 0xaa && p[i + 2] <= 0xae) || p[i + 2] == 0x8e || p[i + 2] == 0x8f))
			return true;
		if (p[i + 1] == 0x81 && p[i + 2] >= 0xa6 && p[i + 2] <= 0xa9)
			return true;
	}
	return false;
}

static bool has_controls(const char *name, size_t len)
{
	const unsigned char *p = (const unsigned char *)name;

	for (size_t i = 0; i < len; i++)
		if (p[i] < 0x20 || p[i] == 0x7f || (p[i] == 0xc2 && i + 1 < len && p[i + 1] >= 0x80 && p[i + 1] < 0xa0))
			return true;
	return false;
}

const char *member_name_flaw(const char *name, size_t len)
{
	if (!len)
		return "is empty";
	if (name[0] == '/')
		return "is an absolute path";
	if (len >= 2 && ascii_isalpha(name[0]) && name[1] == ':')
		return "is a path with a Windows drive";
	if (has_dots(name, len))
		return strstr(name, "../") || !strcmp(name, "..") ? "is a path that leaves its folder by .."
								  : "has a part that begins with two dots";
	if (memchr(name, '\\', len))
		return "has a backslash, which separates folders on Windows";
	if (has_controls(name, len))
		return "has control bytes";
	if (!utf8_valid(name, len))
		return "has bytes that are not UTF-8";
	if (has_bidi(name, len))
		return "has marks that reorder text on the screen";
	return NULL;
}
