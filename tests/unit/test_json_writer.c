/* The JSON writer: layout to the byte, exact integers, and any bytes as strings read back by cJSON. */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <string.h>

#include "base/escape.h"
#include "check_main.h"
#include "random.h"
#include "report/json_writer.h"

static void write_sample(struct strbuf *out, bool compact)
{
	struct json_writer w;

	json_init(&w, out, compact);
	json_begin_object(&w, JSON_BLOCK);
	json_key(&w, "a");
	json_u64(&w, UINT64_MAX);
	json_key(&w, "b");
	json_begin_array(&w, JSON_INLINE);
	json_i64(&w, INT64_MIN);
	json_i64(&w, -1);
	json_i64(&w, INT64_MAX);
	json_pair(&w, INT64_MIN, UINT64_MAX);
	json_pair(&w, -7, 0);
	json_end(&w);
	json_key(&w, "c");
	json_begin_array(&w, JSON_BLOCK);
	json_begin_object(&w, JSON_INLINE);
	json_key(&w, "x");
	json_null(&w);
	json_key(&w, "y");
	json_bool(&w, true);
	json_end(&w);
	json_begin_object(&w, JSON_INLINE);
	json_end(&w);
	json_end(&w);
	json_key(&w, "d");
	json_begin_array(&w, JSON_BLOCK);
	json_end(&w);
	json_key(&w, "e");
	json_text(&w, "q\"");
	json_key(&w, "f");
	json_text(&w, NULL);
	json_key(&w, "g");
	json_base64(&w, "\xff", 1);
	json_key(&w, "h");
	strbuf_adds(json_value(&w), "0.5");
	json_end(&w);
	ck_assert_uint_eq(w.depth, 0);
}

TEST(block_layout)
{
	struct strbuf out = STRBUF_INIT;

	write_sample(&out, false);
	ck_assert_str_eq(out.s, "{\n"
				"  \"a\": 18446744073709551615,\n"
				"  \"b\": [-9223372036854775808, -1, 9223372036854775807, "
				"[-9223372036854775808, 18446744073709551615], [-7, 0]],\n"
				"  \"c\": [\n"
				"    {\"x\": null, \"y\": true},\n"
				"    {}\n"
				"  ],\n"
				"  \"d\": [],\n"
				"  \"e\": \"q\\\"\",\n"
				"  \"f\": null,\n"
				"  \"g\": \"/w==\",\n"
				"  \"h\": 0.5\n"
				"}");
	strbuf_release(&out);
}

TEST(compact_layout)
{
	struct strbuf out = STRBUF_INIT;

	write_sample(&out, true);
	ck_assert_str_eq(out.s,
			 "{\"a\":18446744073709551615,\"b\":[-9223372036854775808,-1,9223372036854775807,"
			 "[-9223372036854775808,18446744073709551615],[-7,0]],\"c\":[{\"x\":null,\"y\":true},{}],"
			 "\"d\":[],\"e\":\"q\\\"\",\"f\":null,\"g\":\"/w==\",\"h\":0.5}");
	strbuf_release(&out);
}

/* cJSON's strings end at a NUL, so the bytes have none. */
TEST(random_strings_read_back)
{
	static const char nasty[] = "\xc3\xa9\xe2\x80\xae\xf3\xa0\x80\xa1\"\\\n\x1b\x7f/\x01";
	uint64_t state = 7;
	int valid = 0;

	for (int round = 0; round < 20000; round++) {
		struct strbuf out = STRBUF_INIT;
		struct json_writer w;
		char in[16];
		size_t n = random_below(&state, sizeof(in));

		for (size_t i = 0; i < n; i++)
			in[i] = random_below(&state, 2) ? nasty[random_below(&state, sizeof(nasty) - 1)]
							: (char)(1 + random_below(&state, 255));
		json_init(&w, &out, round % 2);
		json_begin_array(&w, JSON_BLOCK);
		json_string(&w, in, n);
		json_end(&w);
		cJSON *root = cJSON_ParseWithOpts(out.s, NULL, true);
		const char *back = cJSON_GetStringValue(cJSON_GetArrayItem(root, 0));

		if (!back)
			ck_abort_msg("round %d is not JSON: %s", round, out.s);
		if (utf8_valid(in, n)) {
			valid++;
			if (strlen(back) != n || memcmp(back, in, n) != 0)
				ck_abort_msg("round %d changed: %s", round, out.s);
		} else if (!utf8_valid(back, strlen(back)) || !strstr(back, "\xef\xbf\xbd")) {
			ck_abort_msg("round %d: no U+FFFD in %s", round, out.s);
		}
		cJSON_Delete(root);
		strbuf_release(&out);
	}
	ck_assert_int_gt(valid, 1000);
	ck_assert_int_lt(valid, 19000);
}

TIMEOUT(60)
