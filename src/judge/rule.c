#include "judge/rule.h"

#include <assert.h>
#include <string.h>

#include "base/lower_bound.h"
#include "find/member.h"
#include "judge/colours.h"
#include "judge/interpolation.h"
#include "judge/photograph.h"
#include "judge/role.h"
#include "judge/wording.h"

const char *const rule_categories[RULE_CATEGORIES] = {
	"file", "range", "encoding", "shape", "content", "lists", "coco"
};

static bool name_is_below(const void *entry, const void *name)
{
	return strcmp((*(const struct rule *const *)entry)->name, name) < 0;
}

const struct rule *rule_find(const char *name)
{
	size_t i = lower_bound(name, rule_table, 0, rule_count, sizeof(*rule_table), name_is_below);

	return i < rule_count && !strcmp(rule_table[i]->name, name) ? rule_table[i] : NULL;
}

size_t rule_index(const struct rule *rule)
{
	size_t i = lower_bound(rule->name, rule_table, 0, rule_count, sizeof(*rule_table), name_is_below);

	assert(i < rule_count && rule_table[i] == rule);
	return i;
}

unsigned rule_input_interpolation(const struct rule_input *s)
{
	/* levels of transparency are no ids: mask-in-alpha */
	const unsigned tests = s->sample->status == SAMPLE_READ && !palette_is_white(s->sample, s->stats)
				       ? interpolation_tests(s->stats, s->ids)
				       : 0;

	/* the palette of a photo numbers its colours in any order, so that ids in gaps look like damage */
	return tests && is_photograph(s->settings, s->stats, s->ids, tests & INTERPOLATION_DAMAGED, NULL) ? 0 : tests;
}

struct rule_input rule_input_of(const struct settings *settings, const struct sample *sample,
				const struct label_stats *stats, const struct id_stats *ids,
				const struct pairing *pairing)
{
	struct rule_input s = {
		.settings = settings, .sample = sample, .stats = stats, .ids = ids, .pairing = pairing
	};

	s.interpolation = rule_input_interpolation(&s);
	return s;
}

unsigned rule_input_facts(const struct rule_input *s)
{
	const struct sample *sample = s->sample;
	const struct label_stats *stats = s->stats;
	unsigned facts_available = s->pairing ? FACTS_PAIRING : 0;

	if (s->pairing || sample->images)
		facts_available |= FACTS_IMAGES;

	if (sample->archive || sample->member)
		facts_available |= FACTS_ARCHIVE;
	if (sample->fault.kind != FAULT_NONE || sample->warning.kind != FAULT_NONE)
		facts_available |= FACTS_FAULT;
	if (sample->status != SAMPLE_READ)
		return facts_available;
	if (sample_is_array(sample) && !stats->colours)
		facts_available |= FACTS_ARRAY;
	if (stats->no_ids)
		return facts_available;
	if (stats->colours)
		return facts_available | FACTS_CHANNELS;
	facts_available |= FACTS_IDS;
	if (sample->format == FORMAT_LIST)
		facts_available |= FACTS_LIST;
	if (sample->format == FORMAT_YOLO)
		facts_available |= FACTS_BOXES;
	if (sample_is_mask(sample))
		facts_available |= FACTS_MASK;
	if (sample->format == FORMAT_COCO)
		facts_available |= FACTS_COCO;
	if (sample->format == FORMAT_LIST || sample->format == FORMAT_YOLO || sample->format == FORMAT_COCO)
		facts_available |= FACTS_GEOMETRY;
	if (sample->format == FORMAT_PNG)
		facts_available |= FACTS_PNG;
	if (stats->neighbours)
		facts_available |= FACTS_NEIGHBOURS;
	return facts_available;
}

bool rule_input_has(const struct rule_input *s, enum id_role role)
{
	for (uint64_t i = 0; i < s->stats->ids_count; i++)
		if (settings_role(s->settings, s->ids[i].id) == role)
			return true;
	return false;
}

uint64_t finding_add_role(struct finding *f, const struct rule_input *s, enum id_role role)
{
	uint64_t labels = 0;

	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		if (settings_role(s->settings, s->ids[i].id) != role)
			continue;
		labels += s->ids[i].labels;
		finding_add_id(f, s->ids[i].id, s->ids[i].labels);
	}
	return labels;
}

/* ---- boxes --------------------------------------------------------------------------------------------------------
 */

bool rule_input_one_image(const struct rule_input *s)
{
	return s->sample->format == FORMAT_YOLO || (s->sample->format == FORMAT_LIST && s->sample->list.one_image);
}

const struct box_tally *rule_input_boxes(const struct rule_input *s)
{
	return s->sample->format == FORMAT_LIST   ? &s->stats->list.boxes
	       : s->sample->format == FORMAT_YOLO ? &s->stats->boxes.boxes
						  : &s->stats->coco.facts.boxes;
}

uint64_t rule_input_box_troubles(const struct rule_input *s, enum box_trouble trouble)
{
	return s->sample->format == FORMAT_LIST   ? s->stats->list.faults[LIST_BOX_NO_AREA + trouble].rows
	       : s->sample->format == FORMAT_YOLO ? s->stats->boxes.faults[BOX_NO_AREA + trouble].rows
						  : s->stats->coco.facts.trouble[COCO_BOX_NO_AREA + trouble].count;
}

bool boxes_finding(struct finding *f, const struct rule_input *s, const struct phrase *phrases)
{
	const unsigned base = s->sample->format == FORMAT_LIST   ? LIST_BOX_NO_AREA
			      : s->sample->format == FORMAT_YOLO ? BOX_NO_AREA
								 : COCO_BOX_NO_AREA;
	struct phrase own[GEOMETRY_TROUBLES + 1] = { 0 };

	for (size_t i = 0; phrases[i].one; i++) {
		own[i] = phrases[i];
		own[i].kind += base;
	}
	return phrases_finding(f, s->sample, s->stats, own);
}

/* ---- applying rules --------------------------------------------------------------------------------------------- */

bool rule_input_unread(const struct rule_input *s)
{
	const struct archive_facts *archive = s->sample->archive;

	return s->sample->fault.kind != FAULT_NONE || (archive && archive->hides_members);
}

/* Called for every rule and file, so it clears the fields and not the kilobytes of the arrays. */
void finding_init(struct finding *f, const struct rule *rule)
{
	struct finding_details *d = &f->details;

	f->rule = rule;
	f->level = rule->level;
	f->lowered = f->baselined = f->provisional = f->unrepairable = false;
	text_clear(&f->message);
	text_clear(&f->advice);
	memset(d, 0, offsetof(struct finding_details, map));
	d->offset = FAULT_NO_OFFSET;
	text_clear(&d->map);
	f->keys_total = f->keys_count = 0;
	f->example = NULL;
	f->part = 0;
}

bool rule_fits_format(const struct rule *rule, const char *format)
{
	enum { OF_PIXELS = FACTS_CHANNELS | FACTS_NEIGHBOURS | FACTS_MASK };
	static const struct {
		const char *name;
		unsigned facts;
	} formats[] = {
		{ "list", FACTS_LIST | FACTS_GEOMETRY }, { "yolo", FACTS_BOXES | FACTS_GEOMETRY },
		{ "coco", FACTS_COCO | FACTS_GEOMETRY }, { "imagefolder", 0 },
		{ "png", OF_PIXELS | FACTS_PNG },        { "bmp", OF_PIXELS | FACTS_PNG },
		{ "gif", OF_PIXELS | FACTS_PNG },        { "npy", OF_PIXELS | FACTS_ARRAY },
		{ "idx", OF_PIXELS | FACTS_ARRAY },      { "", OF_PIXELS | FACTS_PNG | FACTS_ARRAY }, /* any other */
	};
	unsigned facts = FACTS_IDS | FACTS_FAULT | FACTS_PAIRING | FACTS_ARCHIVE; /* of any */
	size_t i = 0;

	while (strncmp(format, formats[i].name, strlen(formats[i].name)) != 0)
		i++;
	return !(rule->facts_needed & ~(facts | (*format ? formats[i].facts : 0)));
}

bool rule_applies(const struct rule *rule, unsigned facts_available)
{
	if (rule->fault != FAULT_NONE)
		return facts_available & FACTS_FAULT;
	return (rule->check_file || rule->phrases) && (rule->facts_needed & facts_available) == rule->facts_needed;
}

/* Adds the rule's own advice if the check gave none. */
static bool add_advice(const struct rule *rule, struct finding *f)
{
	return f->advice.len || !rule->advice || text_addf(&f->advice, "%s", rule->advice);
}

bool rule_check_file(const struct rule *rule, const struct rule_input *s, struct finding *f)
{
	if (rule->fault != FAULT_NONE && !fault_finding(f, &s->sample->fault, rule->fault, NULL))
		return false;
	if (rule->phrases && !phrases_finding(f, s->sample, s->stats, rule->phrases))
		return false;
	return (!rule->check_file || rule->check_file(s, f)) && add_advice(rule, f);
}

bool rule_needs_set(const struct rule *rule)
{
	bool about_files = rule->check_file || rule->fault != FAULT_NONE || rule->phrases;

	return !rule->tells_unread && (rule->whole_set || !about_files);
}

bool rule_check_dataset(const struct rule *rule, const struct settings *settings, const struct dataset_stats *d,
			struct finding *f)
{
	return rule->check_dataset(settings, d, f) && add_advice(rule, f);
}

void verdict_set_level(const struct settings *settings, size_t rule, struct finding *f)
{
	const enum level level = settings->rules.levels[rule], chosen = f->level;
	const enum level wanted = level == LEVEL_OFF ? LEVEL_INFO : level; /* of a rule that tells_reading */

	if (wanted != rule_table[rule]->level) {
		f->level = wanted;
		f->provisional = false;
	}
	f->lowered = f->level < chosen;
}
