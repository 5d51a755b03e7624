/*
 * Arbitrary bytes as file, member and class names, and as messages, through every reporter: nothing that a terminal
 * obeys, valid UTF-8, and JSON where it is JSON. The parts are separated by NULs: path, member, message, class name.
 */
#include "base/escape.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "fuzz.h"
#include "judge/rule.h"
#include "report/report.h"

enum { PATH_PART, MEMBER_PART, MESSAGE_PART, CLASS_PART, PARTS };

static const struct {
	const struct reporter *reporter;
	bool is_json;
} reporters[] = {
	{ &reporter_json, true },      { &reporter_jsonl, false }, { &reporter_text, false },
	{ &reporter_sarif, true },     { &reporter_junit, false }, { &reporter_github, false },
	{ &reporter_gitlab, true },    { &reporter_html, false },  { &reporter_csv, false },
	{ &reporter_markdown, false },
};

static void expect_inert(const struct strbuf *out)
{
	FUZZ_CHECK(utf8_valid(out->s, out->len));
	for (size_t i = 0; i < out->len; i++) {
		const unsigned char *p = (const unsigned char *)out->s + i;

		FUZZ_CHECK((p[0] >= 0x20 && p[0] != 0x7f) || p[0] == '\n' || p[0] == '\r');
		FUZZ_CHECK(p[0] != 0xc2 || p[1] >= 0xa0);                               /* C1 */
		FUZZ_CHECK(p[0] != 0xe2 || p[1] != 0x80 || p[2] < 0xa8 || p[2] > 0xae); /* U+2028 to 202E */
		FUZZ_CHECK(p[0] != 0xe2 || p[1] != 0x81 || p[2] < 0xa6 || p[2] > 0xa9); /* U+2066 to 2069 */
	}
	FUZZ_CHECK(!strstr(out->s, "##[") && !strstr(out->s, "##vso["));
}

static void expect_json(const struct strbuf *out)
{
	struct json_pull p;
	enum json_token token;

	json_open_memory(&p, out->s, out->len, 0);
	do
		token = json_next(&p);
	while (token != JSON_END && token != JSON_FAULT);
	FUZZ_CHECK(token == JSON_END);
	json_close(&p);
}

static void split(char *text, size_t n, char *parts[PARTS])
{
	char *end = text + n;

	for (unsigned i = 0; i < PARTS; i++) {
		parts[i] = text;
		text += strlen(text);
		text += text < end;
	}
}

static void set_up(struct settings *s, const char *name)
{
	struct error err = ERROR_INIT;

	*s = *fuzz_settings();
	class_set_init(&s->classes);
	FUZZ_CHECK(class_set_parse_classes(&s->classes, "2", &err) == STATUS_OK);
	class_set_name(&s->classes, 1, name);
	class_set_finish(&s->classes);
	s->fail_on = LEVEL_ERROR;
	s->rules.levels = xcalloc(rule_count, sizeof(enum level));
	for (size_t i = 0; i < rule_count; i++)
		s->rules.levels[i] = rule_table[i]->level;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct finding finding;
	struct id_total ids[] = { { .id = 1, .labels = 5, .files = 1 } };
	struct dataset_stats dataset = {
		.files = 2, .files_read = 1, .files_failed = 1, .labels = 5, .ids = ids, .ids_count = 1
	};
	struct finding_list findings;
	struct settings settings;
	struct strbuf out = STRBUF_INIT;
	char *text = xmemdup0((const char *)data, n), *parts[PARTS];

	split(text, n, parts);
	set_up(&settings, parts[CLASS_PART]);
	finding_list_init(&findings, 100);
	for (size_t i = 0; i < 2; i++) { /* about a file or a member, and about the set */
		finding_init(&finding, rule_find("corrupt-data"));
		text_addf(&finding.message, "%s", parts[MESSAGE_PART]);
		text_addf(&finding.advice, "%s", parts[MESSAGE_PART]);
		finding_list_add(&findings, &finding, i || !*parts[PATH_PART] ? NULL : parts[PATH_PART],
				 i || !*parts[MEMBER_PART] ? NULL : parts[MEMBER_PART]);
	}
	finding_list_finish(&findings);
	const struct report report = {
		.settings = &settings,
		.dataset = &dataset,
		.findings = &findings,
		.complete = true,
		.root = parts[PATH_PART],
		.run = { .started = "2024-01-02T03:04:05Z", .seconds = 1, .device = "cpu", .jobs = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reporters); i++) {
		strbuf_clear(&out);
		reporters[i].reporter->end(&report, &out);
		expect_inert(&out);
		if (reporters[i].is_json)
			expect_json(&out);
	}
	finding_list_release(&findings);
	free(settings.rules.levels);
	class_set_release(&settings.classes);
	strbuf_release(&out);
	free(text);
	return 0;
}
