#include "base/class_set.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/mem.h"
#include "base/scan_number.h"

/* More classes than any loss has; bounds counts and loops over classes. */
#define CLASS_COUNT_MAX ((int64_t)1 << 31)

void class_set_init(struct class_set *s)
{
	memset(s, 0, sizeof(*s));
}

void class_set_release(struct class_set *s)
{
	free(s->classes.v);
	free(s->ignored.v);
	for (size_t i = 0; i < s->names_count; i++)
		free(s->names[i]);
	free(s->names);
	class_set_init(s);
}

static bool ends_before(const void *range, const void *id)
{
	return ((const struct id_range *)range)->last < *(const int64_t *)id;
}

/* Returns the first range that does not end before id. */
static size_t find_range(const struct id_ranges *r, int64_t id)
{
	return lower_bound(&id, r->v, 0, r->count, sizeof(*r->v), ends_before);
}

bool id_ranges_contain(const struct id_ranges *r, int64_t id)
{
	size_t at = find_range(r, id);

	return at < r->count && id >= r->v[at].first;
}

void id_ranges_add(struct id_ranges *r, int64_t first, int64_t last)
{
	assert(first <= last);
	/* at: the first range that touches or follows the new one; end: one past the last that touches it. */
	size_t at = find_range(r, first > INT64_MIN ? first - 1 : first), end = at;

	while (end < r->count && (r->v[end].first <= last || r->v[end].first - 1 <= last)) {
		first = MIN(first, r->v[end].first);
		last = MAX(last, r->v[end].last);
		end++;
	}
	GROW(r->v, r->cap, r->count + 1);
	memmove(r->v + at + 1, r->v + end, (r->count - end) * sizeof(*r->v));
	r->v[at] = (struct id_range){ first, last };
	r->count = r->count - (end - at) + 1;
}

void id_ranges_remove(struct id_ranges *r, int64_t id)
{
	struct id_ranges all = *r;

	*r = (struct id_ranges){ 0 };
	for (size_t i = 0; i < all.count; i++) {
		const struct id_range *range = &all.v[i];

		if (range->first < id)
			id_ranges_add(r, range->first, MIN(range->last, id - 1));
		if (range->last > id)
			id_ranges_add(r, MAX(range->first, id + 1), range->last);
	}
	free(all.v);
}

uint64_t id_ranges_size(const struct id_ranges *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += (uint64_t)(r->v[i].last - r->v[i].first) + 1;
	return n;
}

void id_ranges_format(const struct id_ranges *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->count; i++) {
		if (i)
			strbuf_addch(out, ',');
		id_format(r->v[i].first, out);
		if (r->v[i].last == r->v[i].first)
			continue;
		strbuf_addch(out, '-');
		id_format(r->v[i].last, out);
	}
}

bool id_range_scan(const char **p, struct id_range *out)
{
	if (!id_scan(p, &out->first))
		return false;
	out->last = out->first;
	if (**p == '-') {
		++*p;
		if (!id_scan(p, &out->last))
			return false;
	}
	/* a range from an id to a colour would hold integers that are neither; one to INT64_MAX would hold colours */
	return id_is_colour(out->first) == id_is_colour(out->last) &&
	       (out->last != INT64_MAX || out->first > COLOUR_ID_FIRST);
}

/* Parses `a` and `a-b`, of ids and colours, separated by commas, with optional blanks around them. */
static enum status parse_list(struct id_ranges *r, const char *option, const char *spec, bool colours,
			      struct error *err)
{
	const char *p = spec;

	for (;;) {
		struct id_range range;

		while (*p == ' ')
			p++;
		if ((*p == '#' && !colours) || !id_range_scan(&p, &range))
			goto bad;

		const int64_t first = range.first, last = range.last;

		if (last < first)
			return error_set(err, "%s %s: the range %" PRId64 "-%" PRId64 " is reversed", option, spec,
					 first, last);
		if (first >= 0 ? last - first >= CLASS_COUNT_MAX
			       : (uint64_t)last - (uint64_t)first >= (uint64_t)CLASS_COUNT_MAX)
			return error_set(err, "%s %s: the range is longer than 2^31 ids", option, spec);
		id_ranges_add(r, first, last);
		while (*p == ' ')
			p++;
		if (!*p)
			return STATUS_OK;
		if (*p++ != ',')
			goto bad;
	}
bad:
	return error_set(err, "%s: '%s' is not a list of ids (expected something like 255 or 0-18,33)", option, spec);
}

/* Returns whether spec is digits, of any number, with optional blanks around them. */
static bool is_count(const char *spec)
{
	const char *p = spec + strspn(spec, " ");
	size_t digits = strspn(p, "0123456789");

	return digits && !p[digits + strspn(p + digits, " ")];
}

enum status class_set_parse_classes(struct class_set *s, const char *spec, struct error *err)
{
	const char *p = spec + strspn(spec, " ");
	int64_t n;
	bool is_number = scan_int64(&p, &n);

	if (!is_number && is_count(spec))
		return error_set(err, "--classes %s: more than 2^31 classes", spec);
	if (is_number && !p[strspn(p, " ")]) {
		if (n < 0)
			return error_set(err, "--classes %s: a class count cannot be negative", spec);
		if (n > CLASS_COUNT_MAX)
			return error_set(err, "--classes %s: more than 2^31 classes", spec);
		if (n > 0)
			id_ranges_add(&s->classes, 0, n - 1);
		return STATUS_OK;
	}
	return parse_list(&s->classes, "--classes", spec, false, err);
}

enum status class_set_parse_ignore(struct class_set *s, const char *ids, struct error *err)
{
	return parse_list(&s->ignored, "--ignore", ids, true, err);
}

void class_set_name(struct class_set *s, size_t id, const char *name)
{
	if (id >= s->names_count) {
		s->names = xrealloc(s->names, (id + 1) * sizeof(*s->names));
		memset(s->names + s->names_count, 0, (id + 1 - s->names_count) * sizeof(*s->names));
		s->names_count = id + 1;
	}
	free(s->names[id]);
	s->names[id] = xstrdup(name);
}

size_t class_set_find_name(const struct class_set *s, const char *name)
{
	size_t id = 0;

	while (id < s->names_count && (!s->names[id] || strcmp(s->names[id], name) != 0))
		id++;
	return id;
}

static void fill_dense(struct class_set *s, const struct id_ranges *r, enum id_role role)
{
	int64_t up = s->zero_reduced; /* the id in the file, less the trained id */

	for (size_t i = 0; i < r->count; i++) {
		int64_t first = MAX(r->v[i].first, (int64_t)0) + up;
		int64_t last = MIN(r->v[i].last, (int64_t)CLASS_SET_DENSE - 1 - up) + up;

		if (first <= last)
			memset(s->dense + first, (int)role, (size_t)(last - first + 1));
	}
}

void class_set_finish(struct class_set *s)
{
	memset(s->dense, ID_INVALID, sizeof(s->dense));
	fill_dense(s, &s->classes, ID_CLASS);
	fill_dense(s, &s->ignored, ID_IGNORED);
	if (s->zero_reduced)
		s->dense[0] = s->dense[255] = ID_IGNORED;
}

int64_t class_set_plain(const struct class_set *s)
{
	const struct id_ranges *classes = &s->classes, *ignored = &s->ignored;
	int64_t last = classes->count && classes->v[0].first == 0 && !s->zero_reduced ? classes->v[0].last : -1;

	for (size_t i = 0; i < ignored->count; i++)
		if (ignored->v[i].last >= 0)
			last = MIN(last, MAX(ignored->v[i].first, (int64_t)0) - 1);
	return last + 1;
}
