/*
 * Error message
 *   RuntimeError: CUDA error: device-side assert triggered
 *   nll_loss_forward_reduce_cuda_kernel_2d: Assertion `t >= 0 && t < n_classes` failed.
 *   IndexError: Target 21 is out of bounds.
 *   RuntimeError: Class values must be smaller than num_classes.
 *   Label class 80 exceeds dataset class count 80. Possible class labels are 0-79
 *   Error: Unexpected labels found in file labelsTr/a.nii.gz.
 *
 * What it finds
 *   Ids that are neither one of the declared classes (--classes) nor ignored (--ignore).
 *
 * Why it matters
 *   A loss indexes its class scores with the id. On a GPU, training stops hours later with "device-side assert
 *   triggered" (t >= 0 && t < n_classes), without the name of the file; with reduction='none', older kernels read
 *   outside their memory and continued.
 *
 * Example
 *   masks/2007_000032.png: error out-of-range-id: 5120 pixels (2.7 %) have id 21; valid ids are 0-20, ignored 255
 *
 * What to do
 *   Correct the labels, raise --classes, or declare the id with --ignore if it is never trained on. Another finding
 *   about the file or the dataset (one-based-ids, scaled-ids, color-mask) often names the cause.
 *
 *   In masks that are read by their colours (--colors), an id out of range is a colour that is not in the table. The
 *   finding names it, with the nearest colour of the table. Many such colours near those of the table are the work of
 *   resizing, anti-aliasing or JPEG.
 */
#include "judge/check.h"
#include "judge/colours.h"
#include "judge/dataset.h"
#include "read/offenders.h"

/* Fewer ids are classes: of a binary mask, and of any other, where they must also be twice as many as the classes. */
enum { INSTANCES_MIN = 9, OBJECTS_MIN = 32 };

/* Returns whether tools use the id for "do not train on this": the answer is usually --ignore. */
static bool is_customary_ignore_id(int64_t id)
{
	return id == 255 || id == 254 || id == 250 || id == 65535 || id == -1 || id == -100;
}

/*
 * Returns whether labels of the id are areas, and not outlines or specks: a hundredth of the mask or more, and most of
 * them in runs of three or more. Where two classes are declared, these are the objects.
 */
static bool holds_areas(const struct rule_input *s, int64_t id)
{
	for (size_t i = 0; i < s->stats->ids_count; i++)
		if (s->ids[i].id == id) /* rows and columns are added up */
			return s->stats->neighbours && s->ids[i].labels >= s->stats->labels / 100 &&
			       s->ids[i].thin < s->ids[i].labels;
	return false;
}

/* Returns the number of elements of an array that are above all ids; they are counted as INT64_MAX. */
static uint64_t above_all_ids(const struct rule_input *s)
{
	return sample_is_array(s->sample) ? s->stats->array.beyond : 0;
}

static void add_beyond(const struct rule_input *s, struct finding *f)
{
	const struct array_stats *a = &s->stats->array;

	say(f, "ids that are too large to tell apart (the first at %s",
	    text_index(&s->sample->array, a->beyond_first).s);
	if (a->beyond_value)
		say(f, ": %" PRIu64, a->beyond_value);
	say(f, ")");
}

/* Returns whether the ids are -1 and 1 for two classes, as support vector machines and boosting use them. */
static bool are_signs(const struct rule_input *s)
{
	return settings_class_count(s->settings) == 2 && s->stats->ids_count == 2 && s->ids[0].id == -1 &&
	       s->ids[1].id == 1;
}

/* Returns whether the ids of a list are as many as the classes, in a row, but from another one than 0 or 1. */
static bool are_shifted(const struct rule_input *s)
{
	const size_t n = s->stats->ids_count;

	return n > 2 && (int64_t)n == settings_class_count(s->settings) && !(rule_input_facts(s) & FACTS_MASK) &&
	       (s->ids[0].id < 0 || s->ids[0].id > 1) && settings_role(s->settings, s->ids[0].id) != ID_IGNORED &&
	       (uint64_t)s->ids[n - 1].id - (uint64_t)s->ids[0].id == n - 1;
}

/* Returns the only id in use beside 0 and ignored ones, where two classes are declared; else 0. */
static int64_t odd_foreground(const struct rule_input *s)
{
	int64_t foreground = 0;

	if (settings_class_count(s->settings) != 2 || !(rule_input_facts(s) & FACTS_MASK))
		return 0;
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		int64_t id = s->ids[i].id;

		if (id == 0 || settings_role(s->settings, id) == ID_IGNORED)
			continue;
		if (foreground || id < 0)
			return 0;
		foreground = id;
	}
	return s->ids[0].id == 0 ? foreground : 0;
}

/* Returns whether the ids may number instances. */
static bool may_number_instances(const struct rule_input *s, uint64_t min)
{
	return s->stats->neighbours && ids_may_number_instances(s->stats, s->ids, min);
}

/* Returns a rule that reports why the file has such ids, or NULL. */
static const struct rule *find_cause(const struct rule_input *s)
{
	static const char *const names[] = { "mask-in-alpha",    "image-as-mask", "interpolated-mask",   "scaled-ids",
					     "palette-luma-ids", "instance-ids",  "wrapped-negative-ids" };
	unsigned facts_available = rule_input_facts(s);
	struct finding cause;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct rule *rule = rule_find(names[i]);

		if (s->settings->rules.levels[rule_index(rule)] == LEVEL_OFF || !rule_applies(rule, facts_available))
			continue;
		finding_init(&cause, rule);
		if (rule_check_file(rule, s, &cause))
			return rule;
	}
	return NULL;
}

/* ---- masks in colours -------------------------------------------------------------------------------------------- */

enum { MAPPED_MAX = 64 }; /* colours in a map */

static bool has_known_colour(const struct rule_input *s)
{
	return s->ids[0].id < COLOUR_ID_FIRST;
}

/* Returns whether the table has all colours that it lacks if red and blue are exchanged. */
static bool are_swapped(const struct rule_input *s, const struct finding *f)
{
	for (size_t i = 0; i < f->details.ids_count; i++)
		if (colour_table_find(&s->settings->colours, colour_swapped(colour_of_id(f->details.ids[i].id))) ==
		    NO_COLOUR_CLASS)
			return false;
	return f->details.ids_count == f->details.ids_total;
}

/* Appends "#800000, class 1 (car)". */
static void add_nearest(const struct rule_input *s, struct text *t, uint32_t colour)
{
	const struct colour_entry *e = colour_table_nearest(&s->settings->colours, colour);

	text_addf(t, "#%06" PRIx32 ", %s", e->colour, text_class(s->settings, e->id).s);
}

/* Reports colours that are in no table. */
static bool report_colours(const struct rule_input *s, struct finding *f)
{
	const struct finding_details *d = &f->details;
	const struct finding_id *most = d->ids;

	for (size_t i = 0; i < d->ids_count; i++) {
		const struct colour_entry *e = colour_table_nearest(&s->settings->colours, colour_of_id(d->ids[i].id));

		if (d->ids[i].labels > most->labels)
			most = &d->ids[i];
		if (i < MAPPED_MAX && e)
			text_addf(&f->details.map, "%s%s -> #%06" PRIx32, i ? ", " : "", text_id(d->ids[i].id).s,
				  e->colour);
	}
	say(f, "; the table has %zu colours, ", s->settings->colours.count);
	say(f, d->ids_total > 1 ? "the nearest to %s is " : "the nearest%s is ",
	    d->ids_total > 1 ? text_id(most->id).s : "");
	add_nearest(s, &f->message, colour_of_id(most->id));
	if (are_swapped(s, f))
		return advise(f,
			      "red and blue are exchanged (cv2.imread and cv2.imwrite take BGR); exchange them again: "
			      "Image.fromarray(np.array(Image.open(f).convert('RGB'))[..., ::-1]).save(f)");
	if (s->sample->png.colour_type == PNG_PALETTE && !has_known_colour(s))
		return advise(f,
			      "if the palette's indices are the ids, pass --colors none; else write the masks with the "
			      "colours of the table");
	if (d->ids_total == 1)
		return advise(
			f,
			"add the colour to the table, or pass --ignore='%s' if it is never trained on; else correct "
			"these pixels",
			text_id(most->id).s);
	return advise(
		f,
		colours_are_near_table(s)
			? "the colours are near those of the table: JPEG, resizing or anti-aliasing made them; make "
			  "the masks again without these, or take the nearest: labelaudit fix --nearest"
			: "colours near those of the table come from resizing, anti-aliasing or JPEG: make the masks "
			  "again with nearest and without smoothing; else add the colours to the table");
}

/* Ids that are ignored as labels, among the tokens that index a table: -100 copied from the labels. */
static bool report_ignored_tokens(const struct rule_input *s, struct finding *f)
{
	const struct row_tally *tally = s->sample->format == FORMAT_LIST ? &s->stats->list.faults[LIST_NO_TOKEN] : NULL;

	if (!tally || !tally->rows)
		return false;
	say(f, "%" PRIu64 " %s an ignored id, which is legal as a label alone: tokens index a table", tally->rows,
	    plural(tally->rows, "token is", "tokens are"));
	finding_set_row(f, tally, NULL);
	finding_add_offenders(f, s->sample, LIST_NO_TOKEN, tally->rows);
	return advise(f, "write a token's id, such as that of padding, and mask it in attention_mask");
}

static bool check(const struct rule_input *s, struct finding *f)
{
	uint64_t bad = 0, beyond = above_all_ids(s);
	struct extent places = EXTENT_INIT;

	for (size_t i = 0; i < s->stats->ids_count; i++) {
		const struct id_stats *row = &s->ids[i];
		uint64_t labels = row->labels - (row->id == INT64_MAX ? beyond : 0);

		if (!labels || settings_role(s->settings, row->id) != ID_INVALID)
			continue;
		bad += labels;
		finding_add_id(f, row->id, labels);
		extent_add(&places, row);
	}
	if (!bad && !beyond)
		return report_ignored_tokens(s, f);

	say(f, "%" PRIu64 " %s%s %s %s", bad + beyond, sample_unit(s->sample, bad + beyond),
	    text_percent(bad + beyond, s->stats->labels).s, plural(bad + beyond, "has", "have"),
	    bad ? text_finding_ids(f).s : "");
	if (beyond) {
		say(f, bad ? " and " : "");
		add_beyond(s, f);
	}
	if (bad && id_is_colour(f->details.ids[0].id)) {
		finding_set_extent(f, &places, s->sample);
		return report_colours(s, f);
	}
	if (s->sample->format == FORMAT_NIFTI && places.first_index != NO_INDEX)
		say(f, ", the first at voxel %s", text_index(&s->sample->array, places.first_index).s);
	say(f, "; %s", text_valid_ids(s->settings).s);
	finding_set_extent(f, &places, s->sample);
	if (s->sample->offenders) {
		f->details.count = bad;
		finding_add_keys(f, &s->sample->offenders->invalid);
	}

	const struct rule *why = find_cause(s);
	int64_t foreground = odd_foreground(s), classes = settings_class_count(s->settings);

	if (beyond && s->stats->array.beyond_value == UINT64_MAX)
		advise(f, "2^64 - 1 is -1 in uint64: write the ids as int64, and pass --ignore=-1 if -1 is never "
			  "trained on");
	else if (are_signs(s))
		advise(f, "-1 and 1 for two classes: (labels + 1) // 2 makes them 0 and 1");
	else if (are_shifted(s))
		advise(f, "they are as many as the classes, in a row from %" PRId64 ": labels %c %" PRIu64 "%s",
		       s->ids[0].id, s->ids[0].id < 0 ? '+' : '-',
		       s->ids[0].id < 0 ? -(uint64_t)s->ids[0].id : (uint64_t)s->ids[0].id,
		       s->ids[0].id == -1 ? "; if -1 is no class, pass --ignore=-1" : "");
	else if (s->sample->no_data.is_declared && f->details.ids_total == 1 && !beyond &&
		 f->details.ids[0].id == s->sample->no_data.id)
		advise(f, "the file declares %" PRId64 " to be no data (GDAL_NODATA): pass --ignore=%" PRId64,
		       s->sample->no_data.id, s->sample->no_data.id);
	else if (why)
		advise(f, "correct what %s reports for this file", why->name);
	else if (classes <= 2 && may_number_instances(s, INSTANCES_MIN))
		advise(f, "if they number instances, their foreground is (mask > 0).astype(np.uint8); else correct the "
			  "labels, or raise --classes");
	else if (foreground && holds_areas(s, foreground))
		advise(f, "%" PRId64 " holds areas: if it is the foreground, mask[mask == %" PRId64 "] = 1", foreground,
		       foreground);
	else if (foreground)
		advise(f,
		       "if %" PRId64 " is the foreground: mask[mask == %" PRId64
		       "] = 1; if it is never trained on, pass --ignore=%" PRId64,
		       foreground, foreground, foreground);
	else if ((int64_t)(s->stats->ids_count / 2) > classes && may_number_instances(s, OBJECTS_MIN))
		advise(f,
		       "if they number instances, audit the semantic masks instead; else correct the labels, or raise "
		       "--classes");
	else if (f->details.ids_total == 1 && classes == 2 && s->ids[0].id == 0 && s->stats->ids_count == 3 &&
		 f->details.ids[0].id > 1 && holds_areas(s, f->details.ids[0].id))
		advise(f, "if 1 outlines what %" PRId64 " fills, the foreground is (mask > 0).astype(np.uint8)",
		       f->details.ids[0].id);
	else if (f->details.ids_total == 1 && !beyond && is_customary_ignore_id(f->details.ids[0].id))
		advise(f, "if %" PRId64 " is an ignore id, pass --ignore=%" PRId64, f->details.ids[0].id,
		       f->details.ids[0].id);
	return true;
}

const struct rule rule_out_of_range_id = {
	RULE("out-of-range-id", "range", LEVEL_ERROR, "an id that is neither a declared class nor ignored"),
	.facts_needed = FACTS_IDS,
	.check_file = check,
	.advice = "correct the labels, or raise --classes, or pass --ignore for ids that are never trained on",
};
