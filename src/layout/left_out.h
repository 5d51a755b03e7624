/*
 * Explains why an entry is not audited, and decides whether it looks like labels all the same. Such entries are
 * reported (rules/unaudited_labels.c), so a wrong `true` costs a warning.
 */
#pragma once

#include <stdbool.h>

#include "find/skip_reason.h"
#include "layout/dataset_layout.h"
#include "layout/folder_role.h"
#include "layout/probe.h"
#include "read/format.h"
#include "read/unread_kind.h"

struct left_out {
	enum skip_reason reason;
	bool looks_like_labels;
	enum unread_kind unread; /* its format, if it looks like labels and the format is known */
};

/* Explains by its first bytes why a file is none of layout->kinds. */
struct left_out left_out_by_head(const struct entry *entry, const struct folder_role *folder,
				 const struct dataset_layout *layout, const struct file_head *head);
/*
 * Decides about a PNG that is left out for `reason` whether it looks like a mask; then it is one of another kind. Where
 * its name is the reason, it must hold an id out of range, too: instance numbers and the like lie beside masks. So must
 * an image that COCO or a list names. If there are many PNGs, only a sample is looked at.
 */
struct left_out left_out_png(const struct entry *entry, const struct folder_role *folder,
			     const struct dataset_layout *layout, enum skip_reason reason, struct entry_probe *probe);
/* Returns whether a text is XML, by its beginning or its name: HRSC2016's have no declaration. */
bool left_out_is_xml(const struct file_head *f);
/* Returns whether a name, which the walk left out, is that of a label file of the data set's kinds. */
bool left_out_has_label_name(const struct entry *entry, const struct folder_role *folder,
			     const struct dataset_layout *layout);
/* Returns whether a file belongs to an operating system, an editor or a tool, by its name: Thumbs.db, ._1.png, ~$1.csv
 */
bool is_clutter_name(const char *name);
