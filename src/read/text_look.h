/*
 * Which of the texts that lie in data sets hold labels, judging by their first lines. Pure, any thread.
 */
#ifndef READ_TEXT_LOOK_H
#define READ_TEXT_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum text_look {
	TEXT_OTHER, /* prose, settings, a list of files, names of classes */
	TEXT_YOLO,  /* rows of a class and at least three coordinates */
	TEXT_LIST,  /* each row has a label */
	TEXT_TABLE, /* rows and columns; whether one of them holds labels, only all of it can tell */
};

/* head: the first n bytes of the text; whole: these are all. */
enum text_look text_look(const uint8_t *head, size_t n, bool whole);

/* Whether a table has labels by its looks: it is a TEXT_LIST, or a word of its first line says so (noisy_labels_0). */
bool text_has_labels(const uint8_t *head, size_t n, bool whole);

/*
 * Whether every line is five numbers, separated by blanks or commas, or every line six or nine, separated by blanks.
 * Where a YOLO text should be, these are boxes: in pixels, with a confidence, or with the wrong separators. Elsewhere
 * they may be anything.
 */
bool text_is_boxes(const uint8_t *head, size_t n, bool whole);

/* Whether a file of this name (without folders) comes with labels but holds none: README, LICENSE, classes.txt ... */
bool is_name_of_notes(const char *name);

#endif
