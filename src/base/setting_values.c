#include "base/setting_values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/key_set.h"
#include "base/level.h"
#include "base/mem.h"
#include "base/strbuf.h"

const char *const training_faults[] = {
	[LEVEL_INFO] = "training-notes", [LEVEL_WARNING] = "training-faults", [LEVEL_ERROR] = "training-stops"
};

/* A value up to the second length is kept: one that was cut is not cut again when its report is read back. */
enum { VALUE_BYTES_MAX = 2000, VALUE_KEPT_MAX = VALUE_BYTES_MAX + 100 };

void setting_values_release(struct setting_values *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->v[i].name);
		free(s->v[i].value);
	}
	free(s->v);
	memset(s, 0, sizeof(*s));
}

void setting_values_add(struct setting_values *s, const char *name, const char *value, bool hashed)
{
	struct strbuf text = STRBUF_INIT;
	size_t n = strlen(value), cut = n <= VALUE_KEPT_MAX ? n : utf8_cut(value, n, VALUE_BYTES_MAX);

	strbuf_add(&text, value, cut);
	if (cut < n)
		strbuf_addf(&text, "... (%016" PRIx64 ")", key_of_bytes(value, n));
	GROW(s->v, s->cap, s->count + 1);
	s->v[s->count++] = (struct setting_value){ xstrdup(name), strbuf_detach(&text), hashed };
}

void setting_values_set(struct setting_values *s, const char *name, const char *text, uint64_t hash)
{
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->v[i].name, name) != 0)
			continue;
		struct strbuf value = STRBUF_INIT;

		strbuf_addf(&value, "%s (%016" PRIx64 ")", text, hash);
		free(s->v[i].value);
		s->v[i].value = strbuf_detach(&value);
	}
}

const char *setting_values_find(const struct setting_values *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->v[i].name, name))
			return s->v[i].value;
	return NULL;
}
