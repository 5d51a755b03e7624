/*
 * struct format: a format of label files, recognised by first bytes and name. How it is measured is in
 * measure/label_measurer.c.
 *
 * All formats are recognised here, in one order, so that no two of them accept the same file. Pure, any thread.
 */
#ifndef READ_FORMAT_H
#define READ_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "read/identify.h"
#include "read/sample.h"

/* What is known of a file before it is read: its first bytes and its path. Points into the caller's memory. */
struct file_head {
	const char *path; /* as reported; of a member, the archive's */
	const char *name; /* last part of the path, or of the member's name */
	enum content content;
	const uint8_t *head; /* PEEK_BYTES, or the whole file if it is shorter */
	size_t n;            /* bytes of head */
	bool is_explicit;    /* the user named the file, and thereby says that it holds labels */
	bool kind_forced;    /* --kind says of what kind it is */
	bool has_photo_name; /* its extension is that of an image format */
};

struct format {
	enum sample_format format;
	enum kind kind;
	bool (*recognises)(const struct file_head *f);
};

/* Sets of kinds. */
#define KIND_BIT(kind) (1u << (kind))

/* Returns the format of a file, of one of `kinds` (a KIND_BIT each), or NULL if none recognises it. */
const struct format *format_recognise(const struct file_head *file, unsigned kinds);

#endif
