#include "read/training_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "base/file_name.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum {
	FILE_BYTES_MAX = 16 << 20, /* as a class file's */
	PATHS_MAX = 1024,
	DEPTH_MAX = 64,
};

void training_config_release(struct training_config *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->paths[i].value);
	free(c->paths);
	free(c->root);
	free(c->masks_dir);
	memset(c, 0, sizeof(*c));
}

/* Reads a regular file of at most FILE_BYTES_MAX, without waiting for the writer of a FIFO. */
static bool read_whole(const char *path, struct strbuf *out)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_BYTES_MAX) {
		char piece[16 << 10];

		while ((n = read(fd, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR))
			if (n > 0 && out->len <= FILE_BYTES_MAX)
				strbuf_add(out, piece, (size_t)n);
	}
	if (fd >= 0)
		close(fd);
	return n == 0 && out->len <= FILE_BYTES_MAX;
}

/* ---- data.yaml -------------------------------------------------------------------------------------------------- */

struct yaml_file {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	bool has_event;
};

static bool next(struct yaml_file *y)
{
	if (y->has_event)
		yaml_event_delete(&y->event);
	y->has_event = yaml_parser_parse(&y->parser, &y->event);
	return y->has_event;
}

/* Returns a copy of the current event if it is text without a NUL; NULL if it is something else, or null. */
static char *scalar(const struct yaml_file *y)
{
	const char *s;
	size_t n;

	if (y->event.type != YAML_SCALAR_EVENT)
		return NULL;
	s = (const char *)y->event.data.scalar.value;
	n = y->event.data.scalar.length;
	bool plain = y->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

	if (!n || memchr(s, '\0', n) || (plain && (!strcmp(s, "null") || !strcmp(s, "~"))))
		return NULL;
	return xmemdup0(s, n);
}

/* Skips to the end of the value that the current event begins. */
static bool skip_value(struct yaml_file *y)
{
	int depth = 0;

	do {
		yaml_event_type_t type = y->event.type;

		if (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
			depth++;
		else if (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT)
			depth--;
	} while (depth > 0 && depth <= DEPTH_MAX && next(y));
	return !depth;
}

/* Adds what a split names. A value that is no path is taken for one, so that it is refused and not forgotten. */
static bool add_path(struct training_config *c, const struct yaml_file *y, const char *key)
{
	char *value = y->event.type == YAML_SCALAR_EVENT ? scalar(y) : xstrdup("(no path)");

	if (!value)
		return true;
	if (c->count == PATHS_MAX) {
		free(value);
		return false;
	}
	GROW(c->paths, c->cap, c->count + 1);
	c->paths[c->count++] = (struct training_path){ key, value, y->event.start_mark.line + 1 };
	return true;
}

/* Reads a path or a list of paths. */
static bool read_paths(struct training_config *c, struct yaml_file *y, const char *key)
{
	if (y->event.type != YAML_SEQUENCE_START_EVENT)
		return add_path(c, y, key) && skip_value(y);
	while (next(y) && y->event.type != YAML_SEQUENCE_END_EVENT)
		if (!add_path(c, y, key) || !skip_value(y))
			return false;
	return y->has_event;
}

/* Reads the value of a key of the root. *names: the classes are there. */
static bool read_key(struct training_config *c, struct yaml_file *y, bool *names)
{
	static const char *const splits[] = { "train", "val", "test" };
	char *key = scalar(y), **text = NULL;
	const char *split = NULL;

	if (!key)
		return skip_value(y) && next(y) && skip_value(y);
	for (size_t i = 0; i < ARRAY_SIZE(splits); i++)
		if (!strcmp(key, splits[i]))
			split = splits[i];
	*names |= !strcmp(key, "names") || !strcmp(key, "nc");
	if (!strcmp(key, "path"))
		text = &c->root;
	else if (!strcmp(key, "masks_dir"))
		text = &c->masks_dir;
	free(key);
	if (!next(y))
		return false;
	if (split)
		return read_paths(c, y, split);
	if (text && !*text)
		*text = scalar(y);
	return skip_value(y);
}

static bool read_document(struct training_config *c, struct yaml_file *y)
{
	bool names = false;

	do {
		if (!next(y))
			return false;
	} while (y->event.type == YAML_STREAM_START_EVENT || y->event.type == YAML_DOCUMENT_START_EVENT);
	if (y->event.type != YAML_MAPPING_START_EVENT)
		return false;
	while (next(y) && y->event.type != YAML_MAPPING_END_EVENT)
		if (!read_key(c, y, &names))
			return false;
	return y->has_event && names && c->count;
}

static bool read_yaml(struct training_config *c, const struct strbuf *text)
{
	struct yaml_file y = { .has_event = false };
	bool good;

	if (!yaml_parser_initialize(&y.parser))
		return false;
	yaml_parser_set_input_string(&y.parser, (const unsigned char *)text->s, text->len);
	good = read_document(c, &y);
	if (y.has_event)
		yaml_event_delete(&y.event);
	yaml_parser_delete(&y.parser);
	return good;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* Returns whether the root object has a key of `all` and, unless that is empty, one of `any`, and none called `none`.
 */
static bool has_keys(const struct strbuf *text, const char *all, const char *const *any, const char *none)
{
	bool has_all = false, has_any = !*any, has_none = false;
	struct json_pull p;
	enum json_token token;

	json_open_memory(&p, text->s, text->len, 0);
	for (token = json_next(&p); token == JSON_OBJECT || token == JSON_KEY; token = json_next(&p)) {
		if (token == JSON_OBJECT)
			continue;
		has_all |= json_text_is(&p, all);
		has_none |= json_text_is(&p, none);
		for (size_t i = 0; any[i]; i++)
			has_any |= json_text_is(&p, any[i]);
		if (!json_skip_next(&p))
			break;
	}
	json_close(&p);
	return token == JSON_OBJECT_END && has_all && has_any && !has_none;
}

void training_config_read(struct training_config *c, const char *path)
{
	static const char *const of_nnunet[] = { "file_ending", "channel_names", "modality", "numTraining", NULL };
	static const char *const nothing[] = { NULL };
	const char *name = file_name_of(path);
	bool yaml = file_name_ends_in(name, ".yaml") || file_name_ends_in(name, ".yml");
	bool nnunet = !strcmp(name, "dataset.json"), hugging_face = !strcmp(name, "dataset_info.json");
	struct strbuf text = STRBUF_INIT;

	memset(c, 0, sizeof(*c));
	if ((yaml || nnunet || hugging_face) && read_whole(path, &text)) {
		if (yaml && read_yaml(c, &text))
			c->kind = TRAINING_ULTRALYTICS;
		else if (nnunet && has_keys(&text, "labels", of_nnunet, "annotations"))
			c->kind = TRAINING_NNUNET;
		else if (hugging_face && has_keys(&text, "features", nothing, "annotations"))
			c->kind = TRAINING_HUGGING_FACE;
	}
	strbuf_release(&text);
	if (c->kind == TRAINING_NONE)
		training_config_release(c);
}
