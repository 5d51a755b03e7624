#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

/* Longer words are not misspelled names. */
enum { WORD_MAX = 48 };

void nearest_init(struct nearest *n, const char *word)
{
	n->word = word;
	n->name = NULL;
	n->distance = (size_t)-1;
}

static bool same(char a, char b)
{
	return ascii_tolower(a) == ascii_tolower(b);
}

/*
 * Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment), ignoring case. Both
 * words have at most WORD_MAX bytes.
 */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = MIN(MIN(row[j - 1], above[j]) + 1, above[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = MIN(row[j], above2[j - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

/* Returns whether the word is the name and more: "ignore-index", "num-classes", "voc2012". */
static bool is_part(const char *name, size_t name_len, const char *word, size_t word_len)
{
	return name_len >= 3 && word_len > name_len &&
	       ((!ascii_isalpha(word[name_len]) && !strncmp(word, name, name_len)) ||
		(word[word_len - name_len - 1] == '-' && !strcmp(word + word_len - name_len, name)));
}

void nearest_try(struct nearest *n, const char *name)
{
	size_t word_len = strlen(n->word), name_len = strlen(name), d;

	if (word_len > WORD_MAX || name_len > WORD_MAX || word_len == 0)
		return;
	d = distance(n->word, word_len, name, name_len);
	/* an abbreviation is far from the name, but a good guess */
	if (word_len >= 3 && word_len < name_len && !strncmp(n->word, name, word_len))
		d = 1;
	if (is_part(name, name_len, n->word, word_len))
		d = MIN(d, (size_t)2);
	if (d <= 1 + word_len / 4 && d < word_len && d < n->distance) {
		n->distance = d;
		n->name = name;
	}
}
