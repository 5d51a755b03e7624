#include "layout/dataset_layout.h"

#include <stdlib.h>

#include "read/format.h"

void dataset_layout_release(struct dataset_layout *layout)
{
	if (layout->borrows)
		return;
	name_filter_release(&layout->listed);
	name_filter_release(&layout->images);
	name_filter_release(&layout->annotated);
	name_filter_release(&layout->masked);
	name_filter_release(&layout->image_masks);
	folder_looks_release(&layout->looks);
	if (layout->folders)
		class_folders_release(layout->folders);
	free(layout->folders);
	layout->folders = NULL;
	if (layout->packed)
		member_folders_release(layout->packed);
	free(layout->packed);
	layout->packed = NULL;
}

void dataset_layouts_release(struct dataset_layouts *layouts)
{
	for (size_t i = 0; i < layouts->count; i++)
		dataset_layout_release(&layouts->v[i]);
	free(layouts->v);
	*layouts = (struct dataset_layouts){ NULL, 0 };
}

bool layouts_have_masks(const struct dataset_layouts *layouts)
{
	for (size_t i = 0; i < layouts->count; i++)
		if ((layouts->v[i].kinds & KIND_BIT(KIND_MASK)) && !layouts->v[i].folders)
			return true;
	return false;
}

const struct class_folders *layouts_folders(const struct dataset_layouts *layouts, bool all)
{
	const struct class_folders *found = NULL;
	size_t paths = layouts->count > 1 ? layouts->count - 1 : 1; /* the last is that of --files-from */

	for (size_t i = 0; i < paths; i++) {
		if (layouts->v[i].folders)
			found = layouts->v[i].folders;
		else if (all)
			return NULL;
	}
	return found;
}
