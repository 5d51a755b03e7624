/*
 * The readers of class files, one for each format; class_file.c chooses. Each adds the classes to t->set, and the ids
 * that it ignores.
 */
#ifndef READ_CLASS_FILE_FORMATS_H
#define READ_CLASS_FILE_FORMATS_H

#include "read/class_text.h"

/* class_file_lines.c */
enum status class_file_names(struct class_text *t, struct error *err);
bool class_file_is_cvat(const struct class_text *t);
enum status class_file_cvat(struct class_text *t, struct error *err);
bool class_file_is_csv(const struct class_text *t);
enum status class_file_csv(struct class_text *t, struct error *err);
enum status class_file_json(struct class_text *t, struct error *err);
enum status class_file_yaml(struct class_text *t, struct error *err);

#endif
