#include "judge/grey_levels.h"

/* 8 bits do not distinguish more levels. */
enum { LEVELS_MAX = 256 };

int64_t grey_level_class(int64_t level, int64_t classes, bool cut)
{
	if (classes < 2 || classes > LEVELS_MAX || level < 0 || level > 255)
		return -1;
	int64_t near = level * (classes - 1) / 255;

	for (int64_t i = near; i <= near + 1 && i < classes; i++) {
		int64_t steps = classes - 1;

		if (level == (cut ? 255 * i / steps : (510 * i + steps) / (2 * steps)))
			return i;
	}
	return -1;
}

/* By chance all ids are on levels in (classes / 256)^n. One id suffices for 16 classes, two for 64: at most 1 in 16. */
bool grey_levels_are_certain(int64_t classes, unsigned n)
{
	uint64_t odds = 1; /* 1 in odds, rounded down */

	if (classes < 2 || classes > LEVELS_MAX / 2)
		return false;
	for (unsigned i = 0; i < n && odds < 16; i++)
		odds = odds * 256 / (uint64_t)classes;
	return odds >= 16;
}
