/*
 * liblabelaudit: checks labels in memory, against the same rules as the program labelaudit. labelaudit(3) explains it.
 *
 *     struct labelaudit_classes *classes;
 *     struct labelaudit_error error;
 *     struct labelaudit_verdict verdict;
 *     int64_t shape[] = { 16, 512, 512 };
 *     struct labelaudit_array array = { .data = labels, .dtype = LABELAUDIT_INT64, .rank = 3, .shape = shape };
 *
 *     if (labelaudit_classes_new(&classes, "21", "255", &error) != LABELAUDIT_OK)
 *         return fail(error.text);
 *     if (labelaudit_check(classes, &array, &verdict) == LABELAUDIT_BAD_LABELS)
 *         return fail_at(verdict.index, verdict.id);
 *
 * Every error is returned. The library prints nothing, changes no signal, and never ends the process. A set of classes
 * is read-only once it is made: any number of threads may use one. A counter and a measurer belong to one thread at a
 * time. labelaudit_check() allocates no memory.
 *
 * Structs only grow at their ends, within the room that `reserved` keeps; set what you do not use to 0.
 */
#ifndef LABELAUDIT_H
#define LABELAUDIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum labelaudit_status {
	LABELAUDIT_OK = 0,
	LABELAUDIT_BAD_LABELS = 1, /* labels that are neither a class nor ignored */
	LABELAUDIT_BAD_DATA = 2,   /* a damaged file, or one that holds no ids */
	LABELAUDIT_BAD_CALL = 3,   /* an argument that makes no sense, or a file of classes that cannot be read */
	LABELAUDIT_NO_MEMORY = 4,
};

/* Why a call failed: one line for a person. */
struct labelaudit_error {
	char text[1024];
};

/* Returns the library's version, such as "0.1.0". */
const char *labelaudit_version(void);

/* ---- classes ---------------------------------------------------------------------------------------------------- */

/* Which ids are classes and which are ignored, with the names of the classes. */
struct labelaudit_classes;

/* Ids, both included. */
struct labelaudit_range {
	int64_t first, last;
};

/*
 * Makes a set as the options --classes and --ignore do. classes: a count ("21": 0 to 20), ids and ranges ("0-18,33"),
 * or the path of a file that lists the classes; ignore: ids and ranges, or NULL: what the file itself ignores. error
 * may be NULL. Returns LABELAUDIT_OK, LABELAUDIT_BAD_CALL or LABELAUDIT_NO_MEMORY; *out is NULL unless it is OK.
 */
int labelaudit_classes_new(struct labelaudit_classes **out, const char *classes, const char *ignore,
			   struct labelaudit_error *error);
/* Does the same with ranges of numbers. */
int labelaudit_classes_from_ranges(struct labelaudit_classes **out, const struct labelaudit_range *classes,
				   size_t classes_count, const struct labelaudit_range *ignored, size_t ignored_count,
				   struct labelaudit_error *error);
void labelaudit_classes_free(struct labelaudit_classes *classes);

/* Fills at most `capacity` ranges, in rising order, and returns how many there are. ignored: those that are ignored. */
size_t labelaudit_classes_ranges(const struct labelaudit_classes *classes, int ignored, struct labelaudit_range *ranges,
				 size_t capacity);
/* Returns the name of a class, UTF-8, or NULL. It lives as long as the set. */
const char *labelaudit_classes_name(const struct labelaudit_classes *classes, int64_t id);
/* Returns 0: id is neither; 1: a class; 2: ignored. */
int labelaudit_classes_role(const struct labelaudit_classes *classes, int64_t id);

/* ---- arrays ----------------------------------------------------------------------------------------------------- */

/* The types of elements, as NumPy names them. */
enum labelaudit_dtype {
	LABELAUDIT_BOOL = 1,
	LABELAUDIT_UINT8,
	LABELAUDIT_INT8,
	LABELAUDIT_UINT16,
	LABELAUDIT_INT16,
	LABELAUDIT_UINT32,
	LABELAUDIT_INT32,
	LABELAUDIT_UINT64,
	LABELAUDIT_INT64,
	LABELAUDIT_FLOAT16,
	LABELAUDIT_FLOAT32,
	LABELAUDIT_FLOAT64,
};

enum { LABELAUDIT_RANK_MAX = 64 };

/* An array in memory, which need not be aligned. With rank 0 it has one element. */
struct labelaudit_array {
	const void *data;       /* the element whose indices are all 0; may be NULL if there are no elements */
	uint32_t dtype;         /* enum labelaudit_dtype */
	uint32_t rank;          /* at most LABELAUDIT_RANK_MAX */
	const int64_t *shape;   /* rank numbers; NULL if rank is 0 */
	const int64_t *strides; /* rank numbers, in bytes; may be negative or 0. NULL: row-major, without gaps */
	uint32_t swapped;       /* 1: the bytes of each element are in the other order than this machine's */
	uint32_t reserved;      /* 0 */
};

/* The kinds of elements that no loss takes as a class. */
enum labelaudit_kind {
	LABELAUDIT_NONE = 0,
	LABELAUDIT_ID,       /* an integer that is neither a class nor ignored */
	LABELAUDIT_BEYOND,   /* an integer of 2^63 - 2^25 or more, but 2^63 - 1; or below -2^63 */
	LABELAUDIT_FRACTION, /* a number that is no integer */
	LABELAUDIT_INFINITE,
	LABELAUDIT_NAN,
};

struct labelaudit_verdict {
	uint64_t labels;      /* elements of the array */
	uint64_t bad;         /* those that are neither a class nor ignored; 0: the rest of this struct is 0 */
	uint64_t bad_ids;     /* those of them that are LABELAUDIT_ID */
	uint64_t fractions;   /* those that are LABELAUDIT_FRACTION */
	uint64_t not_numbers; /* those that are LABELAUDIT_NAN or LABELAUDIT_INFINITE */
	uint64_t index;       /* of the first bad one, row-major */
	int64_t id;           /* its id, if it is LABELAUDIT_ID */
	double value;         /* its value */
	uint64_t same;        /* bad elements that have this id */
	uint32_t kind;        /* enum labelaudit_kind of the first bad one */
	uint32_t reserved[7]; /* 0 */
};

/*
 * Checks that every element of an array is a class or ignored. Returns LABELAUDIT_OK, LABELAUDIT_BAD_LABELS with
 * *verdict filled, or LABELAUDIT_BAD_CALL: a type, a rank or a shape that cannot be. verdict may be NULL, which is
 * quicker where labels are bad: it then ends at the first.
 */
int labelaudit_check(const struct labelaudit_classes *classes, const struct labelaudit_array *array,
		     struct labelaudit_verdict *verdict);

/* ---- counting --------------------------------------------------------------------------------------------------- */

/* How many labels have an id. */
struct labelaudit_count {
	int64_t id;
	uint64_t labels; /* > 0 */
	uint64_t first;  /* row-major index of the first label in its array, if the role is 0 */
	uint32_t role;   /* as labelaudit_classes_role() */
	uint32_t reserved;
	uint64_t arrays; /* how many arrays, or samples, have it; 0: not counted */
};

/* Counts ids over any number of arrays. Elements that are no ids (enum labelaudit_kind) are left out. */
struct labelaudit_counter;

/* classes must live longer than the counter. */
int labelaudit_counter_new(struct labelaudit_counter **out, const struct labelaudit_classes *classes,
			   struct labelaudit_error *error);
void labelaudit_counter_free(struct labelaudit_counter *counter);
/*
 * Adds the elements of an array, and tests them on the way, as labelaudit_check() does. Returns LABELAUDIT_OK;
 * LABELAUDIT_BAD_LABELS: added, and some are neither a class nor ignored; LABELAUDIT_BAD_CALL; LABELAUDIT_BAD_DATA: not
 * added, since the counter would have more than 65,536 different ids below 0 or above 65,535 (if it has some, take them
 * and try again); or LABELAUDIT_NO_MEMORY, after which the counter is empty.
 */
int labelaudit_counter_add(struct labelaudit_counter *counter, const struct labelaudit_array *array);
/*
 * The same with each part along the first axis as an array of its own, such as the samples of a batch; of one axis,
 * each element, whose place is then that in the whole array. *added: how many of them were added, which after
 * LABELAUDIT_BAD_DATA are those before the one that was not.
 */
int labelaudit_counter_add_each(struct labelaudit_counter *counter, const struct labelaudit_array *array,
				uint64_t *added);
/*
 * Fills at most `capacity` counts, in rising order of ids, and returns how many there are. Afterwards, if all of them
 * fitted, the counter is empty.
 */
size_t labelaudit_counter_take(struct labelaudit_counter *counter, struct labelaudit_count *counts, size_t capacity);

/* ---- masks ------------------------------------------------------------------------------------------------------ */

/* Whose ids of a PNG are measured. */
enum labelaudit_view {
	LABELAUDIT_PIL = 0, /* numpy.array(PIL.Image.open(file)) */
	LABELAUDIT_RAW,     /* the samples in the file */
	LABELAUDIT_CV2,     /* cv2.imread(file, 0) */
};

struct labelaudit_mask {
	uint32_t width, height;
	uint64_t labels;                       /* pixels */
	uint64_t bad;                          /* those that are neither a class nor ignored */
	const struct labelaudit_count *counts; /* of all ids, in rising order; until the measurer's next call */
	size_t counts_count;
	uint64_t reserved[4];
};

/* Measures PNG masks, and keeps its memory from one to the next. */
struct labelaudit_measurer;

/* classes must live longer than the measurer. */
int labelaudit_measurer_new(struct labelaudit_measurer **out, const struct labelaudit_classes *classes,
			    enum labelaudit_view view, struct labelaudit_error *error);
void labelaudit_measurer_free(struct labelaudit_measurer *measurer);
/*
 * Measures a PNG in memory. Returns LABELAUDIT_OK; LABELAUDIT_BAD_LABELS; LABELAUDIT_BAD_DATA: it is damaged, is no
 * PNG, or has several channels, which are no ids; or LABELAUDIT_NO_MEMORY. error says why, with the program's words.
 */
int labelaudit_measure_png(struct labelaudit_measurer *measurer, const void *png, size_t size,
			   struct labelaudit_mask *mask, struct labelaudit_error *error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
