#include "read/list_sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan_number.h"

enum {
	SAMPLE_ROWS = 1000,
	SERIAL_ROWS = 4, /* fewer rows may count up, or be one-hot, by chance */
};

static bool is_number(enum integer_kind kind)
{
	return kind != INTEGER_NONE && kind != INTEGER_NAN;
}

static void add_value(struct list_column *c, const char *s, size_t n, const struct name_table *declared,
		      const struct class_set *classes)
{
	int64_t v;
	enum integer_kind kind = scan_integer(s, n, &v);

	if (!n)
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
		c->paths += value_looks_like_path(s, n);
	}
	c->known += name_table_find(declared, s, n) != NULL;
}

/* Of a row that has no numbers but 0 and 1: how many there are, and how many are 1. Else 0. */
static uint32_t binary_numbers(const struct csv *csv, uint32_t *ones_out)
{
	uint32_t zeros = 0, ones = 0;

	for (size_t i = 0; i < csv->count; i++) {
		int64_t v;
		enum integer_kind kind = scan_integer(csv->fields[i].s, csv->fields[i].n, &v);

		if (kind == INTEGER_NONE || kind == INTEGER_NAN)
			continue;
		if ((kind != INTEGER_EXACT && kind != INTEGER_DECIMAL) || v < 0 || v > 1)
			return 0;
		zeros += v == 0;
		ones += v == 1;
	}
	*ones_out = ones;
	return zeros + ones;
}

bool list_sample_read(struct list_sample *s, struct csv *csv, const struct class_set *classes,
		      const struct name_table *declared, struct fault *fault)
{
	size_t bytes = 0;

	*s = (struct list_sample){ .classes = classes };

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
	while (s->rows < SAMPLE_ROWS && bytes < CSV_SAMPLE_BYTES && csv_next(csv, fault)) {
		uint32_t ones = 0, binary = binary_numbers(csv, &ones);

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
	/* what breaks later is reported when it is read again */
	if (s->rows && fault->kind != FAULT_UNREADABLE)
		fault_clear(fault);
	return fault->kind == FAULT_NONE;
}

bool list_sample_has_header(const struct list_sample *s)
{
	if (s->first_has_number)
		return false;
	for (size_t i = 0; i < s->count; i++) {
		const struct list_column *c = &s->columns[i];

		if (word_label_rank(&c->word) >= 0 || word_path_rank(&c->word) >= 0)
			return true;
		if (c->values && !column_is_text(c))
			return true;
	}
	return false;
}

bool list_sample_add_first(struct list_sample *s, struct csv *csv, const struct name_table *declared,
			   struct fault *fault)
{
	if (!csv_rewind(csv, fault) || !csv_next(csv, fault))
		return false;
	s->rows++;
	for (size_t i = 0; i < s->count && i < csv->count; i++) {
		struct list_column *c = &s->columns[i];
		const struct list_column behind = *c;

		add_value(c, csv->fields[i].s, csv->fields[i].n, declared, s->classes);
		if (c->numbers == behind.numbers)
			c->serial = false;
		else
			c->serial = !behind.numbers || (behind.serial && c->last + 1 == behind.min);
		c->last = behind.numbers ? behind.last : c->last;
	}
	return true;
}

void list_sample_release(struct list_sample *s)
{
	free(s->columns);
	s->columns = NULL;
}

bool list_sample_counts_rows(const struct list_sample *s, const struct list_column *c)
{
	return c->serial && s->rows >= SERIAL_ROWS && c->numbers == c->values;
}

bool list_sample_is_one_hot(const struct list_sample *s)
{
	uint64_t declared = id_ranges_size(&s->classes->classes);

	return s->one_hot_rows >= SERIAL_ROWS && s->one_hot_rows + 1 >= s->rows && s->binary_columns >= 3 &&
	       (s->binary_columns == declared || s->binary_columns == declared + 1);
}

bool list_sample_is_multi_label(const struct list_sample *s)
{
	return s->binary_rows >= SERIAL_ROWS && 10 * (s->binary_rows + 1) >= 9 * s->rows && s->binary_columns >= 3 &&
	       s->binary_columns == id_ranges_size(&s->classes->classes);
}
