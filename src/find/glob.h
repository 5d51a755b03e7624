// struct glob: one --include or --exclude, compiled.
//
//   *        any bytes but '/'          **/x   x at any depth          [a-z] [!x]  one byte of a set, never '/'
//   ?        one byte but '/'           x/**   everything below x      {a,b}       one of these, may be nested
//   \x       the byte x itself          a/**/b any folders between, or none
//
// The same as ripgrep's. Patterns match bytes, not characters; a `**` that is not a whole component is a `*`. A pattern
// without a slash, except one at its end, is matched against the name alone; any other one against the whole path, both
// as it is below the PATH that is walked and as it would be typed. A slash in front says that the whole path is meant;
// a slash at the end, that only folders are.
//
// Matching takes time linear in the length of the path, since the pattern is compiled into an automaton that is in all
// its states at once: `*a*a*a*b` is no trap. The states are kept in the struct, so one thread at a time.
//
// (The patterns above would end a comment of the other kind.)
#ifndef FIND_GLOB_H
#define FIND_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum glob_shape {
	GLOB_LITERAL, /* no special byte: the text must be equal */
	GLOB_SUFFIX,  /* a `*`, and then no special byte, for a name: it must end so */
	GLOB_MACHINE, /* anything else */
};

struct glob_op;

struct glob {
	enum glob_shape shape;
	bool whole_path;   /* match the path, not the name */
	bool folders_only; /* the pattern ends in '/' */
	char *literal;     /* of the first two shapes, without the `*`; owned */
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
/* Whether the pattern matches a path, or a name, as whole_path says. folders_only is for the caller to respect. */
bool glob_test(struct glob *g, const char *text, size_t len);

#endif
