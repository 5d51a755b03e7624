/*
 * struct config: what a settings file sets, as a list of options with their values in the order of the file. config.h
 * reads it. Owner: struct options, which borrows the values.
 */
#ifndef CLI_CONFIG_VALUES_H
#define CLI_CONFIG_VALUES_H

#include <stddef.h>

struct option_spec;

struct config_value {
	const struct option_spec *spec;
	char *value; /* NULL: the option takes none and is on; owned */
	size_t line; /* from 1 */
};

/* A class of a map of ids and names. */
struct config_class {
	size_t id;
	char *name; /* owned */
};

struct config {
	char *path; /* as it was found or named: ../labelaudit.yaml; NULL: there is none; owned */
	char *root; /* its folder, absolute, without links; owned */
	struct config_value *v;
	size_t count, cap;
	struct config_class *classes; /* of such a map; owned */
	size_t classes_count, classes_cap;
	const char *classes_value; /* the value in v that has their ids: "21", "0-18,33" */
};

void config_init(struct config *c);
void config_release(struct config *c);

#endif
