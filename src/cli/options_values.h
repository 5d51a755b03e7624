/*
 * Parsers of options' values, for options_table.c and options_rules.c. A value that is refused fills err with one line.
 * Pure, any thread.
 */
#ifndef CLI_OPTIONS_VALUES_H
#define CLI_OPTIONS_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/option_spec.h"

/* Returns the next item of a comma-separated list, not copied, and its length in *n; NULL at the end. */
const char *list_next(const char **list, size_t *n);

/* Returns whether a value of --classes is a count or a list of ids; otherwise it names a file. */
bool is_list_of_ids(const char *spec);
/* Writes "auto,mask" as "auto, mask", cut to the capacity of out. */
void option_format_choices(const char *choices, char *out, size_t room);
/* Returns the index of value in spec->choices, or SIZE_MAX if it is none of them. */
size_t option_choose(const struct option_spec *spec, const char *value, struct error *err);
/* Parses decimal digits. */
enum status option_number(const struct option_spec *spec, const char *value, uint64_t max, uint64_t *out,
			  struct error *err);
/* Parses a number with an optional suffix K, M, G or T: powers of 1024, as in ripgrep. */
enum status option_size(const struct option_spec *spec, const char *value, uint64_t *out, struct error *err);

#endif
