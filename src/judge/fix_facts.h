/*
 * struct fix_facts: sums over the files of a set, of which a corrected copy is planned (fix_decision.h): the ids of the
 * files that can be rewritten, and what speaks against one map for all of them. Part of struct dataset_stats; exact and
 * commutative, as all of these.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/file_count.h"
#include "judge/finding.h"
#include "judge/id_map.h"
#include "judge/rewriting.h"

struct fix_total {
	uint64_t labels, files;
};

struct fix_facts {
	struct id_map ids;               /* but for those below; each stays */
	struct fix_total samples[2][16]; /* of grey masks of 2 and 4 bits, of which loaders multiply them */
	uint64_t files, masks, grids;    /* with ids: all, images, those with labels as pixels */
	uint64_t grey_masks;             /* of masks: grey of one channel, or of equal ones */
	/* files that can be recoded, by enum recoding; [1]: those with ids out of range */
	uint64_t recodable[RECODINGS][2];
	struct file_count keeps_ids;     /* files with ids, in a form that no corrected copy rewrites */
	struct file_count damaged;       /* masks that interpolation gave ids out of range */
	struct file_count contradicting; /* files for which map_cityscapes_contradicts() holds */
	struct file_count of_8_bits;     /* masks of 8 bits or fewer */
	/* files that have a label which is not ignored; one that is not 0 either; one out of range */
	uint64_t labelled, beyond_zero, invalid;
	char *words;   /* what a command has after "labelaudit fix" to correct these files; NULL: unknown; owned */
	bool counted;  /* false: of a list of ids alone, of which nothing of this is known */
	bool few_used; /* a grey mask of few bits, which the view does not multiply, has an id other than 0 */
	bool scaled_invalid, samples_invalid; /* samples[]: some are out of range, multiplied and as they are */
};

void fix_facts_release(struct fix_facts *f);
/* Adds `from`, and empties it. */
void fix_facts_merge(struct fix_facts *into, struct fix_facts *from);
