#include "judge/fix_note.h"

#include "judge/interpolation.h"
#include "judge/rule.h"

static bool has_invalid(const struct rule_input *s, const struct rewriting *r, int64_t scale)
{
	uint64_t labels;

	for (size_t i = 0; i < s->stats->ids_count; i++) {
		int64_t id = rewriting_id(s, r, i, &labels);

		if (labels && settings_role(s->settings, id / scale) == ID_INVALID)
			return true;
	}
	return false;
}

static void add_total(struct fix_total *total, uint64_t labels)
{
	total->labels += labels;
	total->files++;
}

/* Counts the file by what its labels are. */
static void add_roles(struct fix_facts *f, const struct rule_input *s, const struct rewriting *r)
{
	bool labelled = false, beyond_zero = false, invalid = false;

	for (size_t i = 0; i < s->stats->ids_count; i++) {
		uint64_t labels;
		const int64_t id = rewriting_id(s, r, i, &labels);
		const enum id_role role = settings_role(s->settings, id);

		labelled |= labels && role != ID_IGNORED;
		beyond_zero |= labels && role != ID_IGNORED && id;
		invalid |= labels && role == ID_INVALID;
	}
	f->labelled += labelled;
	f->beyond_zero += beyond_zero;
	f->invalid += invalid;
}

/* Adds the classes of categories, also of those without labels: they are not to merge either. */
static void add_categories(struct fix_facts *f, const struct rule_input *s)
{
	const struct coco_map *map = s->sample->coco;

	for (size_t i = 0; i < map->listed_count; i++)
		id_map_add(&f->ids, s->settings, map->entries[i].class_id, map->entries[i].labels, 1);
}

static void add_ids(struct fix_facts *f, const struct rule_input *s, const struct rewriting *r)
{
	const bool few = r->scale != 1;
	int64_t ids[REWRITTEN_IDS_MAX];

	if (s->sample->coco) {
		add_categories(f, s);
		return;
	}
	if (s->settings->nearest_colours && r->encoding == MASK_COLOURS)
		return; /* each becomes one of the table */
	for (size_t i = 0; i < s->stats->ids_count; i++) {
		uint64_t labels;
		int64_t id = rewriting_id(s, r, i, &labels);

		ids[i] = id;
		if (few)
			add_total(&f->samples[s->sample->png.bit_depth == 4][id / r->scale], labels);
		else
			id_map_add(&f->ids, s->settings, id, labels, 1);
	}
	if (few) {
		f->scaled_invalid |= has_invalid(s, r, 1);
		f->samples_invalid |= has_invalid(s, r, r->scale);
	}
	if (map_cityscapes_contradicts(ids, s->stats->ids_count))
		file_count_add(&f->contradicting, s->sample);
}

static void add_mask(struct fix_facts *f, const struct rule_input *s, const struct rewriting *r)
{
	f->masks++;
	f->grey_masks +=
		(r->encoding == MASK_IDS && s->sample->png.colour_type == PNG_GREY) || r->encoding == MASK_REPLICATED;
	if (s->sample->png.bit_depth <= 8)
		file_count_add(&f->of_8_bits, s->sample);
	if (s->interpolation & INTERPOLATION_DAMAGED && has_invalid(s, r, 1))
		file_count_add(&f->damaged, s->sample);
}

void fix_facts_add(struct fix_facts *f, const struct rule_input *s, const struct input *input)
{
	struct rewriting r;
	bool packed;

	if (s->sample->status == SAMPLE_ARCHIVE && rewriting_archive(s))
		file_count_add(&f->keeps_ids, s->sample);
	/* a member that cannot be read is not unpacked either */
	if (s->sample->status == SAMPLE_FAILED && s->sample->member)
		file_count_add(&f->keeps_ids, s->sample);
	if (s->sample->status != SAMPLE_READ || rewriting_has_names(s))
		return;
	f->counted = true;
	const char *never = rewriting_of(s, &r);

	if (never || (input && rewriting_packing(s, input, &packed))) {
		if (s->stats->ids_count)
			file_count_add(&f->keeps_ids, s->sample);
		return;
	}
	f->files++;
	f->grids += r.kind == FIX_PNG || s->sample->array.rank > 1;
	if (r.kind == FIX_PNG)
		add_mask(f, s, &r);
	add_ids(f, s, &r);
	add_roles(f, s, &r);
	f->few_used |= r.recodings & 1 << RECODE_EXPAND && r.scale == 1 && s->stats->ids_count && s->stats->max;
	const bool invalid = has_invalid(s, &r, 1) && (r.scale == 1 || has_invalid(s, &r, r.scale));

	for (int i = 0; i < RECODINGS; i++)
		f->recodable[i][invalid] += r.recodings >> i & 1;
}

void fix_judge_finding(struct finding *f, const struct rule_input *s)
{
	enum repair repair = f->rule->repair;
	struct rewriting r;

	if (repair == REPAIR_UNKNOWN || repair == REPAIR_NEVER || f->unrepairable)
		return;
	f->unrepairable = repair != REPAIR_EXACT || s->sample->status != SAMPLE_READ || rewriting_of(s, &r) ||
			  has_invalid(s, &r, r.scale) || (r.scale != 1 && !has_invalid(s, &r, 1));
}
