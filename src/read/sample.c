#include "read/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static const char *const colour_names[] = {
	[PNG_GREY] = "grey", [PNG_RGB] = "rgb", [PNG_PALETTE] = "palette", [PNG_GREY_ALPHA] = "grey-alpha",
	[PNG_RGBA] = "rgba",
};

static const struct {
	const char *name;
	unsigned bytes;
} dtypes[] = {
	[DTYPE_NONE] = { "", 0 },           [DTYPE_BOOL] = { "bool", 1 },       [DTYPE_UINT8] = { "uint8", 1 },
	[DTYPE_INT8] = { "int8", 1 },       [DTYPE_UINT16] = { "uint16", 2 },   [DTYPE_INT16] = { "int16", 2 },
	[DTYPE_UINT32] = { "uint32", 4 },   [DTYPE_INT32] = { "int32", 4 },     [DTYPE_UINT64] = { "uint64", 8 },
	[DTYPE_INT64] = { "int64", 8 },     [DTYPE_FLOAT16] = { "float16", 2 }, [DTYPE_FLOAT32] = { "float32", 4 },
	[DTYPE_FLOAT64] = { "float64", 8 },
};

const char *dtype_name(enum array_dtype dtype)
{
	return dtypes[dtype].name;
}

unsigned dtype_bytes(enum array_dtype dtype)
{
	return dtypes[dtype].bytes;
}

uint64_t array_place(const struct array_header *a, uint64_t index)
{
	uint64_t place = 0, stride = a->elements;

	if (!a->fortran)
		return index;
	/* the first axis is the fastest in memory; in row-major order its stride is the product of all others */
	for (unsigned i = 0; i < a->rank; i++) {
		stride /= a->shape[i];
		place += index % a->shape[i] * stride;
		index /= a->shape[i];
	}
	return place;
}

bool volume_affines_agree(const double a[3][4], const double b[3][4], double tolerance)
{
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 4; k++)
			if (!(fabs(a[i][k] - b[i][k]) <= tolerance))
				return false;
	return true;
}

void sample_format_name(const struct sample *s, char *out, size_t n)
{
	static const char *const names[] = {
		[FORMAT_NONE] = "",
		[FORMAT_PNG] = "png",
		[FORMAT_NPY] = "npy",
		[FORMAT_IDX] = "idx",
		[FORMAT_LIST] = "list",
		[FORMAT_YOLO] = "yolo",
		[FORMAT_COCO] = "coco",
		[FORMAT_FOLDER] = "imagefolder",
		[FORMAT_BMP] = "bmp",
		[FORMAT_GIF] = "gif",
		[FORMAT_NIFTI] = "nifti",
		[FORMAT_TIFF] = "tiff",
		[FORMAT_TOKENS] = "tokens",
		[FORMAT_NRRD] = "nrrd",
		[FORMAT_METAIMAGE] = "metaimage",
	};
	const char *name = names[s->container ? s->container : s->format], *colour = NULL;

	if (s->format == FORMAT_PNG) {
		if (s->png.colour_type < ARRAY_SIZE(colour_names))
			colour = colour_names[s->png.colour_type];
		snprintf(out, n, "%s %s %u%s", name, colour ? colour : "unknown", s->png.bit_depth,
			 s->png.interlace ? " interlaced" : "");
	} else if (sample_is_array(s)) {
		snprintf(out, n, "%s %s", name, dtype_name((enum array_dtype)s->array.dtype));
	} else if (s->format == FORMAT_LIST && s->list.columns > 1 && s->list.token_column != NO_COLUMN) {
		snprintf(out, n, "%s columns %u and %u of %u", name, s->list.label_column + 1, s->list.token_column + 1,
			 s->list.columns);
	} else if (s->format == FORMAT_LIST && s->list.columns > 1) {
		snprintf(out, n, "%s column %u of %u", name, s->list.label_column + 1, s->list.columns);
	} else {
		snprintf(out, n, "%s", name);
	}
}

bool sample_is_array(const struct sample *s)
{
	return s->format == FORMAT_NPY || s->format == FORMAT_IDX || s->format == FORMAT_NIFTI ||
	       s->format == FORMAT_TOKENS;
}

bool sample_is_mask(const struct sample *s)
{
	return s->format == FORMAT_PNG || (sample_is_array(s) && s->array.rank >= 2);
}

unsigned sample_shape(const struct sample *s, uint64_t out[ARRAY_RANK_MAX])
{
	if (s->format == FORMAT_PNG && s->png.width && s->png.height) {
		out[0] = s->png.height;
		out[1] = s->png.width;
		return 2;
	}
	if (!sample_is_array(s))
		return 0;
	memcpy(out, s->array.shape, s->array.rank * sizeof(*out));
	return s->array.rank;
}

const char *sample_unit(const struct sample *s, uint64_t count)
{
	static const char *const units[][2] = {
		{ "labels", "label" }, { "pixels", "pixel" }, { "boxes", "box" }, { "voxels", "voxel" }
	};
	unsigned unit = s->format == FORMAT_PNG ? 1 : s->format == FORMAT_YOLO ? 2 : s->format == FORMAT_NIFTI ? 3 : 0;

	return units[unit][count == 1];
}

int sample_place_compare(const char *place, const struct sample *s)
{
	size_t n = strlen(s->path);
	int order = s->member ? strncmp(place, s->path, n) : strcmp(place, s->path);

	if (order || !s->member)
		return order;
	return place[n] == '#' ? strcmp(place + n + 1, s->member) : (uint8_t)place[n] - '#';
}

char *sample_place(const struct sample *s)
{
	if (!s->member)
		return xstrdup(s->path);
	size_t n = strlen(s->path) + strlen(s->member) + sizeof("#");
	char *place = xmalloc(n);

	snprintf(place, n, "%s#%s", s->path, s->member);
	return place;
}
