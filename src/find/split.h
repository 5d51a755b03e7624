/*
 * Which split of the data a file belongs to, by where it was found: training, validation, test, or one of several
 * folders that were typed.
 *
 * Several folders typed as PATHs are splits themselves, whatever they are called. Otherwise the folders above a file
 * tell, the deepest one that has the name of a split: train, training, val, valid, validation, test, testing, as a word
 * of its own (stage1_train, val-labels), before a year (train2017) or a label word (trainannot), and nnU-Net's labelsTr
 * and labelsTs. A folder that names two (train_val) is none; nor is trainval.
 */
#ifndef FIND_SPLIT_H
#define FIND_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Numbers below this one: a set of them fits into a byte. More folders than SPLITS_MAX - 1 are not splits but parts (a
 * folder a city, a patient); their names decide, as within one folder.
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

/* By the names of the folders in path[from..]; what follows the last '/' is the file's own name. */
unsigned split_by_name(const char *path, size_t from);

#endif
