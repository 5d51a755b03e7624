/* find/part_names.h: which names are called like images, and which like labels. */
#include "find/part_names.h"

#include <stdio.h>
#include <string.h>

#include "check_main.h"

static void folders(const char *path, enum part part)
{
	ck_assert_msg(part_of_folders(path) == part, "%s: part %d, not %d", path, part_of_folders(path), part);
}

static void array(const char *name, enum part part)
{
	ck_assert_msg(part_of_array(name) == part, "%s: part %d, not %d", name, part_of_array(name), part);
}

static void sample(const char *name, enum part part)
{
	ck_assert_msg(part_of_sample(name) == part, "%s: part %d, not %d", name, part_of_sample(name), part);
}

static void suffix(const char *name, size_t stem, size_t length)
{
	size_t at = 0;

	ck_assert_msg(part_label_suffix(name, &at) == length && (!length || at == stem), "%s: %zu at %zu", name,
		      part_label_suffix(name, &at), at);
}

static void other_suffix(const char *name, size_t stem, size_t length)
{
	size_t at = 0;

	ck_assert_msg(part_other_suffix(name, &at) == length && (!length || at == stem), "%s: %zu at %zu", name,
		      part_other_suffix(name, &at), at);
}

START_TEST(of_folders)
{
	folders("images/1.png", PART_IMAGES);
	folders("train/Images/city/1.png", PART_IMAGES);
	folders("images_png/1.png", PART_IMAGES);
	folders("JPEGImages/1.png", PART_IMAGES);
	folders("leftImg8bit/val/1.png", PART_IMAGES);
	folders("imagesTr/1.png", PART_IMAGES);
	folders("masks/1.png", PART_LABELS);
	folders("gtFine/val/1.png", PART_LABELS);
	folders("SegmentationClass/1.png", PART_LABELS);
	folders("gt_image_2/1.png", PART_LABELS); /* KITTI's masks of image_2 */
	folders("image_2/1.png", PART_IMAGES);
	folders("0a1b/images/masks/1.png", PART_LABELS); /* the deepest */
	folders("masks/images/1.png", PART_IMAGES);
	folders("labels/instances/1.png", PART_ASIDE);
	folders("sem_seg/colormaps/1.png", PART_ASIDE);
	folders("semantic_rgb/1.png", PART_ASIDE);
	folders("rgb/1.png", PART_IMAGES);
	folders("color/1.png", PART_ASIDE);
	folders("label_colors/1.png", PART_ASIDE);
	folders("red_color/1.png", PART_UNKNOWN); /* may be a class */
	folders("SegmentationObject/1.png", PART_ASIDE);
	folders("SegmentationClassVisualization/1.png", PART_ASIDE);
	folders("object_masks/1.png", PART_LABELS);
	folders("depth_png/1.png", PART_ASIDE);
	folders("bit-depth/1.png", PART_UNKNOWN);
	folders("instance_segmentation/masks/1.png", PART_LABELS);
	folders("imagery/1.png", PART_UNKNOWN);
	folders("with/unmasked/1.png", PART_UNKNOWN);
	folders("images.png", PART_UNKNOWN);
	folders("", PART_UNKNOWN);
	folders("abcdefghijklmnopqrstuvwxyz_images/1.png", PART_IMAGES);
}
END_TEST

/* Each of the words, so that none is lost where the table of them is not sorted. */
START_TEST(of_words)
{
	static const char *const labels[] = { "mask",        "masks",  "label",  "labels",       "annotation",
					      "annotations", "annot",  "annots", "ann",          "anno",
					      "annos",       "gt",     "gts",    "groundtruth",  "truth",
					      "seg",         "segs",   "segmap", "segmentation", "segmentations",
					      "semantic",    "target", "targets" };
	static const char *const images[] = { "image", "images",  "img",      "imgs",  "rgb",    "photo",     "photos",
					      "pic",   "picture", "pictures", "input", "inputs", "JPEGImages" };
	static const char *const aside[] = { "colormap",      "colormaps",      "colormask",     "colormasks",
					     "vis",           "overlay",        "overlays",      "visual",
					     "visualization", "visualizations", "visualisation", "visualisations",
					     "instance",      "instances",      "panoptic",      "depth",
					     "depths",        "disparity",      "disparities",   "color",
					     "colors",        "colour",         "colours",       "colored",
					     "coloured" };
	static const char *const image_arrays[] = { "x", "xs", "data", "feature", "features", "pixel", "pixels" };
	static const char *const label_arrays[] = { "y", "ys", "class", "classes", "category", "categories" };
	char name[32];

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		snprintf(name, sizeof(name), "%s/1", labels[i]);
		folders(name, PART_LABELS);
	}
	for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++) {
		snprintf(name, sizeof(name), "%s/1", images[i]);
		folders(name, PART_IMAGES);
	}
	for (size_t i = 0; i < sizeof(aside) / sizeof(*aside); i++) {
		snprintf(name, sizeof(name), "%s/1", aside[i]);
		folders(name, PART_ASIDE);
	}
	for (size_t i = 0; i < sizeof(image_arrays) / sizeof(*image_arrays); i++)
		array(image_arrays[i], PART_IMAGES);
	for (size_t i = 0; i < sizeof(label_arrays) / sizeof(*label_arrays); i++)
		array(label_arrays[i], PART_LABELS);
}
END_TEST

START_TEST(of_arrays)
{
	array("x_train.npy", PART_IMAGES);
	array("X.npy", PART_IMAGES);
	array("y_train.npy", PART_LABELS);
	array("train_images.npy", PART_IMAGES);
	array("train_labels.npy", PART_LABELS);
	array("image_mask.npy", PART_LABELS);
	array("data.npy", PART_IMAGES);
	array("arr_0.npy", PART_UNKNOWN);
	array("images/y.npy", PART_LABELS); /* the folder is another question */
	array("npy", PART_UNKNOWN);
}
END_TEST

START_TEST(of_samples)
{
	sample("000001.seg.png", PART_LABELS);
	sample("a/000001.cls", PART_LABELS);
	sample("000001.mask.0.png", PART_LABELS);
	sample("000001.png", PART_UNKNOWN);
	sample("000001.depth.png", PART_UNKNOWN);
	sample("a.seg/000001.png", PART_UNKNOWN);
	sample("000001", PART_UNKNOWN);
}
END_TEST

START_TEST(suffixes)
{
	suffix("car_mask.png", 3, 5);
	suffix("benign (1)-GT.png", 10, 3);
	suffix("1.label.png", 1, 6);
	suffix("masks/car_seg", 9, 4);
	suffix("car.png", 0, 0);
	suffix("mask.png", 0, 0);
	suffix("_mask.png", 0, 0);
	suffix("unmask.png", 0, 0);
	suffix("car_mask_2.png", 0, 0);
	suffix("a_mask/car.png", 0, 0);
}
END_TEST

static void folder_suffix(const char *path, const char *wanted)
{
	const char *at = "";
	size_t n = part_folder_suffix(path, &at);

	ck_assert_msg(n == strlen(wanted) && !strncmp(at, wanted, n), "%s: %.*s", path, (int)n, at);
}

START_TEST(folder_suffixes)
{
	folder_suffix("trainannot/1.png", "annot");
	folder_suffix("/data/CamVid/valannot/1.png", "annot");
	folder_suffix("a/train_labels/1.png", "_labels");
	folder_suffix("train-mask/1.png", "-mask");
	folder_suffix("train/1.png", "");
	folder_suffix("annot/1.png", "");
	folder_suffix("masks/1.png", "");
	folder_suffix("train_labels.png", "");
	folder_suffix("train_labels/val/1.png", "");
	folder_suffix("/1.png", "");
}
END_TEST

START_TEST(of_other_suffixes)
{
	other_suffix("a/x_gtFine_color.png", 10, 6);
	other_suffix("x_instanceIds.png", 0, 0);
	other_suffix("x_rgb.png", 1, 4);
	other_suffix("x_labelIds.png", 0, 0);
	other_suffix("x_7.png", 0, 0);
	other_suffix("_color.png", 0, 0);
	suffix("x_instanceIds.png", 0, 0);
	suffix("x_labelIds.png", 1, 9);
}
END_TEST

START_TEST(prefixes)
{
	ck_assert_int_eq(part_of_prefix("a/mask_1.png"), PART_LABELS);
	ck_assert_int_eq(part_of_prefix("gt12.png"), PART_LABELS);
	ck_assert_int_eq(part_of_prefix("image_1.png"), PART_IMAGES);
	ck_assert_int_eq(part_of_prefix("img1_mask.png"), PART_UNKNOWN);
	ck_assert_int_eq(part_of_prefix("masks/1.png"), PART_UNKNOWN);
	ck_assert_int_eq(part_of_prefix("mask.png"), PART_UNKNOWN); /* a name of its own */
	ck_assert_int_eq(part_of_prefix("maskrcnn_1.png"), PART_UNKNOWN);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("part_names");
	TCase *names = tcase_create("names");

	tcase_add_test(names, of_folders);
	tcase_add_test(names, of_words);
	tcase_add_test(names, of_arrays);
	tcase_add_test(names, of_samples);
	tcase_add_test(names, suffixes);
	tcase_add_test(names, of_other_suffixes);
	tcase_add_test(names, prefixes);
	tcase_add_test(names, folder_suffixes);
	suite_add_tcase(s, names);
	return s;
}

CHECK_MAIN(suite)
