/* The rules of token ids, and of the configuration of a training: dtype-misread, row-too-long, training-config. */
#include "../unit/check_main.h"
#include "measured_array.h"

#include "base/setting_values.h"
#include "set.h"

extern const struct rule rule_dtype_misread, rule_row_too_long, rule_training_config;

TEST(uint16_holds_no_larger_ids)
{
	static const uint16_t ids[] = { 1, 2, 65535 };
	struct measured *m = measured_new("65537", NULL);

	measured_array(m, DTYPE_UINT16, ids, SHAPE(3));
	ck_assert(measured_check(m, &rule_dtype_misread));
	m = measured_new("65536", NULL);
	measured_array(m, DTYPE_UINT16, ids, SHAPE(3));
	ck_assert(!measured_check(m, &rule_dtype_misread));
}

/* It fires if 99 % of 4,000 ids at odd places are small, and at most 90 % of the others. */
TEST(halves_of_wider_ids)
{
	static const struct {
		uint64_t even, odd;
		bool fires;
	} cases[] = { { 100, 2000, true },
		      { 1800, 1980, true },
		      { 1801, 1980, false },
		      { 1800, 1979, false },
		      { 2000, 2000, false } };
	static const uint16_t ids[] = { 1, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct measured *m = measured_new("50257", NULL);

		measured_array(m, DTYPE_UINT16, ids, SHAPE(2));
		m->stats.array.elements = 4000;
		m->stats.array.small[0] = cases[i].even;
		m->stats.array.small[1] = cases[i].odd;
		ck_assert(!measured_check(m, &rule_dtype_misread)); /* an array says its type */
		m->sample.format = FORMAT_TOKENS;
		ck_assert_int_eq(measured_check(m, &rule_dtype_misread), cases[i].fires);
		ck_assert(!cases[i].fires || strstr(m->finding.advice.s, "--dtype uint32"));
	}
}

TEST(rows_longer_than_a_model_reads)
{
	struct measured *m = measured_new("5", NULL);

	m->sample.format = FORMAT_LIST;
	m->settings.list.max_length = 4;
	ck_assert(!measured_check(m, &rule_row_too_long));
	m->stats.list.faults[LIST_TOO_LONG] = (struct row_tally){ .rows = 2, .first = 1 };
	ck_assert(measured_check(m, &rule_row_too_long));
	ck_assert_ptr_nonnull(strstr(m->finding.message.s, "2 lists have more ids than --max-length 4"));
}

TEST(a_configuration_that_stops_its_training)
{
	struct set s = set_new("3", NULL);

	ck_assert(!set_check(&s, &rule_training_config));
	setting_values_add(&s.m->settings.options, training_faults[LEVEL_WARNING],
			   "data.yaml: val is the folder of train", false);
	ck_assert(set_check(&s, &rule_training_config));
	ck_assert_str_eq(s.m->finding.message.s, "data.yaml: val is the folder of train");
	setting_values_release(&s.m->settings.options);
}
