/*
 * struct json_tree: a small JSON text as a tree, for files that have to be seen whole before it is clear what they
 * mean. Large files are read with json_pull instead.
 *
 * The tree is made from json_pull's tokens, so it is as strict, without recursion and in bounded memory: the number of
 * nodes is limited, and what the caller does not want is checked and skipped, not kept.
 *
 * Owner: whoever read it calls json_tree_free; the nodes and their strings live as long as the tree.
 */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_pull.h"

struct json_node {
	enum json_token type; /* JSON_OBJECT, _ARRAY, _STRING, _NUMBER, _TRUE, _FALSE or _NULL */
	uint32_t key_len, text_len;
	const char *key;  /* in an object, else NULL; NUL-terminated */
	const char *text; /* of a string, NUL-terminated; may hold NULs before */
	double number;
	const struct json_node *child; /* the first of an array or object; NULL: empty, or skipped */
	const struct json_node *next;  /* in the same array or object */
};

struct json_tree {
	const struct json_node *root;
	struct fault fault; /* why there is none; line and column set */
	/* private */
	struct json_node *nodes;
	size_t n;
	char *strings;
	size_t used;
};

/* What is kept of the text. Everything else is skipped, and still must be JSON. */
struct json_wanted {
	const char *const *keys; /* whose arrays and objects are kept in an object at the root; NULL-terminated */
	uint32_t depth;          /* arrays and objects nested deeper are kept without children; the root has depth 1 */
	size_t nodes_max;
};

/* False: tree->fault is filled, and nothing is to be freed. */
bool json_tree_read(struct json_tree *tree, const char *text, size_t n, const struct json_wanted *wanted);
void json_tree_free(struct json_tree *tree);

/* The first member of that name, NULL if there is none or the node is no object. */
const struct json_node *json_member(const struct json_node *object, const char *key);

static inline bool json_is(const struct json_node *node, enum json_token type)
{
	return node && node->type == type;
}

#endif
