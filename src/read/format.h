/*
 * struct label_format: recognises a format of label files by first bytes and name. measure/label_measurer.c measures
 * them.
 *
 * One table holds all formats in one order, so that no two accept the same file. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "read/identify.h"
#include "read/sample.h"

struct text_look;

/* The facts about a file before it is read: its first bytes and its path. Points into the caller's memory. */
struct file_head {
	const char *path; /* as reported; of a member, in its archive */
	const char *name; /* last part of the path, or of the member's name */
	enum content content;
	const uint8_t *head;          /* PEEK_BYTES, or a shorter file whole */
	size_t n;                     /* bytes of head */
	bool is_explicit;             /* the user named the file, so it should hold labels */
	bool is_stream;               /* --dtype says what ids it has, if it is a stream of these */
	bool kind_forced;             /* --kind gives its kind */
	bool has_photo_name;          /* its extension is that of an image format */
	bool is_mask_place;           /* its place or its name calls an image a mask: masks/1.gif, 1_mask.gif */
	const struct text_look *text; /* text_look() of head, where it was asked; else NULL */
};

struct label_format {
	enum sample_format format;
	enum kind kind;
	bool (*recognises)(const struct file_head *f);
};

/* Sets of kinds. */
#define KIND_BIT(kind) (1u << (kind))

/* Returns the format among `kinds` (KIND_BITs) that recognises the file, or NULL. */
const struct label_format *format_recognise(const struct file_head *file, unsigned kinds);
/* Returns a format, whatever a file holds. */
const struct label_format *format_get(enum sample_format format);
/* Returns the kind of a format. */
enum kind format_kind(enum sample_format format);
