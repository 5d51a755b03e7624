/*
 * Interprets the words in a list's header. They are compared in lower case, letters and digits alone: "Class ID" and
 * "class_id" are both "classid". Constant data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word in that form; a longer one is cut, and matches no known word. */
struct plain_word {
	char s[40];
};

void plain_word(const char *s, size_t n, struct plain_word *out);

/* Returns whether a word means label. */
bool word_is_label(const struct plain_word *w);
/* Returns whether a word means ids of tokens: the input of a model, which are its labels, too, where it has no others.
 */
bool word_is_tokens(const struct plain_word *w);
/* Returns whether a word means the path or name of a file. */
bool word_is_path(const struct plain_word *w);
/* Returns whether the word means a number that is no label: a coordinate, a size, an age, a date, a fold, a score. */
bool word_is_other_number(const struct plain_word *w);

/* Returns whether the word is for colours: r, g, b, class_color. */
bool word_is_colour(const struct plain_word *w);

enum { BOX_LEFT, BOX_TOP, BOX_RIGHT, BOX_BOTTOM, BOX_WIDTH, BOX_HEIGHT, BOX_OTHER };

/* Returns which side of a box, or which size, a word means; SIZE_MAX: none. */
size_t word_box_side(const struct plain_word *w);
/* Returns 0 for the width of an image, 1 for its height, SIZE_MAX for any other word. */
size_t word_image_side(const struct plain_word *w);
/* Returns whether a field means "no value": empty, or as pandas and others write it. */
bool word_is_missing(const char *s, size_t n);
/* Returns whether a value has a folder, or an extension of letters and digits. */
bool value_looks_like_path(const char *s, size_t n);
