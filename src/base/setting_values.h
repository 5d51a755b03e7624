/*
 * struct setting_values: the options that decide what an audit says, by name, as its report lists them. Reports are
 * compared and merged only if they agree in them. Owner: struct settings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of what was taken from a training's own configuration, which is no option. */
#define TAKEN_FROM "taken-from"
/* The names of what its trainer stops at or trains wrongly, by its enum level: the message of the rule training-config.
 */
extern const char *const training_faults[];

struct setting_value {
	char *name, *value; /* owned */
	bool hashed;        /* the digest of the settings hashes this text; else what became of it */
};

struct setting_values {
	struct setting_value *v; /* in the order of the options; owned */
	size_t count, cap;
};

void setting_values_release(struct setting_values *s);
/* Appends a copy; a value longer than a report should show is cut, and followed by a hash of the whole. */
void setting_values_add(struct setting_values *s, const char *name, const char *value, bool hashed);
/* Replaces the value of that name, if there is one, by text with a hash of what a file holds. */
void setting_values_set(struct setting_values *s, const char *name, const char *text, uint64_t hash);
/* Returns the value of that name, or NULL. */
const char *setting_values_find(const struct setting_values *s, const char *name);
