/*
 * What the values of options are made of, for the functions of options_table.c and what reads lists of rules. A value
 * that is refused fills err with one line. Pure, any thread.
 */
#ifndef CLI_OPTIONS_VALUES_H
#define CLI_OPTIONS_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/options_table.h"

/* The next item of a comma-separated list, not copied: its start, and its length in *n. NULL at the end. */
const char *list_next(const char **list, size_t *n);

/* A count or a list of ids is made of these alone; anything else that --classes names is a file, or neither. */
bool is_list_of_ids(const char *spec);
/* "auto,mask" as "auto, mask", cut to the room. */
void option_format_choices(const char *choices, char *out, size_t room);
/* The place of value in spec->choices, from 0; SIZE_MAX if it is none of them. */
size_t option_choose(const struct option_spec *spec, const char *value, struct error *err);
/* Digits alone. */
enum status option_number(const struct option_spec *spec, const char *value, uint64_t max, uint64_t *out,
			  struct error *err);
/* A number, perhaps with K, M, G or T behind it, which count in 1024s as ripgrep's do. */
enum status option_size(const struct option_spec *spec, const char *value, uint64_t *out, struct error *err);

#endif
