/*
 * Reads labelaudit.yaml into struct config.
 *
 *   classes: names.txt            # a value
 *   ignore: [255, -1]             # a list, of an option that is repeatable
 *   reduce-zero-label: true       # true or false, of an option without a value
 *   per-path:                     # a list or a word, of each glob
 *     "drafts/": [encoding, single-id]
 *   classes: {0: road, 1: car}    # instead of a class file: ids and names
 *   paths: [masks/]               # what is audited if no PATH is typed
 *   colors: {0: "#804080", 1: [0, 0, 142]} # instead of a file with colours: ids and colours
 *
 * Keys are the long names of options, except those that make sense on a command line only. Paths are relative to the
 * file's folder. The file may come with the data set: it chooses what is judged and how, but names no file to write.
 * It is read as class files are (read/small_yaml.h), with aliases; it has at most CONFIG_BYTES_MAX bytes.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "cli/options.h"

#define CONFIG_NAME "labelaudit.yaml"

enum { CONFIG_BYTES_MAX = 1 << 20, CONFIG_VALUES_MAX = 65536 };

/* The key `paths`: the PATHs of an audit for which none is typed. The only key that is no option. */
extern const struct option_spec config_paths_key;

/*
 * Returns the path of the nearest labelaudit.yaml, in the current folder, its parent, and so on up to the first folder
 * that holds .git, or to the root; the caller frees it. NULL: there is none. *misnamed, NULL before the call: a file
 * that was met before it, with a name that is not read; the caller frees it.
 */
char *config_find(char **misnamed);
/* The same for the folder `path`, or that of the file, and those above it as far as path names them. */
char *config_find_beside(const char *path, char **misnamed);
/* c is all 0. Fails with path and line. */
enum status config_read(struct config *c, const char *path, struct error *err);
/* Reads a file that is in memory. name: for messages; paths in it are not resolved against a folder. */
enum status config_parse(struct config *c, const char *name, const char *text, size_t size, struct error *err);
/* Appends a value as the file has it: plain words need no quotes. */
void config_add_value(struct strbuf *out, const char *s);
