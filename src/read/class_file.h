/*
 * Class files for --classes: one name a line (names.txt, obj.names, classes.txt); the line number, from 0, is the id.
 * Other formats are told apart and refused by name, never read as a list of odd names.
 */
#ifndef READ_CLASS_FILE_H
#define READ_CLASS_FILE_H

#include "base/class_set.h"
#include "base/error.h"

/* Declares the classes 0..lines-1 and their names. Call class_set_finish afterwards. */
enum status class_file_read(struct class_set *s, const char *path, struct error *err);

#endif
