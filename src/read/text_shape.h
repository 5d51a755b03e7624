/* Decides from the first lines of a text whether it holds labels, and in what shape. Pure, any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum text_shape {
	TEXT_OTHER, /* prose, settings, a list of files, names of classes */
	TEXT_YOLO,  /* rows of a class and at least three coordinates */
	TEXT_LIST,  /* each row has a label */
	TEXT_TABLE, /* rows and columns; only the whole text can show whether a column holds labels */
};

/* Returns the shape of a text from its first n bytes. whole: these are all of it. */
enum text_shape text_shape(const uint8_t *head, size_t n, bool whole);

/* Returns whether a table has labels: it is a TEXT_LIST, or a word of its first line hints at them (noisy_labels_0). */
bool text_has_labels(const uint8_t *head, size_t n, bool whole);

/*
 * Returns whether every line has five numbers, separated by blanks or commas, or every line six or nine, separated by
 * blanks. In a folder of YOLO texts these are boxes in pixels, with a confidence, or with wrong separators.
 */
bool text_is_boxes(const uint8_t *head, size_t n, bool whole);

/* Returns whether a file is Roboflow's multi-label export: a column of 0 and 1 for each class. */
bool text_is_multi_label(const char *name, const uint8_t *head, size_t n);

/* Returns whether a text is one column of integers, none of which comes again: the numbers of a split's images. */
bool text_is_numbering(const uint8_t *head, size_t n, bool whole);
/* Returns whether most lines begin with the names of two images: an image and its mask. */
bool text_is_pairs(const uint8_t *head, size_t n);

/* Returns whether a file of this name (without folders) accompanies labels but holds none: README, classes.txt ... */
bool is_name_of_notes(const char *name);
/* Returns whether a name is that of a program, a web page or settings, whose lines a table may be seen in. */
bool is_name_of_source(const char *name);
