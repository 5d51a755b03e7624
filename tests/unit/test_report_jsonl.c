/* JSON Lines: paths of any bytes, there and in the JSON report. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
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

TEST(paths_of_any_bytes_come_back)
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

TIMEOUT(60)
FIXTURE(report_make_large, report_free)
