#include "report/mapping.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan_number.h"

enum { PAIRS_MAX = 65536 };

struct pair {
	int64_t from, to;
};

struct mapping {
	struct pair *v; /* owned */
	size_t count, cap;
	int64_t others; /* the id that all other ids become, if has_others */
	bool has_others;
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

static void add(struct mapping *m, struct pair pair)
{
	GROW(m->v, m->cap, m->count + 1);
	m->v[m->count++] = pair;
}

/* Adds a pair after "...": those between it and the last one are in steps of 1. Returns false if they cannot be. */
static bool add_range(struct mapping *m, struct pair end)
{
	struct pair last = m->v[m->count - 1];

	if (end.from <= last.from || end.from - last.from > PAIRS_MAX || end.from - last.from != end.to - last.to)
		return false;
	while (last.from < end.from) {
		last.from++;
		last.to++;
		add(m, last);
	}
	return true;
}

static bool scan(const char *p, struct mapping *m)
{
	struct pair pair;
	bool range = false;

	while (scan_pair(&p, &pair)) {
		if (range && !add_range(m, pair))
			return false;
		if (!range)
			add(m, pair);
		if (!*p)
			return true;
		if (!skip_word(&p, ", "))
			return false;
		range = skip_word(&p, "..., ");
	}
	/* a table that says what becomes of all other ids */
	m->has_others = m->count && !range && skip_word(&p, "others -> ") && scan_int64(&p, &m->others) && !*p;
	return m->has_others;
}

void mapping_write(struct json_writer *w, const void *map)
{
	struct mapping m = { 0 };

	if (scan(map, &m)) {
		json_key_array(w, "mapping", JSON_INLINE);
		for (size_t i = 0; i < m.count; i++) {
			json_begin_array(w, JSON_INLINE);
			json_i64(w, m.v[i].from);
			json_i64(w, m.v[i].to);
			json_end(w);
		}
		json_end(w);
		if (m.has_others)
			json_key_i64(w, "others", m.others);
	}
	free(m.v);
}
