/* The parser of the command line. */
#ifndef CLI_OPTIONS_PARSE_H
#define CLI_OPTIONS_PARSE_H

#include "base/error.h"
#include "cli/options.h"

/*
 * Parses the command line into options that options_init() has set up, adds labelaudit.yaml, and checks what the
 * options mean together. Fails with one line that names the option.
 */
enum status options_parse(struct options *o, int argc, char **argv, struct error *err);

#endif
