// struct glob: one --include or --exclude, compiled.
//
//   *        any bytes but '/'          **/x   x at any depth          [a-z] [!x]  one byte of a set, never '/'
//   ?        one byte but '/'           x/**   everything below x      {a,b}       one of these, may be nested
//   \x       the byte x itself          a/**/b any folders between, or none
//
// As ripgrep's: bytes, not characters; `**` that is not a whole component is `*`. A pattern without a slash (one at the
// end does not count) is matched against the name alone, any other one against a path, whole: that from the root of
// the walk, or as it is typed; a slash in front only says so. A slash at the end: folders only.
// Matching is linear in the path: a machine that is in all its states at once, so `*a*a*a*b` costs nothing extra.
// One thread at a time: the machine's states are in it.
//
// (These patterns would end a comment of the other kind.)
#ifndef FIND_GLOB_H
#define FIND_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum glob_shape {
	GLOB_LITERAL, /* no special byte: equal */
	GLOB_SUFFIX,  /* `*` and then none, against a name: ends in */
	GLOB_MACHINE,
};

struct glob_op;

struct glob {
	enum glob_shape shape;
	bool whole_path;   /* match the path, not the name */
	bool folders_only; /* the pattern ends in '/' */
	char *literal;     /* of the first two shapes; owned */
	size_t literal_len;
	struct glob_op *ops; /* owned */
	size_t ops_count, ops_cap;
	uint32_t (*sets)[8]; /* of brackets: 256 bits each; owned */
	size_t sets_count, sets_cap;
	uint32_t *states; /* scratch: two lists, a stack and the generation of each state; owned */
};

/* False: *why says what is wrong with the pattern (static text), and there is nothing to release. */
bool glob_compile(struct glob *g, const char *pattern, const char **why);
void glob_release(struct glob *g);
/* Against a path or a name, as whole_path says. Does not look at folders_only. */
bool glob_test(struct glob *g, const char *text, size_t len);

#endif
