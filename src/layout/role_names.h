/*
 * Decides from the names of files and folders which role they have in a data set: its images, its labels, or neither
 * (colour renderings of labels, instance numbers, depth).
 *
 * A name is split into words at every byte that is not a letter and before capitals. A word for labels outweighs one
 * for images (gt_image_2, mask_images). A name alone proves nothing: callers treat a file as an image only if the names
 * of both images and labels were seen in the data set. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum role {
	ROLE_UNKNOWN,
	ROLE_IMAGES,
	ROLE_LABELS,
	ROLE_ASIDE, /* folders only: instances/, colormaps/, depth/, semantic_rgb/, SegmentationObject/ */
};

/* Returns the role of the folders of a path. The last folder with a role wins: images/train/1.png, masks/val/1.png. */
enum role role_of_folders(const char *path);
/* Returns the role of the folder that a file is in, by its own name. */
enum role role_of_folder(const char *path);
/* Returns the role of an array, a file or a member: x_train.npy, y_train.npy; image.npy, label.npy. */
enum role role_of_array(const char *name);
/*
 * Returns the role of a WebDataset member by its extension, which begins at the first dot: 1.seg.png and 1.cls are
 * labels. 1.png alone has no role, but is an image if such labels have its name.
 */
enum role role_of_sample(const char *name);
/* Returns the role of a name by its first word: mask_1.png, gt1.png; image_1.png unless it has a word for labels, too.
 */
enum role role_of_prefix(const char *name);
/* Returns the role of a name that is one word: label.png. */
enum role role_of_whole_name(const char *name);

/*
 * Returns the length of the suffix that a mask's name adds to its image's name, 0 if there is none: 5 for car_mask.png,
 * the mask of car.png. *stem is the length of what comes before the suffix.
 */
size_t role_label_suffix(const char *name, size_t *stem);
/*
 * The same for the suffix of an image of the scene, of its depth or of a colour rendering: car_rgb.png, car_depth.png,
 * car_color.png. Instance numbers have none: they are audited.
 */
size_t role_other_suffix(const char *name, size_t *stem);
/* Returns the length of a name before a part that calls it an image: 1_leftImg8bit.png, 1_rgb.png. 0: there is none. */
size_t role_image_stem(const char *name);
/* Returns whether a path has a folder in which projects keep plots, screenshots or programs: docs/, runs/, tools/. */
bool role_is_clutter(const char *path);
/* Returns whether a folder of a path has a word for colours or renderings in its name: ColorMasks-TrainSet/. */
bool role_is_coloured(const char *path);
/* Returns whether a folder of a path is called as those of instance numbers are. */
bool role_is_number(const char *path);
/* Returns whether a folder of a path is called as those of depth maps are. */
bool role_is_distance(const char *path);
/*
 * Returns whether a name ends in a word for a colour rendering, depth or points: car_color.png, car_depth.png,
 * car_centers.png. *stem is the length of what comes before it.
 */
bool role_is_aside(const char *name, size_t *stem);
/*
 * Returns the length of the suffix of a mask that the word before it calls a rendering: 5, of _mask, for
 * car_color_mask.png. *stem is the length of what comes before both. 0 if there is none.
 */
size_t role_coloured_suffix(const char *name, size_t *stem);
/* Returns whether any word of a file's name is one for a rendering or for colours: vis_1.jpg, 1_color_a.jpg. */
bool role_mentions_rendering(const char *name);
/*
 * The same for the folder that a file is in: annot in trainannot/1.png, the mask of train/1.png; _labels in
 * train_labels/1.png. *suffix points into path.
 */
size_t role_folder_suffix(const char *path, const char **suffix);
