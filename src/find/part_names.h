/*
 * What the names of files and folders say of the part that they are of a data set: its images, or its labels.
 *
 * Names are split into words, at every sign that is no letter and where capitals begin, and the words are looked up;
 * a word for labels outweighs one for images (gt_image_2, mask_images). Names alone prove nothing: who asks must have
 * seen both parts of a set before it takes one of them for images. Pure, any thread.
 */
#ifndef FIND_PART_NAMES_H
#define FIND_PART_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum part {
	PART_UNKNOWN,
	PART_IMAGES,
	PART_LABELS,
};

/* Of the folders of a path, the last one that says so: images/train/1.png, masks/val/1.png. */
enum part part_of_folders(const char *path);
/* Of an array's file or member: x_train.npy, y_train.npy; image.npy, label.npy. */
enum part part_of_array(const char *name);
/*
 * Of a sample of a WebDataset, whose extension begins at the first dot: 1.seg.png or 1.cls are labels; 1.png is an
 * image where its like has such partners.
 */
enum part part_of_sample(const char *name);
/*
 * Length of what a mask's name has behind its image's: _mask of car_mask.png (car.png), 0: nothing. *stem: of the name
 * before it.
 */
size_t part_label_suffix(const char *name, size_t *stem);
/*
 * The same of the folder that a file lies in: annot of trainannot/1.png (train/1.png), _labels of train_labels/1.png.
 * *suffix points into path. 0: nothing, or no folder.
 */
size_t part_folder_suffix(const char *path, const char **suffix);

#endif
