/*
 * Finds out what an entry seems to be before it is read, by its name and its first bytes. The looks at samples (look.h)
 * and the classification (classify.h) both use this.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "find/source.h"
#include "read/format.h"
#include "read/identify.h"
#include "read/input.h"
#include "read/text_look.h"

/* Return what an extension claims: .png; .npy. For any common image format, see base/file_name.h. */
bool is_png_name(const char *name);
bool is_array_name(const char *name);
/* Returns whether it is an image that cannot be a mask: JPEG, GIF, BMP, Netpbm, TIFF, WebP, HEIF. */
bool content_is_photo(enum content content);

/* Returns a member's name in its archive, or a file's path below the folder that was walked. */
const char *entry_inner_path(const struct entry *entry);
/* Returns its path; of a member the archive's, '/' and its name, in *room. */
const char *entry_place(const struct entry *entry, struct strbuf *room);
/* Returns what is known of an entry from its first n bytes. The result points into both. */
struct file_head entry_head(const struct entry *entry, const uint8_t *head, size_t n);

/* An entry's first bytes. While a file is open, the audit can take it over. Owner: one thread. */
struct entry_probe {
	struct file_peek file;        /* not open for a member */
	uint8_t unpacked[PEEK_BYTES]; /* of a packed file: its first unpacked bytes */
	bool is_packed;               /* head is of these */
	struct file_head head;        /* of the file or the member */
	struct text_look text;        /* head.text points to it, once it was asked */
};

void probe_init(struct entry_probe *p);
void probe_close(struct entry_probe *p);
/* Opens the entry, if it is not open yet, and fills p->head. Returns false if that fails; then *fault is set. */
bool probe_entry(struct entry_probe *p, const struct entry *entry, struct fault *fault);
/* Returns the text_look() of an opened probe, by the form that --kind declares. Made once, and kept for the formats. */
const struct text_look *probe_text(struct entry_probe *p, const struct settings *settings);
