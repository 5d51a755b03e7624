/*
 * struct settings: what an audit is to do, as far as the rooms below cli/ need it. cli/options.c makes it; read-only
 * afterwards, from any thread. Outputs, colours and progress are in struct options.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/class_set.h"
#include "base/colour_table.h"
#include "base/group_pattern.h"
#include "base/guard.h"
#include "base/level.h"
#include "base/narrowing.h"
#include "base/setting_values.h"

/*
 * --coco-ids: whether the training numbers COCO's categories in rising order or takes their ids as they are. It is not
 * said: COCO_IDS_AUTO. In the order of the option's choices.
 */
enum coco_ids { COCO_IDS_AUTO, COCO_IDS_MAPPED, COCO_IDS_AS_IS };

/* Which loader's ids are audited. */
enum scope {
	SCOPE_SET,   /* the audited files are a data set */
	SCOPE_FILES, /* they are some files of one, such as those of a commit: nothing is reported about the set */
};

enum view {
	VIEW_PIL, /* np.array(PIL.Image.open(f)): palette index; grey of depth 2, 4 times 85, 17; 1 bit 0/1; 16 kept */
	VIEW_RAW, /* the samples in the file */
	VIEW_CV2, /* cv2.imread(f, 0): luma of palettes and colours, 1 bit 0/255, 16 bit >> 8 */
};

enum kind {
	KIND_AUTO,
	KIND_MASK,
	KIND_ARRAY,
	KIND_LIST,
	KIND_YOLO,
	KIND_COCO,
	KIND_IDX,
	KIND_IMAGEFOLDER,
};

/*
 * The least number of pixels that a row counts against max_pixels. However short, a row takes as long as 20 to 50
 * pixels of noise (src/measure/engine/PERFORMANCE.md), and 1 MB of deflate could declare 2^29 rows of one pixel.
 */
enum { LIMIT_ROW_PIXELS = 64 };

/* Each limit has an option, which its finding names. 0: no limit. */
struct limits {
	uint64_t max_pixels;        /* an image, as limit_pixels counts them; --max-pixels, 2^30 */
	uint64_t max_inflated;      /* decoded bytes a file; --max-inflated, 2^31 */
	uint64_t max_archive_ratio; /* unpacked to packed bytes of an archive; --max-archive-ratio, 200 */
	uint64_t pixel_budget;      /* of the audit (base/work_units.h); --pixel-budget, PIXEL_BUDGET_USUAL */
};

/* Returns the pixels of an image as they count against max_pixels. */
static inline uint64_t limit_pixels(uint32_t width, uint32_t height)
{
	return (uint64_t)(GUARD(rows_of_one_pixel, width < LIMIT_ROW_PIXELS) ? LIMIT_ROW_PIXELS : width) * height;
}

/* More than any data set needs; I/N has at most 13 digits. */
enum { SHARDS_MAX = 1000000 };

/* --per-path: rules that are not applied to some files. */
struct per_path {
	char *glob;       /* owned */
	const char *root; /* the folder that it is relative to, absolute; NULL: the current one */
	bool *off;        /* indexed as rule_table; owned */
};

/* The usual thresholds of rules, in parts per million. */
enum {
	MIN_SHARE_USUAL = 10, /* gives a weight (median over frequency) of some thousands */
	MAX_IGNORED_USUAL = 950000,
};

/* Which rules apply; arrays are owned. */
struct rule_settings {
	enum level *levels; /* of each rule after --select, --skip, --severity, indexed as rule_table (judge/rule.h) */
	bool *unread_only;  /* indexed likewise: not selected, but it reports what was not read; NULL: none */
	struct per_path *per_paths;
	size_t per_paths_count;
};

/* Thresholds of rules; shares are in parts per million, 0: the usual ones. */
struct thresholds {
	uint64_t max_ignored; /* --max-ignored, of mostly-ignored */
	uint64_t min_share;   /* --min-share, of rare-class */
	uint64_t min_files;   /* --min-files, of too-few-files */
};

/* How lists are read; texts are not owned. */
struct list_settings {
	uint8_t box_form;    /* --kind: the form of rows of boxes, its index in box_forms (read/box_form.h) plus 1 */
	const char *column;  /* --column: name or number of the labels'; NULL: inferred */
	const char *root;    /* --root: where their paths begin; NULL: they are not looked for */
	uint8_t dtype;       /* --dtype: of streams of ids, enum array_dtype (read/sample.h); 0: not given */
	uint64_t max_length; /* --max-length: of a list in a row; 0: any */
};

/* The tasks of Ultralytics, in the order of --task. */
enum yolo_task { TASK_AUTO, TASK_DETECT, TASK_SEGMENT, TASK_POSE, TASK_OBB, TASK_CLASSIFY };

/* The declared form of the rows of YOLO texts. */
struct yolo_form {
	enum yolo_task task;         /* --task; TASK_AUTO: what the rows are */
	uint32_t keypoints, numbers; /* data.yaml's kpt_shape: keypoints, and 2 or 3 numbers for each; 0, 0: unknown */
};

/* The images that the labels are of. */
struct image_settings {
	const char *folder; /* --images that is one folder: label files are paired with them; or NULL; borrowed */
	bool compared;      /* --check-images: those of splits */
	bool judged;        /* some rule is about them: their headers are read */
};

struct settings {
	struct class_set classes;
	struct colour_table colours; /* --colors, a class file's or a preset's; empty: masks hold ids; owned */
	enum view view;
	enum kind kind;
	enum scope scope; /* --scope */
	enum coco_ids coco_ids;
	bool reduce_zero_label;
	bool nearest_colours; /* of fix --nearest: all colours become one of the table */
	bool strict;          /* --strict: what looks like labels and was left out is an error */
	struct image_settings images;
	struct list_settings list;
	struct yolo_form yolo;
	struct group_pattern *group; /* --group; NULL: none; owned */
	enum level fail_on;
	struct limits limits;
	struct thresholds thresholds;
	struct rule_settings rules;
	const char *files;             /* --preset: what its masks are recognised by (probe.h); NULL: any; not owned */
	uint64_t max_findings;         /* findings listed in a report; counts stay exact */
	uint32_t shard, shards;        /* --shard I/N: part I, from 1; 0, 0: all */
	char digest[17];               /* the digest of the report that was read back; "": compute it from the rest */
	struct narrowings narrowed;    /* what the options leave out of the audit; owned */
	struct setting_values options; /* the options that decide what it says, as the report lists them; owned */
};

static inline const char *level_name(enum level level)
{
	static const char *const names[] = { "off", "info", "warning", "error" };

	return names[level];
}

/* Finds the level with the name s[0..n). Returns false if there is none. */
static inline bool level_by_name(const char *s, size_t n, enum level *out)
{
	for (enum level level = LEVEL_OFF; level <= LEVEL_ERROR; level++)
		if (strlen(level_name(level)) == n && !memcmp(s, level_name(level), n)) {
			*out = level;
			return true;
		}
	return false;
}

static inline const char *view_name(enum view view)
{
	static const char *const names[] = { "pil", "raw", "cv2" };

	return names[view];
}
