#include "layout/listed_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/hash.h"
#include "base/mem.h"

/* ---- the filter -------------------------------------------------------------------------------------------------- */

enum { NAME_FILTER_HASHES = 4, WORD_BITS = 64 };

/* Returns a hash of a name without its folders. */
static uint64_t hash_name(const char *name, size_t n)
{
	size_t first = n;

	while (first && name[first - 1] != '/' && name[first - 1] != '\\')
		first--;
	return hash_bytes(0, name + first, n - first);
}

void name_filter_add(struct name_filter *f, const char *name, size_t n)
{
	uint64_t h = hash_name(name, n);

	if (!f->bits)
		f->bits = xcalloc(NAME_FILTER_BITS / WORD_BITS, sizeof(*f->bits));
	for (int i = 0; i < NAME_FILTER_HASHES; i++, h = hash_mix(h)) {
		uint64_t bit = h % NAME_FILTER_BITS;

		f->bits[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
	}
}

bool name_filter_has(const struct name_filter *f, const char *name, size_t n)
{
	uint64_t h = hash_name(name, n);

	for (int i = 0; f->bits && i < NAME_FILTER_HASHES; i++, h = hash_mix(h)) {
		uint64_t bit = h % NAME_FILTER_BITS;

		if (!(f->bits[bit / WORD_BITS] >> bit % WORD_BITS & 1))
			return false;
	}
	return f->bits;
}

void name_filter_add_file(struct name_filter *f, const char *path)
{
	size_t n = strlen(path);

	name_filter_add(f, path, n);
	name_filter_add(f, path, n - strlen(file_name_extension(path)));
}

bool name_filter_has_file(const struct name_filter *f, const char *path)
{
	size_t n = strlen(path);

	return name_filter_has(f, path, n) || name_filter_has(f, path, n - strlen(file_name_extension(path)));
}

bool name_filter_has_stem(const struct name_filter *f, const char *path)
{
	const char *name = file_name_of(path);

	if (name_filter_has_file(f, name))
		return true;
	for (size_t n = strlen(name) - strlen(file_name_extension(name)); n > 1; n--)
		if (strchr("_-.", name[n - 1]) && name_filter_has(f, name, n - 1))
			return true;
	return false;
}

void name_filter_release(struct name_filter *f)
{
	free(f->bits);
	f->bits = NULL;
}

/* ---- names in texts ---------------------------------------------------------------------------------------------- */

static void add_name(struct listed_names *l, const char *name, size_t n)
{
	name_filter_add(&l->names, name, n);
	l->all++;
	if (l->count == LISTED_SAMPLE || n >= sizeof(l->sample[0]))
		return;
	memcpy(l->sample[l->count], name, n);
	l->sample[l->count++][n] = '\0';
}

/* Adds the values of a key, which is given with its quotation marks. Returns their number. */
static uint64_t add_values(struct listed_names *l, const char *text, size_t n, const char *key)
{
	const char *end = text + n, *p = text;
	uint64_t found = 0;

	while ((p = memmem(p, (size_t)(end - p), key, strlen(key)))) {
		p += strlen(key);
		while (p < end && (*p == ' ' || *p == ':' || *p == '\n' || *p == '\t' || *p == '\r'))
			p++;
		const char *quote = p < end && *p == '"' ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;

		if (!quote)
			continue;
		add_name(l, p + 1, (size_t)(quote - p - 1));
		found++;
	}
	return found;
}

uint64_t listed_names_add_coco(struct listed_names *l, const char *text, size_t n)
{
	const uint64_t found = add_values(l, text, n, "\"file_name\"");

	/* LVIS gives addresses */
	return found ? found : add_values(l, text, n, "\"coco_url\"");
}

uint64_t listed_names_add_quoted(struct listed_names *l, const char *text, size_t n)
{
	const char *end = text + n, *p = text, *quote;
	uint64_t found = 0;

	for (; (p = memchr(p, '"', (size_t)(end - p))); p = quote + 1) {
		char name[256];

		p++;
		quote = memchr(p, '"', (size_t)(end - p));
		if (!quote)
			break;
		if ((size_t)(quote - p) >= sizeof(name))
			continue;
		memcpy(name, p, (size_t)(quote - p));
		name[quote - p] = '\0';
		if (!is_image_name(name))
			continue;
		add_name(l, file_name_of(name), strlen(file_name_of(name)));
		found++;
	}
	return found;
}

uint64_t listed_names_add_keys(struct listed_names *l, const char *text, size_t n)
{
	const char *end = text + n, *p = text, *quote;
	uint64_t found = 0;

	for (; l->count < LISTED_SAMPLE && (p = memchr(p, '"', (size_t)(end - p))); p = quote + 1) {
		p++;
		quote = memchr(p, '"', (size_t)(end - p));
		if (!quote)
			break;
		if (quote + 1 < end && quote[1] == ':') {
			add_name(l, p, (size_t)(quote - p));
			found++;
		}
	}
	return found;
}

void listed_names_add_file(struct listed_names *l, const char *path)
{
	const char *name = file_name_of(path), *tail = strstr(name, "___"); /* SuperAnnotate's */

	add_name(l, name, tail ? (size_t)(tail - name) : strlen(name) - strlen(file_name_extension(name)));
}

static bool ends_field(char c)
{
	return c == ',' || c == ';' || c == '\t' || c == ' ' || c == '"' || c == '\n' || c == '\r' || c == '|';
}

uint64_t listed_names_add_table(struct listed_names *l, const char *text, size_t n)
{
	uint64_t lines = 0;

	for (size_t i = 0, first = 0; i < n; i++) {
		char field[64];

		lines += text[i] == '\n';
		if (!ends_field(text[i]))
			continue;
		if (i > first && i - first < sizeof(field)) {
			memcpy(field, text + first, i - first);
			field[i - first] = '\0';
			if (is_image_name(field))
				add_name(l, field, i - first);
		}
		first = i + 1;
	}
	return lines;
}

/* Returns whether one of n characters is a digit. */
static bool has_digit(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ascii_isdigit(s[i]))
			return true;
	return false;
}

static void add_first(struct listed_names *l, const char *text, size_t n, unsigned most, bool numbered)
{
	const char *end = text + n, *line = memchr(text, '\n', n);
	const unsigned enough = MIN(l->count + most, (unsigned)LISTED_SAMPLE);

	for (; line && l->count < enough; line = memchr(line, '\n', (size_t)(end - line))) {
		const char *first = ++line;

		while (line < end && !ends_field(*line))
			line++;
		if (line > first && line < end && *line != '\n' && *line != '\r' &&
		    (!numbered || has_digit(first, (size_t)(line - first))))
			add_name(l, first, (size_t)(line - first));
	}
}

void listed_names_add_first(struct listed_names *l, const char *text, size_t n, unsigned most)
{
	add_first(l, text, n, most, false);
}

void listed_names_add_numbered(struct listed_names *l, const char *text, size_t n, unsigned most)
{
	add_first(l, text, n, most, true);
}

/* begins: names that begin with one in the filter count, too. */
static unsigned count_in(const struct listed_names *l, const struct name_filter *present, bool begins)
{
	unsigned found = 0;

	for (unsigned i = 0; i < l->count; i++)
		found += begins ? name_filter_has_stem(present, l->sample[i])
				: name_filter_has(present, l->sample[i], strlen(l->sample[i]));
	return found;
}

unsigned listed_names_count_in(const struct listed_names *l, const struct name_filter *present)
{
	return count_in(l, present, false);
}

bool listed_names_are_in(const struct listed_names *l, const struct name_filter *present)
{
	return l->count && 2 * count_in(l, present, false) >= l->count;
}

bool listed_names_begin_in(const struct listed_names *l, const struct name_filter *present)
{
	return l->count && 2 * count_in(l, present, true) >= l->count;
}

void listed_names_release(struct listed_names *l)
{
	name_filter_release(&l->names);
	l->count = 0;
}
