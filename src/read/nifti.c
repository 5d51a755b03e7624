#include "read/nifti.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"
#include "read/identify.h"

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Where the fields of a version are. Those of the first are half as wide: int16 and float, where int64 and double are.
 */
struct layout {
	const char *name;
	unsigned header; /* sizeof_hdr */
	unsigned voxels; /* the least vox_offset: four bytes say whether extensions follow the header */
	unsigned datatype, bitpix, dim, pixdim, vox_offset, slope, qform_code, sform_code, quaternion, rows;
	unsigned integer, code, real; /* bytes of a dimension, of the codes of the forms, and of a number */
};

static const struct layout layouts[] = {
	{ "NIfTI-1", 348, 352, 70, 72, 40, 76, 108, 112, 252, 254, 256, 280, 2, 2, 4 },
	{ "NIfTI-2", 540, 544, 12, 14, 16, 104, 168, 176, 344, 348, 352, 400, 8, 4, 8 },
};

struct fields {
	const struct layout *layout;
	const uint8_t *head;
	bool big; /* big-endian */
};

static int64_t integer_at(const struct fields *f, unsigned at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | f->head[at + (f->big ? i : bytes - 1 - i)];
	return bytes == 8 ? (int64_t)v : (int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

/* Returns the i-th of the numbers that begin at a place. */
static double real_at(const struct fields *f, unsigned at, unsigned i)
{
	const unsigned bytes = f->layout->real;
	const int64_t bits = integer_at(f, at + i * bytes, bytes);
	const uint32_t low = (uint32_t)bits;
	float narrow;
	double wide;

	memcpy(&narrow, &low, sizeof(narrow));
	memcpy(&wide, &bits, sizeof(wide));
	return bytes == 4 ? (double)narrow : wide;
}

static bool has_at(const uint8_t *head, size_t n, size_t at, const void *bytes, size_t length)
{
	return n >= at + length && !memcmp(head + at, bytes, length);
}

bool nifti_pair_begins(const uint8_t *head, size_t n)
{
	/* ANALYZE has no magic: its size, and `regular`, which is always r */
	return has_at(head, n, 344, "ni1", 4) || has_at(head, n, 4, "ni2\0\r\n\x1a\n", 8) ||
	       (n >= 348 && (le32(head) == 348 || be32(head) == 348) && head[38] == 'r');
}

/* ---- what the voxels are ----------------------------------------------------------------------------------------- */

static const struct {
	int16_t code;
	enum array_dtype dtype;
	const char *refused; /* why, if it is */
} datatypes[] = {
	{ 2, DTYPE_UINT8, NULL },
	{ 4, DTYPE_INT16, NULL },
	{ 8, DTYPE_INT32, NULL },
	{ 16, DTYPE_FLOAT32, NULL },
	{ 64, DTYPE_FLOAT64, NULL },
	{ 256, DTYPE_INT8, NULL },
	{ 512, DTYPE_UINT16, NULL },
	{ 768, DTYPE_UINT32, NULL },
	{ 1024, DTYPE_INT64, NULL },
	{ 1280, DTYPE_UINT64, NULL },
	{ 0, DTYPE_NONE, "no type at all" },
	{ 1, DTYPE_NONE, "single bits, which no usual reader opens" },
	{ 32, DTYPE_NONE, "complex numbers, which are not ids" },
	{ 128, DTYPE_NONE, "colours (RGB24): one id per voxel is expected" },
	{ 1536, DTYPE_NONE, "long doubles, whose format depends on the machine" },
	{ 1792, DTYPE_NONE, "complex numbers, which are not ids" },
	{ 2048, DTYPE_NONE, "complex numbers, which are not ids" },
	{ 2304, DTYPE_NONE, "colours (RGBA32): one id per voxel is expected" },
};

static bool take_dtype(const struct fields *f, struct array_header *h, struct fault *warning, struct fault *fault)
{
	const struct layout *l = f->layout;
	const int64_t code = integer_at(f, l->datatype, 2), bits = integer_at(f, l->bitpix, 2);
	size_t i = 0;

	while (i < ARRAY_SIZE(datatypes) && datatypes[i].code != code)
		i++;
	if (i == ARRAY_SIZE(datatypes))
		return fault_set(fault, FAULT_LABELS, l->datatype, "datatype %" PRId64 " of the %s header is none",
				 code, l->name);
	if (datatypes[i].refused)
		return fault_set(fault, FAULT_LABELS, l->datatype, "the voxels are of datatype %" PRId64 ": %s", code,
				 datatypes[i].refused);
	h->dtype = (uint8_t)datatypes[i].dtype;
	h->big_endian = f->big && dtype_bytes(datatypes[i].dtype) > 1;
	if (bits != 8 * dtype_bytes(datatypes[i].dtype))
		fault_set(warning, FAULT_MALFORMED, l->bitpix,
			  "bitpix is %" PRId64 ", but a voxel of datatype %" PRId64 " (%s) has %u bits", bits, code,
			  dtype_name(datatypes[i].dtype), 8 * dtype_bytes(datatypes[i].dtype));
	return true;
}

static bool take_shape(const struct fields *f, struct array_header *h, struct fault *fault)
{
	const struct layout *l = f->layout;
	const int64_t rank = integer_at(f, l->dim, l->integer);
	uint64_t bytes = dtype_bytes((enum array_dtype)h->dtype);

	if (GUARD(nifti_rank, rank < 1 || rank > 7))
		return fault_set(fault, FAULT_LABELS, l->dim,
				 "the volume has %" PRId64 " dimensions; 1 to 7 are allowed", rank);
	h->rank = (uint8_t)rank;
	h->elements = 1;
	for (unsigned i = 0; i < h->rank; i++) {
		const unsigned at = l->dim + (i + 1) * l->integer;
		const int64_t length = integer_at(f, at, l->integer);

		if (length < 1)
			return fault_set(fault, FAULT_LABELS, at, "dimension %u has the length %" PRId64, i + 1,
					 length);
		h->shape[i] = (uint64_t)length;
		if (GUARD(nifti_overflow, !size_mul(bytes, h->shape[i], &bytes) || bytes > INT64_MAX))
			return fault_set(fault, FAULT_LABELS, at, "the dimensions multiply to more than 2^63 bytes");
		h->elements *= h->shape[i];
	}
	return true;
}

static bool take_offset(const struct fields *f, struct array_header *h, struct fault *fault)
{
	const struct layout *l = f->layout;
	const double real = real_at(f, l->vox_offset, 0);
	const int64_t whole = l->real == 8                 ? integer_at(f, l->vox_offset, 8)
			      : real >= 0 && real < 0x1p40 ? (int64_t)real
							   : -1;

	if (whole == 0) { /* as nibabel: not set */
		h->data_at = l->voxels;
		return true;
	}
	if (GUARD(nifti_offset, whole < l->voxels))
		return fault_set(fault, FAULT_LABELS, l->vox_offset,
				 "vox_offset, where the voxels begin, is below %u, where the %s header ends", l->voxels,
				 l->name);
	h->data_at = (uint64_t)whole;
	return true;
}

/* A slope of 0 means none, and readers take one that is no number so, too. */
static bool take_scale(const struct fields *f, struct array_header *h, struct fault *fault)
{
	const double slope = real_at(f, f->layout->slope, 0), inter = real_at(f, f->layout->slope, 1);

	if (!isfinite(slope) || slope == 0 || (slope == 1 && inter == 0))
		return true;
	if (!isfinite(inter))
		return fault_set(fault, FAULT_LABELS, f->layout->slope, "scl_slope is %g, but scl_inter is no number",
				 slope);
	h->volume.scaled = true;
	h->volume.slope = slope;
	h->volume.inter = inter;
	return true;
}

/* ---- where the voxels are ---------------------------------------------------------------------------------------- */

/* Computes the affine of the quaternion b, c, d and the offset that follow each other in the header. */
static void add_qform(const struct fields *f, double out[3][4])
{
	const unsigned at = f->layout->quaternion;
	const double b = real_at(f, at, 0), c = real_at(f, at, 1), d = real_at(f, at, 2);
	const double rest = 1 - b * b - c * c - d * d, a = rest > 0 ? sqrt(rest) : 0;
	const double qfac = real_at(f, f->layout->pixdim, 0) < 0 ? -1 : 1;
	const double rotation[3][3] = {
		{ a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c) },
		{ 2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b) },
		{ 2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c },
	};

	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 3; k++)
			out[i][k] = rotation[i][k] * real_at(f, f->layout->pixdim, k + 1) * (k == 2 ? qfac : 1);
		out[i][3] = real_at(f, at, 3 + i);
	}
}

/* Without either form the middle is the origin, and the first axis points to the left, as nibabel has it. */
static void add_base(const struct array_header *h, double out[3][4])
{
	for (unsigned i = 0; i < 3; i++) {
		const double length = i < h->rank ? (double)h->shape[i] : 1;

		out[i][i] = h->volume.spacing[i] * (i ? 1 : -1);
		out[i][3] = -out[i][i] * (length - 1) / 2;
	}
}

static void take_space(const struct fields *f, struct array_header *h)
{
	const struct layout *l = f->layout;
	struct volume_header *v = &h->volume;
	double qform[3][4] = { { 0 } };
	const bool has_qform = integer_at(f, l->qform_code, l->code) > 0,
		   has_sform = integer_at(f, l->sform_code, l->code) > 0;

	v->is_volume = true;
	v->oriented = has_sform || has_qform;
	for (unsigned i = 0; i < 3; i++)
		v->spacing[i] = fabs(real_at(f, l->pixdim, i + 1));
	if (has_qform)
		add_qform(f, qform);
	for (unsigned i = 0; i < 12; i++)
		v->affine[i / 4][i % 4] = has_sform ? real_at(f, l->rows, i) : qform[i / 4][i % 4];
	if (!has_sform && !has_qform)
		add_base(h, v->affine);
	/* a float of the quaternion is as exact as a part in a million of a volume's breadth */
	v->forms_differ = has_sform && has_qform &&
			  !volume_affines_agree((const double(*)[4])v->affine, (const double(*)[4])qform, 1e-2);
}

bool nifti_parse(const uint8_t *head, size_t n, struct array_header *h, struct fault *warning, struct fault *fault)
{
	struct fields f = { &layouts[has_at(head, n, 4, "n+2", 4)], head, false };
	const struct layout *l = f.layout;

	memset(h, 0, sizeof(*h));
	if (n < l->header)
		return fault_set(fault, FAULT_TRUNCATED, n, "ends after %zu bytes, within the %s header, which has %u",
				 n, l->name, l->header);
	f.big = be32(head) == l->header;
	if (!f.big && le32(head) != l->header) {
		/* the number of dimensions shows the byte order, as to other readers */
		const int64_t rank = integer_at(&f, l->dim, l->integer);

		f.big = rank < 1 || rank > 7;
		fault_set(warning, FAULT_MALFORMED, 0, "sizeof_hdr is %" PRId64 ", where %u is expected",
			  integer_at(&f, 0, 4), l->header);
	}
	h->fortran = true;
	if (!take_dtype(&f, h, warning, fault) || !take_shape(&f, h, fault) || !take_offset(&f, h, fault) ||
	    !take_scale(&f, h, fault))
		return false;
	take_space(&f, h);
	return true;
}

bool nifti_read_header(struct input *in, struct array_header *h, struct fault *warning, struct fault *fault)
{
	uint8_t head[NIFTI_HEADER_MAX];
	const int64_t got = input_read(in, head, sizeof(head), fault);

	if (got < 0 || !nifti_parse(head, (size_t)got, h, warning, fault))
		return false;
	if (in->size != INPUT_SIZE_UNKNOWN && GUARD(nifti_offset_past_end, h->data_at > in->size))
		return fault_set(fault, FAULT_TRUNCATED, in->size,
				 "the voxels begin at byte %" PRIu64 ", but the file has only %" PRIu64, h->data_at,
				 in->size);
	return input_seek(in, h->data_at, fault);
}
