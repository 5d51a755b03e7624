#include "read/list_preview.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/scan_number.h"
#include "base/table.h"
#include "read/list_runs.h"

enum {
	PREVIEW_ROWS = 1000,
	SERIAL_ROWS = 4, /* fewer rows may count up, or be one-hot, by chance */
	PADDED = 4,
};

static const char fasttext_prefix[] = "__label__";

bool column_is_text(const struct list_column *c)
{
	return c->values && 2 * (c->numbers + c->fractions) <= c->values;
}

bool column_is_integers(const struct list_column *c)
{
	return c->values && 2 * c->numbers > c->values;
}

static bool is_number(enum integer_kind kind)
{
	return kind != INTEGER_NONE && kind != INTEGER_NAN;
}

/* Returns whether a value ends in an integer after a '_'. */
static bool has_number_after(const char *s, size_t n)
{
	const struct csv_field field = { .s = s, .n = n }, suffix = field_suffix(&field);
	int64_t v;

	return scan_integer(suffix.s, suffix.n, &v) == INTEGER_EXACT;
}

/* Returns whether a value is two integers or more, separated by a blank, a bar or a semicolon. */
static bool is_several_integers(const char *s, size_t n)
{
	const char *end = s + n;
	size_t count = 0;

	for (const char *p = s, *next; p < end; p = next + 1, count++) {
		int64_t v;

		for (next = p; next < end && *next != ' ' && *next != '|' && *next != ';';)
			next++;
		if (scan_integer(p, (size_t)(next - p), &v) != INTEGER_EXACT)
			return false;
	}
	return count > 1;
}

/* Returns whether a value is two words or more, with that sign between them. */
static bool is_several_words(const char *s, size_t n, char sign)
{
	const char *at = memchr(s, sign, n);

	return at && at > s && at + 1 < s + n && ascii_isalpha(s[0]) && (ascii_isalpha(at[1]) || at[1] == ' ');
}

static void add_value(struct list_column *c, const char *s, size_t n, const struct name_table *declared,
		      const struct class_set *classes)
{
	int64_t v;
	enum integer_kind kind = scan_integer(s, n, &v);

	if (!n || (n == 2 && runs_are_none(s, n) && c->runs))
		return;
	c->values++;
	if (kind == INTEGER_EXACT || kind == INTEGER_DECIMAL) {
		c->serial = c->numbers ? c->serial && v == c->last + 1 : kind == INTEGER_EXACT;
		c->varies = c->varies || (c->numbers && v != c->last);
		c->min = c->numbers ? MIN(c->min, v) : v;
		c->max = c->numbers ? MAX(c->max, v) : v;
		c->last = v < INT64_MAX ? v : 0;
		c->legal += class_set_role(classes, v) != ID_INVALID;
		c->numbers++;
	} else if (is_number(kind)) {
		c->fractions++;
	} else {
		bool runs = runs_are_pairs(s, n);

		c->paths += value_looks_like_path(s, n);
		c->runs += runs;
		c->sound += runs && runs_are_sound(s, n);
		c->suffixes += has_number_after(s, n);
		c->several += is_several_integers(s, n);
		c->barred += is_several_words(s, n, '|');
		c->listed += is_several_words(s, n, ',');
		c->tagged += n > strlen(fasttext_prefix) && !memcmp(s, fasttext_prefix, strlen(fasttext_prefix));
	}
	c->known += name_table_find(declared, s, n) != NULL;
}

/* Returns the number of numbers in a row, and how many are 1; 0 unless all are 0 and 1, or -1 and 1. */
static uint32_t binary_numbers(const struct csv *csv, uint32_t *ones_out, bool *signs)
{
	uint32_t zeros = 0, ones = 0, negative = 0;

	for (size_t i = 0; i < csv->count; i++) {
		int64_t v;
		enum integer_kind kind = scan_integer(csv->fields[i].s, csv->fields[i].n, &v);

		/* a number with zeros before it names something */
		if (kind == INTEGER_NONE || kind == INTEGER_NAN ||
		    (csv->fields[i].n >= PADDED && csv->fields[i].s[0] == '0' && ascii_isdigit(csv->fields[i].s[1])))
			continue;
		if ((kind != INTEGER_EXACT && kind != INTEGER_DECIMAL) || v < -1 || v > 1)
			return 0;
		zeros += v == 0;
		ones += v == 1;
		negative += v == -1;
	}
	if (zeros && negative)
		return 0;
	*ones_out = ones;
	*signs |= negative > 0;
	return zeros + ones + negative;
}

/* Marks the columns whose words mean coordinates of points. */
static void note_points(struct list_preview *s)
{
	struct plain_word *words = xcalloc(s->count, sizeof(*words));

	for (size_t i = 0; i < s->count; i++)
		words[i] = s->columns[i].word;
	for (size_t i = 0; i < s->count; i++)
		s->columns[i].of_point = word_is_of_point(words, s->count, i);
	free(words);
}

bool preview_read(struct list_preview *s, struct csv *csv, const struct class_set *classes,
		  const struct name_table *declared, struct fault *fault)
{
	size_t bytes = 0;

	*s = (struct list_preview){ .classes = classes };

	if (!csv_next(csv, fault))
		return fault->kind == FAULT_NONE;
	s->count = csv->count;
	s->columns = xcalloc(s->count, sizeof(*s->columns));
	for (size_t i = 0; i < s->count; i++) {
		const struct csv_field *field = &csv->fields[i];
		int64_t v;

		plain_word(field->s, field->n, &s->columns[i].word);
		s->first_has_number = s->first_has_number || is_number(scan_integer(field->s, field->n, &v));
	}
	note_points(s);
	while (s->rows < PREVIEW_ROWS && bytes < CSV_SAMPLE_BYTES && csv_next(csv, fault)) {
		uint32_t ones = 0, binary = binary_numbers(csv, &ones, &s->signs);

		s->rows++;
		s->one_hot_rows += binary && ones == 1;
		if (binary) {
			s->binary_columns = s->binary_columns ? s->binary_columns : binary;
			s->binary_rows += binary == s->binary_columns;
		}
		bytes += csv->size;
		for (size_t i = 0; i < s->count && i < csv->count; i++)
			add_value(&s->columns[i], csv->fields[i].s, csv->fields[i].n, declared, s->classes);
	}
	/* a fault in later rows is reported when they are read again */
	if (s->rows && fault->kind != FAULT_UNREADABLE)
		fault_clear(fault);
	return fault->kind == FAULT_NONE;
}

bool preview_has_header(const struct list_preview *s)
{
	if (s->first_has_number)
		return false;
	for (size_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];

		if (word_label_rank(&c->word) >= 0 || word_path_rank(&c->word) >= 0 ||
		    (word_is_runs(&c->word) && c->runs))
			return true;
		if (c->values && !column_is_text(c))
			return true;
	}
	return false;
}

bool preview_add_first(struct list_preview *s, struct csv *csv, const struct name_table *declared, struct fault *fault)
{
	if (!csv_rewind(csv, fault) || !csv_next(csv, fault))
		return false;
	s->rows++;
	for (size_t i = 0; i < s->count && i < csv->count; i++) {
		struct list_column *c = &s->columns[i];
		const struct list_column rest = *c;

		add_value(c, csv->fields[i].s, csv->fields[i].n, declared, s->classes);
		c->serial = c->numbers > rest.numbers && (!rest.numbers || (rest.serial && c->last + 1 == rest.min));
		c->last = rest.numbers ? rest.last : c->last;
	}
	return true;
}

bool preview_counts_rows(const struct list_preview *s, const struct list_column *c)
{
	return c->serial && s->rows >= SERIAL_ROWS && c->numbers == c->values;
}

bool preview_is_one_hot(const struct list_preview *s)
{
	uint64_t declared = id_ranges_size(&s->classes->classes);
	const bool two = s->binary_columns == 2 && !s->first_has_number && s->one_hot_rows >= FEW_ROWS;

	return s->one_hot_rows >= SERIAL_ROWS && s->one_hot_rows + 1 >= s->rows && (s->binary_columns >= 3 || two) &&
	       (s->binary_columns == declared || s->binary_columns == declared + 1 || !s->first_has_number);
}

size_t preview_flags(const struct list_preview *s)
{
	enum { COLUMNS_MIN = 3 };
	size_t flags = 0;
	bool blanks = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];

		if (!c->numbers || c->numbers != c->values || c->min < -1 || c->max > 1)
			continue;
		flags++;
		blanks |= c->values < s->rows || c->min < 0;
	}
	return blanks && flags >= COLUMNS_MIN && 2 * flags >= s->count ? flags : 0;
}

bool preview_is_multi_label(const struct list_preview *s)
{
	/* two columns may be so by chance, unless words name them and some row has both or neither */
	size_t least = !s->first_has_number && s->one_hot_rows < s->rows ? 2 : 3;

	return s->binary_rows >= SERIAL_ROWS && 10 * (s->binary_rows + 1) >= 9 * s->rows &&
	       s->binary_columns >= least &&
	       (s->binary_columns == id_ranges_size(&s->classes->classes) || !s->first_has_number);
}
