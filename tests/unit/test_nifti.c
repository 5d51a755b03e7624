/* Headers of NIfTI volumes: what nibabel writes and reads, and everything that must be refused. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "read/identify.h"
#include "read/nifti.h"

enum { HEADER_1 = 348, HEADER_2 = 540, FILE_BYTES = 1024 };

static struct array_header h;
static struct fault fault, warning;
static uint8_t file[FILE_BYTES];
static bool big;

static void put(size_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		file[at + (big ? bytes - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void put_real(size_t at, double value, unsigned bytes)
{
	float narrow = (float)value;
	uint32_t low;
	uint64_t bits;

	memcpy(&low, &narrow, sizeof(low));
	memcpy(&bits, &value, sizeof(bits));
	put(at, bytes == 4 ? low : bits, bytes);
}

/* A volume [4, 3, 2] of int16, with voxels of 1 x 2 x 3 mm, sform and qform alike. */
static void make_first(void)
{
	const double rows[12] = { 1, 0, 0, -5, 0, 2, 0, 6, 0, 0, 3, 7 };

	memset(file, 0, sizeof(file));
	put(0, HEADER_1, 4);
	for (unsigned i = 0; i < 8; i++)
		put(40 + 2 * i, i ? i > 3 ? 1 : 5 - i : 3, 2);
	put(70, 4, 2);
	put(72, 16, 2);
	for (unsigned i = 0; i < 4; i++)
		put_real(76 + 4 * i, i ? i : 1, 4);
	put_real(108, 352, 4);
	put(252, 1, 2);
	put(254, 1, 2);
	for (unsigned i = 0; i < 3; i++)
		put_real(268 + 4 * i, rows[4 * i + 3], 4);
	for (unsigned i = 0; i < 12; i++)
		put_real(280 + 4 * i, rows[i], 4);
	memcpy(file + 344, "n+1", 4);
}

static void make_second(void)
{
	memset(file, 0, sizeof(file));
	put(0, HEADER_2, 4);
	memcpy(file + 4, "n+2\0\r\n\x1a\n", 8);
	put(12, 1280, 2);
	put(14, 64, 2);
	for (unsigned i = 0; i < 8; i++)
		put(16 + 8 * i, i ? i > 3 ? 1 : 5 - i : 3, 8);
	for (unsigned i = 0; i < 4; i++)
		put_real(104 + 8 * i, i ? (double)i : -1, 8);
	put(168, 544, 8);
}

static bool parse(void)
{
	fault_clear(&fault);
	fault_clear(&warning);
	return nifti_parse(file, sizeof(file), &h, &warning, &fault);
}

static void check_shape(void)
{
	ck_assert_uint_eq(h.rank, 3);
	ck_assert_uint_eq(h.shape[0], 4);
	ck_assert_uint_eq(h.shape[1], 3);
	ck_assert_uint_eq(h.shape[2], 2);
	ck_assert_uint_eq(h.elements, 24);
	ck_assert(h.fortran && h.volume.is_volume && !h.volume.scaled && !h.volume.forms_differ);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(h.volume.spacing[i] == 1 + i);
}

TEST(both_versions_in_both_orders)
{
	for (int order = 0; order < 2; order++) {
		big = order;
		make_first();
		ck_assert_msg(parse(), "%s", fault.text);
		check_shape();
		ck_assert(h.dtype == DTYPE_INT16 && h.big_endian == big && h.data_at == 352);
		ck_assert(h.volume.affine[0][3] == -5 && h.volume.affine[1][1] == 2 && h.volume.affine[2][3] == 7);
		ck_assert(identify(file, sizeof(file)) == CONTENT_VOLUME);
		make_second();
		ck_assert_msg(parse(), "%s", fault.text);
		check_shape();
		ck_assert(h.dtype == DTYPE_UINT64 && h.big_endian == big && h.data_at == 544);
		ck_assert(h.volume.affine[0][0] == -1 && h.volume.affine[0][3] == 1.5 && h.volume.affine[1][3] == -2);
		ck_assert(warning.kind == FAULT_NONE);
	}
	big = false;
}

TEST(forms)
{
	make_first();
	put(254, 0, 2); /* the qform alone */
	put_real(76, -1, 4);
	ck_assert(parse());
	ck_assert(h.volume.affine[0][0] == 1 && h.volume.affine[2][2] == -3 && h.volume.affine[2][3] == 7);
	put_real(256, 1, 4); /* half a turn about the first axis */
	ck_assert(parse());
	ck_assert(h.volume.affine[0][0] == 1 && h.volume.affine[1][1] == -2 && h.volume.affine[2][2] == 3);
	put(254, 1, 2);
	ck_assert(parse());
	ck_assert(h.volume.forms_differ && h.volume.affine[1][1] == 2);
}

TEST(scales)
{
	static const struct {
		double slope, inter;
		bool scaled;
	} t[] = { { 0, 5, false }, { 1, 0, false }, { NAN, 3, false }, { INFINITY, 0, false },
		  { 1, 2, true },  { .5, 0, true }, { -1, 0, true } };

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		make_first();
		put_real(112, t[i].slope, 4);
		put_real(116, t[i].inter, 4);
		ck_assert(parse());
		ck_assert_int_eq(h.volume.scaled, t[i].scaled);
		ck_assert(h.volume.slope == (t[i].scaled ? t[i].slope : 0));
	}
}

TEST(hostile_headers)
{
	static const struct {
		size_t at;
		uint64_t value;
		unsigned bytes;
		const char *words;
	} t[] = {
		{ 40, 0, 2, "has 0 dimensions" },
		{ 40, 8, 2, "has 8 dimensions" },
		{ 40, 0xffff, 2, "has -1 dimensions" },
		{ 42, 0, 2, "dimension 1 has the length 0" },
		{ 44, 0x8000, 2, "dimension 2 has the length -32768" },
		{ 70, 0, 2, "no type at all" },
		{ 70, 1, 2, "single bits" },
		{ 70, 32, 2, "complex" },
		{ 70, 128, 2, "RGB24" },
		{ 70, 2304, 2, "RGBA32" },
		{ 70, 1536, 2, "long doubles" },
		{ 70, 3, 2, "datatype 3" },
		{ 108, 0x7fc00000, 4, "vox_offset" }, /* NaN */
		{ 108, 0xc3b00000, 4, "vox_offset" }, /* -352 */
		{ 108, 0x43ac0000, 4, "vox_offset" }, /* 344 */
		{ 108, 0x7f800000, 4, "vox_offset" }, /* infinity */
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		make_first();
		put(t[i].at, t[i].value, t[i].bytes);
		ck_assert_msg(!parse(), "%s", t[i].words);
		ck_assert(fault.kind == FAULT_LABELS);
		ck_assert_msg(strstr(fault.text, t[i].words), "%s", fault.text);
	}
	make_second();
	for (unsigned i = 1; i < 4; i++)
		put(16 + 8 * i, UINT64_C(1) << 40, 8);
	ck_assert(!parse());
	ck_assert_msg(strstr(fault.text, "2^63"), "%s", fault.text);
	make_first();
	put_real(112, 2, 4);
	put(116, 0x7fc00000, 4);
	ck_assert(!parse());
	ck_assert_msg(strstr(fault.text, "scl_inter"), "%s", fault.text);
}

TEST(headers_that_contradict_themselves)
{
	make_first();
	put(72, 8, 2);
	ck_assert(parse());
	ck_assert_msg(warning.kind == FAULT_MALFORMED && strstr(warning.text, "bitpix is 8"), "%s", warning.text);
	make_first();
	put(0, 0, 4);
	ck_assert(parse());
	ck_assert_msg(strstr(warning.text, "sizeof_hdr is 0"), "%s", warning.text);
	make_first();
	put_real(108, 0, 4);
	ck_assert(parse());
	ck_assert_uint_eq(h.data_at, 352);
}

TEST(voxels_past_the_end)
{
	struct input in;

	make_first();
	put_real(108, 4096, 4);
	fault_clear(&fault);
	input_init(&in);
	input_from_memory(&in, file, sizeof(file));
	ck_assert(!nifti_read_header(&in, &h, &warning, &fault));
	ck_assert(fault.kind == FAULT_TRUNCATED);
	ck_assert_msg(strstr(fault.text, "begin at byte 4096"), "%s", fault.text);
	input_release(&in);
	fault_clear(&fault);
	input_from_memory(&in, file, 300);
	ck_assert(!nifti_read_header(&in, &h, &warning, &fault));
	ck_assert_msg(strstr(fault.text, "ends after 300 bytes"), "%s", fault.text);
	input_release(&in);
}

TEST(pairs_are_named)
{
	make_first();
	memcpy(file + 344, "ni1", 4);
	ck_assert(identify(file, sizeof(file)) != CONTENT_VOLUME && nifti_pair_begins(file, sizeof(file)));
	memset(file + 344, 0, 4);
	file[38] = 'r';
	ck_assert(nifti_pair_begins(file, HEADER_1));
	ck_assert(!nifti_pair_begins(file, HEADER_1 - 1));
}
