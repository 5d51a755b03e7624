#include "cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/scan_number.h"
#include "base/strbuf.h"
#include "cli/options_table.h"

enum {
	PARENTS_MAX = 256,            /* no current folder is deeper */
	CLASS_ID_MAX = (1 << 20) - 1, /* as in class files: names are kept in an array that is indexed by id */
};

/* ---- where the file is
 * ------------------------------------------------------------------------------------------------ */

static bool exists_below(const struct strbuf *folder, const char *name, struct stat *st)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_add(&path, folder->s, folder->len);
	strbuf_adds(&path, name);
	bool there = stat(path.s, st) == 0;

	strbuf_release(&path);
	return there;
}

char *config_find(void)
{
	struct strbuf folder = STRBUF_INIT; /* "", "../", "../../" ... */
	struct stat here, above, st;
	char *found = NULL;

	for (int i = 0; i < PARENTS_MAX; i++) {
		if (exists_below(&folder, CONFIG_NAME, &st)) {
			strbuf_adds(&folder, CONFIG_NAME);
			found = xmemdup0(folder.s, folder.len);
			break;
		}
		if (exists_below(&folder, ".git", &st) || !exists_below(&folder, ".", &here) ||
		    !exists_below(&folder, "..", &above) ||
		    (here.st_dev == above.st_dev && here.st_ino == above.st_ino))
			break;
		strbuf_adds(&folder, "../");
	}
	strbuf_release(&folder);
	return found;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static enum status read_bytes(int fd, const char *path, struct strbuf *out, struct error *err)
{
	char piece[16 << 10];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "%s", path);
		strbuf_add(out, piece, (size_t)n);
		if (out->len > CONFIG_BYTES_MAX)
			return error_set(err, "%s: larger than %d MiB", path, CONFIG_BYTES_MAX >> 20);
	}
	return STATUS_OK;
}

/* Opens without waiting for the writer of a FIFO. */
static enum status read_file(const char *path, struct strbuf *out, struct error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	enum status status;

	if (fd < 0)
		return error_set_errno(err, errno, "%s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		status = error_set(err, "%s: not a regular file", path);
	else
		status = read_bytes(fd, path, out, err);
	close(fd);
	return status;
}

/* ---- YAML ------------------------------------------------------------------------------------------------------- */

struct reading {
	struct config *c;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; owned by libyaml until the next */
	bool has_event;
	size_t line; /* of the event */
};

static enum status next(struct reading *r, struct error *err)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = false;
	if (!yaml_parser_parse(&r->parser, &r->event)) {
		if (r->parser.error == YAML_MEMORY_ERROR)
			return error_set(err, "%s: out of memory", r->c->path);
		return error_set(err, "%s: line %zu: this is not YAML: %s", r->c->path, r->parser.problem_mark.line + 1,
				 r->parser.problem ? r->parser.problem : "it cannot be read");
	}
	r->has_event = true;
	r->line = r->event.start_mark.line + 1;
	if (r->event.type == YAML_ALIAS_EVENT)
		return error_set(err, "%s: line %zu: an alias (*name); write the value out", r->c->path, r->line);
	return STATUS_OK;
}

/* Returns the current event as text, or NULL with err filled if it is something else. */
static const char *scalar(struct reading *r, const char *expected, struct error *err)
{
	if (r->event.type != YAML_SCALAR_EVENT) {
		error_set(err, "%s: line %zu: expected %s", r->c->path, r->line, expected);
		return NULL;
	}
	const char *s = (const char *)r->event.data.scalar.value;

	if (memchr(s, '\0', r->event.data.scalar.length)) {
		error_set(err, "%s: line %zu: a value with a NUL in it", r->c->path, r->line);
		return NULL;
	}
	return s;
}

/* Resolves a relative path against the folder of the file. prefix: what precedes the path in the value. */
static char *resolve(const struct config *c, const char *value, size_t prefix)
{
	const char *slash = strrchr(c->path, '/');
	struct strbuf out = STRBUF_INIT;

	strbuf_add(&out, value, prefix);
	if (slash && value[prefix] != '/')
		strbuf_add(&out, c->path, (size_t)(slash - c->path) + 1);
	strbuf_adds(&out, value + prefix);
	char *copy = xmemdup0(out.s, out.len);

	strbuf_release(&out);
	return copy;
}

static enum status add(struct reading *r, const struct option_spec *spec, char *value, struct error *err)
{
	struct config *c = r->c;

	if (c->count == CONFIG_VALUES_MAX) {
		free(value);
		return error_set(err, "%s: line %zu: more than %d values", c->path, r->line, CONFIG_VALUES_MAX);
	}
	GROW(c->v, c->cap, c->count + 1);
	c->v[c->count++] = (struct config_value){ spec, value, r->line };
	return STATUS_OK;
}

static enum status take_value(struct reading *r, const struct option_spec *spec, struct error *err)
{
	const char *s = scalar(r, spec->repeatable ? "a value, or a list of values" : "a value", err);

	if (!s)
		return STATUS_FAILED;
	if (spec->takes && (!strcmp(s, "true") || !strcmp(s, "false")))
		return !strcmp(s, "true") ? add(r, spec, xstrdup(""), err) : STATUS_OK;
	if (!*s)
		return error_set(err, "%s: line %zu: %s has no value", r->c->path, r->line, spec->name);
	bool path = spec->completion == COMPLETE_FILE && !(!strcmp(spec->name, "classes") && is_list_of_ids(s));

	return add(r, spec, path ? resolve(r->c, s, 0) : xstrdup(s), err);
}

static enum status take_flag(struct reading *r, const struct option_spec *spec, struct error *err)
{
	const char *s = scalar(r, "true or false", err);

	if (!s)
		return STATUS_FAILED;
	if (!strcmp(s, "false"))
		return STATUS_OK;
	if (strcmp(s, "true") != 0)
		return error_set(err, "%s: line %zu: %s is true or false, not '%.200s'", r->c->path, r->line,
				 spec->name, s);
	return add(r, spec, NULL, err);
}

/* Reads [a, b] of a repeatable option. */
static enum status take_list(struct reading *r, const struct option_spec *spec, struct error *err)
{
	for (;;) {
		if (next(r, err) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return STATUS_OK;
		if (take_value(r, spec, err) != STATUS_OK)
			return STATUS_FAILED;
	}
}

/* Reads the rules of one glob into the form of --per-path: GLOB=RULE,RULE. */
static enum status take_rules(struct reading *r, struct strbuf *value, struct error *err)
{
	const char *s;
	bool first = true;

	if (r->event.type != YAML_SEQUENCE_START_EVENT) {
		s = scalar(r, "rules", err);
		if (s)
			strbuf_adds(value, s);
		return s ? STATUS_OK : STATUS_FAILED;
	}
	for (;; first = false) {
		if (next(r, err) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return STATUS_OK;
		s = scalar(r, "the name of a rule or a category", err);
		if (!s)
			return STATUS_FAILED;
		if (!first)
			strbuf_addch(value, ',');
		strbuf_adds(value, s);
	}
}

static enum status take_map(struct reading *r, const struct option_spec *spec, struct error *err)
{
	struct strbuf value = STRBUF_INIT;
	enum status status = STATUS_OK;

	if (r->event.type != YAML_MAPPING_START_EVENT)
		return error_set(err, "%s: line %zu: expected globs with rules: drafts/: [single-id]", r->c->path,
				 r->line);
	while (status == STATUS_OK) {
		const char *glob;

		strbuf_clear(&value);
		status = next(r, err);
		if (status != STATUS_OK || r->event.type == YAML_MAPPING_END_EVENT)
			break;
		glob = scalar(r, "a glob", err);
		if (glob) {
			strbuf_addf(&value, "%s=", glob);
			status = next(r, err);
		} else {
			status = STATUS_FAILED;
		}
		if (status == STATUS_OK)
			status = take_rules(r, &value, err);
		if (status == STATUS_OK)
			status = add(r, spec, xmemdup0(value.s, value.len), err);
	}
	strbuf_release(&value);
	return status;
}

/* Adds the ids as a value of --classes: "21" where they are 0 to 20, else "0-18,33". */
static enum status add_class_ids(struct reading *r, const struct option_spec *spec, const struct id_ranges *ids,
				 struct error *err)
{
	const struct id_range *first = &ids->v[0];
	struct strbuf value = STRBUF_INIT;
	char *copy;

	if (ids->count == 1 && first->first == 0)
		strbuf_add_u64(&value, (uint64_t)first->last + 1);
	else
		id_ranges_format(ids, &value);
	if (ids->count == 1 && first->first == first->last && first->first) /* a lone number is a count */
		strbuf_addf(&value, "-%s", value.s);
	r->c->classes_value = copy = xmemdup0(value.s, value.len);
	strbuf_release(&value);
	return add(r, spec, copy, err);
}

/* Reads the next class of a map. Returns false at its end, and after a failure, which *status tells. */
static bool take_class(struct reading *r, struct id_ranges *ids, enum status *status, struct error *err)
{
	struct config *c = r->c;
	uint64_t id = 0;
	const char *s;

	*status = next(r, err);
	if (*status != STATUS_OK || r->event.type == YAML_MAPPING_END_EVENT)
		return false;
	*status = STATUS_FAILED;
	s = scalar(r, "the id of a class", err);
	if (!s)
		return false;
	if (!scan_uint64(&s, &id) || *s || id > CLASS_ID_MAX)
		error_set(err, "%s: line %zu: expected a value, or a map from ids (0 to %d) to names", c->path, r->line,
			  CLASS_ID_MAX);
	else if (id_ranges_contain(ids, (int64_t)id))
		error_set(err, "%s: line %zu: class %d is there twice", c->path, r->line, (int)id);
	else if (c->classes_count == CONFIG_VALUES_MAX)
		error_set(err, "%s: line %zu: more than %d classes", c->path, r->line, CONFIG_VALUES_MAX);
	else if (next(r, err) == STATUS_OK && (s = scalar(r, "the name of a class", err)))
		*status = STATUS_OK;
	if (*status != STATUS_OK)
		return false;
	id_ranges_add(ids, (int64_t)id, (int64_t)id);
	GROW(c->classes, c->classes_cap, c->classes_count + 1);
	c->classes[c->classes_count++] = (struct config_class){ (size_t)id, xstrdup(s) };
	return true;
}

/* {0: road, 1: car} of classes. */
static enum status take_classes(struct reading *r, const struct option_spec *spec, struct error *err)
{
	struct id_ranges ids = { NULL, 0, 0 };
	size_t line = r->line;
	enum status status;

	while (take_class(r, &ids, &status, err))
		;
	r->line = line;
	if (status == STATUS_OK)
		status = ids.count ? add_class_ids(r, spec, &ids, err)
				   : error_set(err, "%s: line %zu: %s has no value", r->c->path, line, spec->name);
	free(ids.v);
	return status;
}

static const struct option_spec *find_key(const struct reading *r, const char *key, struct error *err)
{
	const struct option_spec *spec = option_find(key, strlen(key));
	struct nearest nearest;

	if (spec && !spec->command_line_only)
		return spec;
	if (spec) {
		error_set(err, "%s: line %zu: %s is for the command line only", r->c->path, r->line, key);
		return NULL;
	}
	nearest_init(&nearest, key);
	for (size_t i = 0; strlen(key) < 64 && i < option_count; i++)
		if (!option_table[i].command_line_only)
			nearest_try(&nearest, option_table[i].name);
	error_set(err, "%s: line %zu: there is no setting '%.200s'%s%s%s", r->c->path, r->line, key,
		  nearest.name ? "; did you mean " : "; --show-settings lists them", nearest.name ? nearest.name : "",
		  nearest.name ? "?" : "");
	return NULL;
}

static enum status read_setting(struct reading *r, bool *seen, struct error *err)
{
	const char *key = scalar(r, "the name of a setting", err);
	const struct option_spec *spec = key ? find_key(r, key, err) : NULL;

	if (!spec)
		return STATUS_FAILED;
	if (seen[spec - option_table])
		return error_set(err, "%s: line %zu: %s is there twice", r->c->path, r->line, spec->name);
	seen[spec - option_table] = true;
	if (next(r, err) != STATUS_OK)
		return STATUS_FAILED;
	if (spec->globs)
		return take_map(r, spec, err);
	if (r->event.type == YAML_MAPPING_START_EVENT && !strcmp(spec->name, "classes"))
		return take_classes(r, spec, err);
	if (!spec->value)
		return take_flag(r, spec, err);
	if (spec->repeatable && r->event.type == YAML_SEQUENCE_START_EVENT)
		return take_list(r, spec, err);
	return take_value(r, spec, err);
}

/* An empty file, or one of comments alone, sets nothing. */
static enum status read_document(struct reading *r, bool *seen, struct error *err)
{
	do {
		if (next(r, err) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_STREAM_END_EVENT)
			return STATUS_OK;
	} while (r->event.type == YAML_STREAM_START_EVENT || r->event.type == YAML_DOCUMENT_START_EVENT);
	if (r->event.type == YAML_SCALAR_EVENT && !r->event.data.scalar.length) /* "---" and no more */
		return STATUS_OK;
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return error_set(err, "%s: line %zu: expected settings, such as classes: 21", r->c->path, r->line);
	for (;;) {
		if (next(r, err) != STATUS_OK)
			return STATUS_FAILED;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (read_setting(r, seen, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (next(r, err) != STATUS_OK || next(r, err) != STATUS_OK)
		return STATUS_FAILED;
	return r->event.type == YAML_STREAM_END_EVENT
		       ? STATUS_OK
		       : error_set(err, "%s: line %zu: a second document", r->c->path, r->line);
}

static enum status find_root(struct config *c, struct error *err)
{
	const char *slash = strrchr(c->path, '/');
	char *folder = slash ? xmemdup0(c->path, (size_t)(slash - c->path) + 1) : xstrdup(".");

	c->root = realpath(folder, NULL);
	enum status status = c->root ? STATUS_OK : error_set_errno(err, errno, "%s", folder);

	free(folder);
	return status;
}

static enum status parse(struct config *c, const char *text, size_t size, struct error *err)
{
	struct reading r = { .c = c };
	bool *seen;
	enum status status;

	if (!yaml_parser_initialize(&r.parser))
		return error_set(err, "%s: out of memory", c->path);
	seen = xcalloc(option_count, sizeof(*seen));
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
	status = read_document(&r, seen, err);
	if (r.has_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	free(seen);
	return status;
}

enum status config_read(struct config *c, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	enum status status;

	c->path = xstrdup(path);
	status = read_file(path, &text, err);
	if (status == STATUS_OK)
		status = find_root(c, err);
	if (status == STATUS_OK)
		status = parse(c, text.s, text.len, err);
	strbuf_release(&text);
	return status;
}

enum status config_parse(struct config *c, const char *name, const char *text, size_t size, struct error *err)
{
	c->path = xstrdup(name);
	return parse(c, text, size, err);
}
