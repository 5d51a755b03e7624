/* Values of options: choices, numbers, sizes. An error names the option. */
#include "cli/options_table.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/scan_number.h"
#include "cli/other_names.h"

const char *list_next(const char **list, size_t *n)
{
	const char *item = *list;

	if (!item)
		return NULL;
	*n = strcspn(item, ",");
	*list = item[*n] ? item + *n + 1 : NULL;
	return item;
}

bool is_list_of_ids(const char *spec)
{
	return spec[strspn(spec, "0123456789,- ")] == '\0';
}

bool is_list_of_colours(const char *spec)
{
	const char *p = spec + strspn(spec, "0123456789");

	return !strcmp(spec, "none") || (p > spec && p[0] == '=' && p[1] == '#');
}

bool is_glob(const char *value)
{
	return value[0] == '!' || strpbrk(value, "*?[{");
}

void option_format_choices(const char *choices, char *out, size_t capacity)
{
	size_t len = 0;

	for (; *choices && len + 3 < capacity; choices++) {
		out[len++] = *choices;
		if (*choices == ',')
			out[len++] = ' ';
	}
	out[len] = '\0';
}

static enum status refuse_choice(const struct option_spec *spec, const char *value, struct error *err)
{
	char choices[256], names[256], *rest;
	struct nearest nearest;
	const char *other = option_other_name(spec->name, value);

	option_format_choices(spec->choices, choices, sizeof(choices));
	nearest_init(&nearest, value);
	snprintf(names, sizeof(names), "%s", spec->choices);
	for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		nearest_try(&nearest, name);
	if (other || nearest.name)
		return error_set(err, "--%s: '%s' is not one of %s; did you mean %s?", spec->name, value, choices,
				 other ? other : nearest.name);
	return error_set(err, "--%s: '%s' is not one of %s", spec->name, value, choices);
}

size_t option_choose(const struct option_spec *spec, const char *value, struct error *err)
{
	const char *list = spec->choices, *item;
	size_t n;

	assert(list);
	for (size_t i = 0; (item = list_next(&list, &n)); i++)
		if (strlen(value) == n && !strncmp(value, item, n))
			return i;
	refuse_choice(spec, value, err);
	return SIZE_MAX;
}

enum status option_number(const struct option_spec *spec, const char *value, uint64_t max, uint64_t *out,
			  struct error *err)
{
	const char *p = value;

	if (!scan_uint64(&p, out) || *p) {
		if (max == UINT64_MAX)
			return error_set(err, "--%s: '%s' is not a whole number (expected 0 or more)", spec->name,
					 value);
		return error_set(err, "--%s: '%s' is not a whole number (expected 0 to %llu)", spec->name, value,
				 (unsigned long long)max);
	}
	if (*out > max)
		return error_set(err, "--%s: %s is too large; at most %llu", spec->name, value,
				 (unsigned long long)max);
	return STATUS_OK;
}

enum status option_size(const struct option_spec *spec, const char *value, uint64_t *out, struct error *err)
{
	static const char suffixes[] = "KMGT";
	const char *p = value, *suffix;

	bool good = scan_uint64(&p, out);

	suffix = good && *p ? strchr(suffixes, *p) : NULL;
	if (!good || p[suffix != NULL])
		return error_set(err,
				 "--%s: '%s' is not a size (expected something like 500M or 2G, or 0 for no limit)",
				 spec->name, value);
	if (suffix && !size_mul(*out, (uint64_t)1 << (10 * (suffix - suffixes + 1)), out))
		return error_set(err, "--%s: %s is too large; 0 means no limit", spec->name, value);
	return STATUS_OK;
}
