/*
 * struct class_set: which ids are classes, which are ignored, and their names. Built once from --classes, --ignore and
 * presets; read-only afterwards, from any thread. Ids are signed, since NumPy files and lists may hold negative ones.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/colour_table.h"
#include "base/error.h"
#include "base/strbuf.h"

/* The role of an id for the loss. An id that is declared and ignored is ignored. */
enum id_role {
	ID_INVALID = 0, /* neither: a loss would read past the end of its weights */
	ID_CLASS,
	ID_IGNORED,
};

struct id_range {
	int64_t first, last; /* inclusive, first <= last */
};

/* Sorted, disjoint and not touching. */
struct id_ranges {
	struct id_range *v; /* owned */
	size_t count, cap;
};

enum { CLASS_SET_DENSE = 65536 };

struct class_set {
	struct id_ranges classes;
	struct id_ranges ignored;
	bool zero_reduced; /* --reduce-zero-label (judge/role.h): an id in a file is trained as the next smaller one */
	char **names;      /* names[id] for 0 <= id < names_count, NULL where unknown; owned */
	size_t names_count;
	bool names_shared;              /* several ids of the files are of one class, and have its name */
	uint8_t dense[CLASS_SET_DENSE]; /* enum id_role of the ids 0..65535 of a file, valid after class_set_finish */
};

void class_set_init(struct class_set *s);
void class_set_release(struct class_set *s);

/*
 * Adds the classes of SPEC: a number is a count (`21`: 0..20; `0`: none); text with a comma or a dash is a list of ids
 * and ranges (`0-18,33`). At most 2^31 classes.
 */
enum status class_set_parse_classes(struct class_set *s, const char *spec, struct error *err);
/* Adds the ignored ids of IDS: `255`, `-1`, `250-255,-100`, and colours: `#e0e0c0`, `#e0e0c0-#e0e0c3`. */
enum status class_set_parse_ignore(struct class_set *s, const char *ids, struct error *err);
/* Copies the name. */
void class_set_name(struct class_set *s, size_t id, const char *name);
/* Call once after the last change (zero_reduced too), before the first lookup. */
void class_set_finish(struct class_set *s);

bool id_ranges_contain(const struct id_ranges *r, int64_t id);
void id_ranges_add(struct id_ranges *r, int64_t first, int64_t last);
void id_ranges_remove(struct id_ranges *r, int64_t id);
uint64_t id_ranges_size(const struct id_ranges *r);
/* Appends "0-20", "0-18,33,#e0e0c0", or nothing. */
void id_ranges_format(const struct id_ranges *r, struct strbuf *out);
/* Scans one range of what id_ranges_format() writes at *p, of ids or of colours; moves *p after it. It may be reversed.
 */
bool id_range_scan(const char **p, struct id_range *out);

/* Returns the role of an id in a file. Inline, for loops over pixels. */
static inline enum id_role class_set_role(const struct class_set *s, int64_t id)
{
	if (id >= 0 && id < CLASS_SET_DENSE)
		return (enum id_role)s->dense[id];

	int64_t trained = s->zero_reduced && id > 0 && !id_is_colour(id) ? id - 1 : id;

	if (id_ranges_contain(&s->ignored, trained))
		return ID_IGNORED;
	return id_ranges_contain(&s->classes, trained) ? ID_CLASS : ID_INVALID;
}

/* Returns the first id from 0 on that is no class, or ignored: all below it are classes. */
int64_t class_set_plain(const struct class_set *s);

/* Returns the first id that has the name, or names_count. */
size_t class_set_find_name(const struct class_set *s, const char *name);
/* Returns NULL if the class has no name. */
static inline const char *class_set_get_name(const struct class_set *s, int64_t id)
{
	return id >= 0 && (uint64_t)id < s->names_count ? s->names[id] : NULL;
}
