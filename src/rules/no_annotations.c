/*
 * Error message
 *   Labels are missing or empty in labels.cache, training may not work correctly.
 *
 * What it finds
 *   COCO files that hold no labels: without a list of annotations (the image_info files of a test set), of categories
 *   (captions), or of images, or with an empty list of images; files whose annotations all have iscrowd: 1, or
 *   keypoints of which none is labelled, which trainers leave out; and files in which a tenth of the images or more,
 *   three at least, have no annotation: for information, and a warning from a half on. Files with images and an
 *   empty list of annotations are counted in one finding. It is an error if the whole set has no label. Sets of YOLO
 *   poses of which no text has a labelled keypoint are reported, too.
 *
 * Why it matters
 *   Training on such a file has nothing to learn from, and with some loaders the only sign is an empty epoch. An empty
 *   list is what exports of unfinished or failed annotation look like; but a test set may be so on purpose.
 *   detectron2, mmdetection and torchvision's references leave out images without annotations.
 *
 * Example
 *   captions_val2017.json: warning no-annotations: the file lists no categories
 *
 * What to do
 *   Audit the file with the instances instead of this one.
 */
#include "judge/check.h"

enum { UNANNOTATED_MIN = 3 }; /* fewer images say nothing */

/* Says how many images have no annotation, unless none has one, or few have none. */
static bool say_unannotated(struct finding *f, const struct coco_facts *facts)
{
	const uint64_t images = facts->distinct_images, without = images - facts->annotated;

	if (!facts->annotated || without < UNANNOTATED_MIN || without * 10 < images)
		return false;
	f->level = without * 2 >= images ? LEVEL_WARNING : LEVEL_INFO;
	f->details.count = without;
	say(f, "%" PRIu64 " of %" PRIu64 " images have no annotation%s", without, images,
	    text_percent(without, images).s);
	return advise(f, "check that they show no object: trainers leave them out, or learn that they are background");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct coco_facts *facts = &s->stats->coco.facts;
	const char *missing = !facts->has_annotations ? "annotations"
			      : !facts->categories    ? "categories"
			      : !facts->images        ? "images"
						      : NULL;

	if (!missing && facts->annotations && facts->crowds == facts->annotations) {
		say(f, "%s iscrowd: 1, which trainers leave out",
		    facts->annotations == 1 ? "the one annotation has" : "all annotations have");
		return advise(f, "write iscrowd: 0 for each annotation that is one object");
	}
	if (!missing && facts->poses && facts->poses == facts->annotations && !facts->labelled_poses) {
		say(f, "no annotation has a labelled keypoint, and trainers leave those out");
		return advise(f, "write the visibility of each keypoint, 1 or 2, and num_keypoints");
	}
	if (!missing)
		return say_unannotated(f, facts);
	if (facts->has_annotations && !facts->categories && facts->trouble[COCO_UNKNOWN_CATEGORY].count)
		return false; /* unknown-category says it */
	/* captions beside instances: what holds no label at all is an error of the set */
	if (facts->has_annotations && !facts->categories)
		f->level = LEVEL_INFO;
	say(f, "the file lists no %s", missing);
	if (!facts->annotations || !facts->categories)
		return true;
	f->level = LEVEL_ERROR;
	return say(f, ", but %" PRIu64 " annotation%s of them", facts->annotations,
		   facts->annotations == 1 ? "" : "s") &&
	       advise(f, "write images, with the ids that the annotations have: loaders stop with a KeyError");
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct file_count *empty = &d->counted[COUNTED_COCO_EMPTY];
	const struct file_count *unlabelled = &d->counted[COUNTED_COCO_UNLABELLED];

	const struct file_count *invisible = &d->counted[COUNTED_UNLABELLED];

	(void)settings;
	if (invisible->files && invisible->files >= d->counted[COUNTED_POSES].files) {
		say(f, "no pose has a labelled keypoint: %s", text_files(invisible->files, invisible->example).s);
		f->example = invisible->example;
		return advise(f, "write the visibility of each keypoint, 1 or 2");
	}
	if (!empty->files && unlabelled->files && !d->labels) {
		say(f, "the set has no label: %" PRIu64 " COCO %s images and no class (the first: %s)",
		    unlabelled->files, unlabelled->files == 1 ? "file lists" : "files list", unlabelled->example);
		f->level = LEVEL_ERROR;
		f->example = unlabelled->example;
		return advise(f, "audit the file with the instances instead of this one");
	}
	if (!empty->files)
		return false;
	say(f, "%" PRIu64 " COCO %s images and no annotation (the first: %s)", empty->files,
	    empty->files == 1 ? "file lists" : "files list", empty->example);
	f->details.count = empty->files;
	f->example = empty->example;
	if (!d->labels) {
		say(f, "; the set has no label");
		f->level = LEVEL_ERROR;
	}
	return advise(f,
		      "annotate the images, or export them again; leave out with --exclude what has none on purpose");
}

const struct rule rule_no_annotations = {
	RULE("no-annotations", "coco", LEVEL_WARNING, "a COCO file without images, annotations or categories"),
	.facts_needed = FACTS_COCO,
	.check_file = check,
	.check_dataset = check_dataset,
	.advice = "audit the file with the instances instead of this one",
};
