/*
 * struct field: a member of a JSON object: its key, its type, where its value is in a struct, and what it means. From a
 * table of them the object is written, read back, and described by a JSON Schema; nothing else names its keys.
 *
 *   static const struct field list[] = {
 *       { "files", FIELD_UINT, AT(dataset_stats, files) },
 *       { "path", FIELD_PATH, AT(path_account, path), .doc = "as typed" },
 *   };
 *
 * Without keys a table describes the elements of an array, which is read by position: the rows of the sums of a shard.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/json_values.h"
#include "report/json_writer.h"

enum field_type {
	FIELD_UINT,   /* an unsigned integer of 1 to 8 bytes, or an array of uint64_t */
	FIELD_ID,     /* int64_t */
	FIELD_BOOL,   /* bool */
	FIELD_HEX,    /* uint64_t: 16 hexadecimal digits */
	FIELD_WORD,   /* an enum: its name in `words` */
	FIELD_RULE,   /* const struct rule *: its name */
	FIELD_CHARS,  /* an array of char: a string, which is cut where it is read */
	FIELD_TEXT,   /* char *: a string or null; owned */
	FIELD_PATH,   /* the same; the bytes of one that is not UTF-8 follow as <key>_b64, in an array as [base64] */
	FIELD_OBJECT, /* `members` */
	FIELD_LIST,   /* an array of objects: `rows` */
	FIELD_ROW,    /* an array of the values of `members` */
	FIELD_TABLE,  /* an array of such arrays: `rows` */
	FIELD_CONST,  /* `text`, whatever was read */
	FIELD_OTHER,  /* what `write` and `read` do */
	FIELD_NONE,   /* for the schema only: the field before it writes it */
};

enum field_flag {
	FIELD_LATER = 1,        /* not in schema 1.0: older reports lack it */
	FIELD_IF_SET = 2,       /* absent if it is 0, NULL or "" */
	FIELD_UNLESS_MAX = 4,   /* absent if it is UINT64_MAX */
	FIELD_NULL_IF_MAX = 8,  /* null if it is UINT64_MAX */
	FIELD_NEEDED = 16,      /* reading fails without it, and if a string is null */
	FIELD_DERIVED = 32,     /* from other fields: reading skips it */
	FIELD_BLOCK = 64,       /* an object or list has a line for each member */
	FIELD_OPAQUE = 128,     /* the schema does not describe its members */
	FIELD_MAY_END = 256,    /* the array ends before the first element that is 0 or NULL */
	FIELD_MAY_BE_NULL = 512 /* in an array: a path */
};

/* The names of an enum: of all values from first to end - 1. */
struct field_words {
	const char *what; /* "a view", for messages */
	const char *(*name)(int value);
	int first, end;
};

struct fields {
	const struct field *v;
	size_t count;
	const char *unknown; /* why an object with other keys is refused; NULL: they are skipped */
};

/* Objects or arrays of `fields`, each of a struct of `size` bytes, in an array of the struct that the field is in. */
struct field_rows {
	struct fields fields;
	size_t size, max; /* of a row, and how many are written or read */
	size_t v, count;  /* where the array and its length are */
	/* An array that is a sum: `get` fills the row number i, which is all 0; it returns false at the end. */
	bool (*get)(const void *base, size_t i, void *row);
	/*
	 * For a list: keeps a row that was read, or fails. Strings that it keeps it takes (field_take). NULL: the array
	 * that is written keeps it, which has a capacity and a limit then.
	 */
	bool (*put)(struct json_values *v, void *base, void *row);
	/* For a table: the capacity, and how many columns it is sorted by; 0: none. */
	size_t cap, keys;
	struct fields head; /* elements before the rows, in an array of their own if head_row is set */
	bool head_row;
};

struct field {
	const char *key; /* NULL: `write` appends members of its own, or the table is that of an array */
	enum field_type type;
	size_t at, size; /* of the member */
	size_t through;  /* > 0: `at` is in what the pointer at through - 1 points to */
	size_t when;     /* > 0: present if the byte at when - 1, beside `at`, is `is`; reading sets it */
	uint8_t is;
	unsigned flags; /* enum field_flag */
	union {
		const struct fields *members;
		const struct field_rows *rows;
		const struct field_words *words;
		const char *text;
	};
	void (*write)(struct json_writer *w, const void *member);
	bool (*read)(struct json_values *v, void *member); /* NULL: it is skipped */
	bool (*skip)(const void *base);                    /* whether it is not read at all; or NULL */
	bool (*expect)(struct json_values *v, void *base); /* before it is read; or NULL */
	bool (*check)(struct json_values *v, void *base);  /* after it was read; or NULL */
	/* Says what the type does not say, with ' for ": 'type': 'number'; of an object besides. And the description.
	 */
	const char *schema, *doc;
};

#define FIELDS(array)                                  \
	{                                              \
		.v = array, .count = ARRAY_SIZE(array) \
	}
#define AT(type, member)          .at = offsetof(struct type, member), .size = sizeof(((const struct type *)NULL)->member)
#define THROUGH(base, pointer)    .through = offsetof(struct base, pointer) + 1
#define WHEN(type, member, value) .when = offsetof(struct type, member) + 1, .is = value
/* Where the capacity of that array is, and how many rows that are read it may have. */
#define KEPT_IN(base, room, most) .cap = offsetof(struct base, room), .max = (most)
#define ROWS(list, type, base, array, n)                                                        \
	.fields = FIELDS(list), .size = sizeof(struct type), .v = offsetof(struct base, array), \
	.count = offsetof(struct base, n)

/* Appends the members to the current object. */
void fields_write(struct json_writer *w, const struct fields *fields, const void *base);
/* Reads the current value, an object; each key may occur once. Unknown keys are skipped. */
bool fields_read(struct json_values *v, const struct fields *fields, void *base);
/* Writes, or reads, an array of their values. Reading begins after the bracket; what it reads into is all 0. */
void fields_write_row(struct json_writer *w, const struct fields *fields, const void *base);
bool fields_read_row(struct json_values *v, const struct fields *fields, void *base);
/* Frees the strings of a row. */
void fields_release(const struct fields *fields, void *row);
/* Appends the members of the JSON Schema of the object: type, required, properties; and those of its properties alone.
 */
void fields_schema(struct json_writer *w, const struct fields *fields);
void fields_schema_properties(struct json_writer *w, const struct fields *fields);

/* Returns a string of a row that was read; the row has it no more. */
char *field_take(const char **string);
/* Appends a key and the name of a file; <key>_b64 with its bytes follows if they are not UTF-8. NULL: null. */
void report_json_name(struct json_writer *w, const char *key, const char *name);
