/* Resolves --colors, the table of colours by which masks are read. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/scan_number.h"
#include "cli/options_table.h"
#include "cli/presets.h"
#include "judge/role.h"
#include "read/class_file.h"

bool options_want_colours(const struct options *o)
{
	return !o->classes.colours;
}

/* Reads 0=#000000,1=#800000. */
static enum status parse_list(struct colour_table *t, const char *spec, struct error *err)
{
	const char *list = spec, *item;
	size_t n;

	while ((item = list_next(&list, &n))) {
		const char *p = item;
		uint32_t colour;
		uint64_t id;
		int32_t other;

		if (!scan_uint64(&p, &id) || *p != '=' || !colour_parse(p + 1, n - (size_t)(p + 1 - item), &colour))
			return error_set(err,
					 "--colors: '%.*s' is not an id with its colour (expected something like "
					 "1=#800000)",
					 (int)MIN(n, (size_t)80), item);
		if (id > COLOUR_CLASS_MAX)
			return error_set(err, "--colors: %.*s: an id with a colour is at most %d",
					 (int)MIN(n, (size_t)80), item, COLOUR_CLASS_MAX);
		if (!colour_table_add(t, colour, (int32_t)id, &other))
			return other == NO_COLOUR_CLASS
				       ? error_set(err, "--colors: more than %d colours", COLOUR_TABLE_MAX)
				       : error_set(err,
						   "--colors: ids %" PRId32 " and %" PRIu64
						   " have the same colour, #%06" PRIx32,
						   other, id, colour);
	}
	return STATUS_OK;
}

/* Reads the colours of the preset that --colors names; those of ids that are not declared do not count. */
static enum status read_preset(struct options *o, const struct preset *preset, struct error *err)
{
	struct colour_table *t = &o->settings.colours;
	const struct class_set *classes = &o->settings.classes;
	struct config config = { 0 };
	enum status status = preset_read(preset, &config, err);

	for (size_t i = 0; i < config.count && status == STATUS_OK; i++)
		if (!strcmp(config.v[i].spec->name, "colors"))
			status = parse_list(t, config.v[i].value, err);
	config_release(&config);
	for (size_t i = 0; i < t->count;) {
		const struct colour_entry e = t->v[i];

		if (id_ranges_contain(&classes->classes, e.id) || id_ranges_contain(&classes->ignored, e.id))
			i++;
		else
			colour_table_remove(t, e.colour);
	}
	return status == STATUS_OK && !t->count
		       ? error_set(err, "--colors %s: it has no colour of these classes", preset->name)
		       : status;
}

static int64_t class_by_name(const struct class_set *classes, const char *name, struct nearest *nearest)
{
	nearest_init(nearest, name);
	for (size_t id = 0; id < classes->names_count; id++) {
		const char *other = classes->names[id];

		if (other && !strcasecmp(other, name))
			return (int64_t)id;
		if (other && strlen(name) < 64 && strlen(other) < 64)
			nearest_try(nearest, other);
	}
	return -1;
}

/* Gives the colours of a file to the classes of the same names. Without names, those of the file's ids are meant. */
static enum status match_names(struct options *o, const struct class_set *of_file, const struct colour_table *colours,
			       struct error *err)
{
	struct class_set *classes = &o->settings.classes;
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < colours->count; i++) {
		const struct colour_entry *e = &colours->v[i];
		const char *name = class_set_get_name(of_file, e->id);
		int64_t id = classes->names_count && name ? class_by_name(classes, name, &nearest) : e->id;
		int32_t other;

		/* a colour that --ignore names needs no class */
		if (id < 0 && id_ranges_contain(&classes->ignored, COLOUR_ID(e->colour)))
			continue;
		if (id < 0 && nearest.name)
			return error_set(err, "--colors %s: '%.80s' is no class of --classes; did you mean %s?",
					 o->classes.colours, name, nearest.name);
		if (id < 0)
			return error_set(
				err,
				"--colors %s: '%.80s' is no class of --classes; if it is never trained on, pass "
				"--ignore='#%06" PRIx32 "'",
				o->classes.colours, name, e->colour);
		if (!colour_table_add(&o->settings.colours, e->colour, (int32_t)id, &other))
			return error_set(err, "--colors %s: #%06" PRIx32 " is the colour of two classes",
					 o->classes.colours, e->colour);
	}
	return STATUS_OK;
}

static enum status read_file(struct options *o, struct error *err)
{
	FREED struct class_set *of_file = xmalloc(sizeof(*of_file));
	struct colour_table colours = { 0 };
	enum status status;

	class_set_init(of_file);
	status = class_file_read(of_file, &colours, "colors", o->classes.colours, err);
	if (status == STATUS_OK && !colours.count)
		status = error_set(err,
				   "--colors %s: it has no colours; expected CVAT's labelmap.txt, or a table with the "
				   "columns name, r, g, b",
				   o->classes.colours);
	if (status == STATUS_OK)
		status = match_names(o, of_file, &colours, err);
	colour_table_release(&colours);
	class_set_release(of_file);
	return status;
}

/* Converts ids after --reduce-zero-label, as they are declared, to those in files: 255 is the zero label. */
static void to_file_ids(struct options *o)
{
	struct colour_table *t = &o->settings.colours;

	for (size_t i = 0; i < t->count; i++)
		t->v[i].id = t->v[i].id == REDUCED_ZERO ? 0 : (int32_t)settings_file_id(&o->settings, t->v[i].id);
}

/* An id of a colour must be legal. A colour that is ignored has no class. */
static enum status check_ids(struct options *o, struct error *err)
{
	struct colour_table *t = &o->settings.colours;
	const struct class_set *classes = &o->settings.classes;

	for (size_t i = 0; i < t->count;) {
		struct colour_entry e = t->v[i];
		bool declared =
			id_ranges_contain(&classes->classes, e.id) || id_ranges_contain(&classes->ignored, e.id);

		if (id_ranges_contain(&classes->ignored, COLOUR_ID(e.colour))) {
			colour_table_remove(t, e.colour);
			continue;
		}
		if (!declared && !(o->settings.reduce_zero_label && e.id == REDUCED_ZERO))
			return error_set(err,
					 "--colors: #%06" PRIx32 " has the id %" PRId32
					 ", which is neither a class nor ignored; pass --ignore=%" PRId32
					 " if it is never trained on",
					 e.colour, e.id, e.id);
		i++;
	}
	return STATUS_OK;
}

/* In a mask in colours, the ids after COLOUR_CLASS_MAX stand for other colours (measure/coded.h). */
static enum status check_large_ids(const struct options *o, struct error *err)
{
	const struct id_ranges *all[] = { &o->settings.classes.classes, &o->settings.classes.ignored };

	for (size_t k = 0; k < ARRAY_SIZE(all); k++)
		for (size_t i = 0; i < all[k]->count; i++)
			if (all[k]->v[i].last >= COLOUR_CLASS_MAX &&
			    all[k]->v[i].first <= COLOUR_CLASS_MAX + COLOUR_TABLE_MAX)
				return error_set(err, "with --colors, no id from %d to %d can be declared",
						 COLOUR_CLASS_MAX, COLOUR_CLASS_MAX + COLOUR_TABLE_MAX);
	return STATUS_OK;
}

const struct preset *colours_preset(const char *value)
{
	struct error unknown = ERROR_INIT;
	struct stat st;

	return stat(value, &st) < 0 && !strchr(value, '/') ? preset_find(value, &unknown) : NULL;
}

bool options_colours_are_classes(const struct options *o)
{
	return !o->classes.classes && !o->classes.preset && o->classes.colours &&
	       strcmp(o->classes.colours, "none") != 0;
}

enum status options_resolve_colours(struct options *o, struct error *err)
{
	struct colour_table *t = &o->settings.colours;
	enum status status = STATUS_OK;

	if (o->classes.colours && is_list_of_colours(o->classes.colours)) {
		status = strcmp(o->classes.colours, "none") != 0 ? parse_list(t, o->classes.colours, err) : STATUS_OK;
		for (size_t i = 0; i < t->count && options_colours_are_classes(o); i++)
			if (!id_ranges_contain(&o->settings.classes.ignored, COLOUR_ID(t->v[i].colour)))
				id_ranges_add(&o->settings.classes.classes, t->v[i].id, t->v[i].id);
	} else if (o->classes.colours) {
		const struct preset *preset = colours_preset(o->classes.colours);

		status = preset ? read_preset(o, preset, err) : read_file(o, err);
	}
	if (status != STATUS_OK || !t->count)
		return status;
	if (check_ids(o, err) != STATUS_OK || check_large_ids(o, err) != STATUS_OK)
		return STATUS_FAILED;
	if (o->settings.reduce_zero_label)
		to_file_ids(o);
	return STATUS_OK;
}
