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

#include "base/file_name.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/scan_number.h"
#include "base/strbuf.h"
#include "cli/config_trust.h"
#include "cli/options_table.h"
#include "read/class_file.h"
#include "read/small_yaml.h"

enum {
	PARENTS_MAX = 256, /* no current folder is deeper */
};

const struct option_spec config_paths_key = {
	.name = "paths", .value = "PATH", .repeatable = true, .completion = COMPLETE_FILE
};

/* ---- where the file is ------------------------------------------------------------------------------------------ */

static bool exists_below(const struct strbuf *folder, const char *name, struct stat *st)
{
	RELEASED struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s%s", folder->s, name);
	return stat(path.s, st) == 0;
}

/* Returns the path of a file in the folder, owned, if it is there; else NULL. */
static char *file_below(const struct strbuf *folder, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;

	if (!exists_below(folder, name, &st))
		return NULL;
	strbuf_addf(&path, "%s%s", folder->s, name);
	return strbuf_detach(&path);
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
	RELEASED struct strbuf folder = STRBUF_INIT; /* "", "../", "../../" ... */
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
	return found;
}

char *config_find_beside(const char *path, char **misnamed)
{
	RELEASED struct strbuf folder = STRBUF_INIT;
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

/* ---- settings --------------------------------------------------------------------------------------------------- */

struct reading {
	struct config *c;
	struct error *err;
};

/* Fills the error with path and the line of a value. Always returns false. */
static bool __attribute__((format(printf, 3, 4))) refuse(struct reading *r, const cJSON *value, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	error_set(r->err, "%s: line %zu: %s", r->c->path, small_yaml_line(value), text);
	return false;
}

/* Returns the text of a value, or NULL with the error filled if it is something else. No text at all is "". */
static const char *scalar(struct reading *r, const cJSON *value, const char *expected)
{
	if (cJSON_IsString(value))
		return value->valuestring;
	if (cJSON_IsNull(value))
		return "";
	refuse(r, value, "expected %s", expected);
	return NULL;
}

/* Returns a value as a number of at most max, or UINT64_MAX. */
static uint64_t number(const char *s, uint64_t max)
{
	uint64_t n = 0;

	return s && scan_uint64(&s, &n) && !*s && n <= max ? n : UINT64_MAX;
}

/* Resolves a relative path against the folder of the file. */
static char *resolve(const struct config *c, const char *value)
{
	const char *slash = strrchr(c->path, '/');
	struct strbuf out = STRBUF_INIT;

	if (slash && value[0] != '/')
		strbuf_add(&out, c->path, (size_t)(slash - c->path) + 1);
	strbuf_adds(&out, value);
	return strbuf_detach(&out);
}

/* Owns text. value: where it is. */
static bool add(struct reading *r, const struct option_spec *spec, const cJSON *value, char *text)
{
	struct config *c = r->c;

	if (c->count == CONFIG_VALUES_MAX) {
		free(text);
		return refuse(r, value, "more than %d values", CONFIG_VALUES_MAX);
	}
	GROW(c->v, c->cap, c->count + 1);
	c->v[c->count++] = (struct config_value){ spec, text, small_yaml_line(value) };
	return config_check_value(c, &c->v[c->count - 1], r->err) == STATUS_OK;
}

static bool take_value(struct reading *r, const struct option_spec *spec, const cJSON *value)
{
	const char *s = scalar(r, value, spec->repeatable ? "a value, or a list of values" : "a value");

	if (!s)
		return false;
	if (spec->takes && (!strcmp(s, "true") || !strcmp(s, "false")))
		return !strcmp(s, "false") || add(r, spec, value, xstrdup(""));
	if (!*s)
		return refuse(r, value, "%s has no value", spec->name);
	bool list = (!strcmp(spec->name, "classes") && is_list_of_ids(s)) ||
		    (!strcmp(spec->name, "colors") && (is_list_of_colours(s) || colours_preset(s))) ||
		    (spec->repeatable && is_glob(s));
	bool path = spec->completion == COMPLETE_FILE && !list;

	if (path && config_check_path(r->c, small_yaml_line(value), spec, s, r->err) != STATUS_OK)
		return false;
	return add(r, spec, value, path ? resolve(r->c, s) : xstrdup(s));
}

static bool take_flag(struct reading *r, const struct option_spec *spec, const cJSON *value)
{
	const char *s = scalar(r, value, "true or false");

	if (!s || !strcmp(s, "false"))
		return s != NULL;
	if (strcmp(s, "true") != 0)
		return refuse(r, value, "%s must be true or false, not '%.200s'", spec->name, s);
	return add(r, spec, value, NULL);
}

/* Reads [a, b] of a repeatable option. */
static bool take_list(struct reading *r, const struct option_spec *spec, const cJSON *list)
{
	for (const cJSON *value = list->child; value; value = value->next)
		if (!take_value(r, spec, value))
			return false;
	return true;
}

/* Appends the rules of one glob as --per-path takes them: RULE,RULE. */
static bool take_rules(struct reading *r, const cJSON *rules, struct strbuf *out)
{
	const bool list = cJSON_IsArray(rules);
	const char *comma = "";

	for (const cJSON *rule = list ? rules->child : rules; rule; rule = list ? rule->next : NULL) {
		const char *s = scalar(r, rule, list ? "the name of a rule or a category" : "rules");

		if (!s)
			return false;
		strbuf_addf(out, "%s%s", comma, s);
		comma = ",";
	}
	return true;
}

/* Reads {glob: [RULE, RULE]} into the form of --per-path: GLOB=RULE,RULE. */
static bool take_globs(struct reading *r, const struct option_spec *spec, const cJSON *map)
{
	RELEASED struct strbuf value = STRBUF_INIT;
	bool good = true;

	if (!cJSON_IsObject(map))
		return refuse(r, map, "expected globs with rules: drafts/: [single-id]");
	for (const cJSON *rules = map->child; rules && good; rules = rules->next) {
		strbuf_addf(&value, "%s=", rules->string);
		good = *rules->string ? take_rules(r, rules, &value) : refuse(r, rules, "expected a glob");
		good = good && add(r, spec, rules, strbuf_detach(&value));
	}
	return good;
}

/* Adds the ids as a value of --classes: "21" where they are 0 to 20, else "0-18,33". */
static bool add_class_ids(struct reading *r, const struct option_spec *spec, const cJSON *map)
{
	const struct id_ranges *ids = &r->c->named->classes;
	const struct id_range *first = &ids->v[0];
	struct strbuf value = STRBUF_INIT;
	char *text;

	if (ids->count == 1 && first->first == 0)
		strbuf_add_u64(&value, (uint64_t)first->last + 1);
	else
		id_ranges_format(ids, &value);
	if (ids->count == 1 && first->first == first->last && first->first) /* a lone number is a count */
		strbuf_addf(&value, "-%s", value.s);
	r->c->classes_value = text = strbuf_detach(&value);
	return add(r, spec, map, text);
}

/* Reads [road, car] or {0: road, 1: car} of classes. */
static bool take_classes(struct reading *r, const struct option_spec *spec, const cJSON *names)
{
	struct class_set *named = r->c->named = xmalloc(sizeof(*named));

	class_set_init(named);
	if (!names->child)
		return refuse(r, names, "%s has no value", spec->name);
	return class_names_read(named, names, r->c->path, r->err) == STATUS_OK && add_class_ids(r, spec, names);
}

/* Reads a colour, "#rrggbb" or [r, g, b]. */
static bool take_colour(struct reading *r, const cJSON *value, uint32_t *colour)
{
	int parts = 0;

	*colour = 0;
	if (!cJSON_IsArray(value)) {
		const char *s = scalar(r, value, "a colour, \"#rrggbb\" or [r, g, b]");

		return s &&
		       (colour_parse(s, strlen(s), colour) ||
			refuse(r, value,
			       "expected a colour, \"#rrggbb\" (in quotes, since # begins a comment) or [r, g, b]"));
	}
	for (const cJSON *part = value->child; part; part = part->next, parts++) {
		const uint64_t n = number(part->valuestring, 255);

		if (n == UINT64_MAX)
			return refuse(r, part, "a colour is [r, g, b] with numbers from 0 to 255");
		*colour = *colour << 8 | (uint32_t)n;
	}
	return parts == 3 || refuse(r, value, "a colour is [r, g, b], three numbers");
}

/* Reads {0: "#000000", 1: [128, 0, 0]} of colors into the form of --colors: 0=#000000,1=#800000. */
static bool take_colours(struct reading *r, const struct option_spec *spec, const cJSON *map)
{
	RELEASED struct strbuf value = STRBUF_INIT;
	bool good = map->child || refuse(r, map, "%s has no value", spec->name);

	for (const cJSON *item = map->child; item && good; item = item->next) {
		const uint64_t id = number(item->string, COLOUR_CLASS_MAX);
		uint32_t colour;

		good = id == UINT64_MAX
			       ? refuse(r, item, "expected a map from ids (0 to %d) to colours", COLOUR_CLASS_MAX)
			       : take_colour(r, item, &colour);
		if (good)
			strbuf_addf(&value, "%s%" PRIu64 "=#%06" PRIx32, value.len ? "," : "", id, colour);
	}
	return good && add(r, spec, map, strbuf_detach(&value));
}

static const struct option_spec *find_key(struct reading *r, const cJSON *value)
{
	const char *key = value->string;
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
		refuse(r, value, "the setting %s was removed: %s", key, instead);
	else if (spec)
		refuse(r, value, "%s can only be given on the command line", key);
	else if (!*key)
		refuse(r, value, "expected the name of a setting");
	else if (nearest.name)
		refuse(r, value, "there is no setting '%.200s'; did you mean %s?", key, nearest.name);
	else
		refuse(r, value, "there is no setting '%.200s'; --show-settings lists them", key);
	return NULL;
}

static bool read_setting(struct reading *r, const cJSON *value, bool *seen)
{
	const struct option_spec *spec = find_key(r, value);

	if (!spec)
		return false;
	bool *given = &seen[spec == &config_paths_key ? option_count : (size_t)(spec - option_table)];

	if (*given)
		return refuse(r, value, "%s is given twice", spec->name);
	*given = true;
	if (spec->globs)
		return take_globs(r, spec, value);
	if ((cJSON_IsObject(value) || cJSON_IsArray(value)) && !strcmp(spec->name, "classes"))
		return take_classes(r, spec, value);
	if (cJSON_IsObject(value) && !strcmp(spec->name, "colors"))
		return take_colours(r, spec, value);
	if (!spec->value)
		return take_flag(r, spec, value);
	return spec->repeatable && cJSON_IsArray(value) ? take_list(r, spec, value) : take_value(r, spec, value);
}

static enum status find_root(struct config *c, struct error *err)
{
	const char *slash = strrchr(c->path, '/');
	FREED char *folder = slash ? xmemdup0(c->path, (size_t)(slash - c->path) + 1) : xstrdup(".");

	c->root = realpath(folder, NULL);
	return c->root ? STATUS_OK : error_set_errno(err, errno, "%s", folder);
}

/* An empty file, or one of comments alone, sets nothing. */
static enum status parse(struct config *c, const char *text, size_t size, struct error *err)
{
	struct reading r = { c, err };
	struct fault fault = FAULT_INIT;
	bool *seen = xcalloc(option_count + 1, sizeof(*seen)), more = false;
	cJSON *root = small_yaml_parse(text, size, &more, &fault);
	bool good = root != NULL;

	if (!root && fault.line)
		error_set(err, "%s: line %" PRIu64 ": %s", c->path, fault.line, fault.text);
	else if (!root)
		error_set(err, "%s: %s", c->path, fault.text);
	else if (!cJSON_IsObject(root) && !cJSON_IsNull(root))
		good = refuse(&r, root, "expected settings, such as classes: 21");
	else if (more)
		good = error_set(err, "%s: a second document", c->path) == STATUS_OK;
	for (const cJSON *value = root ? root->child : NULL; value && good; value = value->next)
		good = read_setting(&r, value, seen);
	cJSON_Delete(root);
	free(seen);
	return good ? STATUS_OK : STATUS_FAILED;
}

enum status config_read(struct config *c, const char *path, struct error *err)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	enum status status;

	c->path = xstrdup(path);
	status = read_file(c, &text, err);
	if (status == STATUS_OK)
		status = find_root(c, err);
	if (status == STATUS_OK)
		status = parse(c, text.s, text.len, err);
	return status;
}

enum status config_parse(struct config *c, const char *name, const char *text, size_t size, struct error *err)
{
	c->path = xstrdup(name);
	return parse(c, text, size, err);
}
