#include "judge/leak.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "judge/check.h"

bool leak_finding(struct finding *f, const struct dataset_stats *d, enum content_of of, const char *thing,
		  const char *alike)
{
	const struct content_table *t = d->contents[of];
	const struct content_total *first = NULL;
	unsigned splits = 0;
	uint64_t leaks = 0;
	char things[16];

	for (size_t i = 0; t && i < t->count; i++) {
		const struct content_total *c = &t->v[i];

		if (!c->places || !c->places->split_path[1])
			continue;
		leaks++;
		finding_add_key(f, c->key[0] ^ c->key[1]);
		splits |= c->splits;
		if (!first || strcmp(c->places->split_path[0], first->places->split_path[0]) < 0)
			first = c;
	}
	if (!first)
		return false;
	f->details.count = leaks;
	snprintf(things, sizeof(things), "%ss", thing);
	say(f, "%s%" PRIu64 " %s %s in more than one of ", content_table_share(t) > 1 ? "at least " : "", leaks,
	    leaks == 1 ? thing : things, leaks == 1 ? "is" : "are");
	for (unsigned s = 1, said = 0; s < NAME_SPLITS; s++)
		if (splits >> s & 1)
			say(f, "%s%s", said++ ? ", " : "", dataset_split_name(d, s));
	return say(f, ": %s and %s are %s%s", first->places->split_path[0], first->places->split_path[1], alike,
		   text_compared(t, things).s);
}
