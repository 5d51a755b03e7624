#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/config.h"
#include "cli/options_table.h"
#include "cli/presets.h"

/* Returns the place of the setting among the first n values, or n. */
static size_t find_value(const struct config *c, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(c->v[i].spec->name, name) != 0)
		i++;
	return i;
}

/* Gives a number of classes the last names of the base, in their order. */
static void take_names(struct config *c, const struct class_set *base, const char *classes)
{
	size_t n = (size_t)strtoull(classes, NULL, 10);

	c->named = xmalloc(sizeof(*c->named));
	class_set_init(c->named);
	c->classes_value = classes;
	for (size_t id = base->names_count; n && id--;)
		if (base->names[id])
			class_set_name(c->named, --n, base->names[id]);
}

/* Moves what the preset does not say itself out of its base. */
static void take_base(struct config *c, struct config *base)
{
	const size_t own = c->count, classes = find_value(c, own, "classes");

	for (size_t i = 0; i < base->count; i++) {
		if (find_value(c, own, base->v[i].spec->name) < own)
			continue;
		GROW(c->v, c->cap, c->count + 1);
		c->v[c->count++] = base->v[i];
		base->v[i].value = NULL;
	}
	if (classes < own && base->named) {
		take_names(c, base->named, c->v[classes].value);
		return;
	}
	c->named = base->named;
	c->classes_value = base->classes_value;
	base->named = NULL;
}

enum status preset_read(const struct preset *preset, struct config *c, struct error *err)
{
	struct config base = { 0 };

	if (config_parse(c, preset->name, preset->yaml, strlen(preset->yaml), err) != STATUS_OK)
		return STATUS_FAILED;
	const size_t at = find_value(c, c->count, "preset");

	if (at == c->count)
		return STATUS_OK;
	const struct preset *other = preset_find(c->v[at].value, err);
	const enum status status = other ? preset_read(other, &base, err) : STATUS_FAILED;

	free(c->v[at].value);
	c->v[at] = c->v[--c->count];
	if (status == STATUS_OK)
		take_base(c, &base);
	config_release(&base);
	return status;
}
