/*
 * Whether names of files and folders say that they are the images of a data set, or its labels, or what goes with the
 * labels and is none: colours to look at, instance numbers, depth.
 *
 * A name is split into words, at everything that is no letter and before capitals, and the words are looked up; a word
 * for labels outweighs one for images (gt_image_2, mask_images). Names alone prove nothing: callers must have seen both
 * images and labels by their names before they take one for images. Pure, any thread.
 */
#ifndef LAYOUT_ROLE_NAMES_H
#define LAYOUT_ROLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum part {
	PART_UNKNOWN,
	PART_IMAGES,
	PART_LABELS,
	PART_ASIDE, /* of folders alone */
};

/*
 * What the folders of a path say; of several that say something, the last: images/train/1.png, masks/val/1.png. Aside
 * are instances/, colormaps/, depth/, semantic_rgb/, SegmentationObject/.
 */
enum part part_of_folders(const char *path);
/* What the name of an array says, a file or a member: x_train.npy, y_train.npy; image.npy, label.npy. */
enum part part_of_array(const char *name);
/*
 * What the extension says of a member of a WebDataset, which begins at the first dot: 1.seg.png and 1.cls are labels;
 * 1.png says nothing by itself, but is an image where others of its name are such labels.
 */
enum part part_of_sample(const char *name);
/*
 * The length of the suffix that tells a mask's name from its image's: of _mask in car_mask.png (its image is car.png);
 * 0: it has none. *stem: the length of what comes before the suffix.
 */
size_t part_label_suffix(const char *name, size_t *stem);
/* The same for a picture of the scene or of the mask: _rgb in car_rgb.png, _color. Instance numbers are audited there.
 */
size_t part_other_suffix(const char *name, size_t *stem);
/* Of a name that begins with its part: mask_1.png, gt1.png; image_1.png, which holds no word for labels. */
enum part part_of_prefix(const char *name);
/*
 * As part_label_suffix, for the folder that a file lies in: annot in trainannot/1.png (whose image is train/1.png),
 * _labels in train_labels/1.png. *suffix points into path. 0: it has none, or lies in no folder.
 */
size_t part_folder_suffix(const char *path, const char **suffix);

#endif
