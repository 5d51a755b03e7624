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
// Matching takes time linear in the length of the path, even for `*a*a*a*b`: the pattern is compiled into an automaton
// whose states are all followed at once. They are kept in the struct, so one thread at a time.
//
// (The patterns above would end a comment of the other kind.)
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum glob_shape {
	GLOB_LITERAL, /* no special byte: the text must be equal */
	GLOB_SUFFIX,  /* `*`, then no special byte, for a name: it must end in them */
	GLOB_MACHINE, /* anything else */
};

struct glob_op;

struct glob {
	enum glob_shape shape;
	bool whole_path;   /* match the path, not the name */
	bool folders_only; /* the pattern ends in '/' */
	char *literal;     /* the first two shapes: the text, without the `*`; owned */
	size_t literal_len;
	struct glob_op *ops; /* owned */
	size_t ops_count, ops_cap;
	uint32_t *states; /* scratch: two lists, a stack and the generation of each state; owned */
};

/* Returns false if the pattern is wrong; then *why is the reason (static text), and nothing is to be released. */
bool glob_compile(struct glob *g, const char *pattern, const char **why);
void glob_release(struct glob *g);
/* Returns whether the pattern matches a path or, unless whole_path, a name. The caller checks folders_only. */
bool glob_test(struct glob *g, const char *text, size_t len);
