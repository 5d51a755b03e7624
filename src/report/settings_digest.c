#include <inttypes.h>
#include <string.h>

#include "base/version.h"
#include "base/work_units.h"
#include "read/box_form.h"
#include "report/report_json.h"

/* FNV-1a, 64 bits (Fowler, Noll, Vo): settings are compared, and nobody gains by forging them. */
static uint64_t fnv1a(const char *s, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * 0x100000001b3;
	return hash;
}

const char *fail_on_name(enum level level)
{
	return level == LEVEL_OFF ? "never" : level_name(level);
}

/*
 * Hashes everything that decides a verdict, as text: reports with the same digest may be compared and merged.
 * --max-findings is left out, since counts stay exact.
 */
static uint64_t settings_digest(const struct settings *settings)
{
	RELEASED struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "version " LABELAUDIT_VERSION "\nclasses ");
	id_ranges_format(&settings->classes.classes, &text);
	strbuf_adds(&text, "\nignore ");
	id_ranges_format(&settings->classes.ignored, &text);
	strbuf_addf(&text,
		    "\nview %s\nkind %d\nreduce_zero_label %d\nimages %d\nfail_on %s\nmax_pixels %" PRIu64
		    "\nmax_inflated %" PRIu64 "\nmax_archive_ratio %" PRIu64,
		    view_name(settings->view), (int)settings->kind, settings->reduce_zero_label,
		    settings->images.folder != NULL, fail_on_name(settings->fail_on), settings->limits.max_pixels,
		    settings->limits.max_inflated, settings->limits.max_archive_ratio);
	if (settings->list.box_form)
		strbuf_addf(&text, "\nform %s", box_forms[settings->list.box_form - 1].name);
	if (settings->yolo.task || settings->yolo.keypoints)
		strbuf_addf(&text, "\ntask %d %" PRIu32 " %" PRIu32, (int)settings->yolo.task, settings->yolo.keypoints,
			    settings->yolo.numbers);
	if (settings->strict)
		strbuf_adds(&text, "\nstrict");
	if (settings->colours.count) {
		strbuf_addf(&text, "\ncolors %d ", settings->colours.presumed);
		colour_table_format(&settings->colours, &text);
	}
	if (settings->limits.pixel_budget != PIXEL_BUDGET_USUAL)
		strbuf_addf(&text, "\npixel_budget %" PRIu64, settings->limits.pixel_budget);
	if (settings->files)
		strbuf_addf(&text, "\nfiles %s", settings->files);
	if (settings->list.column) /* with its length: a name may hold any bytes */
		strbuf_addf(&text, "\ncolumn %zu %s", strlen(settings->list.column), settings->list.column);
	if (settings->list.root) /* not its value: the same data may lie elsewhere on another machine */
		strbuf_adds(&text, "\nroot");
	for (size_t i = 0; i < rule_count; i++)
		strbuf_addf(&text, "\nrule %s %s", rule_table[i]->name, level_name(settings->rules.levels[i]));
	for (size_t i = 0; i < settings->rules.per_paths_count; i++) {
		const struct per_path *p = &settings->rules.per_paths[i];

		strbuf_addf(&text, "\nper_path %zu %s", strlen(p->glob), p->glob);
		for (size_t rule = 0; rule < rule_count; rule++)
			if (p->off[rule])
				strbuf_addf(&text, " %s", rule_table[rule]->name);
	}
	for (size_t i = 0; i < settings->options.count; i++) {
		const struct setting_value *option = &settings->options.v[i];

		if (option->hashed)
			strbuf_addf(&text, "\n%s %zu %s", option->name, strlen(option->value), option->value);
	}
	for (size_t i = 0; i < settings->classes.names_count; i++) {
		const char *name = settings->classes.names[i];

		if (name)
			strbuf_addf(&text, "\nname %zu %zu %s", i, strlen(name), name);
	}
	return fnv1a(text.s, text.len);
}

void report_settings_digest(const struct settings *settings, struct strbuf *out)
{
	if (settings->digest[0])
		strbuf_adds(out, settings->digest);
	else
		strbuf_addf(out, "%016llx", (unsigned long long)settings_digest(settings));
}
