/*
 * enum skip_reason: why a name below a PATH was not audited. Every name is audited, failed, or left out for one of
 * these reasons, which the report counts (struct coverage): no label file is left out in silence.
 *
 * The names are a closed list in the schema of the report. Adding one is a minor version of the schema.
 */
#pragma once

#include <stdint.h>

enum skip_reason {
	SKIP_NONE, /* not left out */
	/* the walk decides by the name */
	SKIP_HIDDEN,       /* it begins with a dot; a folder counts as one name */
	SKIP_EXCLUDED,     /* --exclude; a folder counts as one name */
	SKIP_NOT_INCLUDED, /* --include */
	/* symbolic links */
	SKIP_LINK_OUTSIDE,  /* leads out of the PATHs, and -L is not given */
	SKIP_LINK_DANGLING, /* leads nowhere */
	SKIP_LINK_LOOP,     /* leads to itself, or to a folder that holds it */
	SKIP_LINK_REPEATED, /* leads to what is audited under another name */
	SKIP_LINK_FOLDER,   /* leads to a folder below the PATHs that is left out itself, and -L is not given */
	/* members of archives */
	SKIP_MEMBER_LINK,
	SKIP_MEMBER_DEVICE,  /* a device, a FIFO */
	SKIP_NESTED_ARCHIVE, /* an archive in an archive */
	/* classification decides by names and content (layout/classify.h) */
	SKIP_OTHER_KIND,        /* labels of another kind than the data set's */
	SKIP_NOT_DECLARED,      /* labels: names others */
	SKIP_NOT_PRESET,        /* a mask that is not where the preset has its masks */
	SKIP_IMAGE,             /* an image by its content: what labels belong to */
	SKIP_NAMED_IMAGE,       /* an image by its name: images/, 1.png beside 1_mask.png */
	SKIP_NAMED_ASIDE,       /* accompanies masks by the name of its folder: colormaps/, depth/ */
	SKIP_TABLE,             /* a table that does not seem to hold labels */
	SKIP_UNREAD_FORMAT,     /* what lies where labels do, in a format that is not read */
	SKIP_UNREAD_ANNOTATION, /* XML or JSON annotations that are not read */
	SKIP_UNREAD_ARCHIVE,    /* an archive in a format that is not read, or without an archive's name */
	SKIP_UNREAD_DATA,       /* volumes and pickles, which hold images as often as labels, and are not read */
	SKIP_OWN_REPORT,        /* a report, a baseline, a plan or a receipt of this program */
	SKIP_CLUTTER,           /* of an operating system, an editor or a tool: Thumbs.db, ._1.png, labels.cache */
	SKIP_NO_LABELS,         /* anything else that no format recognises: notes, code */
	SKIP_REASONS,
};

/* "link-outside"; NULL for SKIP_NONE. Static. */
const char *skip_reason_name(enum skip_reason reason);
/* Returns what `files` files are, for a sentence: "symbolic links that lead out of the paths given". Static. */
const char *skip_reason_text(enum skip_reason reason, uint64_t files);
