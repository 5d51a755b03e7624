/*
 * The mapping of a finding as data: its text (struct finding_details, map) is for people, "1 -> 0, ..., 150 -> 149".
 * Derived from the text, so that a report which was read back has it, too. Pure.
 */
#pragma once

#include "report/json_writer.h"

/* Writes "mapping": [[1, 0], [2, 1] ...], and "others" if the map has a rest; nothing if the text is cut, or is no map
 * of ids (colours, names). */
void mapping_write(struct json_writer *w, const void *map);
