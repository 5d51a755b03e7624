/*
 * What the words in the header of a list say of their columns. Words are compared in lower case, letters and digits
 * alone: "Class ID" and "class_id" are "classid". Constant data.
 */
#ifndef READ_LIST_WORDS_H
#define READ_LIST_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A word in its plain form; what is longer is cut and is none of ours. */
struct plain_word {
	char s[40];
};

void plain_word(const char *s, size_t n, struct plain_word *out);

/* The rank of a word that means label, from 0 for the surest; -1: it does not. */
int word_label_rank(const struct plain_word *w);
/* Whether label, class, category or target is a part of it. */
bool word_hints_at_label(const struct plain_word *w);
/* The same for words that mean path or name of a file. */
int word_path_rank(const struct plain_word *w);
/* A coordinate of a box. */
bool word_is_coordinate(const struct plain_word *w);
/* A number that is no label: a coordinate, a size, an age, a date, a fold, a score. */
bool word_is_other_number(const struct plain_word *w);
/* What a value says: it has a folder, or an extension of letters and digits. */
bool value_looks_like_path(const char *s, size_t n);

#endif
