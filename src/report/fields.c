#include "report/fields.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "judge/rule.h"

enum { ROW_MAX = 256 }; /* bytes of a row that is written or read on its own */

static char *load_pointer(const void *p)
{
	char *s;

	memcpy(&s, p, sizeof(s));
	return s;
}

/* Returns the struct that the member is in. Only reading writes there. */
static char *struct_of(const struct field *f, const void *base)
{
	return load_pointer(f->through ? (const void *)((const char *)base + f->through - 1) : (const void *)&base);
}

static char *member_of(const struct field *f, const void *base)
{
	return struct_of(f, base) + f->at;
}

static bool is_string(const struct field *f)
{
	return f->type == FIELD_TEXT || f->type == FIELD_PATH;
}

/* Returns the number of elements of a member that may be an array, 1 if it is none. All have 8 bytes. */
static size_t elements(const struct field *f)
{
	_Static_assert(sizeof(char *) == sizeof(uint64_t), "both are elements of arrays");
	return (f->type == FIELD_UINT || is_string(f)) && f->size > sizeof(uint64_t) ? f->size / sizeof(uint64_t) : 1;
}

static uint64_t load_uint(const struct field *f, const void *p)
{
	return f->size == 1   ? *(const uint8_t *)p
	       : f->size == 2 ? *(const uint16_t *)p
	       : f->size == 4 ? *(const uint32_t *)p
			      : *(const uint64_t *)p;
}

static void store_uint(const struct field *f, void *p, uint64_t n)
{
	if (f->size == 1)
		*(uint8_t *)p = (uint8_t)n;
	else if (f->size == 2)
		*(uint16_t *)p = (uint16_t)n;
	else if (f->size == 4)
		*(uint32_t *)p = (uint32_t)n;
	else
		*(uint64_t *)p = n;
}

static bool is_zero(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

void report_json_name(struct json_writer *w, const char *key, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	json_key(w, key);
	json_text(w, name);
	if (!name || utf8_valid(name, n))
		return;
	char key_b64[32];

	snprintf(key_b64, sizeof(key_b64), "%s_b64", key);
	json_key(w, key_b64);
	json_base64(w, name, n);
}

static void write_object(struct json_writer *w, const struct fields *fields, const void *base, enum json_layout layout)
{
	json_begin_object(w, layout);
	fields_write(w, fields, base);
	json_end(w);
}

static void write_value(struct json_writer *w, const struct field *f, const char *p);

/* Appends the values of the fields to the current array. */
static void write_elements(struct json_writer *w, const struct fields *fields, const void *base)
{
	for (size_t k = 0; k < fields->count; k++) {
		const struct field *f = &fields->v[k];
		const char *p = member_of(f, base);

		for (size_t i = 0; i < elements(f); i++, p += sizeof(uint64_t)) {
			if (f->flags & FIELD_MAY_END && is_zero(p, MIN(f->size, sizeof(uint64_t))))
				return;
			write_value(w, f, p);
		}
	}
}

void fields_write_row(struct json_writer *w, const struct fields *fields, const void *base)
{
	json_begin_array(w, JSON_INLINE);
	write_elements(w, fields, base);
	json_end(w);
}

static void write_rows(struct json_writer *w, const struct field *f, const char *base)
{
	const struct field_rows *r = f->rows;
	_Alignas(max_align_t) char summed[ROW_MAX];
	const char *row = r->get ? summed : load_pointer(base + r->v);
	size_t count = r->get ? SIZE_MAX : *(const size_t *)(const void *)(base + r->count);

	assert(!r->get || r->size <= ROW_MAX);
	json_begin_array(w, f->flags & FIELD_BLOCK ? JSON_BLOCK : JSON_INLINE);
	if (r->head_row)
		fields_write_row(w, &r->head, base);
	else
		write_elements(w, &r->head, base);
	for (size_t i = 0; i < count && (!r->max || i < r->max); i++) {
		if (r->get && !r->get(base, i, memset(summed, 0, r->size)))
			break;
		if (f->type == FIELD_LIST)
			write_object(w, &r->fields, row, JSON_INLINE);
		else
			fields_write_row(w, &r->fields, row);
		row += r->get ? 0 : r->size;
	}
	json_end(w);
}

static void write_value(struct json_writer *w, const struct field *f, const char *p)
{
	char hex[17];

	switch (f->type) {
	case FIELD_UINT:
		if (f->flags & FIELD_NULL_IF_MAX && load_uint(f, p) == UINT64_MAX)
			json_null(w);
		else
			json_u64(w, load_uint(f, p));
		break;
	case FIELD_ID:
		json_i64(w, *(const int64_t *)(const void *)p);
		break;
	case FIELD_BOOL:
		json_bool(w, *(const bool *)p);
		break;
	case FIELD_HEX:
		snprintf(hex, sizeof(hex), "%016" PRIx64, load_uint(f, p));
		json_text(w, hex);
		break;
	case FIELD_WORD:
		json_text(w, f->words->name((int)load_uint(f, p)));
		break;
	case FIELD_RULE:
		json_text(w, (*(const struct rule *const *)(const void *)p)->name);
		break;
	case FIELD_CHARS:
		json_text(w, p);
		break;
	case FIELD_TEXT:
		json_text(w, load_pointer(p));
		break;
	case FIELD_PATH: /* in an array */
		p = load_pointer(p);
		if (!p || utf8_valid(p, strlen(p))) {
			json_text(w, p);
			break;
		}
		json_begin_array(w, JSON_INLINE);
		json_base64(w, p, strlen(p));
		json_end(w);
		break;
	case FIELD_OBJECT:
		write_object(w, f->members, p, f->flags & FIELD_BLOCK ? JSON_BLOCK : JSON_INLINE);
		break;
	case FIELD_ROW:
		fields_write_row(w, f->members, p);
		break;
	case FIELD_LIST:
	case FIELD_TABLE:
		write_rows(w, f, p);
		break;
	case FIELD_CONST:
		json_text(w, f->text);
		break;
	case FIELD_OTHER:
	case FIELD_NONE:
		f->write(w, p);
		break;
	}
}

static bool is_absent(const struct field *f, const void *base)
{
	const char *p = member_of(f, base);

	return f->type == FIELD_NONE || (f->when && (uint8_t)struct_of(f, base)[f->when - 1] != f->is) ||
	       (f->flags & FIELD_UNLESS_MAX && load_uint(f, p) == UINT64_MAX) ||
	       (f->flags & FIELD_IF_SET && is_zero(p, f->type == FIELD_CHARS ? 1 : f->size));
}

void fields_write(struct json_writer *w, const struct fields *fields, const void *base)
{
	for (const struct field *f = fields->v; f < fields->v + fields->count; f++) {
		const char *p = member_of(f, base);

		if (is_absent(f, base))
			continue;
		if (f->type == FIELD_PATH) {
			report_json_name(w, f->key, load_pointer(p));
			continue;
		}
		if (f->key)
			json_key(w, f->key);
		if (elements(f) > 1)
			fields_write_row(w, &(struct fields){ .v = f, .count = 1 }, base);
		else
			write_value(w, f, p);
	}
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

char *field_take(const char **string)
{
	char *s = load_pointer(string);

	*string = NULL;
	return s;
}

/* Keeps a copy, unless reading failed. Returns whether it did not. */
static bool keep_string(const char *s, char *p)
{
	char *copy = s ? xstrdup(s) : NULL;

	if (!s)
		return false;
	free(load_pointer(p));
	memcpy(p, &copy, sizeof(copy));
	return true;
}

static bool may_be_null(const struct json_values *v, const struct field *f)
{
	return !(f->flags & FIELD_NEEDED) && values_null(v);
}

static bool read_uint(struct json_values *v, const struct field *f, char *p)
{
	uint64_t n;

	if (f->flags & FIELD_NULL_IF_MAX && values_null(v))
		n = UINT64_MAX;
	else if (!values_u64(v, &n))
		return false;
	if (f->size < sizeof(n) && n >> 8 * f->size)
		return values_fail(v, "the number is too large");
	store_uint(f, p, n);
	return true;
}

static bool read_word(struct json_values *v, const struct field_words *words, char *p)
{
	const char *s = values_string(v);

	for (int i = words->first; s && i < words->end; i++) {
		if (!strcmp(s, words->name(i))) {
			memcpy(p, &i, sizeof(i));
			return true;
		}
	}
	return s && values_fail(v, "expected %s, found '%.40s'", words->what, s);
}

static bool read_rule(struct json_values *v, char *p)
{
	const char *s = values_string(v);
	const struct rule *rule = s ? rule_find(s) : NULL;

	memcpy(p, &rule, sizeof(rule));
	return rule || (s && values_fail(v, "rule '%.60s' is not known to this version", s));
}

/* Makes the next element of a row the current value. */
static bool next_element(struct json_values *v)
{
	return values_element(v) || values_fail(v, "a row that ends too early");
}

/* Reads the name of a file in an array. */
static bool read_path(struct json_values *v, const struct field *f, char *p)
{
	if (f->flags & FIELD_MAY_BE_NULL && values_null(v))
		return true;
	if (v->token != JSON_ARRAY)
		return keep_string(values_string(v), p);
	return next_element(v) && keep_string(values_base64(v), p) && values_array_end(v);
}

static bool read_value(struct json_values *v, const struct field *f, char *p);

/* Reads the next elements of the current array; *ended: it ended before, as it may. */
static bool read_elements(struct json_values *v, const struct fields *fields, void *base, bool *ended)
{
	for (size_t at = 0; at < fields->count; at++) {
		const struct field *f = &fields->v[at];
		char *p = member_of(f, base);

		for (size_t i = 0; i < elements(f); i++, p += sizeof(uint64_t)) {
			*ended = !values_element(v);
			if (*ended)
				return (f->flags & FIELD_MAY_END && !v->failed) ||
				       values_fail(v, "a row that ends too early");
			if (!read_value(v, f, p))
				return false;
		}
	}
	return true;
}

bool fields_read_row(struct json_values *v, const struct fields *fields, void *base)
{
	bool ended = false;

	return read_elements(v, fields, base, &ended) && (ended || values_array_end(v));
}

static bool is_sorted(const struct field_rows *r, const char *a, const char *b)
{
	for (const struct field *f = r->fields.v; f < r->fields.v + r->keys; f++) {
		const char *pa = a + f->at, *pb = b + f->at;
		int64_t of_a = (int64_t)load_uint(f, pa), of_b = (int64_t)load_uint(f, pb);

		if (f->type == FIELD_PATH) {
			of_a = strcmp(load_pointer(pa), load_pointer(pb));
			of_b = 0;
		}
		if (of_a != of_b)
			return of_a < of_b;
	}
	return false;
}

/* Appends a row, which is all 0, to the array. */
static char *add_row(const struct field_rows *r, char *base)
{
	size_t *count = (void *)(base + r->count), *cap = (void *)(base + r->cap);
	char *rows = mem_room(load_pointer(base + r->v), cap, *count + 1, r->size), *row = rows + r->size * *count;

	memcpy(base + r->v, &rows, sizeof(rows));
	++*count;
	return memset(row, 0, r->size);
}

/* Reads a row into the array. */
static bool read_own_row(struct json_values *v, const struct field *f, char *base)
{
	const struct field_rows *r = f->rows;
	char *row = add_row(r, base);
	const size_t count = *(const size_t *)(const void *)(base + r->count);

	if (f->type == FIELD_LIST ? !fields_read(v, &r->fields, row)
				  : !values_array(v) || !fields_read_row(v, &r->fields, row))
		return false;
	return (count <= r->max && (!r->keys || count == 1 || is_sorted(r, row - r->size, row))) ||
	       values_fail(v, "the rows are not sorted, or too many");
}

/* Reads a row that `put` keeps. */
static bool read_put_row(struct json_values *v, const struct field_rows *r, char *base)
{
	_Alignas(max_align_t) char row[ROW_MAX] = { 0 };
	bool read = fields_read(v, &r->fields, row) && r->put(v, base, row);

	fields_release(&r->fields, row);
	return read;
}

static bool read_rows(struct json_values *v, const struct field *f, char *base)
{
	const struct field_rows *r = f->rows;
	bool ended = false;

	if (!values_array(v))
		return false;
	if (r->head_row ? !next_element(v) || !values_array(v) || !fields_read_row(v, &r->head, base)
			: !read_elements(v, &r->head, base, &ended))
		return false;
	while (!ended && values_element(v))
		if (r->put ? !read_put_row(v, r, base) : !read_own_row(v, f, base))
			return false;
	return !v->failed;
}

static bool read_value(struct json_values *v, const struct field *f, char *p)
{
	const char *s;

	switch (f->type) {
	case FIELD_UINT:
		return read_uint(v, f, p);
	case FIELD_ID:
		return values_i64(v, (int64_t *)(void *)p);
	case FIELD_BOOL:
		return values_bool(v, (bool *)p);
	case FIELD_HEX:
		return values_hex(v, (uint64_t *)(void *)p);
	case FIELD_WORD:
		return read_word(v, f->words, p);
	case FIELD_RULE:
		return read_rule(v, p);
	case FIELD_CHARS:
		s = values_string(v);
		if (s)
			snprintf(p, f->size, "%s", s);
		return s != NULL;
	case FIELD_TEXT:
		return may_be_null(v, f) || keep_string(values_string(v), p);
	case FIELD_PATH:
		return read_path(v, f, p);
	case FIELD_OBJECT:
		return fields_read(v, f->members, p);
	case FIELD_ROW:
		return values_array(v) && fields_read_row(v, f->members, p);
	case FIELD_LIST:
	case FIELD_TABLE:
		return read_rows(v, f, p);
	case FIELD_CONST:
	case FIELD_OTHER:
	case FIELD_NONE:
		break;
	}
	return f->read ? f->read(v, p) : values_skip(v);
}

/* Reads the value of a key. base64: it is that of the bytes of a name, which take precedence. */
static bool read_member(struct json_values *v, const struct field *f, void *base, bool base64)
{
	char *p = member_of(f, base);

	if (f->flags & FIELD_DERIVED || (f->skip && f->skip(base)))
		return values_skip(v);
	if (f->when)
		struct_of(f, base)[f->when - 1] = (char)f->is;
	if (f->type == FIELD_PATH) {
		const char *s = may_be_null(v, f) ? NULL : base64 ? values_base64(v) : values_string(v);

		if (s && (base64 || !load_pointer(p)))
			keep_string(s, p);
		return !v->failed;
	}
	if (elements(f) > 1)
		return values_array(v) && fields_read_row(v, &(struct fields){ .v = f, .count = 1 }, base);
	return read_value(v, f, p);
}

/* Returns the field of the current key; *base64: the key is that of its bytes. */
static const struct field *find(const struct json_values *v, const struct fields *fields, bool *base64)
{
	for (const struct field *f = fields->v; f < fields->v + fields->count; f++) {
		size_t length = f->key ? strlen(f->key) : 0;

		if (!length || strncmp(v->key, f->key, length) != 0)
			continue;
		*base64 = f->type == FIELD_PATH && !strcmp(v->key + length, "_b64");
		if (*base64 || !v->key[length])
			return f;
	}
	return NULL;
}

bool fields_read(struct json_values *v, const struct fields *fields, void *base)
{
	uint64_t seen = 0;

	assert(fields->count <= 64);
	for (values_object(v); values_member(v);) {
		bool base64 = false;
		const struct field *f = find(v, fields, &base64);
		uint64_t bit = f && !base64 ? UINT64_C(1) << (f - fields->v) : 0;

		if (!f && fields->unknown)
			return values_fail(v, "%s", fields->unknown);
		if (seen & bit)
			return values_fail(v, "it occurs twice");
		seen |= bit;
		if (f && f->expect && !f->expect(v, base))
			return false;
		if (f ? !read_member(v, f, base, base64) || (f->check && !f->check(v, base)) : !values_skip(v))
			return false;
	}
	for (size_t i = 0; i < fields->count && !v->failed; i++)
		if (fields->v[i].flags & FIELD_NEEDED && !(seen >> i & 1))
			return values_fail(v, "there is no '%s'", fields->v[i].key);
	return !v->failed;
}

void fields_release(const struct fields *fields, void *row)
{
	for (const struct field *f = fields->v; f < fields->v + fields->count; f++)
		if (is_string(f))
			free(load_pointer(member_of(f, row)));
}

/* ---- the schema ------------------------------------------------------------------------------------------------- */

/* Appends members of a schema that are written out, ' for ". */
static void add_members(struct json_writer *w, const char *members)
{
	char key[64];

	/* the first key, then all that follows as its value */
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(members + 1, "'"), members + 1);
	json_key(w, key);
	json_value(w);
	for (const char *s = members + strlen(key) + strlen("'': "); *s; s++)
		strbuf_addch(w->out, *s == '\'' ? '"' : *s);
}

/* Appends what the type says. */
static void schema_of_type(struct json_writer *w, const struct field *f)
{
	static const char *const types[] = {
		[FIELD_UINT] = "'$ref': '#/$defs/count'",
		[FIELD_ID] = "'$ref': '#/$defs/id'",
		[FIELD_BOOL] = "'type': 'boolean'",
		[FIELD_HEX] = "'type': 'string', 'pattern': '^[0-9a-f]{16}$'",
		[FIELD_RULE] = "'type': 'string'",
		[FIELD_CHARS] = "'type': 'string'",
		[FIELD_TEXT] = "'type': ['string', 'null']",
		[FIELD_PATH] = "'type': ['string', 'null']",
	};

	if (f->type == FIELD_WORD) {
		json_key_array(w, "enum", JSON_INLINE);
		for (int i = f->words->first; i < f->words->end; i++)
			json_text(w, f->words->name(i));
		json_end(w);
	} else if (f->type == FIELD_CONST) {
		json_key_text(w, "const", f->text);
	} else if (f->type == FIELD_LIST) {
		json_key_text(w, "type", "array");
		json_key_object(w, "items", JSON_BLOCK);
		fields_schema(w, &f->rows->fields);
		json_end(w);
	} else if (f->flags & FIELD_OPAQUE) {
		json_key_text(w, "type", "object");
	} else if (f->type == FIELD_OBJECT) {
		fields_schema(w, f->members);
	} else if (elements(f) > 1) {
		json_key_text(w, "type", "array");
		json_key_object(w, "items", JSON_INLINE);
		add_members(w, types[f->type]);
		json_end(w);
		json_key_u64(w, "minItems", elements(f));
		json_key_u64(w, "maxItems", elements(f));
	} else {
		add_members(w, f->flags & FIELD_NULL_IF_MAX ? "'anyOf': [{'$ref': '#/$defs/count'}, {'type': 'null'}]"
							    : types[f->type]);
	}
}

void fields_schema_properties(struct json_writer *w, const struct fields *fields)
{
	for (const struct field *f = fields->v; f < fields->v + fields->count; f++) {
		bool block = f->type == FIELD_LIST || (f->type == FIELD_OBJECT && !(f->flags & FIELD_OPAQUE));
		char key_b64[48];

		if (!f->key)
			continue;
		json_key_object(w, f->key, block ? JSON_BLOCK : JSON_INLINE);
		if (f->schema)
			add_members(w, f->schema);
		if (!f->schema || f->type == FIELD_OBJECT)
			schema_of_type(w, f);
		if (f->doc)
			json_key_text(w, "description", f->doc);
		json_end(w);
		snprintf(key_b64, sizeof(key_b64), "%s_b64", f->key);
		if (f->type == FIELD_PATH)
			json_key_in_object(w, key_b64, "$ref", "#/$defs/base64");
	}
}

void fields_schema(struct json_writer *w, const struct fields *fields)
{
	const unsigned optional = FIELD_LATER | FIELD_IF_SET | FIELD_UNLESS_MAX;

	json_key_text(w, "type", "object");
	json_key_array(w, "required", JSON_INLINE);
	for (const struct field *f = fields->v; f < fields->v + fields->count; f++)
		if (f->key && !f->when && !(f->flags & optional) && f->type != FIELD_NONE)
			json_text(w, f->key);
	json_end(w);
	json_key_object(w, "properties", JSON_BLOCK);
	fields_schema_properties(w, fields);
	json_end(w);
}
