/*
 * liblabelaudit through its header alone, as its users have it: every type, stride and byte order against plain loops;
 * PNG masks; bad calls; every allocation that fails, one after the other; eight threads on one set of classes.
 *
 * usage: test_library FOLDER     FOLDER: testdata
 */
#include <labelaudit.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *testdata;
static unsigned failures;

#define EXPECT(condition) expect((condition), #condition, __LINE__)

static bool expect(bool holds, const char *what, int line)
{
	if (!holds && failures++ < 20)
		printf("test_library.c:%d: %s\n", line, what);
	return holds;
}

/* ---- memory that fails ------------------------------------------------------------------------------------------ */
/* The program's malloc is the library's, too: it is linked at run time. The sanitizers have a malloc of their own; musl
 * has no other name for it. */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
enum { CAN_FAIL = 0 };
static long fail_at, allocations, held;
static bool armed;
#else
enum { CAN_FAIL = 1 };
static long fail_at, allocations, held;
static bool armed;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *p);

static bool fails(void)
{
	return armed && ++allocations == fail_at;
}

static void *note(void *p)
{
	held += armed && p;
	return p;
}

void *malloc(size_t n)
{
	return fails() ? NULL : note(__libc_malloc(n));
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : note(__libc_calloc(count, size));
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
	*out = fails() ? NULL : note(__libc_memalign(alignment, n));
	return *out ? 0 : ENOMEM;
}

void *realloc(void *old, size_t n)
{
	if (fails())
		return NULL;
	return old ? __libc_realloc(old, n) : note(__libc_malloc(n));
}

void free(void *p)
{
	held -= armed && p;
	__libc_free(p);
}
#endif

/* ---- plain loops ------------------------------------------------------------------------------------------------ */

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
	seed += 0x9e3779b97f4a7c15;
	uint64_t x = seed;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static uint64_t below(uint64_t n)
{
	return random_bits() % n;
}

static unsigned size_of(unsigned dtype)
{
	static const unsigned sizes[] = { 0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8 };

	return sizes[dtype];
}

static double half_of(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = bits & 1023, x;

	if (exponent == 31)
		x = fraction > 0 ? NAN : INFINITY;
	else
		x = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return bits & 0x8000 ? -x : x;
}

/* The integers that are no ids: those from 2^63 - 2^25 on, but the last. */
static int is_too_large(int64_t v)
{
	return v > INT64_MAX - (1 << 25) && v != INT64_MAX;
}

/* One element: its kind, LABELAUDIT_ID for every integer. */
static unsigned kind_of(const uint8_t *at, unsigned dtype, bool swapped, int64_t *id)
{
	union {
		uint8_t bytes[8];
		uint8_t u8;
		int8_t i8;
		uint16_t u16;
		int16_t i16;
		uint32_t u32;
		int32_t i32;
		uint64_t u64;
		int64_t i64;
		float f32;
		double f64;
	} v = { { 0 } };
	unsigned size = size_of(dtype);
	double x;

	for (unsigned i = 0; i < size; i++)
		v.bytes[i] = at[swapped ? size - 1 - i : i];
	switch (dtype) {
	case LABELAUDIT_BOOL:
		*id = v.u8 != 0;
		return LABELAUDIT_ID;
	case LABELAUDIT_UINT8:
		*id = v.u8;
		return LABELAUDIT_ID;
	case LABELAUDIT_INT8:
		*id = v.i8;
		return LABELAUDIT_ID;
	case LABELAUDIT_UINT16:
		*id = v.u16;
		return LABELAUDIT_ID;
	case LABELAUDIT_INT16:
		*id = v.i16;
		return LABELAUDIT_ID;
	case LABELAUDIT_UINT32:
		*id = v.u32;
		return LABELAUDIT_ID;
	case LABELAUDIT_INT32:
		*id = v.i32;
		return LABELAUDIT_ID;
	case LABELAUDIT_UINT64:
		*id = v.i64;
		return v.u64 > INT64_MAX || is_too_large(v.i64) ? LABELAUDIT_BEYOND : LABELAUDIT_ID;
	case LABELAUDIT_INT64:
		*id = v.i64;
		return is_too_large(v.i64) ? LABELAUDIT_BEYOND : LABELAUDIT_ID;
	case LABELAUDIT_FLOAT16:
		x = half_of(v.u16);
		break;
	case LABELAUDIT_FLOAT32:
		x = (double)v.f32;
		break;
	default:
		x = v.f64;
	}
	if (isnan(x))
		return LABELAUDIT_NAN;
	if (isinf(x))
		return LABELAUDIT_INFINITE;
	if (floor(x) < x)
		return LABELAUDIT_FRACTION;
	if (x < -0x1p63 || x >= 0x1p63)
		return LABELAUDIT_BEYOND;
	*id = (int64_t)x;
	return is_too_large(*id) ? LABELAUDIT_BEYOND : LABELAUDIT_ID;
}

struct plain {
	struct labelaudit_verdict verdict;
	int64_t ids[4096]; /* of the integers, in row-major order */
	size_t ids_count;
};

static void plain_check(struct plain *p, const struct labelaudit_classes *classes, const struct labelaudit_array *array)
{
	uint64_t n = 1;

	memset(p, 0, sizeof(*p));
	for (unsigned i = 0; i < array->rank; i++)
		n *= (uint64_t)array->shape[i];
	p->verdict.labels = n;
	for (uint64_t at = 0; at < n; at++) {
		const uint8_t *element = array->data;
		uint64_t left = at;
		int64_t id = 0;

		for (unsigned i = array->rank; i--; left /= (uint64_t)array->shape[i])
			element += (int64_t)(left % (uint64_t)array->shape[i]) * array->strides[i];
		unsigned kind = kind_of(element, array->dtype, array->swapped, &id);

		if (kind == LABELAUDIT_ID)
			p->ids[p->ids_count++] = id;
		if (kind == LABELAUDIT_ID && labelaudit_classes_role(classes, id))
			continue;
		if (!p->verdict.bad++) {
			p->verdict.kind = kind;
			p->verdict.index = at;
			p->verdict.id = kind == LABELAUDIT_ID ? id : 0;
		}
		p->verdict.bad_ids += kind == LABELAUDIT_ID;
		p->verdict.same += kind == LABELAUDIT_ID && p->verdict.kind == LABELAUDIT_ID && id == p->verdict.id;
		p->verdict.fractions += kind == LABELAUDIT_FRACTION;
		p->verdict.not_numbers += kind == LABELAUDIT_NAN || kind == LABELAUDIT_INFINITE;
	}
}

/* ---- arrays ----------------------------------------------------------------------------------------------------- */

/* Writes an element that is mostly a class; one in `rare` is anything. */
static void write_element(uint8_t *at, unsigned dtype, bool swapped, uint64_t rare)
{
	uint64_t bits = below(21);
	unsigned size = size_of(dtype);
	uint8_t bytes[8];

	if (below(6) == 0)
		bits = 255;
	if (rare && below(rare) == 0)
		bits = below(3) ? random_bits() : below(70000) - 2;
	if (rare && below(rare) == 0) /* at an edge of the ids */
		bits = INT64_MAX - (below(3) ? below(3) << 24 : 0) - below(4);
	if (dtype == LABELAUDIT_FLOAT16) {
		uint16_t half = 0;

		/* the halves of whole numbers below 2048 */
		for (int e = 0; bits < 2048 && bits >> e; e++)
			half = (uint16_t)((unsigned)(e + 15) << 10 | (((bits << 10) >> e) & 1023));
		bits = bits < 2048 ? half : bits;
	} else if (dtype == LABELAUDIT_FLOAT32) {
		float x = bits == 7 ? 7.25f : (float)bits;

		x = rare ? x : (float)bits;
		memcpy(&bits, &x, sizeof(x));
	} else if (dtype == LABELAUDIT_FLOAT64) {
		double x = rare && bits == 9 ? NAN : (double)bits;

		memcpy(&bits, &x, sizeof(x));
	}
	memcpy(bytes, &bits, sizeof(bytes));
	for (unsigned i = 0; i < size; i++)
		at[i] = bytes[swapped ? size - 1 - i : i];
}

static void compare(const struct labelaudit_classes *classes, const struct labelaudit_array *array)
{
	static struct plain plain;
	static struct labelaudit_count counts[4096];
	struct labelaudit_verdict got;
	struct labelaudit_counter *counter;
	bool bad;

	plain_check(&plain, classes, array);
	bad = plain.verdict.bad > 0;
	EXPECT(labelaudit_check(classes, array, &got) == (bad ? LABELAUDIT_BAD_LABELS : LABELAUDIT_OK));
	EXPECT(labelaudit_check(classes, array, NULL) == (bad ? LABELAUDIT_BAD_LABELS : LABELAUDIT_OK));
	got.value = 0;
	EXPECT(!memcmp(&got, &plain.verdict, sizeof(got)));

	EXPECT(labelaudit_counter_new(&counter, classes, NULL) == LABELAUDIT_OK);
	EXPECT(labelaudit_counter_add(counter, array) == (bad ? LABELAUDIT_BAD_LABELS : LABELAUDIT_OK));
	size_t n = labelaudit_counter_take(counter, counts, 4096);
	uint64_t sum = 0, bad_ids = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t times = 0;

		for (size_t k = 0; k < plain.ids_count; k++)
			times += plain.ids[k] == counts[i].id;
		EXPECT(times == counts[i].labels);
		EXPECT(counts[i].arrays == 1);
		EXPECT(!i || counts[i - 1].id < counts[i].id);
		sum += times;
		bad_ids += counts[i].role ? 0 : times;
		if (counts[i].role == 0 && plain.verdict.kind == LABELAUDIT_ID && counts[i].id == plain.verdict.id)
			EXPECT(counts[i].first == plain.verdict.index);
	}
	EXPECT(sum == plain.ids_count);
	EXPECT(bad_ids == plain.verdict.bad_ids);
	EXPECT(labelaudit_counter_take(counter, counts, 4096) == 0);
	labelaudit_counter_free(counter);
}

/* The parts along the first axis, added together, are what they are one by one. */
static void compare_parts(const struct labelaudit_classes *classes, const struct labelaudit_array *array)
{
	static struct labelaudit_count all[4096], one[4096];
	struct labelaudit_counter *counter;
	const uint8_t *data = array->data;
	struct labelaudit_array part = *array;
	uint64_t added, labels = 0, arrays = 0, bad = 0;

	EXPECT(labelaudit_counter_new(&counter, classes, NULL) == LABELAUDIT_OK);
	int status = labelaudit_counter_add_each(counter, array, &added);
	size_t n = labelaudit_counter_take(counter, all, 4096);

	EXPECT(added == (uint64_t)array->shape[0]);
	part.rank--;
	part.shape++;
	part.strides++;
	for (int64_t i = 0; i < array->shape[0]; i++) {
		part.data = data + i * array->strides[0];
		bad += labelaudit_counter_add(counter, &part) == LABELAUDIT_BAD_LABELS;
		for (size_t k = labelaudit_counter_take(counter, one, 4096); k--;) {
			size_t at = 0;

			while (at < n && all[at].id != one[k].id)
				at++;
			EXPECT(at < n && all[at].labels >= one[k].labels && all[at].arrays > 0);
			EXPECT(array->rank == 1 || one[k].role || all[at].first <= one[k].first);
			labels += one[k].labels;
			arrays++;
		}
	}
	EXPECT(status == (bad ? LABELAUDIT_BAD_LABELS : LABELAUDIT_OK));
	for (size_t i = 0; i < n; i++) {
		labels -= all[i].labels;
		arrays -= all[i].arrays;
	}
	EXPECT(labels == 0 && arrays == 0);
	labelaudit_counter_free(counter);
}

/* An array of random type, shape and strides, in memory that is as long as it needs. */
static void compare_random(const struct labelaudit_classes *classes)
{
	int64_t shape[4] = { 1 }, strides[4] = { 0 }, step;
	unsigned rank = (unsigned)below(5), dtype = 1 + (unsigned)below(LABELAUDIT_FLOAT64), order[4] = { 0, 1, 2, 3 };
	unsigned size = size_of(dtype);
	uint64_t rare = below(2) ? 0 : 1 + below(300), bytes = 0;
	bool swapped = below(4) == 0, padded = below(3) == 0;

	for (unsigned i = 0; i < rank; i++)
		shape[i] = 1 + (int64_t)below(rank > 2 ? 8 : 50);
	for (unsigned i = rank; i > 1; i--) {
		unsigned k = (unsigned)below(i), kept = order[i - 1];

		order[i - 1] = order[k];
		order[k] = kept;
	}
	step = size * (padded && below(2) ? 3 : 1);
	for (unsigned i = 0; i < rank; i++) {
		unsigned axis = order[i];

		strides[axis] = step;
		step *= shape[axis];
		step += padded ? (int64_t)below(3) : 0;
	}
	bytes = (uint64_t)step + size;
	uint8_t *memory = malloc(bytes + 8), *data = memory + (padded ? below(8) : 0);

	for (unsigned i = 0; i < bytes + 8; i++)
		memory[i] = (uint8_t)random_bits();
	for (unsigned i = 0; i < rank; i++) {
		if (below(8) == 0) {
			strides[i] = 0;
		} else if (below(4) == 0) {
			data += strides[i] * (shape[i] - 1);
			strides[i] = -strides[i];
		}
	}
	uint64_t n = 1;

	for (unsigned i = 0; i < rank; i++)
		n *= (uint64_t)shape[i];
	for (uint64_t at = 0; at < n; at++) {
		uint8_t *element = data;
		uint64_t left = at;

		for (unsigned i = rank; i--; left /= (uint64_t)shape[i])
			element += (int64_t)(left % (uint64_t)shape[i]) * strides[i];
		write_element(element, dtype, swapped, rare);
	}
	const struct labelaudit_array array = {
		.data = data, .dtype = dtype, .rank = rank, .shape = shape, .strides = strides, .swapped = swapped
	};

	compare(classes, &array);
	if (rank && array.shape[0])
		compare_parts(classes, &array);
	free(memory);
}

static struct labelaudit_classes *make(const char *classes, const char *ignore)
{
	struct labelaudit_classes *made;
	struct labelaudit_error error;

	EXPECT(labelaudit_classes_new(&made, classes, ignore, &error) == LABELAUDIT_OK);
	return made;
}

static void test_arrays(void)
{
	/* one range, two, three, more than are tested at once, ids that not all types hold, none at all */
	static const char *const sets[][2] = {
		{ "256", NULL },
		{ "21", "255" },
		{ "0-5,7-20", "255,-1" },
		{ "0,2,4,6,8,10-20", "255,-100" },
		{ "65536", "-1" },
		{ "2147483648", "-5" },
		{ "5000000000-5000000100", "255" },
		{ "0", NULL },
		{ "0-20", "250-255" },
		{ "0-20", "255,#ffffff,9223372036854775807" },
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct labelaudit_classes *classes = make(sets[i][0], sets[i][1]);

		for (unsigned k = 0; k < 400; k++)
			compare_random(classes);
		labelaudit_classes_free(classes);
	}
}

/* An array longer than a piece, with one bad element at any place. */
static void test_places(void)
{
	enum { N = 10000 };
	static int64_t labels[N];
	const int64_t shape[] = { 100, 100 };
	const struct labelaudit_array array = { .data = labels, .dtype = LABELAUDIT_INT64, .rank = 2, .shape = shape };
	struct labelaudit_classes *classes = make("21", "255");
	struct labelaudit_verdict verdict;

	for (unsigned i = 0; i < N; i += 37) {
		labels[i] = -3;
		EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_LABELS);
		EXPECT(verdict.index == i && verdict.id == -3 && verdict.bad == 1 && verdict.same == 1 &&
		       verdict.value < -2.5);
		labels[i] = 255;
	}
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_OK && verdict.labels == N);
	labelaudit_classes_free(classes);
}

static void test_bad_calls(void)
{
	const int64_t shape[65] = { 3, -1, INT64_MAX, INT64_MAX, 0 };
	struct labelaudit_classes *classes = make("21", NULL), *none;
	struct labelaudit_error error;
	struct labelaudit_verdict verdict;
	uint8_t labels[8] = { 0 };
	struct labelaudit_array array = { .data = labels, .dtype = LABELAUDIT_UINT8, .rank = 2, .shape = shape };

	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_CALL);
	array.shape = shape + 2;
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_CALL);
	array.shape = shape + 4;
	array.data = NULL;
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_OK);
	array.data = labels;
	array.rank = 65;
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_CALL);
	array.rank = 1;
	array.shape = NULL;
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_CALL);
	array.rank = 0;
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_OK && verdict.labels == 1);
	array.dtype = 13;
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_CALL);
	EXPECT(labelaudit_check(NULL, &array, &verdict) == LABELAUDIT_BAD_CALL);
	labelaudit_classes_free(classes);

	EXPECT(labelaudit_classes_new(&none, "no-such-file", NULL, &error) == LABELAUDIT_BAD_CALL);
	EXPECT(!none && strstr(error.text, "no-such-file"));
	EXPECT(labelaudit_classes_new(&none, "5-3", NULL, &error) == LABELAUDIT_BAD_CALL &&
	       strstr(error.text, "reversed"));
	EXPECT(labelaudit_classes_new(&none, "21", "x", &error) == LABELAUDIT_BAD_CALL &&
	       strstr(error.text, "--ignore"));
	EXPECT(labelaudit_classes_new(&none, NULL, NULL, NULL) == LABELAUDIT_BAD_CALL);
	EXPECT(labelaudit_classes_from_ranges(&none, &(struct labelaudit_range){ 4, 3 }, 1, NULL, 0, &error) ==
	       LABELAUDIT_BAD_CALL);
	labelaudit_classes_free(NULL);
	labelaudit_counter_free(NULL);
	labelaudit_measurer_free(NULL);
}

static void test_many_ids(void)
{
	enum { N = 70000 };
	static int64_t labels[N], many[5 * 30000];
	static struct labelaudit_count many_counts[60000];
	const int64_t shape[] = { N };
	const struct labelaudit_array array = { .data = labels, .dtype = LABELAUDIT_INT64, .rank = 1, .shape = shape };
	struct labelaudit_classes *classes = make("21", NULL);
	struct labelaudit_counter *counter;
	struct labelaudit_count counts[2];

	for (int i = 0; i < N; i++)
		labels[i] = 1000000 + i;
	EXPECT(labelaudit_counter_new(&counter, classes, NULL) == LABELAUDIT_OK);
	EXPECT(labelaudit_counter_add(counter, &array) == LABELAUDIT_BAD_DATA);
	EXPECT(labelaudit_counter_take(counter, counts, 2) == 0);
	memset(labels, 0, sizeof(labels));
	labels[5] = 4;
	labels[6] = 70;
	EXPECT(labelaudit_counter_add(counter, &array) == LABELAUDIT_BAD_LABELS);
	EXPECT(labelaudit_counter_take(counter, counts, 2) == 3);

	/* the third part is too much; what came before it stays */
	const int64_t parts[] = { 5, 30000 };
	const struct labelaudit_array stack = { .data = many, .dtype = LABELAUDIT_INT64, .rank = 2, .shape = parts };
	struct labelaudit_counter *each;
	uint64_t added;

	for (int i = 0; i < 5 * 30000; i++)
		many[i] = -1 - i;
	EXPECT(labelaudit_counter_new(&each, classes, NULL) == LABELAUDIT_OK);
	EXPECT(labelaudit_counter_add_each(each, &stack, &added) == LABELAUDIT_BAD_DATA);
	EXPECT(added == 2);
	EXPECT(labelaudit_counter_take(each, many_counts, 60000) == 60000);
	EXPECT(many_counts[0].id == -60000 && many_counts[0].labels == 1 && many_counts[0].arrays == 1);
	labelaudit_counter_free(each);
	labelaudit_counter_free(counter);
	labelaudit_classes_free(classes);
}

/* ---- classes ---------------------------------------------------------------------------------------------------- */

static void test_classes(void)
{
	struct labelaudit_classes *classes = make("0-18,33", "255,-1");
	const struct labelaudit_range ranges[] = { { 0, 18 }, { 33, 33 } }, ignored[] = { { 255, 255 } };
	struct labelaudit_range got[4];

	EXPECT(labelaudit_classes_ranges(classes, 0, got, 4) == 2 && !memcmp(got, ranges, sizeof(ranges)));
	EXPECT(labelaudit_classes_ranges(classes, 1, got, 1) == 2 && got[0].first == -1);
	EXPECT(labelaudit_classes_role(classes, 33) == 1 && labelaudit_classes_role(classes, 32) == 0);
	EXPECT(labelaudit_classes_role(classes, -1) == 2 && !labelaudit_classes_name(classes, 0));
	labelaudit_classes_free(classes);
	EXPECT(labelaudit_classes_from_ranges(&classes, ranges, 2, ignored, 1, NULL) == LABELAUDIT_OK);
	EXPECT(labelaudit_classes_role(classes, 255) == 2 && labelaudit_classes_role(classes, 34) == 0);
	labelaudit_classes_free(classes);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

/* Files of classes, as --classes reads them, in a folder of the test's own. */
static const char *const class_files[][2] = {
	{ "names.txt", "road\nsidewalk\nbuilding\n" },
	{ "data.yaml", "nc: 3\nnames: [road, sidewalk, building]\n" },
	{ "config.json", "{\"id2label\": {\"0\": \"road\", \"1\": \"sidewalk\", \"2\": \"building\"}}" },
};

static void test_class_files(void)
{
	for (size_t i = 0; i < 3; i++) {
		write_file(class_files[i][0], class_files[i][1]);
		struct labelaudit_classes *classes = make(class_files[i][0], NULL);

		EXPECT(labelaudit_classes_role(classes, 2) == 1 && labelaudit_classes_role(classes, 3) == 0);
		EXPECT(!strcmp(labelaudit_classes_name(classes, 2), "building"));
		labelaudit_classes_free(classes);
	}
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */

static uint8_t *read_file(const char *name, size_t *n)
{
	static uint8_t bytes[1 << 16];
	char path[4096];

	snprintf(path, sizeof(path), "%s/masks/%s", testdata, name);
	FILE *file = fopen(path, "rb");

	*n = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	if (EXPECT(file))
		fclose(file);
	return bytes;
}

static void test_masks(void)
{
	static const struct {
		const char *name;
		int status;
		uint64_t bad;
		const char *says;
	} masks[] = {
		{ "scene-01.png", LABELAUDIT_OK, 0, "" },
		{ "stray-id-21.png", LABELAUDIT_BAD_LABELS, 128, "128 of" },
		{ "cut-short.png", LABELAUDIT_BAD_DATA, 0, "ends" },
		{ "wrong-crc.png", LABELAUDIT_BAD_DATA, 0, "CRC" },
		{ "empty.png", LABELAUDIT_BAD_DATA, 0, "" },
		{ "lfs-pointer.png", LABELAUDIT_BAD_DATA, 0, "lfs" },
		{ "photo.png", LABELAUDIT_BAD_DATA, 0, "JPEG" },
		{ "painted-in-colours.png", LABELAUDIT_BAD_DATA, 0, "channels" },
		{ "grey-4-bit.png", LABELAUDIT_BAD_LABELS, 0, "" },
	};
	struct labelaudit_classes *classes = make("21", "255");
	struct labelaudit_measurer *measurer;
	struct labelaudit_error error;
	struct labelaudit_mask mask;

	EXPECT(labelaudit_measurer_new(&measurer, classes, LABELAUDIT_PIL, &error) == LABELAUDIT_OK);
	for (size_t i = 0; i < 2 * sizeof(masks) / sizeof(masks[0]); i++) {
		size_t k = i % (sizeof(masks) / sizeof(masks[0])), n;
		uint8_t *png = read_file(masks[k].name, &n);
		int status = labelaudit_measure_png(measurer, png, n, &mask, &error);
		uint64_t sum = 0;

		if (!EXPECT(status == masks[k].status && strstr(error.text, masks[k].says)))
			printf("%s: %d, %s\n", masks[k].name, status, error.text);
		for (size_t r = 0; r < mask.counts_count; r++)
			sum += mask.counts[r].labels;
		EXPECT(sum == mask.labels && (!masks[k].bad || mask.bad == masks[k].bad));
		EXPECT(status > LABELAUDIT_BAD_LABELS || mask.labels == (uint64_t)mask.width * mask.height);
	}
	labelaudit_measurer_free(measurer);
	/* the samples themselves, which PIL widens */
	EXPECT(labelaudit_measurer_new(&measurer, classes, LABELAUDIT_RAW, &error) == LABELAUDIT_OK);
	size_t n;
	uint8_t *png = read_file("grey-4-bit.png", &n);

	EXPECT(labelaudit_measure_png(measurer, png, n, &mask, &error) == LABELAUDIT_OK);
	EXPECT(labelaudit_measure_png(measurer, NULL, 0, &mask, &error) == LABELAUDIT_BAD_DATA);
	labelaudit_measurer_free(measurer);
	labelaudit_classes_free(classes);
}

/* ---- no memory -------------------------------------------------------------------------------------------------- */

/* Everything that allocates. Returns whether all of it was done; what it did before is freed in any case. */
static bool do_all(const char *class_file, const uint8_t *png, size_t n)
{
	static int64_t labels[200] = { 1, 2, 255, -70000, 1 << 20 }; /* the end is counted in tables */
	static const int64_t shape[] = { 200 };
	const struct labelaudit_array array = { .data = labels, .dtype = LABELAUDIT_INT64, .rank = 1, .shape = shape };
	struct labelaudit_classes *classes = NULL;
	struct labelaudit_counter *counter = NULL;
	struct labelaudit_measurer *measurer = NULL;
	struct labelaudit_error error = { "" };
	struct labelaudit_mask mask;
	int status = labelaudit_classes_new(&classes, class_file, "255,-1", &error);

	for (unsigned i = 64; i < 200; i++)
		labels[i] = -1;
	EXPECT(status == LABELAUDIT_OK || (!classes && error.text[0]));
	if (status == LABELAUDIT_OK)
		status = labelaudit_counter_new(&counter, classes, &error);
	if (status == LABELAUDIT_OK)
		status = labelaudit_counter_add(counter, &array);
	if (status == LABELAUDIT_OK)
		status = labelaudit_measurer_new(&measurer, classes, LABELAUDIT_PIL, &error);
	if (status == LABELAUDIT_OK) {
		status = labelaudit_measure_png(measurer, png, n, &mask, &error);
		if (status == LABELAUDIT_NO_MEMORY) /* and goes on where there is memory again */
			EXPECT(labelaudit_measure_png(measurer, png, n, &mask, &error) == LABELAUDIT_BAD_LABELS);
	}
	labelaudit_measurer_free(measurer);
	labelaudit_counter_free(counter);
	labelaudit_classes_free(classes);
	return status == LABELAUDIT_BAD_LABELS; /* of the mask, which has more ids than names.txt */
}

static void test_no_memory(void)
{
	size_t n;
	uint8_t *png = read_file("scene-01.png", &n);
	long tried = 0;

	if (!CAN_FAIL) {
		printf("skipped: the sanitizers' malloc does not fail\n");
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		EXPECT(do_all(class_files[i][0], png, n));
		for (fail_at = 1;; fail_at++, tried++) {
			allocations = held = 0;
			armed = true;
			bool done = do_all(class_files[i][0], png, n);

			armed = false;
			/* trees of libyaml and cJSON are lost, if what is read from them finds no memory */
			if (!EXPECT(held == 0 || i > 0))
				printf("allocation %ld fails: %ld blocks are lost\n", fail_at, held);
			if (done && allocations < fail_at)
				break;
		}
	}
	EXPECT(tried > 100);
	/* the good path allocates nothing */
	struct labelaudit_classes *classes = make("21", "255");
	static uint8_t labels[5000];
	const int64_t shape[] = { 50, 100 }, strides[] = { -1, 50 };
	const struct labelaudit_array array = {
		.data = labels + 49, .dtype = LABELAUDIT_UINT8, .rank = 2, .shape = shape, .strides = strides
	};
	struct labelaudit_verdict verdict;

	fail_at = allocations = 0;
	armed = true;
	EXPECT(labelaudit_check(classes, &array, &verdict) == LABELAUDIT_OK);
	armed = false;
	EXPECT(allocations == 0);
	labelaudit_classes_free(classes);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static void *check_often(void *shared)
{
	const struct labelaudit_classes *classes = shared;
	static const uint8_t labels[300] = { [120] = 30 };
	const int64_t shape[] = { 300 };
	const struct labelaudit_array array = { .data = labels, .dtype = LABELAUDIT_UINT8, .rank = 1, .shape = shape };
	struct labelaudit_measurer *measurer;
	struct labelaudit_verdict verdict;
	struct labelaudit_mask mask;
	bool good = labelaudit_measurer_new(&measurer, classes, LABELAUDIT_PIL, NULL) == LABELAUDIT_OK;

	for (unsigned i = 0; i < 300; i++)
		good &= labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_LABELS && verdict.index == 120;
	for (unsigned i = 0; i < 10; i++)
		good &= labelaudit_measure_png(measurer, "no mask", 7, &mask, NULL) == LABELAUDIT_BAD_DATA;
	labelaudit_measurer_free(measurer);
	return good ? shared : NULL;
}

static void test_threads(void)
{
	struct labelaudit_classes *classes = make("21", "255");
	pthread_t threads[8];
	void *good;

	for (unsigned i = 0; i < 8; i++)
		EXPECT(pthread_create(&threads[i], NULL, check_often, classes) == 0);
	for (unsigned i = 0; i < 8; i++) {
		pthread_join(threads[i], &good);
		EXPECT(good);
	}
	labelaudit_classes_free(classes);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	testdata = realpath(argv[1], NULL);
	char folder[] = "/tmp/test_library.XXXXXX";

	if (!testdata || !mkdtemp(folder) || chdir(folder) < 0)
		return 2;
	EXPECT(strchr(labelaudit_version(), '.'));
	test_classes();
	test_class_files();
	test_arrays();
	test_places();
	test_bad_calls();
	test_many_ids();
	test_masks();
	test_no_memory();
	test_threads();
	for (size_t i = 0; i < sizeof(class_files) / sizeof(class_files[0]); i++)
		unlink(class_files[i][0]);
	rmdir(folder);
	printf(failures ? "%u failures\n" : "passed\n", failures);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
