/*
 * The fast path over whole files, against the reference, bit for bit: every colour type, depth and odd size, interlaced
 * or not, in IDATs of all lengths, in memory and streamed; and damaged ones. Where it refuses, the reference reads the
 * same input after it, and reports what it reports about a fresh one.
 */
#include "check_main.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "effort.h"
#include "engine_fixture.h"
#include "pictures.h"
#include "png/fast_chunks.h"

static struct engine_fixture engine;
static const enum view views[] = { VIEW_PIL, VIEW_RAW, VIEW_CV2 };

static void set_up(void)
{
	engine_fixture_init(&engine, "0-9,300-400", "255");
}

static void tear_down(void)
{
	engine_fixture_release(&engine);
}

/* ---- both ways -------------------------------------------------------------------------------------------------- */

/* A file without a name: of it, input_open would stream what is longer than INPUT_WHOLE_MAX. */
static void stream_input(struct input *in, const struct bytes *png)
{
	input_init(in);
	in->fd = memfd_create("png", MFD_CLOEXEC);
	ck_assert_int_ge(in->fd, 0);
	ck_assert_int_eq(write(in->fd, png->p, png->n), (ssize_t)png->n);
	in->size = png->n;
	in->at = png->n; /* somebody has looked at it */
}

static struct batch_item *fill(struct batch *batch, const struct bytes *png, bool streamed)
{
	struct batch_item *item = engine_file(batch, png);

	if (streamed)
		stream_input(&item->input, png);
	return item;
}

/*
 * Returns whether the fast path takes the file, or the decoder an interlaced one without a word; the same in memory and
 * streamed. The reference, which takes most of the time, reads every third file that is long from a stream as well.
 */
static bool compare(const struct bytes *png, unsigned long long seed)
{
	const bool interlaced = png->n > PNG_IHDR_END && png->p[PNG_IHDR_END - 5];
	struct batch expected, got;
	bool taken[2];

	batch_init(&expected);
	batch_init(&got);
	engine.settings.view = views[seed % 3];
	for (unsigned streamed = 0; streamed < 2; streamed++) {
		if (!streamed || seed % 3 == 0 || png->n < 10000 || effort(0, 1))
			engine_measure_reference(&engine, &expected, fill(&expected, png, streamed));
		struct batch_item *item = fill(&got, png, streamed);

		taken[streamed] = engine_measure_fast(engine.fast[0], item, &got);
		if (!taken[streamed]) {
			ck_assert_uint_eq(got.ids_count, 0);
			engine_measure_judged(engine.fast[0], item, &got, true);
			taken[streamed] = interlaced && item->sample.status == SAMPLE_READ &&
					  item->sample.warning.kind == FAULT_NONE;
		}
		engine_expect_same(&got, &expected, streamed ? "streamed" : "in memory", seed);
		engine_measure_judged(engine.fast[0], fill(&got, png, streamed), &got, false);
		engine_expect_same(&got, &expected, streamed ? "streamed, judged" : "in memory, judged", seed);
	}
	/* a file that is neither read without a word nor refused would be one of the two */
	ck_assert_msg(taken[0] == taken[1], "seed %llu: taken in memory %d, streamed %d", seed, taken[0], taken[1]);
	batch_release(&expected);
	batch_release(&got);
	return taken[0];
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* noise: one sample in `noise` differs from the pixel above or to the left. */
static struct picture noisy_picture(uint32_t width, uint32_t height, unsigned depth, unsigned colour, uint32_t noise,
				    uint64_t *s)
{
	struct picture p = picture_new(width, height, depth, colour);
	size_t row = (size_t)width * p.channels, n = row * height;

	for (size_t i = 0; i < n; i++) {
		uint16_t v = (uint16_t)(random_next(s) >> 3 & ((1u << depth) - 1));
		bool left = i >= p.channels && random_below(s, 2);

		if (random_below(s, noise))
			v = left ? p.samples[i - p.channels] : i >= row ? p.samples[i - row] : v % 5;
		p.samples[i] = (uint16_t)(v & ((1u << depth) - 1));
	}
	return p;
}

/* 8 bits of grey, in one IDAT. */
static struct bytes small_png(uint32_t width, uint32_t height, uint64_t *s)
{
	struct picture p = noisy_picture(width, height, 8, PNG_GREY, 2, s);

	return picture_png(&p, FILTERS_MIXED, 6, SPLIT_NONE, s);
}

/* A pixel of grey, whose data follow. */
static struct bytes pixel_png(void)
{
	struct bytes png = { 0 };

	png_begin(&png, 1, 1, 8, PNG_GREY, 0);
	return png;
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static const struct type {
	unsigned depth, colour;
} types[] = { { 1, 0 }, { 2, 0 }, { 4, 0 },  { 8, 0 }, { 16, 0 }, { 1, 3 }, { 2, 3 }, { 4, 3 },
	      { 8, 3 }, { 8, 2 }, { 16, 2 }, { 8, 4 }, { 16, 4 }, { 8, 6 }, { 16, 6 } };

static const uint32_t sides[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 17, 33, 64, 65, 130 };

/* All types, all ways to split, interlaced and not; sizes in which some passes have no pixels, and larger ones. */
TEST(all_kinds)
{
	uint64_t s = 1;
	unsigned long long seed = 0;

	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		for (size_t i = 0; i < 2 * ARRAY_SIZE(sides) * ARRAY_SIZE(sides); i++, seed++) {
			/* an eleventh of the sizes for each type in turn */
			if (i / 2 % 11 != t % 11 && effort(1, 0))
				continue;
			uint32_t width = sides[i / 2 % ARRAY_SIZE(sides)], height = sides[i / 2 / ARRAY_SIZE(sides)];
			struct picture p = noisy_picture(width, height, types[t].depth, types[t].colour,
							 1 + random_below(&s, 9), &s);
			enum split split = (enum split)(seed / 2 % SPLITS);

			p.interlaced = i % 2;
			struct bytes png = picture_png(&p, FILTERS_MIXED, LEVEL_ANY, split, &s);
			bool taken = compare(&png, seed);

			/* all others are as they should be */
			if (split != SPLIT_EMPTY && split != SPLIT_BEHIND)
				ck_assert_msg(taken, "seed %llu", seed);
			free(png.p);
		}
	}
}

/* A small file with the boundary between two IDATs at each byte; and with three. */
TEST(every_boundary)
{
	uint64_t s = 2;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct picture p = noisy_picture(21, 13, kind & 1 ? 8 : 2, PNG_GREY, 6, &s);
		struct bytes png, stream = { 0 };

		p.interlaced = kind > 1;
		png = picture_png(&p, FILTERS_MIXED, 9, SPLIT_NONE, &s);
		size_t at = 8;

		while (memcmp(png.p + at + 4, "IDAT", 4) != 0)
			at += 12 + ((size_t)png.p[at + 2] << 8 | png.p[at + 3]);
		bytes_add(&stream, png.p + at + 8, (size_t)png.p[at + 2] << 8 | png.p[at + 3]);
		for (size_t cut = 1; cut < stream.n; cut++) {
			struct bytes two = { 0 };
			size_t next = cut + 1 + random_below(&s, (uint32_t)(stream.n - cut));

			bytes_add(&two, png.p, at);
			bytes_chunk(&two, "IDAT", stream.p, cut);
			bytes_chunk(&two, "IDAT", stream.p + cut, next - cut);
			if (next < stream.n)
				bytes_chunk(&two, "IDAT", stream.p + next, stream.n - next);
			bytes_chunk(&two, "IEND", NULL, 0);
			ck_assert(compare(&two, cut));
			free(two.p);
		}
		free(stream.p);
		free(png.p);
	}
}

/* A picture of some hundred KiB of data: many pieces, and more than the window of a streamed file holds at once. */
static struct bytes long_png(uint64_t seed, enum split split, uint64_t *s)
{
	const struct type *t = &types[seed % ARRAY_SIZE(types)];
	uint32_t noise = 1 + random_below(s, 3), width = 200 + random_below(s, 1200);
	uint32_t bits = seed % 3 ? effort(1000000, 2000000) : 2000000;
	struct picture p = noisy_picture(width, 1, t->depth, t->colour, noise, s);

	bits /= width * p.channels * t->depth;
	free(p.samples);
	p = noisy_picture(width, bits, t->depth, t->colour, noise, s);
	p.interlaced = seed % 3 == 2;
	return picture_png(&p, FILTERS_MIXED, (int)(seed % 4 ? random_below(s, 7) : 0), split, s);
}

TEST(long_ones)
{
	static const enum split splits[] = { SPLIT_NONE, SPLIT_RANDOM, SPLIT_LONG };
	uint64_t s = 3;

	for (unsigned long long seed = 0; seed < effort(15, 45); seed++) {
		struct bytes png = long_png(seed, splits[seed / 2 % 3], &s);

		ck_assert_msg(compare(&png, seed), "seed %llu", seed);
		free(png.p);
	}
}

/* A chunk that is no IDAT goes through the window whole, or is libpng's to judge. */
TEST(long_other_chunks)
{
	static const size_t lengths[] = { 100000, 130000, 140000, FAST_CHUNKS_OTHER_MAX, FAST_CHUNKS_OTHER_MAX + 1 };
	uint64_t s = 4;
	uint8_t *text = xcalloc(FAST_CHUNKS_OTHER_MAX + 1, 1);

	for (size_t i = 0; i < 2 * ARRAY_SIZE(lengths); i++) {
		struct bytes png = small_png(300, 200, &s), more = { 0 };
		size_t at = i % 2 ? 8 + 25 : png.n - 12; /* after IHDR; before IEND */

		bytes_add(&more, png.p, at);
		bytes_chunk(&more, "teXt", text, lengths[i / 2]);
		bytes_add(&more, png.p + at, png.n - at);
		ck_assert_int_eq(compare(&more, i), lengths[i / 2] <= FAST_CHUNKS_OTHER_MAX);
		free(more.p);
		free(png.p);
	}
	free(text);
}

/* Where the chunks of a file begin, and which lengths they have: damage is put there too. */
static size_t random_chunk(const struct bytes *png, size_t *length, uint64_t *s)
{
	size_t at = 8, chosen = 8, seen = 0;

	for (size_t n; at + 12 <= png->n; at += 12 + n) {
		n = (size_t)png->p[at] << 24 | (size_t)png->p[at + 1] << 16 | (size_t)png->p[at + 2] << 8 |
		    png->p[at + 3];
		if (random_below(s, (uint32_t)++seen) == 0) {
			chosen = at;
			*length = n;
		}
	}
	return chosen;
}

/* Cut anywhere, bits flipped anywhere, a CRC in the middle, chunks taken out, said twice or exchanged, a tail. */
TEST(damaged)
{
	const unsigned files = effort(24, 240);
	uint64_t s = 5;
	unsigned taken = 0;

	for (unsigned long long seed = 0; seed < files; seed++) {
		struct bytes whole = long_png(seed,
					      (enum split)(SPLIT_RANDOM + random_below(&s, SPLITS - SPLIT_RANDOM)), &s),
			     png = { 0 };
		size_t length = 0, at = random_chunk(&whole, &length, &s);

		switch (seed % 8) {
		case 0:
			bytes_add(&png, whole.p, 1 + random_below(&s, (uint32_t)whole.n - 1));
			break;
		case 1:
			bytes_add(&png, whole.p, at + random_below(&s, 12));
			break;
		case 2:
			bytes_add(&png, whole.p, whole.n);
			png.p[at + 8 + length + random_below(&s, 4)] ^= 1;
			break;
		case 3: /* header */
			bytes_add(&png, whole.p, whole.n);
			png.p[at + random_below(&s, 8)] ^= (uint8_t)(1u << random_below(&s, 8));
			break;
		case 4:
			bytes_add(&png, whole.p, at);
			bytes_add(&png, whole.p + at + 12 + length, whole.n - at - 12 - length);
			break;
		case 5:
			bytes_add(&png, whole.p, at + 12 + length);
			bytes_add(&png, whole.p + at, whole.n - at);
			break;
		case 6: /* data under a right CRC */
			bytes_add(&png, whole.p, at);
			if (length)
				whole.p[at + 8 + random_below(&s, (uint32_t)length)] ^=
					(uint8_t)(1u << random_below(&s, 8));
			bytes_chunk(&png, (const char *)whole.p + at + 4, whole.p + at + 8, length);
			bytes_add(&png, whole.p + at + 12 + length, whole.n - at - 12 - length);
			break;
		default:
			bytes_add(&png, whole.p, whole.n);
			bytes_add(&png, "tail", 1 + random_below(&s, 4));
			break;
		}
		taken += compare(&png, seed);
		free(png.p);
		free(whole.p);
	}
	/* a tEXt may be missing, or come twice */
	ck_assert_uint_lt(taken, files / 10);
}

/* A file whose IEND ends just where a read does, and one more byte. */
TEST(tail_behind_what_was_read)
{
	static uint8_t text[FAST_CHUNKS_READ];
	uint64_t s = 8;
	struct bytes png = small_png(30, 20, &s), padded = { 0 };

	bytes_add(&padded, png.p, png.n - CHUNK_FRAME);
	bytes_chunk(&padded, "teXt", text, FAST_CHUNKS_READ - png.n - CHUNK_FRAME);
	bytes_add(&padded, png.p + png.n - CHUNK_FRAME, CHUNK_FRAME);
	ck_assert_uint_eq(padded.n, FAST_CHUNKS_READ);
	ck_assert(compare(&padded, 0));
	bytes_add(&padded, "t", 1);
	ck_assert(!compare(&padded, 0));
	free(padded.p);
	free(png.p);
}

/* An IDAT that is longer than the image may need, of stored blocks with nothing in them: libpng refuses more than 8 MB.
 */
TEST(idat_longer_than_its_image)
{
	static const uint8_t row[2] = { 0, 7 }, block[5] = { 0, 0, 0, 0xff, 0xff };
	const struct bytes rows = { (uint8_t *)(uintptr_t)row, sizeof(row) };

	for (uint32_t bytes = 7999995; bytes < 8000010; bytes += 10) {
		uint64_t s = 9;
		struct bytes packed = stream_make(&rows, 6, PACKED_WELL, &s), stream = { xmalloc(8 << 20), 0 },
			     png = pixel_png();

		/* those blocks, in front of the stream's own */
		memcpy(stream.p, packed.p, 2);
		for (stream.n = 2; stream.n + packed.n - 2 < bytes; stream.n += sizeof(block))
			memcpy(stream.p + stream.n, block, sizeof(block));
		memcpy(stream.p + stream.n, packed.p + 2, packed.n - 2);
		stream.n += packed.n - 2;
		bytes_chunk(&png, "IDAT", stream.p, stream.n);
		bytes_chunk(&png, "IEND", NULL, 0);
		ck_assert_int_eq(compare(&png, 0), stream.n <= 8000000);
		free(png.p);
		free(stream.p);
		free(packed.p);
	}
}

/* The same blocks after the last row: libpng decides whether it reads all of them. */
TEST(deflate_behind_the_last_row)
{
	static const uint8_t begin[] = { 0x78, 1, 0, 2, 0, 0xfd, 0xff, 0, 7 }, block[] = { 0, 0, 0, 0xff, 0xff };
	static const uint8_t end[] = { 1, 0, 0, 0xff, 0xff, 0, 9, 0, 8 }; /* and Adler-32 */

	for (unsigned blocks = 0; blocks < 4000; blocks += blocks < 4 ? 1 : 321) {
		struct bytes stream = { 0 }, png = pixel_png();

		bytes_add(&stream, begin, sizeof(begin));
		for (unsigned i = 0; i < blocks; i++)
			bytes_add(&stream, block, sizeof(block));
		bytes_add(&stream, end, sizeof(end));
		bytes_chunk(&png, "IDAT", stream.p, stream.n);
		bytes_chunk(&png, "IEND", NULL, 0);
		ck_assert_int_eq(compare(&png, blocks), blocks == 0);
		free(png.p);
		png = pixel_png();
		for (size_t at = 0, n = 1 + blocks % 7; at < stream.n; at += n) {
			bytes_chunk(&png, "IDAT", NULL, 0);
			bytes_chunk(&png, "IDAT", stream.p + at, MIN(n, stream.n - at));
		}
		bytes_chunk(&png, "IEND", NULL, 0);
		compare(&png, blocks);
		free(png.p);
		free(stream.p);
	}
}

/* Interlaced rasters of which all threads may hold one, and larger ones: that is given back. */
TEST(large_interlaced)
{
	static const struct {
		uint32_t width, height;
		unsigned depth, colour;
	} sizes[] = {
		{ 2048, 1025, 16, 6 }, { 2048, 1024, 16, 6 }, { 4097, 4096, 8, 0 },
		{ 4096, 4096, 8, 0 },  { 2048, 2049, 16, 2 },
	};
	uint64_t s = 6;

	for (size_t i = 0; i < effort(1, ARRAY_SIZE(sizes)); i++) {
		struct picture p =
			noisy_picture(sizes[i].width, sizes[i].height, sizes[i].depth, sizes[i].colour, UINT32_MAX, &s);

		p.interlaced = true;
		struct bytes png = picture_png(&p, FILTERS_MIXED, 1, SPLIT_NONE, &s);

		ck_assert(compare(&png, i));
		/* what is refused in the middle of a large image has given its memory to the next that wants some */
		png.n /= 2;
		ck_assert(!compare(&png, i));
		free(png.p);
	}
}

/* Longer than what is read into memory, from a file with a name; and one that changes while it is read. */
TEST(over_the_limit)
{
	char name[] = "/tmp/test_engine_files.XXXXXX";
	int fd = mkstemp(name);
	uint64_t s = 7;
	struct picture p = noisy_picture(2900, 3000, 8, PNG_GREY, 200, &s);
	struct bytes png = picture_png(&p, FILTERS_MIXED, 0, SPLIT_RANDOM, &s);
	struct batch expected, got;
	struct fault fault;

	ck_assert_uint_gt(png.n, INPUT_WHOLE_MAX);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, png.p, png.n), (ssize_t)png.n);
	batch_init(&expected);
	batch_init(&got);
	engine.settings.view = VIEW_PIL;
	engine_measure_reference(&engine, &expected, fill(&expected, &png, false));
	struct batch_item *item = fill(&got, &png, false);

	ck_assert(input_open(&item->input, AT_FDCWD, name, &fault));
	ck_assert_ptr_null(item->input.bytes);
	ck_assert(engine_measure_fast(engine.fast[0], item, &got));
	engine_expect_same(&got, &expected, "a file", 0);
	/* shorter than it was when it was opened: not a byte is made up */
	item = fill(&got, &png, false);
	ck_assert(input_open(&item->input, AT_FDCWD, name, &fault));
	ck_assert_int_eq(ftruncate(fd, (off_t)png.n / 2), 0);
	engine_measure(engine.fast[0], item, &got);
	ck_assert_int_eq(item->sample.fault.kind, FAULT_TRUNCATED);
	batch_release(&expected);
	batch_release(&got);
	close(fd);
	unlink(name);
	free(png.p);
}

static int64_t read_nothing(void *self, void *out, size_t n, struct fault *fault)
{
	(void)self;
	(void)fault;
	memset(out, 0, n);
	return (int64_t)n;
}

/* An input that cannot be read twice is not begun: after a refusal it would be lost. */
TEST(streams_that_cannot_be_read_twice)
{
	const struct input_stream stream = { .read = read_nothing };
	struct batch batch;
	struct fault fault;

	batch_init(&batch);
	struct batch_item *item = batch_add(&batch);

	ck_assert(input_from_stream(&item->input, &stream, &fault));
	ck_assert(!engine_measure_fast(engine.fast[0], item, &batch));
	ck_assert_uint_eq(item->input.at, 0);
	batch_release(&batch);
}

TIMEOUT(300)
FIXTURE(set_up, tear_down)
