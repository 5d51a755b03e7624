/*
 * Texts with random damage through the readers of lists and YOLO texts: nothing breaks (the sanitizers watch), and what
 * is in memory and what is streamed give the same statistics and the same fault.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"

#include "base/mem.h"
#include "effort.h"
#include "measure/label_measurer.h"
#include "random.h"
#include "read/text_look.h"
#include "text_damage.h"

static const char *const seeds[] = {
	"path,label\na.png,cat\n\"b,\"\"c\"\".png\",1\nd.png,2.0\n",
	"a.png 1\nb.png 2\r\na.png 0\r",
	"00000,53,54,16\n00001,42,45,1\n00002,48,52,38\n",
	"id;name;label;age\n1;x;dog;3\n2;y;cat;4\n",
	"1\n2\n-1\n99999999999999999999\nnan\n",
	"{\"file_name\": \"a.png\", \"label\": 1}\n{\"label\": \"c\\u0061t\", \"o\": {\"b\": [1, \"]\"]}}\n",
	"3\nnote label\na.png 7 1\nb.png 8 0\nc.png 8 2\n",
	"2\n1 25 16 38 56\n5 6 7 90 80\n",
	"{\"labels\": [1, 2, -100]}\n{\"labels\": [\"a\", 3, [4]]}\n",
	"Car 0.00 0 -1.58 587 173 614 200 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n",
	"a.jpg 48,240,195,371,1 8,12,352,498,2\nb.jpg\n",
	"1,3,684,8,273,116,1,1,0.5\n1,4,406,119,265,70,0,2,1\n",
	"1 2 3 4 5 6 7 8 cat 1\n1 2 3 4 5 6 7 8 cat 1\n",
	"0 0.5 0.5 0.2 0.2\n1 0.25 0.25 0.1 0.125\r\n\r\n0 0.5 0.5 0.2 0.2\n",
	"0 0.1 0.1 0.4 0.1 0.4 0.4\n0 0.5 0.5 0.4 0.6 0.4 0.3 2 0.6 0.3 1\n",
	"\xef\xbb\xbf"
	"0 nan 1e309 .5 -0\n",
};

static void measure(struct label_measurer *measurer, enum sample_format format, const char *text, size_t n,
		    bool streamed, struct label_stats *stats, struct fault *fault)
{
	struct batch batch;
	struct batch_item *item;
	char *exact = xmalloc(n + 1); /* so that a read past the end is seen */

	memcpy(exact, text, n);
	exact = xrealloc(exact, n ? n : 1);
	batch_init(&batch);
	item = batch_add(&batch);
	item->sample.path = "text";
	item->sample.format = format;
	fault_clear(&item->sample.fault);
	fault_clear(&item->sample.warning);
	if (streamed) {
		char name[] = "/tmp/test_texts_mutated.XXXXXX";

		item->input.fd = mkstemp(name);
		ck_assert_int_ge(item->input.fd, 0);
		unlink(name);
		ck_assert_int_eq(write(item->input.fd, exact, n), (ssize_t)n);
		item->input.size = n;
	} else {
		input_from_memory(&item->input, exact, n);
	}
	label_measurer_measure(measurer, &batch);
	*stats = item->stats;
	*fault = item->sample.fault;
	ck_assert_int_eq(item->sample.status == SAMPLE_FAILED, fault->kind != FAULT_NONE);
	batch_release(&batch);
	free(exact);
}

START_TEST(mutations)
{
	struct settings settings = { 0 };
	struct label_measurer measurer;
	struct error err = ERROR_INIT;
	uint64_t state = 20260101 + (uint64_t)_i;

	class_set_init(&settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&settings.classes, "3", &err), STATUS_OK);
	class_set_name(&settings.classes, 1, "cat");
	class_set_finish(&settings.classes);
	label_measurer_init(&measurer, &settings);
	for (int round = 0; round < (int)effort(800, 3000); round++) {
		static const char *const columns[] = { NULL, NULL, NULL, "label", "2" };
		enum sample_format format = random_next64(&state) % 2 ? FORMAT_LIST : FORMAT_YOLO;
		char text[TEXT_MAX];
		const char *seed = seeds[random_next64(&state) % ARRAY_SIZE(seeds)];
		size_t n = strlen(seed), changes = random_next64(&state) % 8;
		struct label_stats stats[2];
		struct fault faults[2];

		memcpy(text, seed, n);
		while (changes--)
			n = damage_text(text, n, &state);
		settings.column = columns[random_next64(&state) % ARRAY_SIZE(columns)];
		for (int streamed = 0; streamed < 2; streamed++)
			measure(&measurer, format, text, n, streamed, &stats[streamed], &faults[streamed]);
		ck_assert_msg(!memcmp(&stats[0], &stats[1], sizeof(stats[0])), "round %d: %.*s", round, (int)n, text);
		ck_assert_int_eq(faults[0].kind, faults[1].kind);
		ck_assert_str_eq(faults[0].text, faults[1].text);
		struct text_look look;

		text_look(text, n, round % 2, &look);
	}
	label_measurer_release(&measurer);
	class_set_release(&settings.classes);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("texts_mutated");
	TCase *t = tcase_create("mutations");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, mutations, 0, 4);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
