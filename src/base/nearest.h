/*
 * Finds the known name that an unknown word probably means: "did you mean ...?" for options, rules and choices.
 *
 *   struct nearest n;
 *   nearest_init(&n, word);
 *   for each name: nearest_try(&n, name);
 *   n.name is the nearest name, or NULL if none is near enough.
 */
#pragma once

#include <stddef.h>

struct nearest {
	const char *word;
	const char *name;
	size_t distance;
};

void nearest_init(struct nearest *n, const char *word);
void nearest_try(struct nearest *n, const char *name);
