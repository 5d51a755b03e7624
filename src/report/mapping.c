#include "report/mapping.h"

#include <string.h>

#include "base/scan_number.h"

enum { PAIRS_MAX = 65536 };

struct pair {
	int64_t from, to;
};

static bool skip_word(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool scan_pair(const char **p, struct pair *out)
{
	return scan_int64(p, &out->from) && skip_word(p, " -> ") && scan_int64(p, &out->to);
}

/* Writes a pair, if w is not NULL. */
static void write_pair(struct json_writer *w, struct pair pair)
{
	if (!w)
		return;
	json_begin_array(w, JSON_INLINE);
	json_i64(w, pair.from);
	json_i64(w, pair.to);
	json_end(w);
}

/* Writes the pairs of a text, and returns whether they are a map; w: NULL only to ask. *rest: "others -> 5" at its end,
 * or "". */
static bool scan(const char *p, struct json_writer *w, const char **rest)
{
	struct pair pair, last = { 0, 0 };
	bool range = false, any = false;

	for (; scan_pair(&p, &pair); last = pair, any = true) {
		/* those after "..." are in steps of 1 from the last one */
		if (range && (pair.from <= last.from || pair.from - last.from > PAIRS_MAX ||
			      pair.from - last.from != pair.to - last.to))
			return false;
		while (range && ++last.from < pair.from)
			write_pair(w, (struct pair){ last.from, ++last.to });
		write_pair(w, pair);
		*rest = p;
		if (!*p)
			return true;
		if (!skip_word(&p, ", "))
			return false;
		range = skip_word(&p, "..., ");
	}
	int64_t others;

	/* a table that says what becomes of all other ids */
	*rest = p;
	return any && !range && skip_word(&p, "others -> ") && scan_int64(&p, &others) && !*p;
}

void mapping_write(struct json_writer *w, const void *map)
{
	const char *rest;
	int64_t others;

	if (!scan(map, NULL, &rest))
		return;
	json_key_array(w, "mapping", JSON_INLINE);
	scan(map, w, &rest);
	json_end(w);
	if (skip_word(&rest, "others -> ") && scan_int64(&rest, &others))
		json_key_i64(w, "others", others);
}
