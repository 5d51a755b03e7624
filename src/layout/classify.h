/*
 * Decides which files of a data set are label files, and in what format. Content decides; a name is only a claim.
 *
 * - A file that the user names must be a label file.
 * - Below a PATH that is a folder or an archive, one family of kinds is audited: the one that the PATH is made of
 *   (evidence.h): masks (PNG) and arrays (.npy), YOLO texts, COCO JSON, IDX arrays, lists. The detection (detect.h)
 *   finds out which; --kind overrides it. Files that are left out and look like labels are reported (left_out.h).
 * - A file named *.png must be a mask, *.npy an array. Any other file in a folder is probed, and skipped if it is not
 * of the family. A text in labels/ of a YOLO set is one of its label files, however broken.
 * - Photos (JPEG, GIF ...) beside masks are the images that the masks belong to. If a tree has photos and no label file
 *   at all, its photos are audited as masks, since somebody saved the masks that way: those called masks (masks/,
 *   1_mask.jpg) if there are any, else all but those in images/; unless it is an ImageFolder, annotations of a kind
 *   that is not read lie beside them, or some are photos beyond doubt (jpeg_sample.h). Beside PNG masks, a JPEG is a
 *   mask if its place, its name or its content say so (is_mask_as_jpeg() has the details).
 * - In an ImageFolder (layout/class_folders.h) the names of folders are the labels. A tree is one if its photos lie
 *   below class folders, these are as many as the classes, or one more or less, and none is named like images or labels
 *   of other data sets. A PNG there is a photo if png_look.h says so.
 * - A PNG may be an image and not a mask, an array the features. If the detection saw both in a data set, by their
 * names (layout/role_names.h), the images are skipped: images/ beside masks/, train/ beside trainannot/, 1.png beside
 *   1_mask.png, 1.png beside 1.seg.png or 1.cls in an archive, x_train.npy beside y_train.npy. Skipped, too, is what
 *   accompanies masks and is none: instances/, colormaps/ and depth/ beside masks/, 1_color.png beside 1_mask.png; and
 *   everything else beside the masks that a --preset means. With --kind, all of them are labels.
 * - Members of archives are classified like the files of a folder; class folders in archives are roots of their own.
 */
#pragma once

#include <stdbool.h>

#include "find/source.h"
#include "layout/dataset_layout.h"
#include "layout/folder_role.h"
#include "layout/probe.h"
#include "read/format.h"
#include "read/unread_kind.h"

enum entry_class {
	ENTRY_LABELS, /* to be read; what is wrong with it is a finding */
	ENTRY_SKIP,
	ENTRY_FAILED, /* could not be opened: *fault is set */
};

struct classification {
	enum entry_class class;
	/* For ENTRY_LABELS; NULL if the first bytes were not needed, are packed, or have none: see classify_format().
	 */
	const struct label_format *format;
	enum skip_reason reason; /* for ENTRY_SKIP */
	bool looks_like_labels;  /* for ENTRY_SKIP: it will be reported */
	enum unread_kind unread; /* the same: its format if that is known */
};

/*
 * Decides once for each entry that is a file or a member, before it is read. folder: entered for the entry. If a file's
 * first bytes are needed, it stays open in *probe, which the caller initialises and closes.
 */
struct classification classify_entry(const struct entry *entry, struct folder_role *folder,
				     const struct dataset_layout *layout, struct entry_probe *probe,
				     struct fault *fault);

/* Returns the class of one entry, outside of a walk. */
enum entry_class classify_alone(const struct entry *entry, const struct dataset_layout *layout);

/*
 * Returns why a member of an archive is left out, by its first bytes; the member keeps what classify_entry() would
 * decide. `layouts` is a struct dataset_layouts: this is struct find_options' classify_member.
 */
enum skip_reason classify_member(const void *layouts, struct entry *member);

/* Returns whether an entry that the walk left out has the name of a label file of this data set. */
bool classify_left_out(const struct entry *entry, struct folder_role *folder, const struct dataset_layout *layout);

/*
 * Returns the format of an entry of class ENTRY_LABELS by the n first bytes of what it holds, unpacked. Returns NULL if
 * it is no label file; then *fault says what it is.
 */
const struct label_format *classify_format(const struct entry *entry, const struct dataset_layout *layout,
					   const uint8_t *head, size_t n, struct fault *fault);

/* Fills the class of a file of an ImageFolder. Returns false if none is audited, or the file lies in no class folder.
 */
bool classify_by_folder(const struct entry *entry, const struct dataset_layout *layout, struct sample *sample);

/* Returns whether a skipped file is a photo of a YOLO data set that has no label file. */
bool classify_lacks_label(const struct entry *entry, const struct dataset_layout *layout);
