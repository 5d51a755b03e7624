/*
 * What it finds
 *   Label files in formats that are known and not read: masks in WebP, PGM or PPM; NIfTI, NRRD and MetaImage in two
 *   files (.hdr, .nhdr, .mhd), and DICOM; Parquet, Arrow, Zarr, HDF5, MATLAB, TFRecord and LMDB; pickles; the XML of
 *   Pascal VOC and CVAT; the JSON of labelme, Label Studio, VIA, V7 Darwin, Datumaro, Scalabel (BDD100K), Labelbox,
 *   ODVG, CreateML and Supervisely; the texts of CrowdHuman and WIDER FACE. There is one finding for each format,
 *   with the number of files.
 *
 * Why it matters
 *   A verdict covers what was read. Labels in such files train the model as well, and nobody looked at them.
 *
 * Example
 *   (dataset): error unread-format: 100 WebP images are not read (the first: masks/0001.webp)
 *
 * What to do
 *   Convert the files with the command that the finding gives, in a copy of their folder, and audit the result; or
 *   export them from their tool as COCO, YOLO or PNG masks. --exclude leaves out files that are no labels.
 *
 *   It is a warning where more labels were audited than left out, unless --strict is given. In many public datasets,
 *   annotations are beside the masks; these are an error only where they are a hundred times as many. Headers of
 *   volumes, DICOM and pickles are as often no labels: they are named where nothing else is found. Then the exit
 *   status is 2.
 */
#include "judge/check.h"

/* Annotations beside this many fewer audited labels are the set, and the others strays. Pascal VOC 2007 has 16 for 1.
 */
enum { ANNOTATIONS_PER_LABEL = 100 };

static bool check_file(const struct rule_input *s, struct finding *f)
{
	if (s->sample->fault.kind != FAULT_UNREAD)
		return false;
	say(f, "%s", s->sample->fault.text);
	f->details.offset = s->sample->fault.offset;
	if (s->sample->fault.advice[0]) /* the usual conversion would not do */
		return advise(f, "%s", s->sample->fault.advice);
	return !s->sample->left_out.unread_kind ||
	       advise(f, "%s", unread_kind_conversion((enum unread_kind)s->sample->left_out.unread_kind));
}

/* Returns the number of labels audited, by the file as masks are, or by the object. */
static uint64_t audited(const struct dataset_stats *d)
{
	return d->files_failed + (d->masks_with_ids ? d->files_read : MAX(d->files_read, d->labels));
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const enum unread_kind kind = (enum unread_kind)f->part;
	const struct file_count *t = &d->coverage.unread[kind];
	const uint64_t left_out = coverage_weighty(&d->coverage);

	if (!t->files || (unread_kind_is_doubtful(kind) && audited(d)))
		return false;
	say(f, "%" PRIu64 " %s %s not read (the first: %s)", t->files, unread_kind_text(kind, t->files),
	    plural(t->files, "is", "are"), t->example);
	advise(f, "%s", unread_kind_conversion(kind));
	f->details.count = t->files;
	f->example = t->example;
	finding_add_key(f, key_of_bytes(unread_kind_name(kind), strlen(unread_kind_name(kind))));
	bool many = unread_kind_reason(kind) == SKIP_UNREAD_ANNOTATION ? t->files > ANNOTATIONS_PER_LABEL * audited(d)
								       : left_out > d->files_read + d->files_failed;

	if (!settings->strict && !many)
		f->level = LEVEL_WARNING;
	return true;
}

const struct rule rule_unread_format = {
	RULE("unread-format", "file", LEVEL_ERROR, "labels in a format that is known and not read"),
	.facts_needed = FACTS_FAULT,
	.tells_unread = true,
	.check_file = check_file,
	.check_dataset = check_dataset,
	.dataset_parts = UNREAD_KINDS,
};
