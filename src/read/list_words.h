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
/* Returns whether a word means the path or name of a file. */
bool word_is_path(const struct plain_word *w);
/* Returns whether the word means a number that is no label: a coordinate, a size, an age, a date, a fold, a score. */
bool word_is_other_number(const struct plain_word *w);

enum { BOX_LEFT, BOX_TOP, BOX_RIGHT, BOX_BOTTOM, BOX_WIDTH, BOX_HEIGHT, BOX_OTHER };

/* Returns which side of a box, or which size, a word means; SIZE_MAX: none. */
size_t word_box_side(const struct plain_word *w);
/* Returns the rank of a word that means label, 0 for the surest, or -1 if it means something else. */
int word_label_rank(const struct plain_word *w);
/* Returns whether the word contains label, class, category or target. */
bool word_hints_at_label(const struct plain_word *w);
/* Returns the rank of a word that means the path or name of a file, or -1. */
int word_path_rank(const struct plain_word *w);
/* Returns whether the word means a coordinate of a box. */
bool word_is_coordinate(const struct plain_word *w);
/*
 * Returns whether words[i] means a coordinate of a point, by the word that differs in one letter, x or y: nose_x beside
 * nose_y. If words are many, only the next ones are compared.
 */
bool word_is_of_point(const struct plain_word *words, size_t count, size_t i);
/* Returns whether the word means runs of pixels (read/list_runs.h). */
bool word_is_runs(const struct plain_word *w);
/* Returns whether a field means "no value": empty, or as pandas and others write it. */
bool word_is_missing(const char *s, size_t n);
/* Returns whether a value has a folder, or an extension of letters and digits. */
bool value_looks_like_path(const char *s, size_t n);
