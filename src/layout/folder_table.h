/*
 * struct folder_table: what lies in the folders of the PATHs, from one walk. A row is of a folder, a kind of file and
 * a suffix of names: what is decided is decided by row (decide.h).
 *
 * A folder of an archive is a folder: set.zip/masks. Folders without a meaning of their own that are one of many alike
 * (patient_001, IMD002) are one, called patient_*.
 *
 * Memory is bounded by the constants below: of a row some files are kept, those with the least hashes of the numbers in
 * their names, so that of an image and its mask both are kept, or neither. Filled by one thread; then read-only, from
 * any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/table.h"
#include "find/member_folders.h"
#include "find/source.h"
#include "layout/declared.h"
#include "layout/look.h"
#include "layout/words.h"

enum {
	TABLE_ROWS_MAX = 4096, /* then further folders join the row of their parent's folders */
	TABLE_FOLDERS_MAX = 1 << 16,
	TABLE_ITEMS_ROW = 512,     /* files kept of a row */
	TABLE_ITEMS_ALL = 1 << 18, /* fewer of each if there are many rows: this by their number */
	TABLE_SAMPLE = 16,         /* of them, looked at */
	TABLE_PICTURES = 8,        /* of pictures, which are decoded; */
	TABLE_PICTURES_FIRST = 4,  /* no more of each row if these have many pixels, in all: */
	TABLE_PIXEL_BYTES = 4 << 20,
	TABLE_DOCS = 64,          /* texts and the like: up to this number all are looked at */
	TABLE_SUFFIXES = 1 << 14, /* rows; with more, further suffixes are as if there was none */
	TABLE_FILTER_BITS = 1 << 23,
	STRAY_FILES = 4, /* fewer files, that belong to no image, are a stray beside STRAY_PHOTOS images or more */
	STRAY_PHOTOS = 5,
};

/* A file that is kept of a row. */
struct table_item {
	uint64_t hash;
	size_t rel;   /* where the part below the PATH begins */
	bool in_walk; /* reached in the walk alone: a member, or a file whose path is too long to be opened by it */
	size_t archive_len;      /* of the archive's path */
	struct zip_place in_zip; /* of a zip's member, which can be reached later, too */
	struct look look;
	char path[]; /* as it is opened; of a member the archive's, '/', and its name */
};

/* Which kind of label files: what is audited together. */
enum family {
	FAMILY_NONE,
	FAMILY_MASK, /* masks and arrays */
	FAMILY_YOLO,
	FAMILY_COCO,
	FAMILY_IDX,
	FAMILY_LIST,
	FAMILY_UNREAD, /* labels in a format that is not read */
	FAMILIES,
};

struct folder_row {
	uint32_t folder; /* index of folders */
	enum file_kind kind;
	enum role declared;     /* declared.h: labels or images; else ROLE_NONE */
	char *suffix;           /* of stems; of FILE_DOC the extension; owned */
	bool is_prefix;         /* names begin with `suffix`: mask_1.png */
	bool is_whole;          /* names are nothing else */
	enum content_look part; /* of a row of documents: those of that content; else LOOK_NONE */
	uint64_t files;
	struct table_item **items; /* sorted by hash; they and the array owned */
	size_t items_count, items_cap;
	bool cut; /* there are more files than items */
	enum content_look content;
	enum unread_kind unread;
	bool wrong_id;   /* some sampled mask has an id that is no class */
	uint64_t amount; /* what is described: files, images of a COCO file, rows of a list */
	/* decide.c */
	enum role word;
	bool word_is_inner; /* nothing but splits is between the word and the files */
	double paired;      /* the share of its stems that a row of images has */
	uint32_t pair;      /* that row, or TABLE_NONE */
	enum role role;
	enum family family;
	const char *rule; /* static */
};

/* Tells rows apart. */
struct row_key {
	uint32_t folder;
	enum file_kind kind;
	enum role declared;
	enum content_look content; /* of a part, else LOOK_NONE */
	const char *suffix;        /* borrowed */
	size_t suffix_n;
};

struct table_folder {
	char *path; /* below the PATH, "" for the PATH itself; owned */
	uint32_t parent, typed_path;
	uint32_t group; /* the folder whose rows it shares; at first itself */
	uint64_t files;
	bool pooled;        /* its rows are those of its parent's folders: the last part of the path is "*" */
	uint64_t images;    /* of its files */
	bool is_class_root; /* its folders are classes, if the set is an ImageFolder (class_folders.h) */
};

struct folder_table {
	const struct settings *settings; /* borrowed */
	const struct find_options *find; /* borrowed */
	struct declared *declared;       /* owned; NULL: nothing was looked at */
	struct table_folder *folders;    /* parents before their children; owned */
	size_t folders_count, folders_cap;
	struct table folder_table; /* of folders, by PATH and path */
	struct folder_row *rows;   /* owned */
	size_t rows_count, rows_cap;
	struct table row_table;       /* of rows, by folder, kind and suffix */
	uint64_t *images;             /* a Bloom filter of the stems of images; owned */
	struct member_folders packed; /* the folders of archives, for class folders; owned */
	bool some_have_word;          /* the headers of some lists have a word for labels */
	unsigned column_width;        /* of these; 0: it differs */
	bool some_have_column;        /* some lists have that of --column: others are tables */
	/* for the progress of the audit: */
	uint64_t entries_seen;  /* in this shard, without members of archives; 0: not all were seen */
	uint64_t archive_bytes; /* the sizes of archives; 0: not all were seen, or other shards have some */
	bool has_members;       /* there are members of archives */
	uint64_t unread;        /* folders, archives and sampled files that could not be read */
	uint32_t last_folder;   /* of the entry before */
};

/* Walks the PATHs of `find` once, and looks at samples. Fails as source_each() does. */
enum status folder_table_fill(struct folder_table *t, const struct find_options *find, const struct settings *settings,
			      struct error *err);
void folder_table_release(struct folder_table *t);
/* Returns the row of an entry by its name; kind: file_kind_of() of that. TABLE_NONE: there is none. */
uint32_t folder_table_find(const struct folder_table *t, const struct entry *entry, enum file_kind kind);
/* Return the row with a key; TABLE_NONE: there is none; or adding it. */
uint32_t folder_table_row(const struct folder_table *t, const struct row_key *key);
uint32_t folder_table_add_row(struct folder_table *t, const struct row_key *key);
/* Returns whether a row has files: documents are known by their parts. */
static inline bool row_is_live(const struct folder_row *r)
{
	return r->part != LOOK_NONE || r->kind < FILE_ARRAY;
}
/* Returns whether an image of the PATHs may have that look_hash_name(). */
bool folder_table_has_image(const struct folder_table *t, uint64_t hash);
/* Hashes a name with one sign for each number. */
uint64_t table_shape(const char *name, size_t n);
/* Returns an item's stem. */
const char *table_item_stem(const struct table_item *item, size_t *n);
