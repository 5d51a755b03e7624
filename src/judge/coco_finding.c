#include "judge/coco_finding.h"

#include <inttypes.h>

bool coco_finding(struct finding *f, const struct rule_input *s, const struct coco_phrase *phrases, size_t n)
{
	const struct coco_trouble_count *first = NULL;
	size_t said = 0;

	for (size_t i = 0; i < n; i++) {
		const struct coco_trouble_count *t = &s->stats->coco.facts.trouble[phrases[i].trouble];

		if (!t->count)
			continue;
		text_addf(&f->message, "%s%" PRIu64 " %s %s", said++ ? "; " : "", t->count,
			  t->count == 1 ? phrases[i].one : phrases[i].many, phrases[i].rest);
		if (t->line &&
		    (!first || t->line < first->line || (t->line == first->line && t->column < first->column)))
			first = t;
	}
	if (first) {
		text_addf(&f->message, " (first at line %" PRIu64 ", column %" PRIu64 ")", first->line, first->column);
		f->details.has_first = true;
		f->details.first_kind = FIRST_LINE;
		f->details.first_id = first->id;
		f->details.first_x = first->column;
		f->details.first_y = first->line;
	}
	return said;
}

void coco_word_name(struct text *t, const struct coco_map_entry *e)
{
	if (e && e->name[0])
		text_addf(t, " '%s'", e->name);
}

void coco_add_map(struct finding *f, const struct rule_input *s)
{
	const struct coco_map *map = s->sample->coco;
	bool any = false;

	for (size_t i = 0; map && i < map->listed_count; i++) {
		const struct coco_map_entry *e = &map->entries[i];

		if (e->class_id == COCO_NO_CLASS)
			continue;
		text_addf(&f->details.map, "%s%" PRId64 " -> %" PRId64, any ? ", " : "", e->id, e->class_id);
		any = true;
	}
}

const struct coco_map_entry *coco_entry(const struct rule_input *s, int64_t id)
{
	const struct coco_map *map = s->sample->coco;

	for (size_t i = 0; map && i < map->listed_count; i++)
		if (map->entries[i].id == id)
			return &map->entries[i];
	return NULL;
}
