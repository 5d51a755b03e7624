#include "fix/text_obstacle.h"

#include "base/guard.h"
#include "judge/role.h"

const char *fix_list_obstacle(const struct rule_input *s)
{
	const struct list_layout *layout = &s->sample->list;
	const struct row_tally *faults = s->stats->list.faults;

	if (layout->names)
		return "names its classes: their ids are not in it";
	if (GUARD(guessed_column_rewritten, layout->choice == COLUMN_LAST || layout->choice == COLUMN_CLASSES))
		return "has a label column that was guessed: name it with --column";
	if (GUARD(rows_without_runs, layout->runs_column != NO_COLUMN && s->stats->labels < s->stats->list.rows))
		return "has rows without runs of pixels, whose ids were not audited";
	if (faults[LIST_NUL].rows || faults[LIST_QUOTE].rows)
		return "has rows that programs read in different ways";
	if (faults[LIST_RAGGED].rows)
		return "has rows with more or fewer columns than the first";
	if (faults[LIST_NOT_INTEGER].rows || faults[LIST_OVERFLOW].rows)
		return "has labels that are no ids";
	return NULL;
}

const char *fix_yolo_obstacle(const struct rule_input *s)
{
	const struct row_tally *faults = s->stats->boxes.faults;

	if (faults[BOX_NUL].rows)
		return "has rows that programs read in different ways";
	return faults[BOX_CLASS].rows ? "has classes that are no ids" : NULL;
}

const char *fix_coco_obstacle(const struct rule_input *s)
{
	const struct coco_stats *coco = &s->stats->coco;
	const struct coco_trouble_count *trouble = coco->facts.trouble;

	if (trouble[COCO_UNKNOWN_CATEGORY].count || trouble[COCO_SAME_CATEGORY].count)
		return "has annotations of no category, or one category twice";
	if (trouble[COCO_BAD_ID].count || trouble[COCO_SAME_KEY].count || trouble[COCO_NOT_AN_OBJECT].count)
		return "has ids that are no integers, or keys twice";
	if (coco->listed > s->sample->coco->listed_count)
		return "lists more categories than are compared";
	if (coco->renamed)
		return "names categories differently from the classes that they would become";
	if (coco->mapping == COCO_MAPPED_WITHOUT_DUMMY)
		return "has a category 0 that means nothing: remove it first";
	return NULL;
}

/* Returns why a one-hot array has no index of a class at each place, or NULL. */
static const char *one_hot_obstacle(const struct rule_input *s)
{
	const struct class_axis *axis = &s->stats->array.axis;

	if (s->sample->format != FORMAT_NPY)
		return "is one-hot, in another format than .npy";
	if (s->settings->reduce_zero_label)
		return "is one-hot, and --reduce-zero-label is for ids";
	if (!axis->classes || axis->classes != settings_class_count(s->settings))
		return "is one-hot, with more or fewer classes than are declared";
	if (axis->one != axis->places || axis->places != s->stats->array.elements / axis->classes)
		return "is one-hot, but not in all places, or too large to know";
	return NULL;
}

const char *fix_array_obstacle(const struct rule_input *s)
{
	const struct array_header *array = &s->sample->array;

	if (s->stats->colours || s->stats->coded)
		return "is an array of colours";
	if (s->stats->array.use == ARRAY_ONE_HOT)
		return one_hot_obstacle(s);
	if (s->stats->array.use != ARRAY_IDS || s->stats->array.beyond)
		return "holds values that are no ids";
	if (s->sample->format == FORMAT_IDX && array->dtype >= DTYPE_FLOAT16)
		return "holds floats in IDX: save them as .npy first";
	return NULL;
}
