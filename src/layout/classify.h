/*
 * Decides which files of a data set are label files, and in what format, by the decision about their row
 * (layout/decide.h): without a stat, and without a look into a folder. For documents the first bytes say which part of
 * the row a file belongs to.
 *
 * - A file that the user names must be a label file.
 * - All files of a row of labels are audited, whatever they hold: what is wrong with them is a finding.
 * - What is left out has a reason, and is reported if it looks like labels (rules/unaudited_labels.c).
 * - Members of archives are classified like the files of a folder.
 */
#pragma once

#include <stdbool.h>

#include "find/source.h"
#include "layout/dataset_layout.h"
#include "layout/probe.h"
#include "read/format.h"
#include "read/unread_kind.h"
#include "read/yolo_layout.h"

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
 * Decides once for each entry that is a file or a member, before it is read. If a file's first bytes are needed, it
 * stays open in *probe, which the caller initialises and closes.
 */
struct classification classify_entry(const struct entry *entry, const struct dataset_layout *layout,
				     struct entry_probe *probe, struct fault *fault);
/* Returns the class of one entry, outside of a walk. */
enum entry_class classify_alone(const struct entry *entry, const struct dataset_layout *layout);
/*
 * Returns why a member of an archive is left out, by its first bytes; the member keeps what classify_entry() would
 * decide. `layouts` is a struct dataset_layouts: this is struct member_options' classify().
 */
enum skip_reason classify_member(const void *layouts, struct entry *member);
/* Returns whether an entry that the walk left out has the name of a label file of this data set. */
bool classify_left_out(const struct entry *entry, const struct dataset_layout *layout);
/*
 * Returns the format of an entry of class ENTRY_LABELS by the n first bytes of what it holds, unpacked. Returns NULL if
 * it is no label file; then *fault says what it is.
 */
const struct label_format *classify_format(const struct entry *entry, const struct dataset_layout *layout,
					   const uint8_t *head, size_t n, struct fault *fault);
/* Fills the class of a file of an ImageFolder. Returns false if none is audited, or the file lies in no class folder.
 */
bool classify_by_folder(const struct entry *entry, const struct dataset_layout *layout, struct sample *sample);
/*
 * Finds the image of a label file by the row of images that the file's row is paired with, and which is no archive's:
 * *image becomes its path. PARTNER_UNKNOWN: there is no such row.
 */
enum yolo_partner classify_find_image(const struct entry *entry, const struct dataset_layout *layout,
				      struct strbuf *image);
/* Returns whether a skipped file is a photo of a YOLO data set that has no label file. */
bool classify_lacks_label(const struct entry *entry, const struct dataset_layout *layout);
