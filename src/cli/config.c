#include "cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/scan_number.h"
#include "base/strbuf.h"
#include "cli/config_trust.h"
#include "cli/options_table.h"

enum {
	PARENTS_MAX = 256,            /* no current folder is deeper */
	CLASS_ID_MAX = (1 << 20) - 1, /* as in class files: names are kept in an array that is indexed by id */
};

const struct option_spec config_paths_key = {
	.name = "paths", .value = "PATH", .repeatable = true, .completion = COMPLETE_FILE
};

/* ---- where the file is ------------------------------------------------------------------------------------------ */

static bool exists_below(const struct strbuf *folder, const char *name, struct stat *st)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_add(&path, folder->s, folder->len);
	strbuf_adds(&path, name);
	bool there = stat(path.s, st) == 0;

	strbuf_release(&path);
	return there;
}

/* Returns the path of a file in the folder, owned, if it is there; else NULL. */
static char *file_below(const struct strbuf *folder, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;
	char *found = NULL;

	if (exists_below(folder, name, &st)) {
		strbuf_add(&path, folder->s, folder->len);
		strbuf_adds(&path, name);
		found = xmemdup0(path.s, path.len);
	}
	strbuf_release(&path);
	return found;
}

/* Returns the file in the folder; NULL: there is none, and *misnamed may be one with a name that is not read. */
static char *config_in(const struct strbuf *folder, char **misnamed)
{
	static const char *const others[] = { "labelaudit.yml", ".labelaudit.yaml", ".labelaudit.yml" };
	char *found = file_below(folder, CONFIG_NAME);

	for (size_t i = 0; !found && !*misnamed && i < ARRAY_SIZE(others); i++)
		*misnamed = file_below(folder, others[i]);
	return found;
}

char *config_find(char **misnamed)
{
	struct strbuf folder = STRBUF_INIT; /* "", "../", "../../" ... */
	struct stat here, above, st;
	char *found = NULL;

	for (int i = 0; i < PARENTS_MAX; i++) {
		found = config_in(&folder, misnamed);
		if (found || exists_below(&folder, ".git", &st) || !exists_below(&folder, ".", &here) ||
		    !exists_below(&folder, "..", &above) ||
		    (here.st_dev == above.st_dev && here.st_ino == above.st_ino))
			break;
		strbuf_adds(&folder, "../");
	}
	strbuf_release(&folder);
	return found;
}

char *config_find_beside(const char *path, char **misnamed)
{
	struct strbuf folder = STRBUF_INIT;
	struct stat st;
	char *found = NULL;

	strbuf_add(&folder, path, path_trimmed(path));
	strbuf_addch(&folder, '/');
	for (int i = 0; i < PARENTS_MAX && !found && folder.len; i++) {
		found = config_in(&folder, misnamed);
		if (exists_below(&folder, ".git", &st))
			break;
		do
			strbuf_cut(&folder, folder.len - 1);
		while (folder.len && folder.s[folder.len - 1] != '/');
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
static enum status read_file(const struct config *c, struct strbuf *out, struct error *err)
{
	const char *path = c->path;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	enum status status;

	if (fd < 0)
		return error_set_errno(err, errno, "%s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		status = error_set(err, "%s: not a regular file", path);
	else if (config_check_file(c, &st, err) != STATUS_OK)
		status = STATUS_FAILED;
	else
		status = read_bytes(fd, path, out, err);
	close(fd);
	return status;
}

/* ---- YAML ------------------------------------------------------------------------------------------------------- */

struct reading {
	struct config *c;
	struct error *err;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; owned by libyaml until the next */
	bool has_event;
	size_t line; /* of the event */
};

/* Fills the error with path and line. Always returns false. */
static bool __attribute__((format(printf, 2, 3))) refuse(struct reading *r, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set(r->err, "%s: line %zu: %s", r->c->path, r->line, text);
	return false;
}

static bool next(struct reading *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = false;
	if (!yaml_parser_parse(&r->parser, &r->event)) {
		r->line = r->parser.problem_mark.line + 1;
		if (r->parser.error != YAML_MEMORY_ERROR)
			return refuse(r, "this is not YAML: %s",
				      r->parser.problem ? r->parser.problem : "it cannot be read");
		error_set(r->err, "%s: out of memory", r->c->path);
		return false;
	}
	r->has_event = true;
	r->line = r->event.start_mark.line + 1;
	return r->event.type != YAML_ALIAS_EVENT || refuse(r, "an alias (*name); write out the value");
}

/* Makes the next event the current one. Returns false if it is `end` or after a failure, which *good tells apart. */
static bool next_before(struct reading *r, yaml_event_type_t end, bool *good)
{
	*good = next(r);
	return *good && r->event.type != end;
}

/* Returns the current event as text, or NULL with the error filled if it is something else. */
static const char *scalar(struct reading *r, const char *expected)
{
	if (r->event.type != YAML_SCALAR_EVENT)
		refuse(r, "expected %s", expected);
	else if (memchr(r->event.data.scalar.value, '\0', r->event.data.scalar.length))
		refuse(r, "a value with a NUL in it");
	else
		return (const char *)r->event.data.scalar.value;
	return NULL;
}

/* Resolves a relative path against the folder of the file. */
static char *resolve(const struct config *c, const char *value)
{
	const char *slash = strrchr(c->path, '/');
	struct strbuf out = STRBUF_INIT;

	if (slash && value[0] != '/')
		strbuf_add(&out, c->path, (size_t)(slash - c->path) + 1);
	strbuf_adds(&out, value);
	char *copy = xmemdup0(out.s, out.len);

	strbuf_release(&out);
	return copy;
}

/* Owns value. */
static bool add(struct reading *r, const struct option_spec *spec, char *value)
{
	struct config *c = r->c;

	if (c->count == CONFIG_VALUES_MAX) {
		free(value);
		return refuse(r, "more than %d values", CONFIG_VALUES_MAX);
	}
	GROW(c->v, c->cap, c->count + 1);
	c->v[c->count++] = (struct config_value){ spec, value, r->line };
	return config_check_value(c, &c->v[c->count - 1], r->err) == STATUS_OK;
}

static bool take_value(struct reading *r, const struct option_spec *spec)
{
	const char *s = scalar(r, spec->repeatable ? "a value, or a list of values" : "a value");

	if (!s)
		return false;
	if (spec->takes && (!strcmp(s, "true") || !strcmp(s, "false")))
		return !strcmp(s, "false") || add(r, spec, xstrdup(""));
	if (!*s)
		return refuse(r, "%s has no value", spec->name);
	bool list = (!strcmp(spec->name, "classes") && is_list_of_ids(s)) ||
		    (!strcmp(spec->name, "colors") && is_list_of_colours(s)) || (spec->repeatable && is_glob(s));
	bool path = spec->completion == COMPLETE_FILE && !list;

	if (path && config_check_path(r->c, r->line, spec, s, r->err) != STATUS_OK)
		return false;
	return add(r, spec, path ? resolve(r->c, s) : xstrdup(s));
}

static bool take_flag(struct reading *r, const struct option_spec *spec)
{
	const char *s = scalar(r, "true or false");

	if (!s || !strcmp(s, "false"))
		return s != NULL;
	if (strcmp(s, "true") != 0)
		return refuse(r, "%s must be true or false, not '%.200s'", spec->name, s);
	return add(r, spec, NULL);
}

/* Reads [a, b] of a repeatable option. */
static bool take_list(struct reading *r, const struct option_spec *spec)
{
	bool good;

	while (next_before(r, YAML_SEQUENCE_END_EVENT, &good))
		if (!take_value(r, spec))
			return false;
	return good;
}

/* Reads the rules of one glob into the form of --per-path: GLOB=RULE,RULE. */
static bool take_rules(struct reading *r, struct strbuf *value)
{
	bool list = r->event.type == YAML_SEQUENCE_START_EVENT, good = true;
	const char *comma = "";

	while (!list || next_before(r, YAML_SEQUENCE_END_EVENT, &good)) {
		const char *s = scalar(r, list ? "the name of a rule or a category" : "rules");

		if (!s)
			return false;
		strbuf_addf(value, "%s%s", comma, s);
		if (!list)
			return true;
		comma = ",";
	}
	return good;
}

static bool take_map(struct reading *r, const struct option_spec *spec)
{
	struct strbuf value = STRBUF_INIT;
	bool good;

	if (r->event.type != YAML_MAPPING_START_EVENT)
		return refuse(r, "expected globs with rules: drafts/: [single-id]");
	while (next_before(r, YAML_MAPPING_END_EVENT, &good)) {
		const char *glob = scalar(r, "a glob");

		strbuf_clear(&value);
		if (glob)
			strbuf_addf(&value, "%s=", glob);
		good = glob && next(r) && take_rules(r, &value) && add(r, spec, xmemdup0(value.s, value.len));
		if (!good)
			break;
	}
	strbuf_release(&value);
	return good;
}

/* Adds the ids as a value of --classes: "21" where they are 0 to 20, else "0-18,33". */
static bool add_class_ids(struct reading *r, const struct option_spec *spec, const struct id_ranges *ids)
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
	return add(r, spec, copy);
}

/* Reads a class of a map: its id, which is the current event, and its name. */
static bool take_class(struct reading *r, struct id_ranges *ids)
{
	struct config *c = r->c;
	uint64_t id = 0;
	const char *s = scalar(r, "the id of a class");

	if (!s)
		return false;
	if (!scan_uint64(&s, &id) || *s || id > CLASS_ID_MAX)
		return refuse(r, "expected a value, or a map from ids (0 to %d) to names", CLASS_ID_MAX);
	if (id_ranges_contain(ids, (int64_t)id))
		return refuse(r, "class %d is given twice", (int)id);
	if (c->classes_count == CONFIG_VALUES_MAX)
		return refuse(r, "more than %d classes", CONFIG_VALUES_MAX);
	if (!next(r) || !(s = scalar(r, "the name of a class")))
		return false;
	id_ranges_add(ids, (int64_t)id, (int64_t)id);
	GROW(c->classes, c->classes_cap, c->classes_count + 1);
	c->classes[c->classes_count++] = (struct config_class){ (size_t)id, xstrdup(s) };
	return true;
}

/* Reads {0: road, 1: car} of classes. */
static bool take_classes(struct reading *r, const struct option_spec *spec)
{
	struct id_ranges ids = { NULL, 0, 0 };
	size_t line = r->line;
	bool good;

	while (next_before(r, YAML_MAPPING_END_EVENT, &good) && (good = take_class(r, &ids)))
		;
	r->line = line;
	if (good)
		good = ids.count ? add_class_ids(r, spec, &ids) : refuse(r, "%s has no value", spec->name);
	free(ids.v);
	return good;
}

/* Reads a colour, "#rrggbb" or [r, g, b], and appends it as --colors takes it. */
static bool take_colour(struct reading *r, struct strbuf *value)
{
	bool list = r->event.type == YAML_SEQUENCE_START_EVENT, good = true;
	uint32_t colour = 0;
	int parts = 0;

	for (; list && next_before(r, YAML_SEQUENCE_END_EVENT, &good); parts++) {
		const char *s = scalar(r, "a colour as [r, g, b]");
		uint64_t part = 0;

		if (!s)
			return false;
		if (!scan_uint64(&s, &part) || *s || part > 255)
			return refuse(r, "a colour is [r, g, b] with numbers from 0 to 255");
		colour = colour << 8 | (uint32_t)part;
	}
	if (!good || (list && parts != 3))
		return good && refuse(r, "a colour is [r, g, b], three numbers");
	if (!list) {
		const char *s = scalar(r, "a colour, \"#rrggbb\" or [r, g, b]");

		if (!s)
			return false;
		if (!colour_parse(s, strlen(s), &colour))
			return refuse(
				r, "expected a colour, \"#rrggbb\" (in quotes, since # begins a comment) or [r, g, b]");
	}
	strbuf_addf(value, "=#%06" PRIx32, colour);
	return true;
}

/* Reads {0: "#000000", 1: [128, 0, 0]} of colors into the form of --colors: 0=#000000,1=#800000. */
static bool take_colours(struct reading *r, const struct option_spec *spec)
{
	struct strbuf value = STRBUF_INIT;
	size_t line = r->line;
	bool good;

	while (next_before(r, YAML_MAPPING_END_EVENT, &good)) {
		const char *s = scalar(r, "the id of a class");
		uint64_t id = 0;

		good = s && ((scan_uint64(&s, &id) && !*s && id <= COLOUR_CLASS_MAX) ||
			     refuse(r, "expected a map from ids (0 to %d) to colours", COLOUR_CLASS_MAX));
		if (!good)
			break;
		strbuf_addf(&value, "%s%" PRIu64, value.len ? "," : "", id);
		good = next(r) && take_colour(r, &value);
		if (!good)
			break;
	}
	r->line = line;
	if (good)
		good = value.len ? add(r, spec, xmemdup0(value.s, value.len))
				 : refuse(r, "%s has no value", spec->name);
	strbuf_release(&value);
	return good;
}

static const struct option_spec *find_key(struct reading *r, const char *key)
{
	const struct option_spec *spec = option_find(key, strlen(key));
	const char *instead = option_removed(key, strlen(key));
	struct nearest nearest;

	if (!strcmp(key, config_paths_key.name))
		return &config_paths_key;

	if (spec && !spec->command_line_only)
		return spec;
	nearest_init(&nearest, key);
	nearest_try(&nearest, config_paths_key.name);
	for (size_t i = 0; strlen(key) < 64 && i < option_count; i++)
		if (!option_table[i].command_line_only)
			nearest_try(&nearest, option_table[i].name);
	if (instead)
		refuse(r, "the setting %s was removed: %s", key, instead);
	else if (spec)
		refuse(r, "%s can only be given on the command line", key);
	else if (nearest.name)
		refuse(r, "there is no setting '%.200s'; did you mean %s?", key, nearest.name);
	else
		refuse(r, "there is no setting '%.200s'; --show-settings lists them", key);
	return NULL;
}

static bool read_setting(struct reading *r, bool *seen)
{
	const char *key = scalar(r, "the name of a setting");
	const struct option_spec *spec = key ? find_key(r, key) : NULL;

	if (!spec)
		return false;
	bool *given = &seen[spec == &config_paths_key ? option_count : (size_t)(spec - option_table)];

	if (*given)
		return refuse(r, "%s is given twice", spec->name);
	*given = true;
	if (!next(r))
		return false;
	if (spec->globs)
		return take_map(r, spec);
	if (r->event.type == YAML_MAPPING_START_EVENT && !strcmp(spec->name, "classes"))
		return take_classes(r, spec);
	if (r->event.type == YAML_MAPPING_START_EVENT && !strcmp(spec->name, "colors"))
		return take_colours(r, spec);
	if (!spec->value)
		return take_flag(r, spec);
	if (spec->repeatable && r->event.type == YAML_SEQUENCE_START_EVENT)
		return take_list(r, spec);
	return take_value(r, spec);
}

/* An empty file, or one of comments alone, sets nothing. */
static bool read_document(struct reading *r, bool *seen)
{
	bool good;

	do {
		if (!next(r))
			return false;
		if (r->event.type == YAML_STREAM_END_EVENT)
			return true;
	} while (r->event.type == YAML_STREAM_START_EVENT || r->event.type == YAML_DOCUMENT_START_EVENT);
	if (r->event.type == YAML_SCALAR_EVENT && !r->event.data.scalar.length) /* "---" and no more */
		return true;
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return refuse(r, "expected settings, such as classes: 21");
	while (next_before(r, YAML_MAPPING_END_EVENT, &good))
		if (!read_setting(r, seen))
			return false;
	if (!good || !next(r) || !next(r))
		return false;
	return r->event.type == YAML_STREAM_END_EVENT || refuse(r, "a second document");
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
	struct reading r = { .c = c, .err = err };
	bool *seen, good;

	if (!yaml_parser_initialize(&r.parser))
		return error_set(err, "%s: out of memory", c->path);
	seen = xcalloc(option_count + 1, sizeof(*seen));
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
	good = read_document(&r, seen);
	if (r.has_event)
		yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	free(seen);
	return good ? STATUS_OK : STATUS_FAILED;
}

enum status config_read(struct config *c, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	enum status status;

	c->path = xstrdup(path);
	status = read_file(c, &text, err);
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
