#include "read/json_lines.h"

#include <string.h>

#include "base/json_pull.h"
#include "read/list_words.h"

/* Returns whether a key of the object that s[0..n) begins with is that one; or, if it is NULL, means labels. */
static bool find_key(const char *s, size_t n, const char *wanted)
{
	struct json_pull p;
	bool found = false;

	json_open_memory(&p, s, n, JSON_NON_FINITE);
	if (json_next(&p) == JSON_OBJECT)
		while (!found && json_next(&p) == JSON_KEY) {
			struct plain_word word;

			plain_word(p.text, p.text_len, &word);
			const bool same = wanted ? json_text_is(&p, wanted) : word_label_rank(&word) >= 0;
			const enum json_token value = json_next(&p);

			found = same && value != JSON_FAULT &&
				(wanted || (value != JSON_OBJECT && value != JSON_ARRAY));
			if (!json_skip(&p, value))
				break;
		}
	json_close(&p);
	return found;
}

bool json_line_has_key(const char *s, size_t n, const char *key)
{
	return find_key(s, n, key);
}

/* Returns whether s[0..n) is an object and nothing else. */
static bool is_object(const char *s, size_t n)
{
	struct json_pull p;

	json_open_memory(&p, s, n, JSON_NON_FINITE);
	const bool object = json_next(&p) == JSON_OBJECT && json_skip(&p, JSON_OBJECT) && json_next(&p) == JSON_END;

	json_close(&p);
	return object;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool json_lines_begin(const char *s, size_t n, bool whole)
{
	const char *end = s + n, *line = memchr(s, '\n', n), *next;

	if (!line) /* one long object, or the beginning of one */
		return whole ? is_object(s, n) : n > 1 && s[0] == '{' && s[1] == '"';
	if (!is_object(s, (size_t)(line - s)))
		return false;
	for (next = line + 1; next < end && is_space(*next);)
		next++;
	return next == end ? whole : *next == '{';
}

bool json_lines_have_labels(const char *s, size_t n, bool whole)
{
	return json_lines_begin(s, n, whole) && find_key(s, n, NULL);
}

bool json_lines_are_metadata(const char *s, size_t n, bool whole)
{
	return json_lines_begin(s, n, whole) && !json_lines_have_labels(s, n, whole) &&
	       json_line_has_key(s, n, "file_name");
}
