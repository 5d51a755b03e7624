/*
 * fix/fix_text.c: texts with random damage, rewritten and read again: each id is the one that the map makes of it, and
 * every byte outside the ids is as it was.
 */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "input_maker.h"

#include "base/mem.h"
#include "base/scan_number.h"
#include "effort.h"
#include "fix/fix_text.h"
#include "judge/rewriting.h"
#include "measure/label_measurer.h"
#include "random.h"
#include "read/list.h"
#include "read/yolo.h"
#include "text_damage.h"

enum { ROWS_MAX = 600 };

static const char *const seeds[] = {
	"path,label\na.png,2\n\"b,\"\"c\"\".png\",\"1\"\nd.png,2.0\n",
	"a.png 1\nb.png 2\r\na.png 0\r",
	"# savetxt\n3.000000000000000000e+00\n1.000000000000000000e+01\n",
	"id;name;label;age\n1;x;+3;3\n2;y;007;4\n",
	"1\n2\n-1\n\n\n99\n 10 \n",
	"1\n22\n3",
	"image.jpg 48,240,195,371,11 8,12,352,498,14\nother.jpg 8,12,352,498,9\n",
	"a/1.jpg,25,16,38,56,1\na/2.jpg,,,,,\na/3.jpg,25,16,38,56,12\n",
	"0 0.5 0.5 0.2 0.2\n1 0.25 0.25 0.1 0.125\r\n\r\n9 0.5 0.5 0.2 0.2  \n",
	"0 0.1 0.1 0.4 0.1 0.4 0.4\n\t10 0.5 0.5 0.4 0.6 0.4 0.3 2 0.6 0.3 1\n",
	"\xef\xbb\xbf"
	"3 .5 .5 .1 .1\n2.0 .5 .5 .1 .1",
};

struct row {
	bool has_id;
	int64_t id;
	uint64_t at;
	uint32_t size;
};

/* Reads all rows as the audit does. Returns their number. */
static size_t read_rows(const struct settings *settings, bool yolo, const char *text, size_t n,
			struct row out[ROWS_MAX])
{
	const struct list_options options = { .classes = &settings->classes, .column = settings->list.column };
	struct fault fault = FAULT_INIT;
	struct entry_table table = { 0 };
	struct list_row rows[ROWS_MAX];
	struct box_row boxes[ROWS_MAX];
	struct input in;
	struct list l;
	struct yolo y;
	size_t count;

	input_init(&in);
	input_from_memory(&in, text, n);
	if (yolo) {
		ck_assert(yolo_open(&y, &in, NULL, &table, &fault));
		count = yolo_read(&y, boxes, ROWS_MAX, &fault);
		yolo_close(&y);
	} else {
		ck_assert(list_open(&l, &in, &options, &fault));
		count = list_read(&l, rows, ROWS_MAX, &fault);
		list_close(&l);
	}
	ck_assert_uint_lt(count, ROWS_MAX);
	for (size_t i = 0; i < count; i++)
		out[i] = yolo ? (struct row){ boxes[i].has_id, boxes[i].id, boxes[i].id_at, boxes[i].id_size }
			      : (struct row){ rows[i].has_id, rows[i].id, rows[i].id_at, rows[i].id_size };
	entry_table_release(&table);
	input_release(&in);
	return count;
}

/* Some ids change their length, and some their sign. */
static int64_t target_of(int64_t id)
{
	return id == 5 ? -1 : id > 1000000 ? id : id + 1;
}

/* Compares the rewritten text with the one before. */
static void compare(const struct settings *settings, bool yolo, const char *text, size_t n, const struct strbuf *out)
{
	static struct row before[ROWS_MAX], after[ROWS_MAX];
	size_t count = read_rows(settings, yolo, text, n, before), at = 0, out_at = 0;

	ck_assert_msg(count == read_rows(settings, yolo, out->s, out->len, after), "%.*s", (int)n, text);
	for (size_t i = 0; i < count; i++) {
		int64_t id;

		ck_assert_int_eq(before[i].has_id, after[i].has_id);
		if (!before[i].has_id)
			continue;
		enum integer_kind kind = scan_integer(text + before[i].at, before[i].size, &id);

		ck_assert(kind == INTEGER_EXACT || kind == INTEGER_DECIMAL);
		ck_assert_int_eq(id, before[i].id);
		ck_assert_msg(after[i].id == target_of(before[i].id), "%.*s became %s", (int)n, text, out->s);
		ck_assert_uint_eq(before[i].at - at, after[i].at - out_at);
		ck_assert_mem_eq(text + at, out->s + out_at, before[i].at - at);
		at = before[i].at + before[i].size;
		out_at = after[i].at + after[i].size;
	}
	ck_assert_uint_eq(n - at, out->len - out_at);
	ck_assert_mem_eq(text + at, out->s + out_at, n - at);
}

/* Rewrites a measured text as a plan says that maps each id to target_of(). */
static void rewrite(const struct settings *settings, const struct batch *batch, const struct batch_item *item,
		    const char *text, size_t n, bool streamed)
{
	bool yolo = item->sample.format == FORMAT_YOLO;
	size_t count = item->stats.ids_count;
	struct fix_id *ids = xcalloc(count + 1, sizeof(*ids));
	struct mapped_id *mapped = xcalloc(count + 1, sizeof(*mapped));
	struct fix_file file = {
		.place = "text", .kind = yolo ? FIX_YOLO : FIX_LIST, .scale = 1, .ids_count = (uint32_t)count
	};
	struct fix_set set = { .settings = settings, .files = &file, .count = 1, .ids = ids, .ids_count = count };
	struct plan_file planned = { .changes = true };
	const struct fix_decision decision = { .map = { .v = mapped, .count = count } };
	struct fix_plan plan = { .set = &set, .decision = &decision, .files = &planned };
	uint64_t labels = 0;
	struct fault fault = FAULT_INIT;
	struct digest digest;
	struct sink out;
	struct input in;

	sink_init(&out);
	sink_begin(&out, -1);
	for (size_t i = 0; i < count; i++) {
		ids[i].id = mapped[i].id = batch->ids[item->stats.ids_at + i].id;
		mapped[i].to = target_of(ids[i].id);
	}
	make_input(&in, text, n, streamed);
	bool ok = (yolo ? fix_yolo : fix_list)(&plan, &file, &in, &out, &labels, &fault);

	ok = sink_end(&out, ok, &digest, &fault);
	if (ok)
		compare(settings, yolo, text, n, &out.text);
	else /* an id of several pieces: 1""2 in tabs */
		ck_assert_msg(strstr(fault.text, "not written in one piece"), "%s: %.*s", fault.text, (int)n, text);
	sink_release(&out);
	input_release(&in);
	free(mapped);
	free(ids);
}

TEST_EACH(mutations, 4)
{
	struct settings settings = { 0 };
	struct label_measurer measurer;
	struct error err = ERROR_INIT;
	uint64_t state = 20261123 + (uint64_t)_i;
	unsigned rewritten = 0, rounds = effort(600, 6000);

	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "12", &err), STATUS_OK);
	class_set_finish(&settings.classes);
	label_measurer_init(&measurer, &settings);
	for (unsigned round = 0; round < rounds; round++) {
		size_t seed = random_below(&state, ARRAY_SIZE(seeds)), n = strlen(seeds[seed]),
		       changes = random_below(&state, 5);
		char text[TEXT_MAX];
		struct batch batch;
		struct batch_item *item;

		memcpy(text, seeds[seed], n);
		while (changes--)
			n = damage_text(text, n, &state);
		settings.list.column = seed == 3 && random_below(&state, 2) ? "label" : NULL;
		batch_init(&batch);
		item = batch_add(&batch);
		item->sample.path = item->sample.rel_path = "text";
		item->sample.format = seed >= 8 ? FORMAT_YOLO : FORMAT_LIST;
		fault_clear(&item->sample.fault);
		fault_clear(&item->sample.warning);
		input_from_memory(&item->input, text, n);
		label_measurer_measure(&measurer, &batch);

		struct rewriting rewriting;
		const struct rule_input s =
			rule_input_of(&settings, &item->sample, &item->stats, batch.ids + item->stats.ids_at, NULL);

		if (item->sample.status == SAMPLE_READ && !rewriting_of(&s, &rewriting)) {
			rewrite(&settings, &batch, item, text, n, round % 2);
			rewritten++;
		}
		batch_release(&batch);
	}
	ck_assert_uint_gt(rewritten, rounds / 4);
	label_measurer_release(&measurer);
	class_set_release(&settings.classes);
}

TIMEOUT(120)
