// struct glob: a compiled pattern of --include or --exclude.
//
//   *        any bytes but '/'          **/x   x at any depth          [a-z] [!x]  one byte of a set, never '/'
//   ?        one byte but '/'           x/**   everything below x      {a,b}       one of these, may be nested
//   \x       the byte x itself          a/**/b any folders between, or none
//
// The syntax is ripgrep's. Patterns match bytes, not characters; a `**` that is not a whole component is a `*`. A
// pattern with a slash before its last byte is matched against the whole path, both relative to the walked PATH and as
// the user would type it; any other against the name alone. A slash at the end restricts it to folders.
//
// Matching goes back to the last `*` and the last `**` alone, so no pattern takes long. Braces are written out when the
// pattern is compiled.
//
// (The patterns above would end a comment of the other kind.)
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct glob {
	bool whole_path;   /* match the path, not the name */
	bool folders_only; /* the pattern ends in '/' */
	char **patterns;   /* without braces; one must match; owned */
	size_t count, cap;
};

/* Returns false if the pattern is wrong; then *why is the reason (static text), and nothing is to be released. */
bool glob_compile(struct glob *g, const char *pattern, const char **why);
void glob_release(struct glob *g);
/* Returns whether the pattern matches a path or, unless whole_path, a name. The caller checks folders_only. */
bool glob_test(const struct glob *g, const char *text, size_t len);
