#include "read/vocabulary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_pull.h"
#include "base/mem.h"
#include "base/scan_number.h"

/* The image token of Llama 3.2 Vision is beyond vocab_size: transformers 4.45, modeling_mllama.py, embed_tokens. */
enum { MLLAMA_ROWS = 8 };

/* Reads a value whose first token was read; returns false at a fault. */
typedef bool value_reader(struct vocabulary *v, struct json_pull *p, enum json_token token);

/* Copies a name of n bytes, cut if it is longer. */
static void copy_name(char out[SPECIAL_BYTES], const char *name, size_t n)
{
	snprintf(out, SPECIAL_BYTES, "%.*s", (int)MIN(n, (size_t)SPECIAL_BYTES - 1), name);
}

/* Counts an id, which `name` has: n bytes. */
static void add_id(struct vocabulary *v, int64_t id, const char *name, size_t n)
{
	if (id < 0 || (uint64_t)id < v->size)
		return;
	v->size = (uint64_t)id + 1;
	copy_name(v->largest, name, n);
}

static bool is_same(const char *special, const char *s, size_t n)
{
	return strlen(special) == n && !memcmp(special, s, n);
}

/* Notes that the vocabulary has a token. */
static void find_special(struct vocabulary *v, const char *s, size_t n)
{
	for (unsigned i = 0; i < v->specials_count; i++)
		v->specials[i].found |= is_same(v->specials[i].text, s, n);
}

static void add_special(struct vocabulary *v, const char *s, size_t n)
{
	if (!n || n >= SPECIAL_BYTES || v->specials_count == SPECIALS_MAX)
		return;
	for (unsigned i = 0; i < v->specials_count; i++)
		if (is_same(v->specials[i].text, s, n)) {
			v->specials[i].found |= v->has_id;
			return;
		}
	memcpy(v->specials[v->specials_count].text, s, n);
	v->specials[v->specials_count].text[n] = '\0';
	v->specials[v->specials_count++].found = v->has_id;
}

static bool ends_in(const struct json_pull *p, const char *end)
{
	const size_t n = strlen(end);

	return p->text_len >= n && !memcmp(p->text + p->text_len - n, end, n);
}

/* ---- the vocabulary ---------------------------------------------------------------------------------------------- */

/* {"token": id}, or of Unigram [["token", score], ...]. */
static bool read_tokens(struct vocabulary *v, struct json_pull *p, enum json_token token)
{
	char name[SPECIAL_BYTES];
	int64_t id = 0;

	if (token != JSON_OBJECT && token != JSON_ARRAY)
		return token != JSON_FAULT;
	while ((token = json_next(p)) == JSON_KEY || token == JSON_ARRAY) {
		const bool listed = token == JSON_ARRAY;

		if (listed && (token = json_next(p)) != JSON_STRING) { /* no piece */
			if (token != JSON_ARRAY_END && !(json_skip(p, token) && json_skip(p, JSON_ARRAY)))
				return false;
			continue;
		}
		const size_t n = p->text_len;

		copy_name(name, p->text, n);
		find_special(v, p->text, n);
		token = json_next(p);
		if (!listed && token == JSON_NUMBER && json_number_int64(&p->number, &id))
			add_id(v, id, name, n);
		else if (!json_skip(p, token))
			return false;
		if (listed) {
			add_id(v, id++, name, n);
			while (token != JSON_ARRAY_END && token != JSON_FAULT)
				token = json_next(p);
		}
	}
	return token == JSON_OBJECT_END || token == JSON_ARRAY_END;
}

/* [{"id": 50257, "content": "<pad>"}, ...] */
static bool read_added(struct vocabulary *v, struct json_pull *p, enum json_token token)
{
	if (token != JSON_ARRAY)
		return json_skip(p, token);
	while ((token = json_next(p)) == JSON_OBJECT) {
		char name[SPECIAL_BYTES] = "";
		int64_t id = -1;

		while ((token = json_next(p)) == JSON_KEY) {
			const bool is_id = json_text_is(p, "id"), is_content = json_text_is(p, "content");

			token = json_next(p);
			if (is_id && token == JSON_NUMBER)
				json_number_int64(&p->number, &id);
			else if (is_content && token == JSON_STRING) {
				find_special(v, p->text, p->text_len);
				copy_name(name, p->text, p->text_len);
			} else if (!json_skip(p, token))
				return false;
		}
		add_id(v, id, name, strlen(name));
	}
	return token == JSON_ARRAY_END;
}

/* tokenizer.json; a map of tokens to ids is vocab.json. */
static bool read_tokenizer(struct vocabulary *v, struct json_pull *p, enum json_token token)
{
	int64_t id;

	if (token != JSON_OBJECT)
		return token != JSON_FAULT && json_skip(p, token);
	while ((token = json_next(p)) == JSON_KEY) {
		char name[SPECIAL_BYTES];
		const bool added = json_text_is(p, "added_tokens"), model = json_text_is(p, "model"),
			   vocab = json_text_is(p, "vocab");
		const size_t n = p->text_len;

		copy_name(name, p->text, n);
		find_special(v, p->text, n);
		token = json_next(p);
		if (token == JSON_NUMBER && json_number_int64(&p->number, &id))
			add_id(v, id, name, n);
		else if (!(added && token == JSON_ARRAY                             ? read_added(v, p, token)
			   : model && token == JSON_OBJECT                          ? read_tokenizer(v, p, token)
			   : vocab && (token == JSON_OBJECT || token == JSON_ARRAY) ? read_tokens(v, p, token)
										    : json_skip(p, token)))
			return false;
	}
	return token == JSON_OBJECT_END;
}

/* ---- special tokens ---------------------------------------------------------------------------------------------- */

/*
 * tokenizer_config.json and special_tokens_map.json: "pad_token": "<pad>" or {"content": "<pad>"}; the ids of
 * added_tokens_decoder.
 */
static bool read_specials(struct vocabulary *v, struct json_pull *p, enum json_token token)
{
	uint64_t id;

	if (token != JSON_OBJECT)
		return token != JSON_FAULT && json_skip(p, token);
	while ((token = json_next(p)) == JSON_KEY) {
		const bool special = ends_in(p, "_token") || json_text_is(p, "content"),
			   added = json_text_is(p, "added_tokens_decoder");

		/* of added_tokens_decoder */
		const bool decoded = scan_whole_uint64(p->text, p->text_len, &id) && id < INT64_MAX;

		if (decoded)
			add_id(v, (int64_t)id, p->text, p->text_len);
		v->has_id = v->has_id || decoded;
		token = json_next(p);
		if (special && token == JSON_STRING)
			add_special(v, p->text, p->text_len);
		else if (!((special || added || decoded) && token == JSON_OBJECT ? read_specials(v, p, token)
										 : json_skip(p, token)))
			return false;
	}
	v->has_id = false; /* of the token whose object this was */
	return token == JSON_OBJECT_END;
}

/* config.json: "pad_token_id": 0, "eos_token_id": [1, 2], "image_token_index": 32000, "vocab_size". */
static bool read_config(struct vocabulary *v, struct json_pull *p, enum json_token token)
{
	int64_t id;

	if (token != JSON_OBJECT)
		return token != JSON_FAULT && json_skip(p, token);
	while ((token = json_next(p)) == JSON_KEY) {
		char name[SPECIAL_BYTES];
		const bool special = ends_in(p, "_token_id") || ends_in(p, "_token_index"),
			   rows = json_text_is(p, "vocab_size"), text = json_text_is(p, "text_config"),
			   type = json_text_is(p, "model_type");

		copy_name(name, p->text, p->text_len);
		token = json_next(p);
		if (special && token == JSON_ARRAY) {
			while ((token = json_next(p)) == JSON_NUMBER)
				if (json_number_int64(&p->number, &id))
					add_id(v, id, name, strlen(name));
			if (token != JSON_ARRAY_END)
				return false;
		} else if (token == JSON_NUMBER && json_number_int64(&p->number, &id)) {
			if (special)
				add_id(v, id, name, strlen(name));
			if (rows && id > 0 && id <= INT32_MAX)
				v->model_rows = MAX(v->model_rows, (uint64_t)id);
		} else if (type && token == JSON_STRING) {
			if (json_text_is(p, "mllama_text_model"))
				v->more_rows = MLLAMA_ROWS;
		} else if (!(text && token == JSON_OBJECT ? read_config(v, p, token) : json_skip(p, token))) {
			return false;
		}
	}
	return token == JSON_OBJECT_END;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Reads a file of JSON. Returns 1, 0 if it does not exist, -1 if *fault is set. */
static int read_file(struct vocabulary *v, const char *path, value_reader *read, struct fault *fault)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct json_pull p;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0) {
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "%s", strerror(errno));
		return -1;
	}
	json_open_fd(&p, fd, JSON_NON_FINITE);
	if (!read(v, &p, json_next(&p)))
		*fault = p.fault;
	json_close(&p);
	close(fd);
	return fault->kind == FAULT_NONE ? 1 : -1;
}

/* Counts the lines of vocab.txt. Returns as read_file(). */
static int read_lines(struct vocabulary *v, const char *path)
{
	FILE *file = fopen(path, "re");
	FREED char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (!file)
		return 0;
	for (int64_t id = 0; (n = getline(&line, &cap, file)) >= 0; id++) {
		n -= n > 0 && line[n - 1] == '\n';
		find_special(v, line, (size_t)n);
		add_id(v, id, line, (size_t)n);
	}
	fclose(file);
	return 1;
}

/* The files of a folder, in the order of reading: special tokens are looked for in what follows. */
static const struct {
	const char *name;
	value_reader *read; /* NULL: lines */
	bool tokens;        /* one of these is needed, and the first is enough */
} files[] = {
	{ "tokenizer_config.json", read_specials, false },
	{ "special_tokens_map.json", read_specials, false },
	{ "tokenizer.json", read_tokenizer, true },
	{ "vocab.json", read_tokens, true },
	{ "vocab.txt", NULL, true },
	{ "added_tokens.json", read_tokens, false },
	{ "config.json", read_config, false },
	{ "generation_config.json", read_config, false },
};

/* Gives the special tokens that the vocabulary lacks the next ids, as the tokenizer does when it is loaded. */
static void add_missing_specials(struct vocabulary *v)
{
	for (unsigned i = 0; i < v->specials_count; i++)
		if (!v->specials[i].found)
			add_id(v, (int64_t)v->size, v->specials[i].text, strlen(v->specials[i].text));
	v->specials_count = 0;
}

static enum status read_folder(struct vocabulary *v, const char *option, const char *path, struct error *err)
{
	bool tokens = false;
	char name[4096];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct fault fault = FAULT_INIT;

		if (files[i].read == read_config)
			add_missing_specials(v);
		if ((files[i].tokens && tokens) ||
		    snprintf(name, sizeof(name), "%s/%s", path, files[i].name) >= (int)sizeof(name))
			continue;
		const int found = files[i].read ? read_file(v, name, files[i].read, &fault) : read_lines(v, name);

		if (found < 0)
			return error_set(err, "--%s: %s: %s", option, name, fault.text);
		tokens |= files[i].tokens && found;
	}
	if (!tokens)
		return error_set(err, "--%s %s: the folder has neither tokenizer.json, vocab.json nor vocab.txt",
				 option, path);
	return STATUS_OK;
}

enum status vocabulary_read(struct vocabulary *v, const char *option, const char *path, struct error *err)
{
	struct fault fault = FAULT_INIT;
	struct stat st;

	*v = (struct vocabulary){ 0 };
	if (stat(path, &st) != 0)
		return error_set(err, "--%s %s: %s", option, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return read_folder(v, option, path, err);
	if (strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".txt"))
		read_lines(v, path);
	else if (read_file(v, path, read_tokenizer, &fault) < 0)
		return error_set(err, "--%s: %s: %s", option, path, fault.text);
	return v->size ? STATUS_OK
		       : error_set(err,
				   "--%s %s: no vocabulary; expected tokenizer.json, vocab.json, vocab.txt, or their "
				   "folder",
				   option, path);
}

uint64_t vocabulary_rows(const struct vocabulary *v)
{
	return v->model_rows ? v->model_rows + v->more_rows : 0;
}

uint64_t vocabulary_read_model(struct vocabulary *v, const char *path)
{
	struct fault ignored = FAULT_INIT;

	*v = (struct vocabulary){ 0 };
	return read_file(v, path, read_config, &ignored) > 0 ? vocabulary_rows(v) : 0;
}
