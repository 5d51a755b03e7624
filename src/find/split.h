/*
 * Decides which split of a data set a file belongs to, by its folder: training, validation or test.
 *
 * If several folders are typed as PATHs, each is a split, whatever its name. Otherwise the deepest folder of a file
 * with the name of a split decides: train, training, val, valid, validation, test or testing, as a word of its own
 * (stage1_train, val-labels), before a year (train2017) or before a word for labels (trainannot); or nnU-Net's labelsTr
 * and labelsTs. A folder that names two (train_val) is none; nor is trainval.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct find_options;

/*
 * Splits are numbered below this, so that a set of them is a byte. If more folders are typed, they are not splits but
 * parts (a city or a patient per folder), and the names of folders decide, as within one PATH.
 */
enum { SPLITS_MAX = 8 };

enum split { SPLIT_NONE = 0, SPLIT_TRAIN, SPLIT_VAL, SPLIT_TEST }; /* unless folders were typed: 1, 2, ... of those */

struct splits {
	bool typed;                    /* the folders that were typed are the splits */
	const char *names[SPLITS_MAX]; /* as typed, or train, val, test; NULL: there is no such split */
	uint8_t *of_path;              /* of each PATH and the list: its split if `typed`, else SPLIT_NONE; owned */
};

/* find: its PATHs must outlive it. Folders that are the same or lie in each other are one split. */
void splits_init(struct splits *s, const struct find_options *find);
void splits_release(struct splits *s);

/* Returns the split that the folders in path[from..] name; the file's own name does not count. */
unsigned split_by_name(const char *path, size_t from);
/* Returns the split that the name of a file tells without its extensions, as that of train.json does. */
unsigned split_by_own_name(const char *path);
