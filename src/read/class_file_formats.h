/* The readers of class files, one per format. Each adds the classes, and the ids that the file ignores, to t->set. */
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
