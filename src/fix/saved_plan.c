#include "fix/saved_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/command_line.h"
#include "cli/options_table.h"
#include "report/json_values.h"

enum { WORDS_MAX = 4096, PAIRS_MAX = 65536 };

void saved_plan_write_arguments(struct json_writer *w, const struct options *options)
{
	struct strbuf word = STRBUF_INIT;

	json_key_array(w, "arguments", JSON_INLINE);
	for (size_t i = 0; i < options->given_count; i++) {
		const struct option_given *given = &options->given[i];
		const char *name = option_table[i].name;

		if (given->origin == ORIGIN_DEFAULT || !command_line_is_of_data(name, strlen(name)))
			continue;
		for (size_t k = 0; k < MAX(given->values.count, (size_t)1); k++) {
			/* of an option that is not repeatable, the last one counts */
			if (!option_table[i].repeatable && k + 1 < given->values.count)
				continue;
			strbuf_clear(&word);
			strbuf_addf(&word, "--%s", name);
			if (given->values.count)
				strbuf_addf(&word, "=%s", given->values.v[k]);
			json_string(w, word.s, word.len);
		}
	}
	json_end(w);
	strbuf_release(&word);
}

void saved_plan_release(struct saved_plan *p)
{
	for (size_t i = 0; i < p->words_count; i++)
		free(p->words[i]);
	for (size_t i = 0; i < p->files_count; i++)
		free(p->files[i].path);
	path_list_release(&p->listed);
	free(p->words);
	free(p->pairs);
	free(p->files);
	memset(p, 0, sizeof(*p));
}

static void add_word(struct saved_plan *p, const char *word)
{
	GROW(p->words, p->words_cap, p->words_count + 1);
	p->words[p->words_count++] = xstrdup(word);
}

static bool read_argument(struct json_values *v, void *context)
{
	struct saved_plan *p = context;
	const char *word = values_string(v);

	if (!word)
		return false;
	if (strncmp(word, "--", 2) != 0 || !command_line_is_of_data(word + 2, strcspn(word + 2, "=")))
		return values_fail(v, "'%.60s' is no option of a plan", word);
	if (p->words_count >= WORDS_MAX)
		return values_fail(v, "more than %d arguments", WORDS_MAX);
	add_word(p, word);
	return true;
}

/* Reads a PATH into a saved_plan of its own, since PATHs come after the options. */
static bool read_path(struct json_values *v, void *context)
{
	struct saved_plan *p = context;
	const char *path = values_string(v);

	if (!path)
		return false;
	if (!*path || !strcmp(path, "-") || p->words_count >= WORDS_MAX)
		return values_fail(v, "expected the path of a file or a folder");
	add_word(p, path);
	return true;
}

static bool read_listed(struct json_values *v, void *context)
{
	struct saved_plan *p = context;
	const char *path = values_string(v);

	if (!path)
		return false;
	if (!*path)
		return values_fail(v, "expected the path of a file or a folder");
	path_list_add(&p->listed, path);
	return true;
}

static bool read_pair(struct json_values *v, void *context)
{
	struct saved_plan *p = context;
	struct planned_pair pair;

	if (!values_array(v) || !values_element(v) || !values_i64(v, &pair.from) || !values_element(v) ||
	    !values_i64(v, &pair.to) || !values_array_end(v))
		return v->failed ? false : values_fail(v, "expected [id, id]");
	if (p->pairs_count == PAIRS_MAX)
		return values_fail(v, "more than %d ids", PAIRS_MAX);
	GROW(p->pairs, p->pairs_cap, p->pairs_count + 1);
	p->pairs[p->pairs_count++] = pair;
	return true;
}

static bool read_map(struct json_values *v, void *context)
{
	char kind[16] = "";
	const struct values_field fields[] = {
		{ "kind", .buffer = kind, .size = sizeof(kind) },
		{ "mapping", .each = read_pair, .context = context },
	};

	if (!values_fields(v, fields, ARRAY_SIZE(fields)))
		return false;
	return !strcmp(kind, PLAN_MAP_OF_IDS) || values_fail(v, "a map of kind '%s': expected " PLAN_MAP_OF_IDS, kind);
}

static bool read_file(struct json_values *v, void *context)
{
	struct saved_plan *p = context;
	struct planned_file file = { 0 };
	char hash[40] = "";
	const struct values_field fields[] = {
		{ "path", .path = &file.path },
		{ "bytes", .u64 = &file.bytes },
		{ "xxh3_128", .buffer = hash, .size = sizeof(hash) },
	};

	GROW(p->files, p->files_cap, p->files_count + 1);
	bool ok = values_fields(v, fields, ARRAY_SIZE(fields));

	if (ok && (!file.path || strlen(hash) != 32 || hash[strspn(hash, "0123456789abcdef")]))
		ok = values_fail(v, "expected the path of a file and its xxh3_128");
	if (!ok) {
		free(file.path);
		return false;
	}
	char low[17];

	memcpy(low, hash + 16, sizeof(low));
	hash[16] = '\0';
	file.hash[0] = strtoull(hash, NULL, 16);
	file.hash[1] = strtoull(low, NULL, 16);
	p->files[p->files_count++] = file;
	return true;
}

static int compare_pairs(const void *pa, const void *pb)
{
	const struct planned_pair *a = pa, *b = pb;

	return a->from < b->from ? -1 : a->from > b->from;
}

const struct planned_pair *saved_plan_pair(const struct saved_plan *p, int64_t id)
{
	const struct planned_pair key = { .from = id };

	return p->pairs_count ? bsearch(&key, p->pairs, p->pairs_count, sizeof(key), compare_pairs) : NULL;
}

static enum status check_pairs(struct saved_plan *p, const char *path, struct error *err)
{
	if (p->pairs_count)
		qsort(p->pairs, p->pairs_count, sizeof(*p->pairs), compare_pairs);
	for (size_t i = 1; i < p->pairs_count; i++)
		if (p->pairs[i].from == p->pairs[i - 1].from)
			return error_set(err, "%s: id %" PRId64 " is mapped twice", path, p->pairs[i].from);
	return STATUS_OK;
}

enum status saved_plan_read(struct saved_plan *p, const char *path, struct error *err)
{
	struct saved_plan paths = { 0 };
	char version[16] = "";
	const struct values_field fields[] = {
		{ "plan_version", .buffer = version, .size = sizeof(version) },
		{ "arguments", .each = read_argument, .context = p },
		{ "paths", .each = read_path, .context = &paths },
		{ "listed", .each = read_listed, .context = p },
		{ "maps", .each = read_map, .context = p },
		{ "files", .each = read_file, .context = p },
	};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct json_values v;

	*p = (struct saved_plan){ 0 };
	if (fd < 0)
		return error_set_errno(err, errno, "cannot read %s", path);
	add_word(p, "labelaudit");
	add_word(p, "fix");
	add_word(p, "--no-config");
	values_open(&v, fd, path, err);
	bool ok = values_next(&v) && values_fields(&v, fields, ARRAY_SIZE(fields)) && values_next(&v);

	values_close(&v);
	close(fd);
	enum status status = ok ? check_pairs(p, path, err) : STATUS_FAILED;

	if (status == STATUS_OK && strncmp(version, "1.", 2) != 0)
		status = error_set(err, "%s: it is no plan of this version (plan_version 1.0)", path);
	path_list_sort(&p->listed);
	if (p->listed.count)
		add_word(p, "--files-from=-");
	add_word(p, "--");
	for (size_t i = 0; i < paths.words_count; i++)
		add_word(p, paths.words[i]);
	saved_plan_release(&paths);
	if (status != STATUS_OK)
		saved_plan_release(p);
	return status;
}
