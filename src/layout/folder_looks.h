/*
 * struct folder_looks: which folders of a data set hold photos, and which the masks that belong to them, by their
 * content. Names are hints: photos lie in raw/ and xrays/ as well as in images/, masks in 1st_manual/ and
 * stuffthingmaps/.
 *
 * The detection adds all images. A sample of each folder is probed: the files with the smallest hashes of their stems,
 * so that of a photo and its mask both are in the samples, or neither. A folder of photos shows some that are flat, and
 * these take as few bits as masks: the most of a folder decide for all of it. Folders with few files are judged
 * together with those of their name, or of their parent.
 *
 * Filled by the detection; read-only afterwards, any thread. Bounded by the constants below: folders beyond them are
 * unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/table.h"
#include "find/source.h"
#include "layout/probe_ahead.h"
#include "layout/role_names.h"

enum {
	FOLDER_LOOKS_MAX = 1024, /* folders; one takes some 500 bytes */
	FOLDER_SAMPLE = 12,      /* files probed of a folder */
	FOLDER_STEMS = 24,       /* stems compared; those probed are the first of them */
	FOLDER_PROBES = 1024,    /* files probed of all folders */
};

enum folder_content {
	FOLDER_UNKNOWN, /* its files decide, one by one */
	FOLDER_PHOTOS,
	FOLDER_MASKS,
	FOLDER_PLOTS, /* pictures that document a project: docs/, runs/; or the masks of another folder in colours */
};

struct sampled_file {
	uint64_t stem; /* a hash */
	size_t path;   /* where its path begins in `paths`; NOT_PROBED for JPEGs and members */
};

struct folder_look {
	uint64_t path, name, parent; /* hashes: of its path, its name, the path of its parent */
	uint64_t above;              /* of its path as `parent` of those in it */
	enum role role;
	bool inherits;                           /* the role is that of a folder above: segmentation/raw/ */
	uint8_t split;                           /* by the names of its folders: find/split.h */
	bool is_clutter;                         /* docs/, runs/ */
	bool is_coloured;                        /* ColorMasks/ */
	bool is_member;                          /* in an archive */
	uint64_t files;                          /* images */
	uint64_t pngs;                           /* of them */
	uint64_t as_masks, as_plain, as_colours; /* how the detection's evidence counted them */
	unsigned varied;                         /* of the photos: beyond doubt, also beside noisy masks */
	unsigned probed, photos, masks, colours; /* of the sample; JPEGs count as photos */
	enum folder_content content;
	struct sampled_file sample[FOLDER_STEMS]; /* sorted by stem */
	unsigned sample_count;
	bool repeats; /* names have that of a folder in them: camera/7_camera_1.png, label/7_label_1.png */
	uint64_t rests[FOLDER_STEMS]; /* then hashes of the stems without it; sorted */
	unsigned rests_count;
};

struct folder_looks {
	struct folder_look *v; /* owned */
	size_t count, cap, last;
	struct table table;  /* of v, by path */
	struct strbuf paths; /* of PNGs on disk to be probed */
	unsigned probes;
	uint64_t clutter; /* of folders that may hold plots: PNGs that are no photos */
	bool paired;      /* some folder of photos has a folder of masks */
};

void folder_looks_init(struct folder_looks *l);
void folder_looks_release(struct folder_looks *l);
/* Adds an image. role: of its folders. */
void folder_looks_add(struct folder_looks *l, const struct entry *entry, enum role role);
/* Adds how the evidence counted the last image that was added. */
void folder_looks_count(struct folder_looks *l, uint64_t masks, uint64_t plain, uint64_t colours);
/* Decides what the folders hold, after all images were added. Opens files, by `ahead`. */
void folder_looks_end(struct folder_looks *l, struct probe_ahead *ahead);
/*
 * Decides, after folder_looks_end(), which folders show the masks of others in colours: they have their names, only
 * the others hold ids, and a word says so.
 */
void folder_looks_find_renderings(struct folder_looks *l);
/* Returns whether a folder that is called as those of masks has files of the names in one for images. */
bool folder_looks_have_named_pair(const struct folder_looks *l);
/* Takes back that some folders hold plots. */
void folder_looks_forget_plots(struct folder_looks *l);
/* Returns whether an entry's folder holds masks in PNG, and fewer other images, which may be masks, too. */
bool folder_looks_is_of_pngs(const struct folder_looks *l, const struct entry *entry);
/* Returns what an entry's folder holds. */
enum folder_content folder_looks_find(const struct folder_looks *l, const struct entry *entry);
