/*
 * Files of a folder, or members, that their names say to be texts with labels, whatever they hold. For detect.h and
 * classify.h: those that cannot be one must not vanish among the files that are left out.
 */
#ifndef LAYOUT_TEXT_PROBE_H
#define LAYOUT_TEXT_PROBE_H

#include <stdbool.h>

#include "read/format.h"

/*
 * Whether a file that no reader of these kinds takes claims to hold such labels: a git-lfs pointer, an HTML page, a
 * file of NUL bytes where there should be texts, or an empty one (an empty YOLO text is fine).
 */
bool text_claims(const struct file_head *p, unsigned kinds);

/* The kind that a git-lfs pointer of that name stands for, as a bit; 0: it may stand for anything. */
unsigned text_kind_of_pointer(const struct file_head *p);

/* A table in which something is seen that looks like labels; others may lie beside it as notes and lists of images. */
bool text_shows_labels(const struct file_head *p);

#endif
