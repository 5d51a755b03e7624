/*
 * What an entry seems to be before it is read: by its name, and by its first bytes. Both the census (detect.h) and the
 * choice of what is audited (classify.h) go by this.
 */
#ifndef LAYOUT_PROBE_H
#define LAYOUT_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "find/source.h"
#include "read/format.h"
#include "read/identify.h"
#include "read/peek.h"

/* By the extension alone: .png; .npy; that of any common picture format, PNG included. */
bool is_png_name(const char *name);
bool is_array_name(const char *name);
bool is_picture_name(const char *name);
/* Ultralytics' labels.cache, which is a NumPy array of Python objects by its content. */
bool is_cache_name(const char *name);
/*
 * Returns whether a file lies where a preset has its masks. files: the end of their names, with .png, or the beginning
 * of their folder's name.
 */
bool is_preset_file(const char *name, const char *files);

/* A picture that cannot be a mask: JPEG, GIF, BMP, TIFF, WebP, HEIF. */
bool content_is_picture(enum content content);

/* A member's name in its archive; a file's path below the folder that was walked. */
const char *entry_found_as(const struct entry *entry);
/* The first bytes of a file, or of a member, which has them in memory. Returns how many; -1: fault is filled. */
int entry_peek(const struct entry *entry, uint8_t head[PEEK_BYTES], struct fault *fault);
/* An entry whose first bytes are known. The result points into both. */
struct file_head entry_peeked(const struct entry *entry, const uint8_t *head, size_t n);
/* Both at once; of a gzip file, head gets the first bytes of what is packed in it. False: fault is filled. */
bool entry_look(const struct entry *entry, uint8_t head[PEEK_BYTES], struct file_head *out, struct fault *fault);

#endif
