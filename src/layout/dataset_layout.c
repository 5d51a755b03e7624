#include "layout/dataset_layout.h"

#include <stdlib.h>

void dataset_layout_release(struct dataset_layout *layout)
{
	if (layout->folders)
		class_folders_release(layout->folders);
	free(layout->folders);
	layout->folders = NULL;
	if (layout->packed)
		member_folders_release(layout->packed);
	free(layout->packed);
	layout->packed = NULL;
}
