/*
 * struct sample: describes one label file (or archive member) in the terms of its own format, PNG's or NumPy's.
 *
 * The reader of the format fills it from the header, before any sample is decoded. Plain data; owns nothing. `path`,
 * `rel_path` and `member` belong to the work unit (find/work_unit.h) and live until that unit is judged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/png_header.h"
#include "read/list_layout.h"
#include "read/refusal.h"

enum sample_format {
	FORMAT_NONE = 0, /* unknown, or not read yet */
	FORMAT_PNG,
	FORMAT_NPY,    /* NumPy's arrays */
	FORMAT_IDX,    /* the MNIST family's arrays */
	FORMAT_LIST,   /* one label per row: text, CSV, TSV */
	FORMAT_YOLO,   /* one box per row */
	FORMAT_COCO,   /* boxes and segments by category */
	FORMAT_FOLDER, /* an image whose class is its folder */
	FORMAT_BMP,    /* masks in these are read as the equal PNG or array: see `container` */
	FORMAT_GIF,
	FORMAT_NIFTI, /* volumes; those of other formats, too: see `container` */
	FORMAT_NRRD,
	FORMAT_METAIMAGE,
	FORMAT_TIFF,
	FORMAT_TOKENS, /* a stream of ids, an array of one axis: read/tokens.h */
	FORMATS,
};

enum sample_status {
	SAMPLE_READ,    /* all of it was decoded, and every checksum is right */
	SAMPLE_FAILED,  /* could not be read whole: see `fault`; nothing is counted */
	SAMPLE_SKIPPED, /* left out on purpose (not a label file) */
	SAMPLE_ARCHIVE, /* an archive: its members are samples, and it is not counted itself */
};

/* Elements of arrays, as NumPy names them. */
enum array_dtype {
	DTYPE_NONE = 0,
	DTYPE_BOOL,
	DTYPE_UINT8,
	DTYPE_INT8,
	DTYPE_UINT16,
	DTYPE_INT16,
	DTYPE_UINT32,
	DTYPE_INT32,
	DTYPE_UINT64,
	DTYPE_INT64,
	DTYPE_FLOAT16,
	DTYPE_FLOAT32,
	DTYPE_FLOAT64,
};

/* NumPy 1's limit. */
enum { ARRAY_RANK_MAX = 32 };

/* How the voxels of a volume become values, and where they lie. Lengths are of its unit, mostly millimetres.
 */
struct volume_header {
	bool is_volume;      /* else the rest is 0 */
	uint8_t container;   /* as a sample's */
	bool oriented;       /* it says where it is: by an sform, a qform, space directions */
	bool scaled;         /* a value is slope * voxel + inter */
	bool forms_differ;   /* sform and qform say different places; the affine is the sform */
	double slope, inter; /* 0 unless scaled */
	double spacing[3];
	double affine[3][4]; /* of [i, j, k], in the world's axes: right, anterior, superior */
};

struct array_header {
	uint8_t dtype;                  /* enum array_dtype */
	bool big_endian;                /* false for single bytes */
	bool fortran;                   /* column-major: the first axis is the fastest */
	uint8_t rank;                   /* 0..ARRAY_RANK_MAX; 0: one element */
	uint64_t shape[ARRAY_RANK_MAX]; /* the first `rank` are valid */
	uint64_t elements;              /* their product; elements * element size < 2^63; or ELEMENTS_UNKNOWN */
	uint64_t data_at;               /* offset of the elements in the file */
	struct volume_header volume;    /* of FORMAT_NIFTI */
};

/* The elements of an array of one axis, a stream whose end nobody has seen yet. */
#define ELEMENTS_UNKNOWN UINT64_MAX

/* The id that a file declares to mean nothing: GDAL's tag. */
struct no_data {
	bool is_declared;
	int64_t id;
};

struct coco_map;
struct list_names;
struct image_groups;
struct listed_images;
struct offenders;
struct archive_facts; /* find/member.h */

struct sample {
	const char *path;     /* as the user would type it; bytes, not necessarily UTF-8 */
	const char *member;   /* name inside an archive, or NULL */
	const char *rel_path; /* path relative to the walked PATH; for a PATH that is a file, its name */
	uint8_t split;        /* number of the split (find/split.h); 0: none */
	struct {
		bool repeated; /* an earlier member has the same name */
		bool name_cut; /* its name continues after a NUL */
	} member_flaws;
	const struct archive_facts *archive; /* for its report; NULL if it is no archive */
	enum sample_format format;
	/* FORMAT_BMP, FORMAT_GIF, FORMAT_TIFF if a FORMAT_PNG or FORMAT_NPY was made of one; a FORMAT_NIFTI:
	 * FORMAT_NRRD, FORMAT_METAIMAGE */
	uint8_t container;
	struct no_data no_data; /* of a TIFF */
	enum sample_status status;
	struct {                        /* SAMPLE_SKIPPED */
		uint8_t reason;         /* enum skip_reason (find/skip_reason.h) */
		bool looks_like_labels; /* it is to be reported */
		bool lacks_label;       /* an image of a YOLO data set without a label file */
		uint8_t unread_kind;    /* enum unread_kind (read/unread_kind.h); also of what failed */
	} left_out;
	uint8_t yolo_image;  /* of a YOLO text: enum yolo_partner (read/yolo_layout.h) as far as it was read ahead */
	uint32_t typed_path; /* index of the PATH that it belongs to, as an entry's */
	bool is_explicit;    /* named by the user, not found in a folder */
	uint64_t file_bytes;
	struct { /* valid if format == FORMAT_FOLDER */
		const char *name;
		uint32_t id;  /* its number in its root */
		uint8_t root; /* the root's number */
	} class_folder;
	struct png_header png;       /* valid if format == FORMAT_PNG */
	struct array_header array;   /* valid if sample_is_array() */
	struct list_layout list;     /* valid if format == FORMAT_LIST */
	const struct coco_map *coco; /* if a FORMAT_COCO was read; the worker's, until the sample is judged */
	const struct list_names
		*names; /* of a FORMAT_LIST whose names are numbered; else NULL; the worker's, as coco */
	/* NULL: none, or not of rows and objects; the worker's, as coco */
	const struct offenders *offenders;
	/* of the images that a FORMAT_COCO or a FORMAT_LIST names, with --group; else NULL; the worker's, as coco */
	const struct image_groups *groups;
	/* what is wrong with the images that they name; NULL: nobody looked; the worker's, as coco */
	const struct listed_images *images;
	struct fault fault;   /* kind != FAULT_NONE exactly if status == SAMPLE_FAILED */
	struct fault warning; /* FAULT_MALFORMED: readable, but breaks its specification */
	/* of a PNG that was read (png/loaders.h); loader_refusal() knows more */
	struct {
		struct refusal pil, cv2;
	} refusals;
};

/* Writes "png palette 8", "png rgba 8 interlaced", "idx uint8", "list column 2 of 3" or "" into out[0..n). */
void sample_format_name(const struct sample *s, char *out, size_t n);
const char *dtype_name(enum array_dtype dtype); /* "int64" */
unsigned dtype_bytes(enum array_dtype dtype);   /* 1, 2, 4, 8; 0 for DTYPE_NONE */

/* Returns the row-major index, for reports, of the element at `index` in memory. */
uint64_t array_place(const struct array_header *a, uint64_t index);

/* In the unit of length: finer differences are those of rounding. */
#define VOLUME_TOLERANCE 1e-3

/* Returns whether no number of two affines differs by more than the tolerance. */
bool volume_affines_agree(const double a[3][4], const double b[3][4], double tolerance);
/* Returns whether `array` is valid. */
bool sample_is_array(const struct sample *s);
/* Returns whether ids form a grid of rows and columns: an image, or an array of two or more axes. */
bool sample_is_mask(const struct sample *s);
/* Fills the shape in NumPy's order, [height, width] for an image. Returns the rank, 0 if unknown. */
unsigned sample_shape(const struct sample *s, uint64_t out[ARRAY_RANK_MAX]);
/* A sample's place is its path, or "path#member". Compare it as strcmp does; return a copy, owned by the caller. */
int sample_place_compare(const char *place, const struct sample *s);
char *sample_place(const struct sample *s);
/* Returns the word for `count` labels: "pixels" of an image, "boxes" of a YOLO text, "voxels" of a volume, else
 * "labels"; or its singular. */
const char *sample_unit(const struct sample *s, uint64_t count);
