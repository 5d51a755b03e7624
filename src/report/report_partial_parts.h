/* What the files that make up report_partial.h share. */
#ifndef REPORT_REPORT_PARTIAL_PARTS_H
#define REPORT_REPORT_PARTIAL_PARTS_H

#include "report/json_values.h"
#include "report/json_writer.h"
#include "report/report_file.h"

/* A name of a file: a string, or an array of one string in base64 where the bytes are not UTF-8. */
void partial_write_path(struct json_writer *w, const char *path);
/* The value at hand; *out is the caller's to free. */
bool partial_read_path(struct json_values *v, char **out);
/* The value at hand is a row: takes its first element. */
bool partial_begin_row(struct json_values *v);

/* The rest of a row: the number of files, and the first of them. */
void partial_write_tally(struct json_writer *w, uint64_t files, const char *example);
bool partial_read_tally(struct json_values *v, uint64_t *files, char **example);

/* Members: report_partial_tables.c */
void partial_write_ids(struct json_writer *w, const struct report *r);
bool partial_read_ids(struct json_values *v, struct report_file *f);
void partial_write_formats(struct json_writer *w, const struct report *r);
bool partial_read_formats(struct json_values *v, struct report_file *f);
void partial_write_sizes(struct json_writer *w, const struct report *r);
bool partial_read_sizes(struct json_values *v, struct report_file *f);
void partial_write_palettes(struct json_writer *w, const struct report *r);
bool partial_read_palettes(struct json_values *v, struct report_file *f);

/* Members: report_partial_contents.c */
void partial_write_split_names(struct json_writer *w, const struct report *r);
bool partial_read_split_names(struct json_values *v, struct report_file *f);
void partial_write_splits(struct json_writer *w, const struct report *r);
bool partial_read_splits(struct json_values *v, struct report_file *f);
void partial_write_folders(struct json_writer *w, const struct report *r);
bool partial_read_folders(struct json_values *v, struct report_file *f);
void partial_write_contents(struct json_writer *w, const struct report *r);
bool partial_read_contents(struct json_values *v, struct report_file *f);

#endif
