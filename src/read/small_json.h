/*
 * Small JSON values as trees of cJSON, such as class files. Large files, and integers past 2^53, are read with
 * json_pull. The caller frees the tree with cJSON_Delete. Any thread.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stddef.h>

#include "base/fault.h"

/*
 * Parses a value that json_pull has found to be valid, which is stricter than cJSON and reports where an error is.
 * Unpaired surrogates become U+FFFD as there. Returns NULL if the tree is over a limit; then *fault is set.
 */
cJSON *small_json_parse(const char *text, size_t n, struct fault *fault);
