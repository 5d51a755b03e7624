/* Headers of .npy files: what NumPy writes and reads, and everything that must be refused. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "read/npy.h"

static struct array_header h;
static struct fault fault;

static bool parse(const char *text, bool longs)
{
	fault_clear(&fault);
	return npy_parse_literal(text, strlen(text), 10, longs, &h, &fault);
}

#define HEADER(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

TEST(literals_that_numpy_reads)
{
	static const char *const same[] = {
		HEADER("'<i8'", "False", "(3, 4)") "            \n",
		HEADER("'<i8'", "False", "(3, 4)"),
		HEADER("\"<i8\"", "False", "(3,4)"),
		"{\"shape\":(3,4,),\"descr\":'i8','fortran_order':False}",
		"  \t{ 'shape' : ( 3 , 4 ) , u'fortran_order' : False , 'descr' : u'=i8' } \n\n",
		"{'descr':'|i8',\n 'fortran_order':\n False,\r\n\f 'shape': (3,\t4)}",
		HEADER("'<i8'", "False", "(0x3, 0b100)"),
		HEADER("'<i8'", "False", "(0o3, 0X_4)"),
		HEADER("'<i8'", "False", "(3, 0B1_0_0)"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		ck_assert_msg(parse(same[i], false), "%s: %s", same[i], fault.text);
		ck_assert_int_eq(h.dtype, DTYPE_INT64);
		ck_assert(!h.big_endian && !h.fortran);
		ck_assert_uint_eq(h.rank, 2);
		ck_assert_uint_eq(h.shape[0], 3);
		ck_assert_uint_eq(h.shape[1], 4);
		ck_assert_uint_eq(h.elements, 12);
	}
	ck_assert(parse(HEADER("'>f4'", "True", "()"), false));
	ck_assert(h.dtype == DTYPE_FLOAT32 && h.big_endian && h.fortran && h.rank == 0 && h.elements == 1);
	ck_assert(parse(HEADER("'|b1'", "False", "(00, 1_000)"), false));
	ck_assert(h.dtype == DTYPE_BOOL && h.rank == 2 && h.shape[1] == 1000 && h.elements == 0);
	ck_assert(parse(HEADER("'?'", "False", "(7,)"), false));
	ck_assert(h.dtype == DTYPE_BOOL && h.elements == 7);
	/* single bytes have no order */
	ck_assert(parse(HEADER("'>u1'", "False", "(7,)"), false));
	ck_assert(h.dtype == DTYPE_UINT8 && !h.big_endian);
	/* the longs of Python 2 */
	ck_assert(parse(HEADER("'<i8'", "False", "(3L, 4 L)"), true));
	ck_assert_uint_eq(h.elements, 12);
	ck_assert(!parse(HEADER("'<i8'", "False", "(3L, 4L)"), false));
}

TEST(every_dtype)
{
	static const struct {
		const char *descr;
		enum array_dtype dtype;
	} t[] = {
		{ "|b1", DTYPE_BOOL },  { "|u1", DTYPE_UINT8 },   { "|i1", DTYPE_INT8 },    { "<u2", DTYPE_UINT16 },
		{ "<i2", DTYPE_INT16 }, { "<u4", DTYPE_UINT32 },  { "<i4", DTYPE_INT32 },   { "<u8", DTYPE_UINT64 },
		{ "<i8", DTYPE_INT64 }, { "<f2", DTYPE_FLOAT16 }, { "<f4", DTYPE_FLOAT32 }, { "<f8", DTYPE_FLOAT64 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		char text[128];

		snprintf(text, sizeof(text), HEADER("'%s'", "False", "(2,)"), t[i].descr);
		ck_assert_msg(parse(text, false), "%s: %s", text, fault.text);
		ck_assert_int_eq(h.dtype, t[i].dtype);
		ck_assert(!h.big_endian);
		snprintf(text, sizeof(text), HEADER("'>%s'", "False", "(2,)"), t[i].descr + 1);
		ck_assert(parse(text, false));
		ck_assert_int_eq(h.big_endian, dtype_bytes(t[i].dtype) > 1);
	}
}

TEST(literals_that_are_refused)
{
	static const struct {
		const char *text, *words;
	} t[] = {
		{ "", "ends where '{' was expected" },
		{ "  \n", "ends where '{'" },
		{ "(1, 2)", "expected '{', found '(1, 2)'" },
		{ "__import__('os').system('x')", "expected '{'" },
		{ "{", "ends where a key in quotes" },
		{ "{}", "has no descr" },
		{ "{'descr': '<i8', 'fortran_order': False}", "has no shape" },
		{ "{'descr': '<i8', 'shape': ()}", "has no fortran_order" },
		{ HEADER("'<i8'", "False", "(3, 4)") "x", "expected nothing after the dict, found 'x'" },
		{ "{'descr': '<i8' 'fortran_order': False}", "expected ',' or '}' after a value" },
		{ "{'descr' '<i8'}", "expected ':' after a key" },
		{ "{descr: '<i8'}", "expected a key in quotes" },
		{ "{'descr\\x41': '<i8'}", "expected a key in quotes" },
		{ "{'descr: '<i8'}", "none of descr, fortran_order, shape" },
		{ "{'x': 1}", "none of descr" },
		{ "{'shape': (1,), 'shape': (2,)}", "a key twice" },
		/* order */
		{ HEADER("'<i8'", "'False'", "(3, 4)"), "expected True or False" },
		{ HEADER("'<i8'", "0", "(3, 4)"), "expected True or False" },
		/* shapes */
		{ HEADER("'<i8'", "False", "[3, 4]"), "expected a tuple" },
		{ HEADER("'<i8'", "False", "3"), "expected a tuple" },
		{ HEADER("'<i8'", "False", "(3)"), "without which shape is not a tuple" },
		{ HEADER("'<i8'", "False", "(-1, 4)"), "negative" },
		{ HEADER("'<i8'", "False", "(3.0, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(3 4)"), "after the first dimension" },
		{ HEADER("'<i8'", "False", "(3,, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(,)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(True, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(1+2, 4)"), "after the first dimension" },
		{ HEADER("'<i8'", "False", "((3, 4), 5)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(012, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(1__0, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(1_, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(0x, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(0b2, 4)"), "expected an integer" },
		{ HEADER("'<i8'", "False", "(18446744073709551616, 4)"), "above 2^64" },
		{ HEADER("'<i8'", "False", "(1152921504606846976,)"), "more than 2^63" },
		{ HEADER("'<i8'", "False", "(4294967296, 4294967296)"), "more than 2^63" },
		{ HEADER("'<i8'", "False", "(4294967296, 4294967296, 0)"), "more than 2^63" },
		{ HEADER("'<i8'", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
		  "more than 32 dimensions" },
		/* types */
		{ HEADER("5", "False", "(3, 4)"), "expected a string for descr" },
		{ HEADER("''", "False", "(3, 4)"), "no such type" },
		{ HEADER("'<'", "False", "(3, 4)"), "no such type" },
		{ HEADER("'<q9'", "False", "(3, 4)"), "dtype '<q9': NumPy has no such type" },
		{ HEADER("'<i3'", "False", "(3, 4)"), "no such type" },
		{ HEADER("'<i18446744073709551624'", "False", "(3, 4)"), "no such type" },
		{ HEADER("'<f1'", "False", "(3, 4)"), "no such type" },
		{ HEADER("'<i8 '", "False", "(3, 4)"), "no such type" },
		{ HEADER("'<f16'", "False", "(3, 4)"), "long double" },
		{ HEADER("'<c16'", "False", "(3, 4)"), "complex" },
		{ HEADER("'<U7'", "False", "(3, 4)"), "strings" },
		{ HEADER("'|S7'", "False", "(3, 4)"), "strings" },
		{ HEADER("'|V2147483647'", "False", "(3, 4)"), "bytes without a type" },
		{ HEADER("'<M8[ns]'", "False", "(3, 4)"), "times" },
		{ HEADER("[('a', '<i4'), ('b', '<f4')]", "False", "(3, 4)"), "structured" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		ck_assert_msg(!parse(t[i].text, false), "%s", t[i].text);
		ck_assert_int_eq(fault.kind, FAULT_LABELS);
		ck_assert_msg(strstr(fault.text, t[i].words), "%s: %s", t[i].text, fault.text);
		ck_assert_uint_ge(fault.offset, 10);
	}
	/* a NUL is no end */
	fault_clear(&fault);
	ck_assert(!npy_parse_literal("{\0}", 3, 10, false, &h, &fault));
	ck_assert(strstr(fault.text, "found '\\x00}'"));
}

TEST(objects_are_named)
{
	static const char *const t[] = {
		HEADER("'|O'", "False", "(1,)"),
		HEADER("'O'", "False", "(1,)"),
		HEADER("'|O8'", "False", "(1,)"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		ck_assert(!parse(t[i], false));
		ck_assert_int_eq(fault.kind, FAULT_OBJECTS);
		ck_assert(strstr(fault.text, "pickle"));
	}
}

/* A file of a version whose header says that it has `length` bytes, and holds the text and then `more` bytes. */
static bool read_file(unsigned major, uint32_t length, const char *text, size_t more)
{
	static uint8_t bytes[1 << 17];
	static struct input in;
	size_t n = 0;

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "\x93NUMPY", 6);
	bytes[6] = (uint8_t)major;
	n = 8;
	for (unsigned i = 0; i < (major == 1 ? 2 : 4); i++)
		bytes[n++] = (uint8_t)(length >> (8 * i));
	memcpy(bytes + n, text, strlen(text));
	n += strlen(text) + more;
	fault_clear(&fault);
	input_init(&in);
	input_from_memory(&in, bytes, n);
	return npy_read_header(&in, &h, &fault);
}

TEST(files)
{
	static const char text[] = HEADER("'<i8'", "False", "(3, 4)");
	const uint32_t n = sizeof(text) - 1;

	ck_assert(read_file(1, n, text, 0));
	ck_assert_uint_eq(h.data_at, 10 + n);
	ck_assert(read_file(2, n, text, 5));
	ck_assert_uint_eq(h.data_at, 12 + n);
	ck_assert(read_file(3, n, text, 0));
	ck_assert_uint_eq(h.elements, 12);
	ck_assert(!read_file(4, n, text, 0));
	ck_assert(strstr(fault.text, "version 4.0"));
	ck_assert(!read_file(0, n, text, 0));
	/* lengths */
	ck_assert(!read_file(1, n + 1, text, 0));
	ck_assert_int_eq(fault.kind, FAULT_TRUNCATED);
	ck_assert(!read_file(2, UINT32_MAX, text, 1000));
	ck_assert_int_eq(fault.kind, FAULT_TRUNCATED);
	ck_assert(!read_file(1, 0, text, 0));
	ck_assert_int_eq(fault.kind, FAULT_LABELS);
	ck_assert(!read_file(2, NPY_HEADER_MAX + 1, text, NPY_HEADER_MAX));
	ck_assert_int_eq(fault.kind, FAULT_LIMIT);
	/* the longs only up to version 2 */
	ck_assert(read_file(2, n + 2, HEADER("'<i8'", "False", "(3L, 4L)"), 0));
	ck_assert(!read_file(3, n + 2, HEADER("'<i8'", "False", "(3L, 4L)"), 0));
}

TEST(files_that_end_in_the_header)
{
	static const uint8_t bytes[] = "\x93NUMPY\1\0\x76";
	struct input in;

	for (size_t n = 0; n < sizeof(bytes); n++) {
		fault_clear(&fault);
		input_init(&in);
		input_from_memory(&in, bytes, n);
		ck_assert(!npy_read_header(&in, &h, &fault));
		ck_assert_int_eq(fault.kind, FAULT_TRUNCATED);
	}
	fault_clear(&fault);
	input_from_memory(&in, "\x93NUMPZ\1\0\0\0", 10);
	ck_assert(!npy_read_header(&in, &h, &fault));
	ck_assert(strstr(fault.text, "no NumPy magic"));
}
