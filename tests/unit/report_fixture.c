#include "report_fixture.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"

struct report_fixture fixture;

void report_make(void)
{
	struct settings *s = &fixture.settings;
	struct error err = ERROR_INIT;

	memset(&fixture, 0, sizeof(fixture));
	strbuf_init(&fixture.out);
	class_set_init(&s->classes);
	ck_assert_int_eq(class_set_parse_classes(&s->classes, "3", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&s->classes, "255", &err), STATUS_OK);
	class_set_name(&s->classes, 0, "background");
	class_set_name(&s->classes, 1, "=cmd|' /C calc'!A0\n<script>alert(1)</script>");
	class_set_finish(&s->classes);
	s->fail_on = LEVEL_ERROR;
	s->limits = (struct limits){ 1 << 30, UINT64_C(1) << 31, 200, 1 << 30 };
	s->rules.levels = xcalloc(rule_count, sizeof(enum level));
	for (size_t i = 0; i < rule_count; i++)
		s->rules.levels[i] = rule_table[i]->level;

	fixture.ids[0] = (struct id_total){ .id = 0, .labels = 600, .files = 2 };
	fixture.ids[1] = (struct id_total){ .id = 1, .labels = 300, .files = 1 };
	fixture.ids[2] = (struct id_total){ .id = 21, .labels = 100, .files = 1 };
	fixture.ids[3] = (struct id_total){ .id = 255, .labels = 50, .files = 2 };
	static char notes[] = "notes.md";

	fixture.dataset = (struct dataset_stats){
		.files = 6,
		.files_read = 4,
		.files_failed = 1,
		.files_skipped = 1,
		.coverage = { .left_out[SKIP_NO_LABELS] = { 1, notes } },
		.labels = 1050,
		.bytes = 4096,
		.ids = fixture.ids,
		.ids_count = 4,
	};
	finding_list_init(&fixture.findings, 10000);
	fixture.report = (struct report){
		.settings = s,
		.dataset = &fixture.dataset,
		.findings = &fixture.findings,
		.diagnosis = &fixture.diagnosis,
		.complete = true,
		.root = "./masks/",
		.run = { .started = "2024-01-02T03:04:05Z", .seconds = 4.25, .device = "cpu", .jobs = 16 },
	};
}

void report_make_large(void)
{
	static char example[] = "m/\xff\n.png";
	struct class_set *classes = &fixture.settings.classes;
	struct error err = ERROR_INIT;

	report_make();
	ck_assert_int_eq(class_set_parse_ignore(classes, "255,-1", &err), STATUS_OK);
	class_set_name(classes, 1, "cat\033[31m");
	class_set_finish(classes);
	fixture.ids[0].labels = UINT64_C(9007199254740993); /* 2^53 + 1 */
	fixture.ids[1].labels = 7;
	fixture.ids[2] = (struct id_total){ .id = 21, .labels = 3, .files = 1, .example = example };
	fixture.ids[3].labels = 100;
	fixture.formats[0] = (struct format_total){ FORMAT_PNG, 0, PNG_GREY, 8, 0, DTYPE_NONE, { 1, NULL }, NULL };
	fixture.formats[1] = (struct format_total){ FORMAT_PNG, 0, PNG_PALETTE, 8, 0, DTYPE_NONE, { 2, NULL }, NULL };
	fixture.formats[2] = (struct format_total){ FORMAT_PNG, 0, PNG_GREY, 16, 1, DTYPE_NONE, { 1, NULL }, NULL };
	fixture.sizes[0] = (struct size_total){ 10, 20, 1 };
	fixture.sizes[1] = (struct size_total){ 10, 30, 2 };
	fixture.sizes[2] = (struct size_total){ 375, 5, 1 };
	fixture.dataset.labels = UINT64_C(9007199254741103);
	fixture.dataset.bytes = UINT64_MAX;
	fixture.dataset.formats.v = fixture.formats;
	fixture.dataset.formats.count = 3;
	fixture.dataset.sizes.v = fixture.sizes;
	fixture.dataset.sizes.count = 3;
	memcpy(fixture.report.run.stage_ns, (uint64_t[STAGES]){ 1000, 5000, 2000000000, 3, 1500 },
	       sizeof(fixture.report.run.stage_ns));
	fixture.report.run.peak_memory = 4096;
	fixture.report.root = NULL;
}

void report_finish(void)
{
	finding_list_finish(&fixture.findings);
	diagnosis_release(&fixture.diagnosis);
	diagnose(&fixture.diagnosis, &fixture.dataset, &fixture.settings, NULL, NULL, &fixture.findings);
}

void report_free(void)
{
	diagnosis_release(&fixture.diagnosis);
	finding_list_release(&fixture.findings);
	free(fixture.settings.rules.levels);
	class_set_release(&fixture.settings.classes);
	strbuf_release(&fixture.out);
}

void report_set_labels(int64_t first_id, const uint64_t *labels, size_t n)
{
	fixture.dataset.labels = 0;
	fixture.dataset.ids_count = n;
	for (size_t i = 0; i < n; i++) {
		fixture.ids[i] = (struct id_total){ .id = first_id + (int64_t)i, .labels = labels[i], .files = 1 };
		fixture.dataset.labels += labels[i];
	}
}

void report_add(const char *rule, const char *path, const char *member, const char *message, const char *advice)
{
	static struct finding f;
	const struct rule *found = rule_find(rule);

	ck_assert_msg(found != NULL, "no rule %s", rule);
	finding_init(&f, found);
	text_addf(&f.message, "%s", message);
	text_addf(&f.advice, "%s", advice);
	finding_list_add(&fixture.findings, &f, path, member);
}

void report_add_various(void)
{
	static struct finding f;

	finding_init(&f, rule_find("out-of-range-id"));
	finding_add_id(&f, 21, 3);
	text_addf(&f.message, "3 pixels have id 21");
	text_addf(&f.advice, "correct the mask");
	f.details.has_first = true;
	f.details.first_id = 21;
	f.details.first_x = 132;
	f.details.first_y = 77;
	f.details.has_bbox = true;
	memcpy(f.details.bbox, (uint64_t[4]){ 120, 70, 64, 80 }, sizeof(f.details.bbox));
	f.details.pixels = 3;
	text_addf(&f.details.map, "21 -> 20");
	finding_list_add(&fixture.findings, &f, "m/\xff\n.png", NULL);

	finding_init(&f, rule_find("truncated-file"));
	text_addf(&f.message, "the data end early");
	f.details.offset = 0;
	f.details.line = 4;
	f.details.column = 5;
	finding_list_add(&fixture.findings, &f, "a.zip", "b\033.png");

	finding_init(&f, rule_find("missing-class"));
	f.level = LEVEL_WARNING;
	text_addf(&f.message, "class 2 never occurs");
	for (int64_t id = 0; id < FINDING_IDS_MAX + 2; id++)
		finding_add_id(&f, id, 1);
	finding_list_add(&fixture.findings, &f, NULL, NULL);
	finding_list_finish(&fixture.findings);
}

void expect_part(const char *part)
{
	ck_assert_msg(strstr(fixture.out.s, part) != NULL, "no `%s` in:\n%s", part, fixture.out.s);
}

void expect_no_part(const char *part)
{
	ck_assert_msg(strstr(fixture.out.s, part) == NULL, "`%s` in:\n%s", part, fixture.out.s);
}

size_t count_parts(const char *part)
{
	size_t n = 0;

	for (const char *at = fixture.out.s; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

cJSON *parse_json(const char *text)
{
	const char *end;
	cJSON *root = cJSON_ParseWithOpts(text, &end, false);

	ck_assert_msg(root != NULL, "not JSON: %s", text);
	ck_assert_str_eq(end, "\n");
	return root;
}
