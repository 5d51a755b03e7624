/*
 * Which split of a data set a file belongs to, by the folder it was found in: training, validation or test.
 *
 * If several folders are typed as PATHs, each is a split, whatever it is called. Otherwise the deepest folder above a
 * file that has the name of a split tells: train, training, val, valid, validation, test or testing, as a word of its
 * own (stage1_train, val-labels), before a year (train2017) or before a word for labels (trainannot); and nnU-Net's
 * labelsTr and labelsTs. A folder that names two (train_val) is none; nor is trainval.
 */
#ifndef FIND_SPLIT_H
#define FIND_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Splits have numbers below this one, so that a set of them is a byte. If more than SPLITS_MAX - 1 folders are typed,
 * they are not splits but parts (a folder a city, or a patient), and the names of folders tell, as within one PATH.
 */
enum { SPLITS_MAX = 8 };

enum split { SPLIT_NONE = 0, SPLIT_TRAIN, SPLIT_VAL, SPLIT_TEST }; /* unless folders were typed: 1, 2, ... of those */

struct splits {
	bool typed;                    /* the folders that were typed are the splits */
	const char *names[SPLITS_MAX]; /* as typed, or train, val, test; NULL: there is no such split */
	uint8_t *of_path;              /* of each PATH: its split if `typed`, else SPLIT_NONE; owned */
};

/* paths: as typed; must outlive it. Folders that are the same or lie in each other are one split. */
void splits_init(struct splits *s, const char *const *paths, size_t count);
void splits_release(struct splits *s);

/* The split that the folders in path[from..] name; what follows the last '/' is the file's own name, which does not. */
unsigned split_by_name(const char *path, size_t from);

#endif
