/* The handles that labelaudit.h declares, shared by the files of this room. */
#pragma once

#include <labelaudit.h>

#include "base/class_set.h"
#include "library/in_ranges.h"
#include "library/memory.h"

struct labelaudit_classes {
	struct class_set set;
	struct id_ranges valid;                   /* classes and ignored ids together */
	struct typed_ranges typed[ELEMENT_KINDS]; /* the same, as elements hold them */
	struct memory memory;
};

/* Fills the text of an error that may be NULL. Returns status. */
int library_fail(struct labelaudit_error *error, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a lack of memory. */
int library_no_memory(struct labelaudit_error *error);
/* Finds out what the processor can do. Returns false with the error set. */
bool library_begin(struct labelaudit_error *error);
