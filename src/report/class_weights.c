#include "report/class_weights.h"

#include <math.h>

#include "base/decimal.h"

const char *class_weight_name(enum class_weight weight)
{
	static const char *const names[] = { "median_frequency", "inverse_frequency", "effective_number" };

	return names[weight];
}

double class_weight_effective(uint64_t labels, uint64_t all)
{
	/* Where beta is next to 1, beta^labels would be 1 to a double; this keeps all digits of the difference. */
	return -expm1((double)labels * log1p(-1.0 / (double)all));
}

bool class_weight_add(struct strbuf *out, const struct report_tables *t, size_t row, enum class_weight weight)
{
	uint64_t labels = t->classes[row].labels;

	if (!labels)
		return false;
	switch (weight) {
	case WEIGHT_MEDIAN_FREQUENCY:
		decimal_significant(out, t->median_twice, 2 * (decimal_wide)labels);
		break;
	case WEIGHT_INVERSE_FREQUENCY:
		decimal_significant(out, t->class_labels, (decimal_wide)t->classes_present * labels);
		break;
	case WEIGHT_EFFECTIVE_NUMBER:
		/* (1 - beta) of E(c) cancels against that of the scale. */
		decimal_double(out, (double)t->classes_present /
					    (class_weight_effective(labels, t->class_labels) * t->effective_sum));
		break;
	case CLASS_WEIGHTS:
		break;
	}
	return true;
}
