/*
 * Limits what a labelaudit.yaml may do that was found, not named with --config. It may come with the data set of
 * somebody else, so it must not decide that the gate is open, nor read or write anything but what lies in its folder:
 *
 *   - what narrows the audit (option_spec.narrows) is taken, and every report names it: skip, exclude, baseline, view;
 *     and where the classes were typed, ignore, preset and what else makes labels legal;
 *   - allow, cache and `fail-on: never` are refused (option_spec.named_only);
 *   - its paths stay beneath its folder, and so does the file itself if it is a symbolic link;
 *   - it belongs to the effective user or to root, as git demands of a repository.
 *
 * The checks pass for a file that was named. Each fills err with what to type instead.
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/options.h"

struct option_spec;

/* st: of the open file. */
enum status config_check_file(const struct config *c, const struct stat *st, struct error *err);
/* value: a path as it is in the file, on that line. */
enum status config_check_path(const struct config *c, size_t line, const struct option_spec *spec, const char *value,
			      struct error *err);
enum status config_check_value(const struct config *c, const struct config_value *v, struct error *err);
