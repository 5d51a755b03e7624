/* The table of judge/id_map.h against plain sums: ids that come in any order, in maps that are merged. */
#include "check_main.h"
#include "judge/id_map.h"
#include "random.h"

/* As many ids as are sorted at a time, and several times as many; each comes some ten times. */
enum { IDS_MAX = 1000, TIMES = 10, MAPS = 3 };

static void expect_sums(const struct id_map *map, const uint64_t labels[IDS_MAX], const uint64_t files[IDS_MAX])
{
	size_t at = 0;

	for (int64_t id = 0; id < IDS_MAX; id++) {
		if (!files[id])
			continue;
		ck_assert_uint_lt(at, map->count);
		ck_assert_int_eq(map->v[at].id, id);
		ck_assert_int_eq(map->v[at].to, id);
		ck_assert_uint_eq(map->v[at].labels, labels[id]);
		ck_assert_uint_eq(map->v[at].files, files[id]);
		ck_assert_ptr_eq(id_map_find(map, id), &map->v[at]);
		at++;
	}
	ck_assert_uint_eq(map->count, at);
}

TEST(adds_up_ids_in_any_order)
{
	static const struct settings settings;
	static const uint32_t counts[] = { 1, 5, 255, 256, 257, 600, IDS_MAX };
	uint64_t random = 1;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct id_map maps[MAPS] = { 0 };
		uint64_t labels[IDS_MAX] = { 0 }, files[IDS_MAX] = { 0 };

		for (uint32_t n = 0; n < TIMES * counts[i]; n++) {
			uint32_t id = random_below(&random, counts[i]), more = 1 + random_below(&random, 9);

			id_map_add(&maps[random_below(&random, MAPS)], &settings, id, more, 1);
			labels[id] += more;
			files[id]++;
		}
		id_map_finish(&maps[0]);
		for (size_t k = 1; k < MAPS; k++)
			id_map_merge(&maps[0], &maps[k]);
		expect_sums(&maps[0], labels, files);
		id_map_release(&maps[0]);
	}
}
