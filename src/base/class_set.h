/*
 * struct class_set: which ids are classes, which are ignored, and what they are called.
 *
 * Built once from --classes, --ignore and presets; read-only afterwards, from any thread.
 * Ids are signed 64-bit: NumPy files and lists may hold negative ones.
 */
#ifndef BASE_CLASS_SET_H
#define BASE_CLASS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

/* What an id means to the loss. Ignored wins over class. */
enum id_role {
	ID_INVALID = 0, /* neither: a kernel would read past its end */
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
	bool zero_reduced; /* --reduce-zero-label, see judge/role.h: an id of a file is trained as the one below it */
	char **names;      /* names[id] for 0 <= id < names_count, NULL where unknown; owned */
	size_t names_count;
	uint8_t dense[CLASS_SET_DENSE]; /* enum id_role of the ids 0..65535 of a file, valid after class_set_finish */
};

void class_set_init(struct class_set *s);
void class_set_release(struct class_set *s);

/*
 * SPEC `21` (0..20), `0-18,33` or `1`: a lone number is a count; anything with a comma or a dash is a list of
 * ids and ranges. `0` declares no class at all. At most 2^31 classes.
 */
enum status class_set_parse_classes(struct class_set *s, const char *spec, struct error *err);
/* IDS `255`, `-1`, `250-255,-100`; may be called again, adds. */
enum status class_set_parse_ignore(struct class_set *s, const char *ids, struct error *err);
/* Takes a copy. */
void class_set_name(struct class_set *s, size_t id, const char *name);
/* Call once after the last change (zero_reduced too), before the first lookup. */
void class_set_finish(struct class_set *s);

bool id_ranges_contain(const struct id_ranges *r, int64_t id);
void id_ranges_add(struct id_ranges *r, int64_t first, int64_t last);
uint64_t id_ranges_size(const struct id_ranges *r);
/* "0-20" or "0-18,33"; "" when empty. */
void id_ranges_format(const struct id_ranges *r, struct strbuf *out);

/* What an id of a file means. Inline, for the loops over pixels. */
static inline enum id_role class_set_role(const struct class_set *s, int64_t id)
{
	if (id >= 0 && id < CLASS_SET_DENSE)
		return (enum id_role)s->dense[id];

	int64_t trained = s->zero_reduced && id > 0 ? id - 1 : id;

	if (id_ranges_contain(&s->ignored, trained))
		return ID_IGNORED;
	return id_ranges_contain(&s->classes, trained) ? ID_CLASS : ID_INVALID;
}

/* NULL where the class has no name. */
static inline const char *class_set_get_name(const struct class_set *s, int64_t id)
{
	return id >= 0 && (uint64_t)id < s->names_count ? s->names[id] : NULL;
}

#endif
