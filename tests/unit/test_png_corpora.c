/*
 * The reference PNG reader on every file of the hostile corpora, in memory and streamed, against recorded verdicts and
 * samples of libpng.
 */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "check_main.h"
#include "png/decode.h"

static const struct limits no_limits;

static struct sample sample;

struct score {
	unsigned files, right, valid, valid_right, skipped;
	unsigned digests, histograms;
};

static const char *shared_folder(void)
{
	const char *folder = getenv("LABELAUDIT_SHARED");

	return folder ? folder : "../shared";
}

/* counts: 4 x 65536. */
struct samples {
	uint64_t *counts;
	struct sha256 sha;
	char digest[65];
};

static void samples_add_row(struct samples *s, const void *row, size_t n, bool deep)
{
	const uint8_t *narrow = row;
	const uint16_t *wide = row;

	for (size_t i = 0; i < n; i++) {
		unsigned v = deep ? wide[i] : narrow[i];
		uint8_t big_endian[2] = { (uint8_t)(v >> 8), (uint8_t)v };

		s->counts[(i % sample.png.channels) << 16 | v]++;
		if (deep)
			sha256_add(&s->sha, big_endian, 2);
	}
	if (!deep)
		sha256_add(&s->sha, narrow, n);
}

static bool measure(struct input *in, struct samples *s)
{
	struct png_decoder *d;
	bool ok = true;

	memset(&sample, 0, sizeof(sample));
	memset(s->counts, 0, 4 * 65536 * sizeof(*s->counts));
	sha256_init(&s->sha);
	if (!png_decoder_open(&d, in, &no_limits, &sample))
		return false;
	for (uint32_t y = 0; ok && y < sample.png.height; y++) {
		const void *row = png_decoder_row(d);

		ok = row != NULL;
		if (row)
			samples_add_row(s, row, (size_t)sample.png.width * sample.png.channels,
					sample.png.bit_depth == 16);
	}
	ok = ok && png_decoder_finish(d);
	png_decoder_close(d);
	sha256_hex(&s->sha, s->digest);
	return ok;
}

static double number(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static const char *string(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsString(v) ? v->valuestring : NULL;
}

/* Takes from counts what the truth says; all must be 0 then. */
static bool histogram_right(const cJSON *truth, uint64_t *counts, bool *told)
{
	const cJSON *rle = cJSON_GetObjectItemCaseSensitive(truth, "hist_rle"), *run, *list;
	const cJSON *plain = cJSON_GetObjectItemCaseSensitive(truth, "hist"), *entry;
	size_t channel = 0;

	*told = rle || plain;
	if (!*told)
		return true;
	cJSON_ArrayForEach(list, rle)
	{
		cJSON_ArrayForEach(run, list)
		{
			unsigned first = (unsigned)cJSON_GetArrayItem(run, 0)->valuedouble;
			unsigned length = (unsigned)cJSON_GetArrayItem(run, 1)->valuedouble;

			for (unsigned v = first; v < first + length; v++)
				counts[channel << 16 | v] -= (uint64_t)cJSON_GetArrayItem(run, 2)->valuedouble;
		}
		channel++;
	}
	cJSON_ArrayForEach(list, plain)
	{
		cJSON_ArrayForEach(entry, list) counts[channel << 16 | strtoul(entry->string, NULL, 10)] -=
			(uint64_t)entry->valuedouble;
		channel++;
	}
	for (size_t i = 0; i < 4 * 65536; i++)
		if (counts[i])
			return false;
	return channel == sample.png.channels;
}

/* The same file through input_read instead of memory; the verdict and the words must be the same. */
static bool streamed_alike(const char *path, struct samples *s, bool read)
{
	struct sample whole = sample;
	struct input in;

	input_init(&in);
	in.fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(in.fd, 0);
	in.size = (uint64_t)lseek(in.fd, 0, SEEK_END);

	char digest[65];

	memcpy(digest, s->digest, sizeof(digest));
	bool alike = measure(&in, s) == read && strcmp(whole.fault.text, sample.fault.text) == 0 &&
		     strcmp(whole.warning.text, sample.warning.text) == 0 && (!read || strcmp(digest, s->digest) == 0);

	input_release(&in);
	return alike;
}

static void check_file(const char *root, const cJSON *truth, struct samples *s, struct score *score)
{
	char path[4096];
	const char *class = string(truth, "class"), *digest = string(truth, "samples_sha256");
	struct input in;

	if (!class)
		class = string(cJSON_GetObjectItemCaseSensitive(truth, "default"), "verdict");
	bool valid = strncmp(class, "error", 5) != 0;

	snprintf(path, sizeof(path), "%s/%s", root, string(truth, "path"));
	/* a bomb of thousands of millions of pixels takes minutes under a sanitizer */
	if (valid && number(truth, "w") * number(truth, "h") > 1 << 28 && !getenv("LABELAUDIT_SLOW")) {
		score->skipped++;
		return;
	}
	score->files++;
	input_init(&in);
	memset(&sample, 0, sizeof(sample));

	bool read = input_open(&in, AT_FDCWD, path, &sample.fault) && measure(&in, s);
	bool right =
		read == valid && (sample.fault.kind == FAULT_NONE) == read && sample.fault.kind != FAULT_UNREADABLE;

	if (getenv("LABELAUDIT_VERBOSE"))
		printf("%s: %s%s%s%s%s\n", string(truth, "path"), class, read ? "" : ": ",
		       read ? "" : sample.fault.text, sample.warning.kind ? ": warning: " : "",
		       sample.warning.kind ? sample.warning.text : "");
	if (read && valid) {
		bool told = false;

		right = (!digest || strcmp(digest, s->digest) == 0) && histogram_right(truth, s->counts, &told);
		right = right && (digest || told);
		score->digests += digest != NULL;
		score->histograms += told;
		score->valid_right += right;
	}
	score->valid += valid;
	if (right && number(truth, "w") * number(truth, "h") < 1 << 24 && !streamed_alike(path, s, read)) {
		printf("%s: streamed it reads otherwise: %s %s\n", path, sample.fault.text, sample.warning.text);
		right = false;
	}
	score->right += right;
	if (!right)
		printf("%s: want %s, got %s%s\n", path, class, read ? "read" : "failed: ", sample.fault.text);
	input_release(&in);
}

static void check_truth(const char *root, const char *jsonl)
{
	FILE *f = fopen(jsonl, "r");
	struct samples s = { .counts = xcalloc(4 * 65536, sizeof(uint64_t)) };
	struct score score = { 0 };
	char *line = NULL;
	size_t cap = 0;

	if (!f) {
		printf("skipped: %s is not there\n", jsonl);
		free(s.counts);
		return;
	}
	while (getline(&line, &cap, f) > 0) {
		cJSON *truth = cJSON_Parse(line);

		ck_assert_msg(truth != NULL, "not JSON: %.80s", line);
		check_file(root, truth, &s, &score);
		cJSON_Delete(truth);
	}
	printf("%s: %u of %u verdicts right, %u of %u valid files with the right samples (%u digests, %u histograms), "
	       "%u skipped\n",
	       jsonl, score.right, score.files, score.valid_right, score.valid, score.digests, score.histograms,
	       score.skipped);
	free(line);
	free(s.counts);
	fclose(f);
	ck_assert_uint_gt(score.files, 0);
	ck_assert_uint_eq(score.right, score.files);
	ck_assert_uint_eq(score.valid_right, score.valid);
}

START_TEST(corpora)
{
	static const char *const names[] = { "pngsuite",  "libpng", "stb-pngsuite",
					     "image-png", "pillow", "generated_png" };
	char root[1024], jsonl[2048];

	snprintf(root, sizeof(root), "%s/hostile", shared_folder());
	snprintf(jsonl, sizeof(jsonl), "%s/truth/%s.jsonl", root, names[_i]);
	check_truth(root, jsonl);
}
END_TEST

/* LABELAUDIT_MUTANTS: a folder that hostile/mutate.py filled. */
START_TEST(mutants)
{
	const char *folder = getenv("LABELAUDIT_MUTANTS");
	char jsonl[2048];

	if (!folder) {
		printf("skipped: LABELAUDIT_MUTANTS is not set\n");
		return;
	}
	snprintf(jsonl, sizeof(jsonl), "%s/truth.jsonl", folder);
	check_truth(folder, jsonl);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("png_corpora");
	TCase *t = tcase_create("corpus");

	tcase_add_loop_test(t, corpora, 0, 6);
	tcase_add_test(t, mutants);
	tcase_set_timeout(t, 600);
	suite_add_tcase(s, t);
	return s;
}

CHECK_MAIN(suite)
