/*
 * struct listed_names: the images that COCO files and lists name, and whether they lie in the PATH. Names count without
 * folders; one without an extension means an image of any. Two filters of fixed size hold hashes, so an unknown name
 * may be taken for a known one, once there are very many, but not the other way round. Owner: the detection, then its
 * layout; one thread while it fills.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LISTED_SAMPLE = 64,         /* names that are looked for */
	LISTED_BYTES = 1 << 20,     /* of a text that are searched for names */
	NAME_FILTER_BITS = 1 << 20, /* 100,000 names: one in 400 is taken for known wrongly */
};

/* A Bloom filter. */
struct name_filter {
	uint64_t *bits; /* owned; NULL: empty */
};

/* Adds a name as it is written. */
void name_filter_add(struct name_filter *f, const char *name, size_t n);
/* Adds the name of a file, with and without its extension: a list may write either. */
void name_filter_add_file(struct name_filter *f, const char *path);
bool name_filter_has(const struct name_filter *f, const char *name, size_t n);
/* Returns whether the name of a file is there, with or without its extension. */
bool name_filter_has_file(const struct name_filter *f, const char *path);
/* Returns whether the name of a file is there, or begins with one that is: 7_0_800_1stHO.png of 7_0_800.jpg. */
bool name_filter_has_stem(const struct name_filter *f, const char *path);
void name_filter_release(struct name_filter *f);

struct listed_names {
	struct name_filter names;
	char sample[LISTED_SAMPLE][64]; /* some of them */
	unsigned count;
	uint64_t all;
	bool cut; /* not all texts were searched to their end */
};

/* Adds what comes after "file_name" in n bytes of JSON. Returns how many. */
uint64_t listed_names_add_coco(struct listed_names *l, const char *text, size_t n);
/* Adds the strings in n bytes of JSON or XML that are names of images. Returns how many. */
uint64_t listed_names_add_quoted(struct listed_names *l, const char *text, size_t n);
/* Adds the keys in n bytes of JSON. Returns how many. */
uint64_t listed_names_add_keys(struct listed_names *l, const char *text, size_t n);
/* Adds the image that a file of annotations is named after: 1.jpg.json, 1.jpg___objects.json, 1.txt. */
void listed_names_add_file(struct listed_names *l, const char *path);
/* Adds the fields of n bytes of a table that are names of images. Returns how many lines it has. */
uint64_t listed_names_add_table(struct listed_names *l, const char *text, size_t n);
/*
 * Adds the first field of `most` rows but the first, if they have others: images without an extension, or any words.
 */
void listed_names_add_first(struct listed_names *l, const char *text, size_t n, unsigned most);
/* The same of those with a digit alone: sentences begin with words. */
void listed_names_add_numbered(struct listed_names *l, const char *text, size_t n, unsigned most);
/* Returns how many of the names sampled are in the filter. */
unsigned listed_names_count_in(const struct listed_names *l, const struct name_filter *present);
/* Returns whether most of the names sampled are in the filter. */
bool listed_names_are_in(const struct listed_names *l, const struct name_filter *present);
/* The same, also for names that begin with one that is: 7_gtFine_polygons of 7. */
bool listed_names_begin_in(const struct listed_names *l, const struct name_filter *present);
void listed_names_release(struct listed_names *l);
