/* Reads the images of archives before the labels are audited (read/member_images.h). */
#pragma once

#include "find/find_options.h"
#include "layout/dataset_layout.h"
#include "read/member_images.h"

/*
 * Fills *out, which is empty, with the members of all archives that `find` finds, whatever it leaves out. Nothing is
 * read where no archive holds images beside labels. Fails as source_each() does.
 */
enum status index_members(const struct find_options *find, const struct dataset_layouts *layouts,
			  struct member_images *out, struct error *err);
