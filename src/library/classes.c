#include <labelaudit.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/label_id.h"
#include "base/mem.h"
#include "base/version.h"
#include "library/handles.h"
#include "read/class_file.h"

const char *labelaudit_version(void)
{
	return LABELAUDIT_VERSION;
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

int library_fail(struct labelaudit_error *error, int status, const char *fmt, ...)
{
	va_list list;

	if (error) {
		va_start(list, fmt);
		vsnprintf(error->text, sizeof(error->text), fmt, list);
		va_end(list);
	}
	return status;
}

int library_no_memory(struct labelaudit_error *error)
{
	return library_fail(error, LABELAUDIT_NO_MEMORY, "out of memory");
}

static struct error cpu_error;

static void find_features(void)
{
	cpu_init(&cpu_error);
}

bool library_begin(struct labelaudit_error *error)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_features);
	if (error)
		error->text[0] = '\0';
	if (!cpu_error.text[0])
		return true;
	library_fail(error, LABELAUDIT_BAD_CALL, "%s", cpu_error.text);
	return false;
}

/* ---- making a set ----------------------------------------------------------------------------------------------- */

/* How a set is given: text as of the options, or ranges. */
struct classes_spec {
	const char *classes, *ignore;
	const struct labelaudit_range *ranges, *ignored;
	size_t ranges_count, ignored_count;
};

/* Returns whether --classes takes the text for numbers, not for the path of a file. */
static bool is_list_of_ids(const char *text)
{
	return text[strspn(text, " ")] && !text[strspn(text, " 0123456789,-")];
}

static enum status add_ranges(struct id_ranges *out, const struct labelaudit_range *ranges, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (ranges[i].first > ranges[i].last)
			return error_set(err, "the range %lld to %lld is reversed", (long long)ranges[i].first,
					 (long long)ranges[i].last);
		if ((uint64_t)ranges[i].last - (uint64_t)ranges[i].first >= (uint64_t)1 << 31)
			return error_set(err, "the range %lld to %lld is longer than 2^31 ids",
					 (long long)ranges[i].first, (long long)ranges[i].last);
		id_ranges_add(out, ranges[i].first, ranges[i].last);
	}
	return STATUS_OK;
}

static enum status fill(struct class_set *set, const struct classes_spec *spec, struct error *err)
{
	if (add_ranges(&set->classes, spec->ranges, spec->ranges_count, err) != STATUS_OK ||
	    add_ranges(&set->ignored, spec->ignored, spec->ignored_count, err) != STATUS_OK)
		return STATUS_FAILED;
	if (spec->classes && is_list_of_ids(spec->classes)) {
		if (class_set_parse_classes(set, spec->classes, err) != STATUS_OK)
			return STATUS_FAILED;
	} else if (spec->classes) {
		if (class_file_read(set, NULL, "classes", spec->classes, err) != STATUS_OK)
			return STATUS_FAILED;
	}
	return spec->ignore ? class_set_parse_ignore(set, spec->ignore, err) : STATUS_OK;
}

/* Adds ranges, without the ids of colours, which no integer has. */
static void add_labels(struct id_ranges *out, const struct id_ranges *ranges)
{
	for (size_t i = 0; i < ranges->count; i++) {
		const struct id_range *r = &ranges->v[i];

		if (r->first < COLOUR_ID_FIRST)
			id_ranges_add(out, r->first, MIN(r->last, COLOUR_ID_FIRST - 1));
		if (r->last == INT64_MAX)
			id_ranges_add(out, INT64_MAX, INT64_MAX);
	}
}

static int make(struct labelaudit_classes **out, const struct classes_spec *spec, struct labelaudit_error *error)
{
	struct labelaudit_classes *c = NULL;
	struct error err = ERROR_INIT;

	*out = NULL;
	if (!library_begin(error))
		return LABELAUDIT_BAD_CALL;
	*out = c = calloc(1, sizeof(*c));
	if (!c)
		return library_no_memory(error);
	memory_begin(&c->memory);
	if (setjmp(c->memory.end)) {
		free(*out);
		*out = NULL;
		return library_no_memory(error);
	}
	bool made = fill(&c->set, spec, &err) == STATUS_OK;

	if (made) {
		add_labels(&c->valid, &c->set.classes);
		add_labels(&c->valid, &c->set.ignored);
	}
	memory_end();
	if (!made) {
		labelaudit_classes_free(c);
		*out = NULL;
		return library_fail(error, LABELAUDIT_BAD_CALL, "%s", err.text);
	}
	class_set_finish(&c->set);
	typed_ranges_make(c->typed, &c->valid);
	return LABELAUDIT_OK;
}

int labelaudit_classes_new(struct labelaudit_classes **out, const char *classes, const char *ignore,
			   struct labelaudit_error *error)
{
	const struct classes_spec spec = { .classes = classes, .ignore = ignore };

	if (!out)
		return library_fail(error, LABELAUDIT_BAD_CALL, "no place for the set");
	*out = NULL;
	if (!classes)
		return library_fail(error, LABELAUDIT_BAD_CALL, "no classes were given");
	return make(out, &spec, error);
}

int labelaudit_classes_from_ranges(struct labelaudit_classes **out, const struct labelaudit_range *classes,
				   size_t classes_count, const struct labelaudit_range *ignored, size_t ignored_count,
				   struct labelaudit_error *error)
{
	const struct classes_spec spec = {
		.ranges = classes, .ignored = ignored, .ranges_count = classes_count, .ignored_count = ignored_count
	};

	if (!out || (classes_count && !classes) || (ignored_count && !ignored))
		return library_fail(error, LABELAUDIT_BAD_CALL, "a pointer is NULL");
	return make(out, &spec, error);
}

void labelaudit_classes_free(struct labelaudit_classes *classes)
{
	if (!classes)
		return;
	memory_free_all(&classes->memory);
	free(classes);
}

/* ---- asking it -------------------------------------------------------------------------------------------------- */

size_t labelaudit_classes_ranges(const struct labelaudit_classes *classes, int ignored, struct labelaudit_range *ranges,
				 size_t capacity)
{
	const struct id_ranges *from = ignored ? &classes->set.ignored : &classes->set.classes;

	for (size_t i = 0; i < from->count && i < capacity; i++)
		ranges[i] = (struct labelaudit_range){ from->v[i].first, from->v[i].last };
	return from->count;
}

const char *labelaudit_classes_name(const struct labelaudit_classes *classes, int64_t id)
{
	return class_set_get_name(&classes->set, id);
}

int labelaudit_classes_role(const struct labelaudit_classes *classes, int64_t id)
{
	return (int)class_set_role(&classes->set, id);
}
