#include "base/json_tree.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

enum { TREE_DEPTH_MAX = 16 }; /* callers ask for 4 */

struct builder {
	struct json_tree *tree;
	struct json_pull pull;
	const struct json_wanted *wanted;
	struct json_node *open[TREE_DEPTH_MAX]; /* arrays and objects, the root first */
	struct json_node *last[TREE_DEPTH_MAX]; /* the child that was added last to each */
	uint32_t depth;
	const char *key; /* of the value that comes next, or NULL */
	size_t key_len;
	size_t room; /* nodes that memory was taken for */
};

/* Decoded strings are never longer than they are in the text, where they also have two quotes: the NUL fits. */
static const char *keep_text(struct builder *b)
{
	char *s = b->tree->strings + b->tree->used;

	memcpy(s, b->pull.text, b->pull.text_len);
	s[b->pull.text_len] = '\0';
	b->tree->used += b->pull.text_len + 1;
	return s;
}

static struct json_node *add_node(struct builder *b, enum json_token type)
{
	struct json_tree *tree = b->tree;

	if (tree->n == b->room) {
		fault_set(&tree->fault, FAULT_LIMIT, b->pull.token_offset, "more than %zu values", b->room);
		return NULL;
	}
	struct json_node *node = &tree->nodes[tree->n++];

	*node = (struct json_node){ .type = type, .key = b->key, .key_len = (uint32_t)b->key_len };
	b->key = NULL;
	b->key_len = 0;
	if (b->depth) {
		if (b->last[b->depth - 1])
			b->last[b->depth - 1]->next = node;
		else
			b->open[b->depth - 1]->child = node;
		b->last[b->depth - 1] = node;
	}
	return node;
}

/* An array or object whose children are kept. */
static bool is_wanted(const struct builder *b, const struct json_node *node)
{
	if (b->depth + 1 > b->wanted->depth)
		return false;
	if (b->depth != 1 || b->open[0]->type != JSON_OBJECT)
		return true;
	for (const char *const *key = b->wanted->keys; *key; key++)
		if (strlen(*key) == node->key_len && memcmp(*key, node->key, node->key_len) == 0)
			return true;
	return false;
}

static bool take(struct builder *b, enum json_token token)
{
	struct json_node *node;

	switch (token) {
	case JSON_KEY:
		b->key_len = b->pull.text_len;
		b->key = keep_text(b);
		return true;
	case JSON_ARRAY_END:
	case JSON_OBJECT_END:
		b->depth--;
		return true;
	default:
		if (!(node = add_node(b, token)))
			return false;
	}
	if (token == JSON_STRING) {
		node->text_len = (uint32_t)b->pull.text_len;
		node->text = keep_text(b);
	} else if (token == JSON_NUMBER) {
		node->number = json_number_double(&b->pull.number);
	} else if (token == JSON_ARRAY || token == JSON_OBJECT) {
		if (!is_wanted(b, node))
			return json_skip(&b->pull, token);
		b->open[b->depth] = node;
		b->last[b->depth++] = NULL;
	}
	return true;
}

bool json_tree_read(struct json_tree *tree, const char *text, size_t n, const struct json_wanted *wanted)
{
	struct builder b = { .tree = tree, .wanted = wanted };
	enum json_token token = JSON_FAULT;

	*tree = (struct json_tree){ 0 };
	fault_clear(&tree->fault);
	assert(wanted->depth >= 1 && wanted->depth <= TREE_DEPTH_MAX);
	b.room = MIN(MAX(n, (size_t)1), wanted->nodes_max); /* a value is at least a byte */
	tree->nodes = mem_try(b.room, sizeof(*tree->nodes));
	tree->strings = mem_try(1, n + 1);
	if (!tree->nodes || !tree->strings) {
		fault_set(&tree->fault, FAULT_LIMIT, FAULT_NO_OFFSET, "out of memory");
		json_tree_free(tree);
		return false;
	}
	json_open_memory(&b.pull, text, n, 0);
	while ((token = json_next(&b.pull)) != JSON_END && token != JSON_FAULT)
		if (!take(&b, token))
			break;
	if (token != JSON_END) {
		struct fault *f = &tree->fault;

		if (f->kind == FAULT_NONE)
			*f = b.pull.fault;
		if (!f->line)
			json_place(&b.pull, &f->line, &f->column);
		json_tree_free(tree);
	} else {
		tree->root = tree->nodes;
	}
	json_close(&b.pull);
	return token == JSON_END;
}

void json_tree_free(struct json_tree *tree)
{
	free(tree->nodes);
	free(tree->strings);
	tree->nodes = NULL;
	tree->strings = NULL;
	tree->root = NULL;
}

const struct json_node *json_member(const struct json_node *object, const char *key)
{
	size_t n = strlen(key);

	if (!json_is(object, JSON_OBJECT))
		return NULL;
	for (const struct json_node *node = object->child; node; node = node->next)
		if (node->key_len == n && memcmp(node->key, key, n) == 0)
			return node;
	return NULL;
}
