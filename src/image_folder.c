#include "image_folder.h"

#include <string.h>

#include "base/escape.h"

static bool is_named_alike(const struct class_folders *f, size_t id, const char *name)
{
	for (size_t i = 0; i < f->count; i++)
		if (id < f->roots[i].count && strcmp(f->roots[i].names[id], name) != 0)
			return false;
	return true;
}

void image_folder_name_classes(const struct class_folders *f, struct settings *settings)
{
	struct class_set *classes = &settings->classes;

	if (classes->names_count || settings->reduce_zero_label || classes->classes.count != 1 ||
	    classes->classes.v[0].first)
		return;
	for (size_t i = 0; i < f->count; i++)
		for (size_t id = 0; id < f->roots[i].count; id++) {
			const char *name = f->roots[i].names[id];

			if (!class_set_get_name(classes, (int64_t)id) && utf8_valid(name, strlen(name)) &&
			    is_named_alike(f, id, name))
				class_set_name(classes, id, name);
		}
}

void image_folder_add(const struct class_folders *f, struct folder_totals *totals)
{
	for (unsigned i = 0; i < f->count; i++) {
		folder_totals_name_root(totals, i, f->roots[i].path);
		for (size_t k = 0; k < f->roots[i].count; k++)
			folder_totals_add(totals, f->roots[i].names[k], UINT32_C(1) << i, 0);
	}
}
