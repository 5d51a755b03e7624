/*
 * The forms that a command's result is written in, beside the reports' own (report/reporters.c): to standard output as
 * --format says, and to each -o, which is complete or unchanged.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"

struct form_sink;

struct form_style {
	bool colour;
	int verbosity;          /* as struct options' */
	struct form_sink *sink; /* for forms_flush */
};

/* A table of these ends with a name that is NULL. */
struct form {
	const char *name; /* of --format */
	void (*write)(const void *result, const struct form_style *style, struct strbuf *out);
};

/* Fails if the options ask for a form that is not in the table. what: "a comparison". */
enum status forms_check(const struct form *forms, const char *what, const struct options *options, struct error *err);

/* Writes the result in every form that the options ask for. *signal_number as command_run's. */
enum status forms_write(const struct form *forms, const void *result, const struct options *options, int *signal_number,
			struct error *err);

/* Writes what is in out so far and clears it: a result of any length needs no memory. */
void forms_flush(const struct form_style *style, struct strbuf *out);
