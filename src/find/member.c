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
	return !f->flaws.len && !f->links && !f->devices && !f->unsafe_names;
}

/* Returns whether a part of the name begins with two dots. */
static bool has_dots(const char *name, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (name[i] == '.' && name[i + 1] == '.' && (i == 0 || name[i - 1] == '/' || name[i - 1] == '\\'))
			return true;
	return false;
}

const char *member_name_flaw(const char *name, size_t len)
{
	bool has_controls = false, has_others = false, has_bidi = false;

	for (size_t at = 0; at < len;) {
		uint32_t c;

		at += utf8_decode((const unsigned char *)name + at, len - at, &c);
		has_controls |= c < 0x20 || (c >= 0x7f && c <= 0x9f);
		has_others |= c == NOT_UTF8;
		has_bidi |= (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e ||
			    c == 0x200f || c == 0x061c;
	}
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
	if (has_controls)
		return "has control bytes";
	if (has_others)
		return "has bytes that are not UTF-8";
	if (has_bidi)
		return "has marks that reorder text on the screen";
	return NULL;
}
