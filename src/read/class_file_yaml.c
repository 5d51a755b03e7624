/*
 * Class files in YAML: reads names, nc and label_mapping of YOLO's data.yaml, or classes and ignore of labelaudit.yaml,
 * from libyaml's events. Other keys are skipped. Aliases are never expanded, so they cannot multiply. Only the first
 * document counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/scan_number.h"
#include "base/strbuf.h"
#include "read/class_text.h"

/* A data.yaml is 2 or 3 deep. */
enum { DEPTH_MAX = 64 };
enum { IGNORE_LABEL = 255 }; /* Ultralytics' masks have it */

/* An id in files, and the class that it is trained as. */
struct mapped_id {
	int64_t from, to; /* to: MAPPED_IGNORED, or a class */
	size_t line;
};
enum { MAPPED_IGNORED = -1, MAPPED_MAX = 65536 };

struct yaml_reader {
	struct class_text *t;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; YAML_NO_EVENT before the first */
	const char *s;      /* a scalar's text; NULL for other events */
	size_t n;
	char where[40]; /* "line 7" */
	bool names_seen, nc_seen, mapping_seen, classes_seen;
	bool more_seen; /* a key of labelaudit.yaml that says how its ids are read */
	int64_t nc;
	struct mapped_id *mapped; /* of label_mapping; owned */
	size_t mapped_count, mapped_cap;
};

static enum status next(struct yaml_reader *r)
{
	yaml_event_delete(&r->event);
	if (!yaml_parser_parse(&r->parser, &r->event)) {
		if (r->parser.error == YAML_MEMORY_ERROR)
			return class_fail(r->t, NULL, "out of memory");
		return class_fail(r->t, NULL, "line %zu, column %zu: this is not YAML: %s",
				  r->parser.problem_mark.line + 1, r->parser.problem_mark.column + 1,
				  r->parser.problem ? r->parser.problem : "it cannot be read");
	}
	r->s = r->event.type == YAML_SCALAR_EVENT ? (const char *)r->event.data.scalar.value : NULL;
	r->n = r->s ? r->event.data.scalar.length : 0;
	snprintf(r->where, sizeof(r->where), "line %zu", r->event.start_mark.line + 1);
	return STATUS_OK;
}

static enum status refuse(const struct yaml_reader *r, const char *expected)
{
	return class_fail(r->t, r->where, "expected %s", expected);
}

/* Skips to the end of the value that the current event begins. */
static enum status skip_value(struct yaml_reader *r)
{
	size_t depth = 0;

	for (;;) {
		if (r->event.type == YAML_SEQUENCE_START_EVENT || r->event.type == YAML_MAPPING_START_EVENT)
			depth++;
		else if (r->event.type == YAML_SEQUENCE_END_EVENT || r->event.type == YAML_MAPPING_END_EVENT)
			depth--;
		if (!depth)
			return STATUS_OK;
		if (depth > DEPTH_MAX)
			return class_fail(r->t, r->where, "nested more than %d deep", DEPTH_MAX);
		if (next(r) != STATUS_OK)
			return STATUS_FAILED;
	}
}

static enum status add_name(struct yaml_reader *r, int64_t id)
{
	if (!r->s)
		return refuse(r, "the name of a class");
	if (memchr(r->s, '\0', r->n))
		return refuse(r, "a name without a NUL in it");
	return class_add(r->t, r->where, id, r->s, r->n);
}

static enum status read_list(struct yaml_reader *r)
{
	for (int64_t id = 0;; id++) {
		if (next(r) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return STATUS_OK;
		if (add_name(r, id) != STATUS_OK)
			return STATUS_FAILED;
	}
}

static enum status read_map(struct yaml_reader *r)
{
	for (;;) {
		int64_t id = 0;

		if (next(r) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return STATUS_OK;
		if (!r->s)
			return refuse(r, "a class id");
		if (class_scan_id(r->t, r->where, r->s, r->n, &id) != STATUS_OK || next(r) != STATUS_OK ||
		    add_name(r, id) != STATUS_OK)
			return STATUS_FAILED;
	}
}

/* Reads the current event as an id, which may be negative. */
static bool scan_id(const struct yaml_reader *r, int64_t *id)
{
	const char *p = r->s;

	return p && scan_int64(&p, id) && !*p && *id <= CLASS_ID_MAX;
}

/* Reads {0: ignore_label, 7: 0, 8: 1}. An id that is not there is trained as it is. */
static enum status read_mapping(struct yaml_reader *r)
{
	for (;;) {
		struct mapped_id m = { .to = MAPPED_IGNORED };

		if (next(r) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return STATUS_OK;
		if (!scan_id(r, &m.from))
			return refuse(r, "label_mapping with ids: {7: 0, 8: 1, 255: ignore_label}");
		m.line = r->event.start_mark.line + 1;
		if (r->mapped_count == MAPPED_MAX)
			return class_fail(r->t, r->where, "label_mapping has more than %d ids", MAPPED_MAX);
		if (next(r) != STATUS_OK)
			return STATUS_FAILED;
		if (!(r->s && !strcmp(r->s, "ignore_label")) && !scan_id(r, &m.to))
			return refuse(r, "a class id, or ignore_label");
		if (m.to < 0 || m.to == IGNORE_LABEL)
			m.to = MAPPED_IGNORED;
		GROW(r->mapped, r->mapped_cap, r->mapped_count + 1);
		r->mapped[r->mapped_count++] = m;
	}
}

/* Makes the classes those of the files: each mapped id has the name of its class. */
static enum status apply_mapping(const struct yaml_reader *r)
{
	struct class_set *set = r->t->set;
	struct strbuf copies = STRBUF_INIT; /* of all names: setting one frees the old one */
	enum status status = STATUS_OK;
	size_t *at = xcalloc(r->mapped_count, sizeof(*at));

	for (size_t i = 0; i < r->mapped_count && status == STATUS_OK; i++) {
		const struct mapped_id *m = &r->mapped[i];
		const char *name = class_set_get_name(set, m->to);
		char where[40];

		snprintf(where, sizeof(where), "line %zu", m->line);
		if (m->to != MAPPED_IGNORED && !id_ranges_contain(&set->classes, m->to))
			status = class_fail(r->t, where, "label_mapping: there is no class %" PRId64, m->to);
		else if (m->to != MAPPED_IGNORED && m->from < 0)
			status = class_fail(r->t, where, "label_mapping: no file has the class id %" PRId64, m->from);
		at[i] = copies.len;
		strbuf_add(&copies, name ? name : "", strlen(name ? name : "") + 1);
	}
	for (size_t i = 0; i < r->mapped_count && status == STATUS_OK; i++) {
		const struct mapped_id *m = &r->mapped[i];

		if (m->to == MAPPED_IGNORED) {
			id_ranges_add(&set->ignored, m->from, m->from);
			continue;
		}
		id_ranges_add(&set->classes, m->from, m->from);
		if (copies.s[at[i]])
			class_set_name(set, (size_t)m->from, copies.s + at[i]);
	}
	strbuf_release(&copies);
	free(at);
	return status;
}

/* Reads classes of labelaudit.yaml: {0: road, 7: car}, 21, or 0-18,33. */
static enum status read_classes(struct yaml_reader *r)
{
	if (r->event.type == YAML_MAPPING_START_EVENT)
		return read_map(r);
	if (!r->s || r->s[strspn(r->s, "0123456789,- ")])
		return refuse(r, "a map from ids to names, a count, or a list of ids");
	return class_set_parse_classes(r->t->set, r->s, r->t->err);
}

/* Reads ignore of labelaudit.yaml: 255, or [255, -1]. */
static enum status read_ignore(struct yaml_reader *r)
{
	const bool list = r->event.type == YAML_SEQUENCE_START_EVENT;

	do {
		if (list && next(r) != STATUS_OK)
			return STATUS_FAILED;
		if (list && r->event.type == YAML_SEQUENCE_END_EVENT)
			return STATUS_OK;
		if (!r->s)
			return refuse(r, "ids that are ignored");
		if (class_set_parse_ignore(r->t->set, r->s, r->t->err) != STATUS_OK)
			return STATUS_FAILED;
	} while (list);
	return STATUS_OK;
}

static enum status read_key(struct yaml_reader *r, const char *key)
{
	bool names = !strcmp(key, "names"), nc = !strcmp(key, "nc");

	if ((names && r->names_seen) || (nc && r->nc_seen))
		return class_fail(r->t, r->where, "%s is given twice", key);
	bool mapping = !strcmp(key, "label_mapping");

	if (mapping && r->mapping_seen)
		return class_fail(r->t, r->where, "%s is given twice", key);
	if (next(r) != STATUS_OK)
		return STATUS_FAILED;
	if (nc) {
		r->nc_seen = true;
		if (!r->s)
			return refuse(r, "the number of classes");
		return class_scan_id(r->t, r->where, r->s, r->n, &r->nc);
	}
	if (mapping && r->event.type == YAML_MAPPING_START_EVENT) {
		r->mapping_seen = true;
		return read_mapping(r);
	}
	if (!strcmp(key, "classes") && !r->names_seen && !r->nc_seen) {
		r->classes_seen = true;
		return read_classes(r);
	}
	if (!strcmp(key, "ignore"))
		return read_ignore(r);
	r->more_seen |= !strcmp(key, "preset") || !strcmp(key, "colors") || !strcmp(key, "reduce-zero-label");
	if (!names)
		return skip_value(r);
	if (r->classes_seen)
		return class_fail(r->t, r->where, "names and classes both name classes");
	r->names_seen = true;
	if (r->event.type == YAML_SEQUENCE_START_EVENT)
		return read_list(r);
	if (r->event.type == YAML_MAPPING_START_EVENT)
		return read_map(r);
	return refuse(r, "a list of names, or a map from ids to names");
}

static enum status read_document(struct yaml_reader *r)
{
	do {
		if (next(r) != STATUS_OK)
			return STATUS_FAILED;
	} while (r->event.type == YAML_STREAM_START_EVENT || r->event.type == YAML_DOCUMENT_START_EVENT);
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return refuse(r, "keys, with names among them");
	for (;;) {
		char key[32] = "";

		if (next(r) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return STATUS_OK;
		if (!r->s && skip_value(r) != STATUS_OK)
			return STATUS_FAILED;
		if (r->n < sizeof(key))
			memcpy(key, r->s ? r->s : "", r->n);
		if (read_key(r, key) != STATUS_OK)
			return STATUS_FAILED;
	}
}

/* Checks that the ids are 0..nc-1, as loaders do. */
static enum status check(const struct yaml_reader *r)
{
	struct class_set *set = r->t->set;
	int64_t names = (int64_t)r->t->entries;

	if (r->classes_seen && r->more_seen)
		return class_fail(r->t, NULL, "it has settings beside its classes; pass --config %s", r->t->path);
	if (r->classes_seen)
		return STATUS_OK;
	if (!r->names_seen && !r->nc_seen)
		return class_fail(r->t, NULL, "this YAML has neither names, nc nor classes; " CLASSES_INSTEAD);
	if (!r->names_seen) {
		if (r->nc)
			id_ranges_add(&set->classes, 0, r->nc - 1);
		return STATUS_OK;
	}
	if (r->nc_seen && r->nc != names)
		return class_fail(r->t, NULL, "nc is %" PRId64 ", but there are %" PRId64 " names", r->nc, names);
	if (set->classes.count > 1 || (set->classes.count && set->classes.v[0].first != 0))
		return class_fail(r->t, NULL,
				  "names has %" PRId64 " classes, so their ids must be 0-%" PRId64 "; %" PRId64
				  " is missing",
				  names, names - 1, set->classes.v[0].first ? 0 : set->classes.v[0].last + 1);
	return STATUS_OK;
}

enum status class_file_yaml(struct class_text *t)
{
	struct yaml_reader r = { .t = t };
	enum status status;

	if (!yaml_parser_initialize(&r.parser))
		return class_fail(t, NULL, "out of memory");
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)t->text, t->size);
	status = read_document(&r);
	if (status == STATUS_OK)
		status = check(&r);
	if (status == STATUS_OK && r.mapped_count)
		status = apply_mapping(&r);
	free(r.mapped);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	return status;
}
