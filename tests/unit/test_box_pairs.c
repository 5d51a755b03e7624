/* read/box_pairs.c: boxes that repeat another of their image, against a comparison of each with each. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check_main.h"

#include "base/mem.h"
#include "random.h"
#include "read/box_pairs.h"
#include "read/geometry.h"

enum { MOST = 300 };

static uint8_t found[MOST]; /* 1 + enum box_pair */
static uint64_t counts[3];

static void take(void *context, enum box_pair pair, int64_t id, const struct coco_place *place)
{
	(void)context;
	counts[pair]++;
	if (id < MOST)
		found[id] = (uint8_t)(pair + 1);
	ck_assert_uint_eq(place->key, (uint64_t)id);
}

static void add(struct box_pairs *p, uint32_t image, uint32_t class_index, const double v[4], size_t id)
{
	box_pairs_add(p, image, class_index, v, (int64_t)id, &(struct coco_place){ 1, 2, id });
}

TEST(each_with_each)
{
	uint64_t seed = 11, all = 0;

	for (int round = 0; round < 200; round++) {
		struct box_pairs p = { 0 };
		double v[MOST][4];
		uint32_t image[MOST], class_index[MOST];
		const size_t n = random_below(&seed, MOST);

		memset(found, 0, sizeof(found));
		for (size_t i = 0; i < n; i++) {
			const double left = random_below(&seed, 8), top = random_below(&seed, 4);

			memcpy(v[i], (double[4]){ left, top, left + 40 + random_below(&seed, 5), top + 50 },
			       sizeof(v[i]));
			image[i] = (uint32_t)random_below(&seed, 9);
			class_index[i] = (uint32_t)random_below(&seed, 2);
			add(&p, image[i], class_index[i], v[i], i);
		}
		ck_assert_uint_eq(box_pairs_find(&p, 9, take, NULL), 0);
		for (size_t i = 0; i < n; i++) {
			uint8_t expected = 0;

			for (size_t k = 0; k < i; k++) {
				uint8_t pair = 1 + (class_index[i] != class_index[k]        ? PAIR_CLASS
						    : memcmp(v[i], v[k], sizeof(v[i])) != 0 ? PAIR_NEAR
											    : PAIR_SAME);

				if (image[i] == image[k] && geometry_overlap(v[i], v[k]) > 0.9501)
					expected = expected ? MIN(expected, pair) : pair;
				else if (image[i] == image[k] && geometry_overlap(v[i], v[k]) > 0.9499)
					expected = found[i]; /* as near to the limit as floats are exact */
			}
			ck_assert_uint_eq(found[i], expected);
			all += expected != 0;
		}
		box_pairs_release(&p);
	}
	ck_assert_uint_gt(all, 1000);
}

/* A million boxes at one place, and as many in a row. */
TEST(many_boxes_of_one_image)
{
	for (int row = 0; row < 2; row++) {
		struct box_pairs p = { 0 };
		const size_t n = BOX_PAIRS_MAX + 10;

		memset(counts, 0, sizeof(counts));
		for (size_t i = 0; i < n; i++) {
			const double top = row ? 0 : (double)i, left = row ? (double)i : 0;

			add(&p, 0, 0, (double[4]){ left, top, left + 1000, top + 10 }, i);
		}
		const clock_t begin = clock();
		const uint64_t uncompared = box_pairs_find(&p, 1, take, NULL);

		ck_assert_uint_ge(uncompared, 10);
		ck_assert_uint_eq(counts[PAIR_NEAR], row ? BOX_PAIRS_MAX - 1 : 0);
		ck_assert_msg((double)(clock() - begin) / CLOCKS_PER_SEC < 4, "quadratic");
		box_pairs_release(&p);
	}
}

TIMEOUT(30)
