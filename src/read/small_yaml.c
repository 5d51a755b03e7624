#include "read/small_yaml.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"

enum {
	DEPTH_MAX = 64,       /* a data.yaml is 2 or 3 deep */
	VALUES_MAX = 1 << 18, /* 65,536 names, and as many ids that are mapped; each takes some 130 bytes */
	VALUE_BYTES = 128,
};

/* A value that aliases refer to. */
struct anchor {
	char *name; /* owned */
	const cJSON *value;
	size_t values; /* in it */
	unsigned height;
};

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; YAML_NO_EVENT before the first */
	size_t values;
	unsigned deepest; /* of the values since it was set */
	struct anchor *anchors;
	size_t anchors_count, anchors_cap;
	struct fault *fault;
};

static size_t line_of(const struct reader *r)
{
	return r->event.start_mark.line + 1;
}

static bool next(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;

	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->parser, &r->event))
		return true;
	if (p->error == YAML_MEMORY_ERROR)
		return fault_no_memory(r->fault, FAULT_NO_OFFSET, "out of memory");
	return fault_set_at(r->fault, FAULT_LABELS, p->problem_mark.line + 1, p->problem_mark.column + 1,
			    "this is not YAML: %s", p->problem ? p->problem : "it cannot be read");
}

/* Returns the text of the current event, if it is a scalar without a NUL. */
static const char *scalar(const struct reader *r)
{
	const char *s = (const char *)r->event.data.scalar.value;

	if (!memchr(s, '\0', r->event.data.scalar.length))
		return s;
	fault_set_at(r->fault, FAULT_LABELS, line_of(r), r->event.start_mark.column + 1,
		     "expected a value without a NUL in it");
	return NULL;
}

/* Counts values that reach to a depth. Returns false, with *fault set, if they are too many or too deep. */
static bool allow(struct reader *r, unsigned depth, size_t values)
{
	r->values += values;
	r->deepest = MAX(r->deepest, depth);
	if (depth <= DEPTH_MAX && r->values <= VALUES_MAX)
		return true;
	return fault_set_at(r->fault, FAULT_LIMIT, line_of(r), r->event.start_mark.column + 1,
			    depth > DEPTH_MAX ? "nested more than %d deep" : "more than %d values",
			    depth > DEPTH_MAX ? DEPTH_MAX : VALUES_MAX);
}

/* Returns a copy of the anchored value that the alias of the current event refers to; NULL if *fault is set. */
static cJSON *copy_anchor(struct reader *r, unsigned depth)
{
	const char *name = (const char *)r->event.data.alias.anchor;

	for (size_t i = r->anchors_count; i-- > 0;) {
		const struct anchor *a = &r->anchors[i];

		if (strcmp(a->name, name) != 0)
			continue;
		cJSON *copy = allow(r, depth + a->height, a->values) ? cJSON_Duplicate(a->value, true) : NULL;

		if (!copy && r->fault->kind == FAULT_NONE)
			fault_no_memory(r->fault, FAULT_NO_OFFSET, "out of memory");
		return copy;
	}
	fault_set_at(r->fault, FAULT_LABELS, line_of(r), r->event.start_mark.column + 1,
		     "the alias *%.40s stands for nothing: no value before it has the anchor &%.40s", name, name);
	return NULL;
}

/* Returns the anchor of the current event, which the caller frees; or NULL. */
static char *anchor_of(const struct reader *r)
{
	const yaml_event_t *e = &r->event;
	const yaml_char_t *name = e->type == YAML_SCALAR_EVENT           ? e->data.scalar.anchor
				  : e->type == YAML_SEQUENCE_START_EVENT ? e->data.sequence_start.anchor
				  : e->type == YAML_MAPPING_START_EVENT  ? e->data.mapping_start.anchor
									 : NULL;

	return name ? xstrdup((const char *)name) : NULL;
}

static void forget_anchors(struct reader *r, size_t from)
{
	while (r->anchors_count > from)
		free(r->anchors[--r->anchors_count].name);
}

/* Returns the value that the current event is or begins, still empty; NULL if *fault is set. */
static cJSON *new_value(struct reader *r, unsigned depth)
{
	cJSON *value = NULL;
	const char *s;

	/* a long text counts as several: aliases copy it */
	const size_t bytes = r->event.type == YAML_SCALAR_EVENT ? r->event.data.scalar.length : 0;

	if (!allow(r, depth, 1 + bytes / VALUE_BYTES))
		return NULL;
	switch (r->event.type) {
	case YAML_SEQUENCE_START_EVENT:
		value = cJSON_CreateArray();
		break;
	case YAML_MAPPING_START_EVENT:
		value = cJSON_CreateObject();
		break;
	case YAML_SCALAR_EVENT:
		s = scalar(r);
		if (!s)
			return NULL;
		const bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

		value = plain && (!*s || !strcmp(s, "~") || !strcmp(s, "null")) ? cJSON_CreateNull()
										: cJSON_CreateString(s);
		break;
	default: /* the text holds nothing */
		value = cJSON_CreateNull();
		break;
	}
	if (value) {
		value->valuedouble = (double)line_of(r);
		value->valueint = (int)r->event.start_mark.column + 1;
	} else {
		fault_no_memory(r->fault, FAULT_NO_OFFSET, "out of memory");
	}
	return value;
}

static cJSON *read_value(struct reader *r, unsigned depth);

/* Reads the key that the current event is, and makes its value's event the current one. The caller frees it. */
static char *read_key(struct reader *r, unsigned depth)
{
	const bool text = r->event.type == YAML_SCALAR_EVENT;
	const size_t anchors = r->anchors_count;
	cJSON *skipped = text ? NULL : read_value(r, depth);
	const char *s = text ? scalar(r) : skipped ? "" : NULL;
	char *key = s ? xstrdup(s) : NULL;

	forget_anchors(r, anchors);
	cJSON_Delete(skipped);
	if (key && next(r))
		return key;
	free(key);
	return NULL;
}

/* Reads the value that the current event is or begins, with all in it. Returns NULL if *fault is set. */
static cJSON *read_value(struct reader *r, unsigned depth)
{
	if (r->event.type == YAML_ALIAS_EVENT)
		return copy_anchor(r, depth);
	char *anchor = anchor_of(r);
	const size_t values = r->values;
	const unsigned deepest = r->deepest;

	r->deepest = depth;
	cJSON *value = new_value(r, depth);
	const bool map = cJSON_IsObject(value), list = cJSON_IsArray(value);
	const yaml_event_type_t end = map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;

	while ((map || list) && next(r) && r->event.type != end) {
		char *key = map ? read_key(r, depth + 1) : NULL;
		cJSON *item = !map || key ? read_value(r, depth + 1) : NULL;

		if (item && !(map ? cJSON_AddItemToObject(value, key, item) : cJSON_AddItemToArray(value, item))) {
			cJSON_Delete(item);
			fault_no_memory(r->fault, FAULT_NO_OFFSET, "out of memory");
		}
		free(key);
		if (r->fault->kind != FAULT_NONE)
			break;
	}
	if (r->fault->kind == FAULT_NONE && anchor) {
		GROW(r->anchors, r->anchors_cap, r->anchors_count + 1);
		r->anchors[r->anchors_count++] =
			(struct anchor){ anchor, value, r->values - values, r->deepest - depth };
		anchor = NULL;
	}
	r->deepest = MAX(r->deepest, deepest);
	free(anchor);
	if (r->fault->kind == FAULT_NONE)
		return value;
	cJSON_Delete(value);
	return NULL;
}

cJSON *small_yaml_parse(const char *text, size_t n, bool *more, struct fault *fault)
{
	struct reader r = { .fault = fault };
	cJSON *root = NULL;

	if (!yaml_parser_initialize(&r.parser)) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "out of memory");
		return NULL;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
	do {
		if (!next(&r))
			break;
	} while (r.event.type == YAML_STREAM_START_EVENT || r.event.type == YAML_DOCUMENT_START_EVENT);
	if (fault->kind == FAULT_NONE)
		root = read_value(&r, 0);
	if (root && more) /* of a document without a value, the end has come */
		*more = r.event.type != YAML_STREAM_END_EVENT && next(&r) && next(&r) &&
			r.event.type != YAML_STREAM_END_EVENT;
	if (fault->kind != FAULT_NONE) {
		cJSON_Delete(root);
		root = NULL;
	}
	forget_anchors(&r, 0);
	free(r.anchors);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	return root;
}
