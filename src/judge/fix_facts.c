#include "judge/fix_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void fix_facts_release(struct fix_facts *f)
{
	id_map_release(&f->ids);
	free(f->keeps_ids.example);
	free(f->damaged.example);
	free(f->contradicting.example);
	free(f->of_8_bits.example);
	free(f->words);
	memset(f, 0, sizeof(*f));
}

static void merge_total(struct fix_total *into, const struct fix_total *from)
{
	into->labels += from->labels;
	into->files += from->files;
}

void fix_facts_merge(struct fix_facts *into, struct fix_facts *from)
{
	id_map_merge(&into->ids, &from->ids);
	for (size_t depth = 0; depth < 2; depth++)
		for (size_t i = 0; i < 16; i++)
			merge_total(&into->samples[depth][i], &from->samples[depth][i]);
	into->files += from->files;
	into->masks += from->masks;
	into->grids += from->grids;
	into->grey_masks += from->grey_masks;
	into->labelled += from->labelled;
	into->beyond_zero += from->beyond_zero;
	into->invalid += from->invalid;
	if (into->words)
		free(from->words);
	else
		into->words = from->words;
	for (size_t i = 0; i < RECODINGS; i++)
		for (size_t k = 0; k < 2; k++)
			into->recodable[i][k] += from->recodable[i][k];
	file_count_merge(&into->keeps_ids, &from->keeps_ids);
	file_count_merge(&into->damaged, &from->damaged);
	file_count_merge(&into->contradicting, &from->contradicting);
	file_count_merge(&into->of_8_bits, &from->of_8_bits);
	into->counted |= from->counted;
	into->few_used |= from->few_used;
	into->scaled_invalid |= from->scaled_invalid;
	into->samples_invalid |= from->samples_invalid;
	memset(from, 0, sizeof(*from));
}
