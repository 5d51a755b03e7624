/*
 * Reports that are read back: whole ones and those of shards come out byte for byte; whatever is cut, changed or made
 * up is refused with one line, or read as what it says, but never trusted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "report/report_file.h"

static struct settings settings;
static struct dataset_stats dataset;
static struct finding_list findings;
static struct diagnosis diagnosis;
static struct report report;
static struct strbuf text;
static char path[64];

static void set_up(void)
{
	struct error err = ERROR_INIT;
	int fd;

	memset(&settings, 0, sizeof(settings));
	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "0-3,7", &err), STATUS_OK);
	ck_assert_int_eq(class_set_parse_ignore(&settings.classes, "255,-1", &err), STATUS_OK);
	class_set_name(&settings.classes, 0, "background");
	class_set_name(&settings.classes, 3, "a \"cat\"\x1b[31m");
	class_set_finish(&settings.classes);
	settings.fail_on = LEVEL_WARNING;
	settings.max_findings = 77;
	settings.rules.levels = xcalloc(rule_count, sizeof(enum level));
	for (size_t i = 0; i < rule_count; i++)
		settings.rules.levels[i] = i % 5 ? rule_table[i]->level : LEVEL_OFF;
	dataset_init(&dataset);
	finding_list_init(&findings, 0);
	report = (struct report){ .settings = &settings,
				  .dataset = &dataset,
				  .findings = &findings,
				  .complete = true,
				  .run = { .started = "2024-01-02T03:04:05Z",
					   .seconds = 4.257,
					   .device = "cpu",
					   .jobs = 16,
					   .stage_ns = { 1000, 7000, 2000000000, 3000, 1500000 },
					   .read_ahead = 12,
					   .under_way = 5,
					   .peak_memory = 4096,
					   .note = "the \"note\"" } };
	strbuf_init(&text);
	snprintf(path, sizeof(path), "/tmp/test_report_file.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void tear_down(void)
{
	unlink(path);
	strbuf_release(&text);
	finding_list_release(&findings);
	diagnosis_release(&diagnosis);
	dataset_release(&dataset);
	free(settings.rules.levels);
	class_set_release(&settings.classes);
}

static struct file_count counted(uint64_t files, const char *example)
{
	return (struct file_count){ files, xstrdup(example) };
}

/* A content that one file has, one in two splits, one of a path that was given twice. */
static void fill_contents(void)
{
	static const uint64_t contents[][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };

	struct content_table *t = xmalloc(sizeof(*t));

	content_table_init(t);
	content_table_add(t, 10, 20, contents[0], 1, "train/a.png", NULL);
	content_table_add(t, 10, 20, contents[1], 2, "val/\xff.png", NULL);
	content_table_add(t, 10, 20, contents[1], 1, "train/b-which-is-long.png", NULL);
	content_table_add(t, 10, 20, contents[1], 0, "c.zip", "d.png");
	content_table_add(t, 10, 20, contents[2], 0, "e.png", NULL);
	content_table_add(t, 10, 20, contents[2], 0, "e.png", NULL);
	content_table_sort(t);
	dataset.contents[CONTENT_MASKS] = t;
	dataset_name_split(&dataset, 1, "train");
	dataset_name_split(&dataset, 2, "val\xff");
	dataset.splits.files[1] = 7;
	split_totals_entry(&dataset.splits, 3)->files[2] = 5;
	split_totals_entry(&dataset.splits, -3)->files[0] = 1;
}

/* Sums with something in every member, counts past 2^53, and names that are not UTF-8. */
static void fill_dataset(void)
{
	static const int64_t ids[] = { -5, 0, 3, 255, 70000 };
	const uint64_t large = UINT64_C(9007199254740993);

	GROW(dataset.ids, dataset.ids_cap, ARRAY_SIZE(ids));
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		bool out = ids[i] < 0 || ids[i] > 255;

		dataset.ids[dataset.ids_count++] =
			(struct id_total){ ids[i], large + i, 2 + i % 2,
					   i,      { 3, i },  out ? xstrdup("m/\xff\n.png") : NULL };
		dataset.labels += large + i;
	}
	dataset.files_read = 5;
	dataset.files_failed = 2;
	dataset.files_skipped = 1;
	dataset.files = 8;
	dataset.bytes = UINT64_MAX;
	GROW(dataset.formats.v, dataset.formats.cap, 2);
	dataset.formats.count = 2;
	dataset.formats.v[0] = (struct format_total){
		.format = FORMAT_PNG, .colour_type = PNG_GREY, .bit_depth = 16, .seen = counted(1, "a")
	};
	dataset.formats.v[1] = (struct format_total){ .format = FORMAT_PNG,
						      .colour_type = PNG_PALETTE,
						      .bit_depth = 8,
						      .interlace = 1,
						      .seen = counted(4, "b\xfe") };
	GROW(dataset.sizes.v, dataset.sizes.cap, 2);
	dataset.sizes.count = 2;
	dataset.sizes.v[0] = (struct size_total){ 10, UINT32_MAX, 2 };
	dataset.sizes.v[1] = (struct size_total){ 375, 5, 3 };
	dataset.files_with_ids = 5;
	dataset.files_with_ignored = 4;
	dataset.masks_with_ids = 4;
	dataset.masks_only_zero = 2;
	dataset.counted[COUNTED_PALETTE_LUMA] = counted(3, "p");
	dataset.counted[COUNTED_OVER_UINT8] = counted(1, "\xc3");
	GROW(dataset.palettes.v, dataset.palettes.cap, 2);
	dataset.palettes.count = 2;
	dataset.palettes.v[0] = (struct palette_total){ 0x00ffffff, 3, xstrdup("p") };
	dataset.palettes.v[1] = (struct palette_total){ UINT32_MAX, 1, xstrdup("q") };
	dataset.informative_files = 3;
	dataset.informative_flagged = 1;
	dataset.tested_files = 4;
	dataset.tested_flagged = 2;
	dataset.provisional_findings = 1;
	for (size_t line = 0; line < 2; line++) {
		dataset.between[line] = 10 + line;
		dataset.long_between[line] = 20 + line;
		dataset.wide_edges[line] = 30 + line;
	}
	dataset.counted[COUNTED_INTERPOLATION_WEAK] = counted(2, "w");
	fill_contents();
}

static void fill_findings(void)
{
	static struct finding f;

	finding_init(&f, rule_find("out-of-range-id"));
	text_addf(&f.message, "3 pixels have id 70000 \xff");
	text_addf(&f.advice, "correct the mask");
	for (int64_t i = 0; i < 300; i++)
		finding_add_id(&f, i - 10, 1 + (uint64_t)i);
	f.details.has_first = f.details.has_bbox = true;
	f.details.first_id = -10;
	f.details.first_x = UINT64_C(1) << 60;
	f.details.bbox[3] = 9;
	f.details.pixels = 3;
	text_addf(&f.details.map, "1 -> 2");
	finding_list_add(&findings, &f, "m/\xff\n.png", NULL);
	finding_init(&f, rule_find("truncated-file"));
	text_addf(&f.message, "the data end early");
	f.details.offset = 0;
	f.details.line = 4;
	f.details.column = 5;
	f.details.has_first = true;
	f.details.first_kind = FIRST_LINE;
	f.details.first_x = 8;
	f.details.first_y = 9;
	finding_list_add(&findings, &f, "a.zip", "b\x1b.png");
	finding_init(&f, rule_find("missing-class"));
	text_addf(&f.message, "class 1 never occurs");
	f.details.has_first = true;
	f.details.first_kind = FIRST_INDEX;
	f.details.first_rank = 3;
	f.details.first_at[1] = UINT64_MAX;
	finding_list_add(&findings, &f, NULL, NULL);
	finding_list_finish(&findings);
}

static void fill(bool shard)
{
	fill_dataset();
	fill_findings();
	if (shard) {
		settings.shard = 3;
		settings.shards = 64;
	} else {
		diagnose(&diagnosis, &dataset, &settings, NULL, NULL, &findings);
	}
	report.diagnosis = &diagnosis;
	reporter_json.end(&report, &text);
}

static void save(const char *s, size_t n)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(s, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

/* Reads it; "" or what the error says. */
static const char *read_back(struct strbuf *again)
{
	static struct error err;
	struct report_file *file;

	memset(&err, 0, sizeof(err));
	if (report_file_read(&file, path, UINT64_MAX, &err) != STATUS_OK) {
		ck_assert_ptr_null(file);
		ck_assert_str_ne(err.text, "");
		return err.text;
	}
	strbuf_clear(again);
	reporter_json.end(&file->report, again);
	report_file_free(file);
	return "";
}

static void expect_same(void)
{
	struct strbuf again = STRBUF_INIT;

	save(text.s, text.len);
	ck_assert_str_eq(read_back(&again), "");
	ck_assert_str_eq(again.s, text.s);
	strbuf_release(&again);
}

TEST(a_whole_report)
{
	fill(false);
	ck_assert_ptr_null(strstr(text.s, "\"partial\""));
	expect_same();
}

TEST(the_report_of_a_shard)
{
	fill(true);
	ck_assert_ptr_nonnull(strstr(text.s, "\"shard\": \"3/64\""));
	ck_assert_ptr_nonnull(strstr(text.s, "\"partial\""));
	expect_same();
}

/* Sums of which a corrected copy is planned: a merge that lost one would print another command, or none. */
TEST(the_plan_of_a_shard)
{
	struct fix_facts *f = &dataset.fix;
	struct report_file *file;
	struct error err = ERROR_INIT;

	fill_dataset();
	settings.shard = 3;
	settings.shards = 64;
	f->files = 11, f->masks = 12, f->grids = 13, f->grey_masks = 14, f->labelled = 15, f->beyond_zero = 16;
	f->invalid = 17;
	f->counted = f->few_used = f->scaled_invalid = f->samples_invalid = true;
	f->samples[1][15] = (struct fix_total){ 20, 21 };
	f->recodable[RECODINGS - 1][1] = 24;
	f->keeps_ids = counted(1, "keeps");
	f->damaged = counted(1, "damaged");
	f->words = xstrdup(" --classes 2 masks -o masks-fixed/");
	reporter_json.end(&report, &text);
	expect_same();
	ck_assert_int_eq(report_file_read(&file, path, UINT64_MAX, &err), STATUS_OK);
	const struct fix_facts *g = &file->report.dataset->fix;

	ck_assert_uint_eq(g->files + g->masks + g->grids + g->grey_masks, 11 + 12 + 13 + 14);
	ck_assert_uint_eq(g->labelled + g->beyond_zero + g->invalid, 15 + 16 + 17);
	ck_assert(g->counted && g->few_used && g->scaled_invalid && g->samples_invalid);
	ck_assert_mem_eq(g->samples, f->samples, sizeof(f->samples));
	ck_assert_mem_eq(g->recodable, f->recodable, sizeof(f->recodable));
	ck_assert_str_eq(g->keeps_ids.example, "keeps");
	ck_assert_str_eq(g->damaged.example, "damaged");
	ck_assert_str_eq(g->words, f->words);
	report_file_free(file);
}

TEST(reduced_zero_label)
{
	settings.reduce_zero_label = true;
	class_set_name(&settings.classes, 2, "two");
	settings.classes.zero_reduced = true;
	class_set_finish(&settings.classes);
	fill_dataset();
	reporter_json.end(&report, &text);
	ck_assert_ptr_nonnull(
		strstr(text.s, "{\"id\": 2, \"name\": \"two\", \"labels\": 9007199254740995, \"files\": 2,"));
	expect_same();
}

TEST(more_sizes_than_are_listed)
{
	GROW(dataset.sizes.v, dataset.sizes.cap, 1500);
	for (uint32_t i = 0; i < 1500; i++)
		dataset.sizes.v[dataset.sizes.count++] = (struct size_total){ i, 1, 1 };
	GROW(dataset.formats.v, dataset.formats.cap, 1);
	dataset.formats.v[dataset.formats.count++] =
		(struct format_total){ .format = FORMAT_PNG, .bit_depth = 8, .seen = counted(1500, "a") };
	dataset.files = dataset.files_read = 1500;
	reporter_json.end(&report, &text);
	ck_assert_ptr_nonnull(strstr(text.s, "\"sizes_total\": 1500"));
	expect_same();
	strbuf_clear(&text);
	settings.shard = settings.shards = 1;
	reporter_json.end(&report, &text);
	expect_same();
}

TEST(every_cut_is_refused)
{
	struct strbuf again = STRBUF_INIT;

	fill(true);
	for (size_t n = 0; n + 1 < text.len; n += 1 + n / 50) {
		save(text.s, n);
		const char *why = read_back(&again);

		ck_assert_msg(strstr(why, path) == why && strstr(why, "byte "), "%zu bytes: '%s'", n, why);
	}
	strbuf_release(&again);
}

/* Replaces the first `old`, and expects an error that holds `why`. */
static void expect_refused(const char *old, const char *new, const char *why)
{
	struct strbuf changed = STRBUF_INIT, again = STRBUF_INIT;
	const char *at = strstr(text.s, old);

	ck_assert_msg(at != NULL, "no %s in the report", old);
	strbuf_add(&changed, text.s, (size_t)(at - text.s));
	strbuf_adds(&changed, new);
	strbuf_adds(&changed, at + strlen(old));
	save(changed.s, changed.len);
	const char *said = read_back(&again);

	ck_assert_msg(strstr(said, why) != NULL, "%s instead of %s: '%s'", new, old, said);
	strbuf_release(&changed);
	strbuf_release(&again);
}

TEST(lies_are_refused)
{
	fill(true);
	expect_refused("\"files\": 8", "\"files\": 9", "the counts of files do not add up");
	expect_refused("\"files\": 8", "\"files\": -8", "expected an integer from 0");
	expect_refused("\"files\": 8", "\"files\": \"8\"", "found a string");
	expect_refused("\"files\": 8", "\"files\": 18446744073709551616", "expected an integer from 0");
	expect_refused("\"files\": 8", "\"files\": 8.0", "expected an integer from 0");
	expect_refused("\"schema_version\": \"1.2\"", "\"schema_version\": \"2.1\"", "this program reads 1.x");
	expect_refused("\"warnings\": 1", "\"warnings\": 2", "the counts of findings do not add up");
	expect_refused("\"findings_listed\": 3", "\"findings_listed\": 2", "3 findings are listed, not 2");
	expect_refused("\"rule\": \"truncated-file\"", "\"rule\": \"no-such\"", "rule 'no-such' is not known");
	expect_refused("\"classes\": \"0-3,7\"", "\"classes\": \"0-3,x\"", "expected ids and ranges");
	expect_refused("\"view\": \"pil\"", "\"view\": \"eye\"", "expected a view");
	expect_refused("\"shard\": \"3/64\"", "\"shard\": \"65/64\"", "expected a shard");
	expect_refused("\"shard\": \"3/64\"", "\"shard\": null", "it is not the report of a shard");
	expect_refused("\"summary\"", "\"summery\"", "there is no 'summary'");
	expect_refused("\"settings\"", "\"set\"", "it is not the report of a shard");
	expect_refused("\"partial\"", "\"part\"", "there is no 'partial'");
	expect_refused("\"palettes\"", "\"pallets\"", "a sum that this version does not know");
	expect_refused("\"palettes\": [", "\"sizes\": [", "it occurs twice");
	expect_refused("[[16777215, 3", "[[4294967295, 3", "not sorted");
	expect_refused("\"contents\": [18446744073709551615, [\"", "\"contents\": [18446744073709551615, [\"g",
		       "expected 32 hexadecimal digits");
	expect_refused("\"contents\": [18446744073709551615",
		       "\"contents\": [18446744073709551615, [\"ffffffffffffffff0000000000000000\", \"z\", 1]",
		       "the rows are not sorted");
	expect_refused("\"splits\": [[0, 7", "\"splits\": [[0", "'splits'");
	expect_refused("[-3, 1", "[4, 1", "not sorted");
	expect_refused("\"with_ids\": 5", "\"with_ids\": 6", "the counts of files do not add up");
	expect_refused("[255, 9007199254740996, 3", "[255, 9007199254740996, 6", "the counts of ids do not add up");
	expect_refused("[255, 9007199254740996, 3", "[255, 9007199254740997, 3", "the counts of labels do not add up");
	expect_refused("[70000, 9007199254740997, 2, 4, 3, 4, [\"bS//Ci5wbmc=\"]]",
		       "[70000, 9007199254740997, 2, 4, 3, 4]", "the counts of ids do not add up");
	expect_refused("\"path_b64\": \"bS//", "\"path_b64\": \"bS/\x01", "byte ");
	expect_refused("\"path_b64\": \"bS//", "\"path_b64\": \"bS_/", "expected base64");
	expect_refused("\"a.zip", "\"a\\u0000zip", "NUL");
}

TEST(what_is_no_report)
{
	static const char *const documents[] = { "",           "null",  "[]",       "{}",
						 "{\"a\": 1}", "[[[[[", "\xff\xfe", "\x89PNG\r\n" };
	struct strbuf again = STRBUF_INIT;
	struct strbuf deep = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(documents); i++) {
		save(documents[i], strlen(documents[i]));
		ck_assert_str_ne(read_back(&again), "");
	}
	strbuf_adds(&deep, "{\"a\": ");
	for (size_t i = 0; i < 100000; i++)
		strbuf_addch(&deep, '[');
	save(deep.s, deep.len);
	ck_assert_str_ne(read_back(&again), "");
	unlink(path);
	ck_assert_ptr_nonnull(strstr(read_back(&again), "No such file"));
	snprintf(path, sizeof(path), "/tmp");
	ck_assert_ptr_nonnull(strstr(read_back(&again), "Is a directory"));
	strbuf_release(&deep);
	strbuf_release(&again);
}

TIMEOUT(120)
FIXTURE(set_up, tear_down)
