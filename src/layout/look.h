/*
 * Looks at a file to say what it holds: a mask, a photo, boxes, a table ... Names are not asked, but for those of
 * columns and of texts that hold no labels by their names. Any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "layout/probe.h"
#include "layout/words.h"
#include "read/unread_kind.h"

enum content_look {
	LOOK_NONE,       /* not looked at */
	LOOK_UNREADABLE, /* it could not be opened, or its pixels not be seen: nothing is known */
	LOOK_EMPTY,
	LOOK_POINTER, /* of git-lfs */
	/* pictures */
	LOOK_PHOTO,
	LOOK_MASK,    /* grey or a palette: few levels, or large flat areas */
	LOOK_COLOURS, /* the same in colours: a mask, a rendering, a plot */
	LOOK_VALUES,  /* 16 bits of very many levels: depth, instance numbers */
	/* arrays */
	LOOK_ARRAY, /* of integers; a volume of any type */
	LOOK_FLOATS,
	LOOK_VOLUME, /* of four axes and more: images */
	/* texts and the like */
	LOOK_YOLO,
	LOOK_LIST,
	LOOK_COCO,
	LOOK_IDX,
	LOOK_UNREAD, /* labels of a known kind that is not read: struct look's unread, or JSON and XML of none */
	LOOK_BYTES,  /* no text, and of no known kind */
	LOOK_TABLE,  /* rows and columns, without labels */
	LOOK_TEXT,   /* nothing that is a label */
	LOOK_MIXED,  /* of a row of the table: its files do not agree */
	LOOKS,
};

enum { LOOK_NAMES_MAX = 64 };

struct look {
	enum content_look content;
	enum unread_kind unread;
	bool is_asked;        /* a table whose columns do not tell which of them is the labels */
	bool lacks_word;      /* a table of a test split whose header has no word for labels: others may have one */
	bool has_word;        /* its header has one */
	unsigned width;       /* columns of a list */
	bool is_test;         /* by its name */
	bool failed;          /* its bytes could not be read */
	bool has_header;      /* its first row is one */
	bool has_column;      /* of a list: the column of --column, or none is named */
	bool measured;        /* a volume of more values than labels have */
	bool wrong_id;        /* one of the ids seen is neither a class nor ignored */
	uint64_t pixel_bytes; /* of a picture that were inflated */
	uint64_t amount;      /* images that a COCO file has, rows of a list; else 1 */
	uint64_t *names;      /* hashes of the stems of images that it names, some of them; owned */
	unsigned names_count;
};

/* Returns the kind of a file by its name: file_kind_of(); of a stream of ids of a type that is known FILE_ARRAY. */
enum file_kind entry_file_kind(const struct entry *entry, const struct settings *settings);
/* Returns whether a file is a stream of ids of a type that is known: by its header, its index, or --dtype. */
bool is_token_stream(const struct entry *entry, const struct file_head *head, const struct settings *settings);

/* Returns whether a text of JSON has a key of annotations, in whatever form, and is no training's configuration. */
bool look_has_annotations(const struct file_head *f);

/* The look at an entry whose bytes were not seen. */
extern const struct look look_unseen;

void look_release(struct look *l);
/* Looks at an entry. probe: opened if it is not yet. */
void look_at(const struct entry *entry, struct entry_probe *probe, const struct settings *settings, struct look *out);
/* The same of a file that is no picture, by its first bytes; these are open in the probe. */
void look_at_head(const struct entry *entry, struct entry_probe *probe, const struct settings *settings, bool further,
		  struct look *out);
/* Hashes the stem of an image's name, without folders: as a table or a COCO file may name it. */
uint64_t look_hash_name(const char *name, size_t n);
/* "mask", "coco" ... Static. */
const char *look_name(enum content_look content);
