#include "report/settings_difference.h"

#include <string.h>

#include "base/escape.h"
#include "base/guard.h"
#include "report/report_json.h"

enum { SHOWN_MAX = 120 };

static void add_value(struct strbuf *out, const char *value)
{
	if (!value) {
		strbuf_adds(out, "nothing");
		return;
	}
	size_t n = strlen(value), cut = utf8_cut(value, n, SHOWN_MAX);

	strbuf_addch(out, '"');
	strbuf_add(out, value, cut);
	strbuf_adds(out, cut < n ? "...\"" : "\"");
}

/* Appends the difference of two values, NULL if not given, unless they are equal. Returns whether it did. */
static bool differs(struct strbuf *out, const char *name, const char *mine, const char *other)
{
	if (mine == other || (mine && other && !strcmp(mine, other)))
		return false;
	strbuf_addf(out, !strcmp(name, "paths") ? "the PATHs differ: " : "--%s differs: ", name);
	add_value(out, mine);
	strbuf_adds(out, " against ");
	add_value(out, other);
	return true;
}

static bool ids_differ(struct strbuf *out, const char *name, const struct id_ranges *mine,
		       const struct id_ranges *other)
{
	RELEASED struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	id_ranges_format(mine, &a);
	id_ranges_format(other, &b);
	return differs(out, name, a.len ? a.s : NULL, b.len ? b.s : NULL);
}

/* Compares the options that only one, or both, reports list. */
static bool options_differ(struct strbuf *out, const struct setting_values *mine, const struct setting_values *other)
{
	for (size_t i = 0; i < mine->count; i++)
		if (differs(out, mine->v[i].name, mine->v[i].value, setting_values_find(other, mine->v[i].name)))
			return true;
	for (size_t i = 0; i < other->count; i++)
		if (differs(out, other->v[i].name, setting_values_find(mine, other->v[i].name), other->v[i].value))
			return true;
	return false;
}

bool settings_difference(const struct report_file *mine, const struct report_file *other, struct strbuf *out)
{
	const struct settings *a = &mine->settings, *b = &other->settings;

	if (!GUARD(digest_of_settings, strcmp(a->digest, b->digest) != 0))
		return false;
	if (strcmp(mine->version, other->version) != 0) {
		strbuf_addf(out, "written by labelaudit %s and %s", mine->version, other->version);
		return true;
	}
	/* first what others follow from */
	if (!differs(out, "preset", setting_values_find(&a->options, "preset"),
		     setting_values_find(&b->options, "preset")) &&
	    !ids_differ(out, "classes", &a->classes.classes, &b->classes.classes) &&
	    !ids_differ(out, "ignore", &a->classes.ignored, &b->classes.ignored) &&
	    !differs(out, "view", view_name(a->view), view_name(b->view)) &&
	    !differs(out, "reduce-zero-label", a->reduce_zero_label ? "true" : NULL,
		     b->reduce_zero_label ? "true" : NULL) &&
	    !options_differ(out, &a->options, &b->options) &&
	    !differs(out, "fail-on", fail_on_name(a->fail_on), fail_on_name(b->fail_on)))
		strbuf_addf(out, "digest %s, not %s", a->digest, b->digest);
	return true;
}
