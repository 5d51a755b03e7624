/* layout/role_names.h: which names are called like images, and which like labels. */
#include "layout/role_names.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"

struct named_part {
	const char *name;
	enum role part;
};

static void expect_part(enum role (*part_of)(const char *name), const char *name, enum role part)
{
	ck_assert_msg(part_of(name) == part, "%s: part %d, not %d", name, part_of(name), part);
}

static void expect_parts(enum role (*part_of)(const char *name), const struct named_part *names, size_t count)
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
		{ "images/1.png", ROLE_IMAGES },
		{ "train/Images/city/1.png", ROLE_IMAGES },
		{ "images_png/1.png", ROLE_IMAGES },
		{ "JPEGImages/1.png", ROLE_IMAGES },
		{ "leftImg8bit/val/1.png", ROLE_IMAGES },
		{ "imagesTr/1.png", ROLE_IMAGES },
		{ "masks/1.png", ROLE_LABELS },
		{ "gtFine/val/1.png", ROLE_LABELS },
		{ "SegmentationClass/1.png", ROLE_LABELS },
		{ "gt_image_2/1.png", ROLE_LABELS }, /* KITTI's masks of image_2 */
		{ "image_2/1.png", ROLE_IMAGES },
		{ "0a1b/images/masks/1.png", ROLE_LABELS }, /* the deepest */
		{ "masks/images/1.png", ROLE_IMAGES },
		{ "labels/instances/1.png", ROLE_ASIDE },
		{ "sem_seg/colormaps/1.png", ROLE_ASIDE },
		{ "semantic_rgb/1.png", ROLE_ASIDE },
		{ "rgb/1.png", ROLE_IMAGES },
		{ "color/1.png", ROLE_ASIDE },
		{ "label_colors/1.png", ROLE_ASIDE },
		{ "red_color/1.png", ROLE_UNKNOWN }, /* may be a class */
		{ "SegmentationObject/1.png", ROLE_ASIDE },
		{ "SegmentationClassVisualization/1.png", ROLE_ASIDE },
		{ "object_masks/1.png", ROLE_LABELS },
		{ "depth_png/1.png", ROLE_ASIDE },
		{ "bit-depth/1.png", ROLE_UNKNOWN },
		{ "instance_segmentation/masks/1.png", ROLE_LABELS },
		{ "imagery/1.png", ROLE_UNKNOWN },
		{ "with/unmasked/1.png", ROLE_UNKNOWN },
		{ "images.png", ROLE_UNKNOWN },
		{ "", ROLE_UNKNOWN },
		{ "abcdefghijklmnopqrstuvwxyz_images/1.png", ROLE_IMAGES },
	};

	expect_parts(role_of_folders, names, ARRAY_SIZE(names));
}
END_TEST

static void expect_folders(const char *const *names, size_t count, enum role part)
{
	char path[32];

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/1", names[i]);
		expect_part(role_of_folders, path, part);
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

	expect_folders(labels, ARRAY_SIZE(labels), ROLE_LABELS);
	expect_folders(images, ARRAY_SIZE(images), ROLE_IMAGES);
	expect_folders(aside, ARRAY_SIZE(aside), ROLE_ASIDE);
	for (size_t i = 0; i < ARRAY_SIZE(image_arrays); i++)
		expect_part(role_of_array, image_arrays[i], ROLE_IMAGES);
	for (size_t i = 0; i < ARRAY_SIZE(label_arrays); i++)
		expect_part(role_of_array, label_arrays[i], ROLE_LABELS);
}
END_TEST

START_TEST(of_arrays)
{
	static const struct named_part names[] = {
		{ "x_train.npy", ROLE_IMAGES },
		{ "X.npy", ROLE_IMAGES },
		{ "y_train.npy", ROLE_LABELS },
		{ "train_images.npy", ROLE_IMAGES },
		{ "train_labels.npy", ROLE_LABELS },
		{ "image_mask.npy", ROLE_LABELS },
		{ "data.npy", ROLE_IMAGES },
		{ "arr_0.npy", ROLE_UNKNOWN },
		{ "images/y.npy", ROLE_LABELS }, /* the folder is another question */
		{ "npy", ROLE_UNKNOWN },
	};

	expect_parts(role_of_array, names, ARRAY_SIZE(names));
}
END_TEST

START_TEST(of_samples)
{
	static const struct named_part names[] = {
		{ "000001.seg.png", ROLE_LABELS },    { "a/000001.cls", ROLE_LABELS },
		{ "000001.mask.0.png", ROLE_LABELS }, { "000001.png", ROLE_UNKNOWN },
		{ "000001.depth.png", ROLE_UNKNOWN }, { "a.seg/000001.png", ROLE_UNKNOWN },
		{ "000001", ROLE_UNKNOWN },
	};

	expect_parts(role_of_sample, names, ARRAY_SIZE(names));
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

	expect_suffixes(role_label_suffix, names, ARRAY_SIZE(names));
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
		size_t n = role_folder_suffix(paths[i].name, &at);

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
		{ "x_depth.png", "_depth" },
		{ "x_bit-depth.png", "-depth" },
		{ "x_instanceIds.png", "" },
		{ "x_labelIds.png", "" },
		{ "x_7.png", "" },
		{ "_color.png", "" },
	};

	expect_suffixes(role_other_suffix, names, ARRAY_SIZE(names));
}
END_TEST

START_TEST(renderings)
{
	static const char *const yes[] = { "vis_1.jpg", "a/1_viz.jpg", "1_overlay_2.jpg", "color_1.jpg",
					   "previewOf1.jpg" };
	static const char *const no[] = { "1.jpg", "vis/1.jpg", "mask_1.jpg", "visit_1.jpg", "1.rgb" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(role_mentions_rendering(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!role_mentions_rendering(no[i]), "%s", no[i]);
	ck_assert_int_eq(role_of_folders("label_previews/1.png"), ROLE_ASIDE);
}
END_TEST

/* The name of a mask comes before the word for what shows it in colours, or for depth. */
START_TEST(asides)
{
	size_t stem;

	ck_assert(role_is_aside("a/label_viz.png", &stem) && stem == strlen("a/label"));
	ck_assert(role_is_aside("0001_depth.png", &stem) && stem == 4);
	ck_assert(role_is_aside("x.overlay.png", &stem) && stem == 1);
	ck_assert(role_is_aside("plant001_centers.png", &stem) && stem == 8);
	ck_assert(!role_is_aside("img_center.png", &stem) && !role_is_aside("centers.png", &stem));
	ck_assert(!role_is_aside("x_mask.png", &stem) && !role_is_aside("viz.png", &stem) &&
		  !role_is_aside("x_rgb.png", &stem));
}
END_TEST

START_TEST(coloured_masks)
{
	size_t stem;

	ck_assert_uint_eq(role_coloured_suffix("frame_80_endo_color_mask.png", &stem), 5);
	ck_assert_uint_eq(stem, strlen("frame_80_endo"));
	ck_assert_uint_eq(role_coloured_suffix("a/1-rgb-label.png", &stem), 6);
	ck_assert_uint_eq(stem, 3);
	ck_assert_uint_eq(role_coloured_suffix("x_watershed_mask.png", &stem), 0);
	ck_assert_uint_eq(role_coloured_suffix("color_mask.png", &stem), 0);
	ck_assert_uint_eq(role_coloured_suffix("x_color.png", &stem), 0);
}
END_TEST

START_TEST(of_the_last_folder)
{
	ck_assert_int_eq(role_of_folder("segmentation/raw/1.png"), ROLE_UNKNOWN);
	ck_assert_int_eq(role_of_folder("raw/masks/1.png"), ROLE_LABELS);
	ck_assert_int_eq(role_of_folder("images/1.png"), ROLE_IMAGES);
	ck_assert_int_eq(role_of_folder("1.png"), ROLE_UNKNOWN);
}
END_TEST

START_TEST(prefixes)
{
	static const struct named_part names[] = {
		{ "a/mask_1.png", ROLE_LABELS },    { "gt12.png", ROLE_LABELS },
		{ "image_1.png", ROLE_IMAGES },     { "img1_mask.png", ROLE_UNKNOWN },
		{ "masks/1.png", ROLE_UNKNOWN },    { "mask.png", ROLE_UNKNOWN }, /* a name of its own */
		{ "maskrcnn_1.png", ROLE_UNKNOWN },
	};

	expect_parts(role_of_prefix, names, ARRAY_SIZE(names));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("role_names");
	TCase *names = tcase_create("names");

	tcase_add_test(names, of_folders);
	tcase_add_test(names, of_words);
	tcase_add_test(names, of_arrays);
	tcase_add_test(names, of_samples);
	tcase_add_test(names, suffixes);
	tcase_add_test(names, other_suffixes);
	tcase_add_test(names, renderings);
	tcase_add_test(names, asides);
	tcase_add_test(names, coloured_masks);
	tcase_add_test(names, of_the_last_folder);
	tcase_add_test(names, prefixes);
	tcase_add_test(names, folder_suffixes);
	suite_add_tcase(s, names);
	return s;
}

CHECK_MAIN(suite)
