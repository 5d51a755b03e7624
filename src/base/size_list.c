#include "base/size_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan_number.h"

/* Scans all of s[0..n): a number, MIN-MAX or MIN-. A PNG has at most 2^31 - 1 pixels either way; 0 is no size. */
static bool scan_range(const char *s, size_t n, uint32_t *min, uint32_t *max)
{
	const char *dash = memchr(s, '-', n);
	size_t head = dash ? (size_t)(dash - s) : n;
	uint64_t low, high;

	if (!scan_whole_uint64(s, head, &low))
		return false;
	high = dash ? INT32_MAX : low;
	if (dash && head + 1 < n && !scan_whole_uint64(dash + 1, n - head - 1, &high))
		return false;
	*min = (uint32_t)low;
	*max = (uint32_t)high;
	return low && low <= high && high <= INT32_MAX;
}

static bool scan_size(const char *s, size_t n, struct size_range *out)
{
	const char *by = memchr(s, 'x', n);
	size_t head = by ? (size_t)(by - s) : 0;

	return by && scan_range(s, head, &out->width_min, &out->width_max) &&
	       scan_range(by + 1, n - head - 1, &out->height_min, &out->height_max);
}

struct size_list *size_list_parse(const char *option, const char *text, struct error *err)
{
	struct size_list *l = xcalloc(1, sizeof(*l));
	size_t n, cap = 0;

	l->text = xstrdup(text);
	for (const char *s = text;; s += n + 1) {
		n = strcspn(s, ",");
		GROW(l->v, cap, l->count + 1);
		if (!scan_size(s, n, &l->v[l->count++])) {
			error_set(err, "--%s: '%.*s' is no size: WIDTHxHEIGHT, each a number, MIN-MAX or MIN-", option,
				  (int)n, s);
			size_list_free(l);
			return NULL;
		}
		if (!s[n])
			return l;
	}
}

void size_list_free(struct size_list *l)
{
	if (!l)
		return;
	free(l->v);
	free(l->text);
	free(l);
}

bool size_list_contains(const struct size_list *l, uint32_t width, uint32_t height)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct size_range *r = &l->v[i];

		if (width >= r->width_min && width <= r->width_max && height >= r->height_min &&
		    height <= r->height_max)
			return true;
	}
	return false;
}
