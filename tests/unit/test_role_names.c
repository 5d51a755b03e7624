/* layout/role_names.h: which names are called like images, and which like labels. */
#include "layout/role_names.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"

struct named_part {
	const char *name;
	enum part part;
};

static void expect_part(enum part (*part_of)(const char *name), const char *name, enum part part)
{
	ck_assert_msg(part_of(name) == part, "%s: part %d, not %d", name, part_of(name), part);
}

static void expect_parts(enum part (*part_of)(const char *name), const struct named_part *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_part(part_of, names[i].name, names[i].part);
}

struct suffixed {
	const char *name, *suffix; /* "": it has none */
};

static void expect_suffixes(size_t (*suffix_of)(const char *name, size_t *stem), const struct suffixed *names,
			    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = names[i].name, *suffix = names[i].suffix;
		size_t at = 0, n = suffix_of(name, &at);

		ck_assert_msg(n == strlen(suffix) && !strncmp(name + at, suffix, n), "%s: %zu at %zu, not '%s'", name,
			      n, at, suffix);
	}
}

START_TEST(of_folders)
{
	static const struct named_part names[] = {
		{ "images/1.png", PART_IMAGES },
		{ "train/Images/city/1.png", PART_IMAGES },
		{ "images_png/1.png", PART_IMAGES },
		{ "JPEGImages/1.png", PART_IMAGES },
		{ "leftImg8bit/val/1.png", PART_IMAGES },
		{ "imagesTr/1.png", PART_IMAGES },
		{ "masks/1.png", PART_LABELS },
		{ "gtFine/val/1.png", PART_LABELS },
		{ "SegmentationClass/1.png", PART_LABELS },
		{ "gt_image_2/1.png", PART_LABELS }, /* KITTI's masks of image_2 */
		{ "image_2/1.png", PART_IMAGES },
		{ "0a1b/images/masks/1.png", PART_LABELS }, /* the deepest */
		{ "masks/images/1.png", PART_IMAGES },
		{ "labels/instances/1.png", PART_ASIDE },
		{ "sem_seg/colormaps/1.png", PART_ASIDE },
		{ "semantic_rgb/1.png", PART_ASIDE },
		{ "rgb/1.png", PART_IMAGES },
		{ "color/1.png", PART_ASIDE },
		{ "label_colors/1.png", PART_ASIDE },
		{ "red_color/1.png", PART_UNKNOWN }, /* may be a class */
		{ "SegmentationObject/1.png", PART_ASIDE },
		{ "SegmentationClassVisualization/1.png", PART_ASIDE },
		{ "object_masks/1.png", PART_LABELS },
		{ "depth_png/1.png", PART_ASIDE },
		{ "bit-depth/1.png", PART_UNKNOWN },
		{ "instance_segmentation/masks/1.png", PART_LABELS },
		{ "imagery/1.png", PART_UNKNOWN },
		{ "with/unmasked/1.png", PART_UNKNOWN },
		{ "images.png", PART_UNKNOWN },
		{ "", PART_UNKNOWN },
		{ "abcdefghijklmnopqrstuvwxyz_images/1.png", PART_IMAGES },
	};

	expect_parts(part_of_folders, names, ARRAY_SIZE(names));
}
END_TEST

static void expect_folders(const char *const *names, size_t count, enum part part)
{
	char path[32];

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/1", names[i]);
		expect_part(part_of_folders, path, part);
	}
}

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

	expect_folders(labels, ARRAY_SIZE(labels), PART_LABELS);
	expect_folders(images, ARRAY_SIZE(images), PART_IMAGES);
	expect_folders(aside, ARRAY_SIZE(aside), PART_ASIDE);
	for (size_t i = 0; i < ARRAY_SIZE(image_arrays); i++)
		expect_part(part_of_array, image_arrays[i], PART_IMAGES);
	for (size_t i = 0; i < ARRAY_SIZE(label_arrays); i++)
		expect_part(part_of_array, label_arrays[i], PART_LABELS);
}
END_TEST

START_TEST(of_arrays)
{
	static const struct named_part names[] = {
		{ "x_train.npy", PART_IMAGES },
		{ "X.npy", PART_IMAGES },
		{ "y_train.npy", PART_LABELS },
		{ "train_images.npy", PART_IMAGES },
		{ "train_labels.npy", PART_LABELS },
		{ "image_mask.npy", PART_LABELS },
		{ "data.npy", PART_IMAGES },
		{ "arr_0.npy", PART_UNKNOWN },
		{ "images/y.npy", PART_LABELS }, /* the folder is another question */
		{ "npy", PART_UNKNOWN },
	};

	expect_parts(part_of_array, names, ARRAY_SIZE(names));
}
END_TEST

START_TEST(of_samples)
{
	static const struct named_part names[] = {
		{ "000001.seg.png", PART_LABELS },    { "a/000001.cls", PART_LABELS },
		{ "000001.mask.0.png", PART_LABELS }, { "000001.png", PART_UNKNOWN },
		{ "000001.depth.png", PART_UNKNOWN }, { "a.seg/000001.png", PART_UNKNOWN },
		{ "000001", PART_UNKNOWN },
	};

	expect_parts(part_of_sample, names, ARRAY_SIZE(names));
}
END_TEST

START_TEST(suffixes)
{
	static const struct suffixed names[] = {
		{ "car_mask.png", "_mask" },
		{ "benign (1)-GT.png", "-GT" },
		{ "1.label.png", ".label" },
		{ "masks/car_seg", "_seg" },
		{ "x_labelIds.png", "_labelIds" },
		{ "x_instanceIds.png", "" },
		{ "car.png", "" },
		{ "mask.png", "" },
		{ "_mask.png", "" },
		{ "unmask.png", "" },
		{ "car_mask_2.png", "" },
		{ "a_mask/car.png", "" },
	};

	expect_suffixes(part_label_suffix, names, ARRAY_SIZE(names));
}
END_TEST

START_TEST(folder_suffixes)
{
	static const struct suffixed paths[] = {
		{ "trainannot/1.png", "annot" },
		{ "/data/CamVid/valannot/1.png", "annot" },
		{ "a/train_labels/1.png", "_labels" },
		{ "train-mask/1.png", "-mask" },
		{ "train/1.png", "" },
		{ "annot/1.png", "" },
		{ "masks/1.png", "" },
		{ "train_labels.png", "" },
		{ "train_labels/val/1.png", "" },
		{ "/1.png", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		const char *at = "";
		size_t n = part_folder_suffix(paths[i].name, &at);

		ck_assert_msg(n == strlen(paths[i].suffix) && !strncmp(at, paths[i].suffix, n), "%s: '%.*s'",
			      paths[i].name, (int)n, at);
	}
}
END_TEST

START_TEST(other_suffixes)
{
	static const struct suffixed names[] = {
		{ "a/x_gtFine_color.png", "_color" },
		{ "x_rgb.png", "_rgb" },
		{ "x_instanceIds.png", "" },
		{ "x_labelIds.png", "" },
		{ "x_7.png", "" },
		{ "_color.png", "" },
	};

	expect_suffixes(part_other_suffix, names, ARRAY_SIZE(names));
}
END_TEST

START_TEST(prefixes)
{
	static const struct named_part names[] = {
		{ "a/mask_1.png", PART_LABELS },    { "gt12.png", PART_LABELS },
		{ "image_1.png", PART_IMAGES },     { "img1_mask.png", PART_UNKNOWN },
		{ "masks/1.png", PART_UNKNOWN },    { "mask.png", PART_UNKNOWN }, /* a name of its own */
		{ "maskrcnn_1.png", PART_UNKNOWN },
	};

	expect_parts(part_of_prefix, names, ARRAY_SIZE(names));
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
	tcase_add_test(names, other_suffixes);
	tcase_add_test(names, prefixes);
	tcase_add_test(names, folder_suffixes);
	suite_add_tcase(s, names);
	return s;
}

CHECK_MAIN(suite)
