/* JSON Lines: what is written of each file, and of all; and paths of any bytes, there and in the JSON report. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "check_main.h"
#include "random.h"
#include "report_fixture.h"

static int from_base64(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	return c && at ? (int)(at - digits) : 0;
}

static void decode_base64(const char *text, char *out)
{
	for (; *text; text += 4) {
		int v = from_base64(text[0]) << 18 | from_base64(text[1]) << 12 | from_base64(text[2]) << 6 |
			from_base64(text[3]);

		*out++ = (char)(v >> 16);
		if (text[2] != '=')
			*out++ = (char)(v >> 8 & 255);
		if (text[3] != '=')
			*out++ = (char)(v & 255);
	}
	*out = '\0';
}

/* The path that a reader of the report gets back. */
static void expect_path(const cJSON *object, const char *path)
{
	const cJSON *bytes = cJSON_GetObjectItem(object, "path_b64");
	char got[64];

	if (bytes)
		decode_base64(cJSON_GetStringValue(bytes), got);
	else
		snprintf(got, sizeof(got), "%s", cJSON_GetStringValue(cJSON_GetObjectItem(object, "path")));
	ck_assert_str_eq(got, path);
	ck_assert_int_eq(bytes == NULL, utf8_valid(path, strlen(path)));
}

START_TEST(paths_of_any_bytes_come_back)
{
	static const char nasty[] = "\xc3\xa9\xe2\x80\xae\xf3\xa0\x80\xa1\"\\\n\x1b\x7f:\x01";
	struct sample sample = { .status = SAMPLE_SKIPPED };
	struct label_stats stats = { 0 };
	struct rule_input input = rule_input_of(&fixture.settings, &sample, &stats, NULL, NULL);
	uint64_t state = 3;

	for (int round = 0; round < 500; round++) {
		char path[17];
		size_t n = 1 + random_below(&state, sizeof(path) - 1);

		for (size_t i = 0; i < n; i++)
			path[i] = random_below(&state, 4) ? nasty[random_below(&state, sizeof(nasty) - 1)]
							  : (char)(1 + random_below(&state, 255));
		path[n] = '\0';
		finding_list_release(&fixture.findings);
		finding_list_init(&fixture.findings, 1);
		report_add("out-of-range-id", path, NULL, "message", "");
		strbuf_clear(&fixture.out);
		reporter_json.end(&fixture.report, &fixture.out);
		ck_assert(utf8_valid(fixture.out.s, fixture.out.len));
		cJSON *root = parse_json(fixture.out.s);

		expect_path(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "findings"), 0), path);
		cJSON_Delete(root);

		strbuf_clear(&fixture.out);
		sample.path = path;
		reporter_jsonl.file(&input, NULL, 0, &fixture.out);
		ck_assert_ptr_eq(strchr(fixture.out.s, '\n'), fixture.out.s + fixture.out.len - 1);
		root = parse_json(fixture.out.s);
		expect_path(root, path);
		cJSON_Delete(root);
	}
}
END_TEST

START_TEST(jsonl_lines)
{
	static struct finding f;
	struct id_stats ids[2] = { { .id = -3, .labels = UINT64_MAX }, { .id = 300, .labels = 1 } };
	struct label_stats stats = { .labels = 200, .ids_count = 2 };
	struct sample sample = {
		.path = "m/a.png",
		.format = FORMAT_PNG,
		.png = { .width = 20, .height = 10, .bit_depth = 8, .colour_type = PNG_PALETTE, .channels = 1 },
	};
	struct rule_input input = rule_input_of(&fixture.settings, &sample, &stats, ids, NULL);

	finding_init(&f, rule_find("out-of-range-id"));
	finding_add_id(&f, 300, 1);
	text_addf(&f.message, "bad");

	reporter_jsonl.begin(&fixture.settings, "2024-01-02T03:04:05Z", &fixture.out);
	expect_part("{\"type\":\"run\",\"schema_version\":\"1.2\",\"tool\":{\"name\":\"labelaudit\",");
	expect_part(",\"settings\":{\"classes\":\"0-2\",\"ignore\":[-1,255],");
	expect_part("\"started\":\"2024-01-02T03:04:05Z\"}\n");
	cJSON_Delete(parse_json(fixture.out.s));

	strbuf_clear(&fixture.out);
	reporter_jsonl.file(&input, &f, 1, &fixture.out);
	ck_assert_str_eq(
		fixture.out.s,
		"{\"type\":\"file\",\"path\":\"m/a.png\",\"member\":null,\"status\":\"read\","
		"\"format\":\"png palette 8\",\"shape\":[10,20],\"labels\":200,"
		"\"histogram\":[[-3,18446744073709551615],[300,1]],\"findings\":[{\"rule\":\"out-of-range-id\","
		"\"level\":\"error\",\"message\":\"bad\",\"advice\":null,\"details\":{\"ids\":[[300,1]]}}]}\n");

	strbuf_clear(&fixture.out);
	stats = (struct label_stats){ .colours = 1, .ids_count = 2 };
	sample.png.colour_type = PNG_RGB;
	sample.member = "x";
	reporter_jsonl.file(&input, NULL, 0, &fixture.out);
	ck_assert_str_eq(
		fixture.out.s,
		"{\"type\":\"file\",\"path\":\"m/a.png\",\"member\":\"x\",\"status\":\"read\",\"format\":\"png rgb 8\","
		"\"shape\":[10,20],\"labels\":0,\"findings\":[]}\n");

	strbuf_clear(&fixture.out);
	stats = (struct label_stats){ .labels = 5,
				      .ids_count = 2 }; /* a failed file adds nothing, whatever was measured */
	sample = (struct sample){ .path = "x", .format = FORMAT_PNG, .status = SAMPLE_FAILED };
	reporter_jsonl.file(&input, NULL, 0, &fixture.out);
	ck_assert_str_eq(fixture.out.s,
			 "{\"type\":\"file\",\"path\":\"x\",\"member\":null,\"status\":\"failed\",\"format\":null,"
			 "\"shape\":null,\"labels\":0,\"findings\":[]}\n");

	strbuf_clear(&fixture.out);
	report_add_various();
	fixture.report.complete = false;
	reporter_jsonl.end(&fixture.report, &fixture.out);
	ck_assert_ptr_eq(strchr(fixture.out.s, '\n'), fixture.out.s + fixture.out.len - 1);
	cJSON *root = parse_json(fixture.out.s);
	static const char *const keys[] = {
		"type",    "complete", "narrowed",     "summary",        "coverage",
		"classes", "ignored",  "out_of_range", "histogram",      "class_weights",
		"formats", "sizes",    "findings",     "findings_total", "run",
	};
	const cJSON *child = root->child;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++, child = child->next) {
		ck_assert_ptr_nonnull(child);
		ck_assert_str_eq(child->string, keys[i]);
	}
	ck_assert_ptr_null(child);
	ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(root, "complete")));
	ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "findings")), 1); /* the dataset's */
	cJSON_Delete(root);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_jsonl");
	TCase *c = tcase_create("report_jsonl");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, report_make_large, report_free);
	tcase_add_test(c, paths_of_any_bytes_come_back);
	tcase_add_test(c, jsonl_lines);
	suite_add_tcase(s, c);
	return s;
}

CHECK_MAIN(suite)
