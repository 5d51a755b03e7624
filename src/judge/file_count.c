#include "judge/file_count.h"

#include <stdlib.h>
#include <string.h>

void example_add(char **example, const struct sample *sample)
{
	if (*example && sample_place_compare(*example, sample) <= 0)
		return;
	free(*example);
	*example = sample_place(sample);
}

void example_merge(char **into, char **from)
{
	if (*from && (!*into || strcmp(*from, *into) < 0)) {
		free(*into);
		*into = *from;
	} else {
		free(*from);
	}
	*from = NULL;
}

void file_count_add(struct file_count *t, const struct sample *sample)
{
	t->files++;
	example_add(&t->example, sample);
}

void file_count_merge(struct file_count *into, struct file_count *from)
{
	into->files += from->files;
	example_merge(&into->example, &from->example);
	from->files = 0;
}
