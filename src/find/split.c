#include "find/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "find/path_state.h"

/* ---- names ------------------------------------------------------------------------------------------------------ */

static const struct {
	const char *word;
	enum split split;
} WORDS[] = {
	{ "train", SPLIT_TRAIN },    { "training", SPLIT_TRAIN }, { "val", SPLIT_VAL },      { "valid", SPLIT_VAL },
	{ "validation", SPLIT_VAL }, { "test", SPLIT_TEST },      { "testing", SPLIT_TEST },
};

/* Words that may follow directly: CamVid's trainannot. */
static const char *const AFTER[] = { "annot",  "annots", "annotation", "annotations", "gt",    "label",
				     "labels", "mask",   "masks",      "seg",         "split", "set" };

enum { WORD_MAX = 24 }; /* longer words are none of these */

static bool is_digits(const char *s)
{
	while (ascii_isdigit(*s))
		s++;
	return !*s;
}

static bool is_after(const char *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(AFTER); i++)
		if (!strcmp(s, AFTER[i]))
			return true;
	return false;
}

/* A fast test, since every word of every folder is looked up, and nearly none begins so. */
static bool begins_like_a_split(const char *word)
{
	return (word[0] == 't' && (word[1] == 'r' || word[1] == 'e')) ||
	       ((word[0] == 'v' || word[0] == 'l') && word[1] == 'a');
}

/* word: lower case, letters and digits. */
static unsigned split_of_word(const char *word)
{
	if (!begins_like_a_split(word))
		return SPLIT_NONE;
	if (!strcmp(word, "labelstr"))
		return SPLIT_TRAIN;
	if (!strcmp(word, "labelsts"))
		return SPLIT_TEST;
	for (size_t i = 0; i < ARRAY_SIZE(WORDS); i++) {
		size_t n = strlen(WORDS[i].word);

		if (!strncmp(word, WORDS[i].word, n) && (is_digits(word + n) || is_after(word + n)))
			return WORDS[i].split;
	}
	return SPLIT_NONE;
}

/* Returns a letter in lower case or a digit; 0 for what separates words. */
static char word_letter(char c)
{
	return ascii_isalnum(c) ? ascii_tolower(c) : 0;
}

static unsigned split_of_folder(const char *name, size_t n)
{
	unsigned found = SPLIT_NONE;
	char word[WORD_MAX];
	size_t len = 0;

	for (size_t i = 0; i <= n; i++) {
		char c = i < n ? word_letter(name[i]) : 0;

		if (c) {
			if (len < WORD_MAX)
				word[len++] = c;
			continue;
		}
		if (len && len < WORD_MAX) {
			word[len] = '\0';
			unsigned split = split_of_word(word);

			if (split && found && split != found)
				return SPLIT_NONE;
			found = split ? split : found;
		}
		len = 0;
	}
	return found;
}

unsigned split_by_name(const char *path, size_t from)
{
	size_t end = strlen(path);

	/* each folder, the deepest first */
	while (end > from) {
		while (end > from && path[end - 1] != '/')
			end--;
		if (end <= from)
			break;
		size_t stop = --end;

		while (end > from && path[end - 1] != '/')
			end--;
		unsigned split = split_of_folder(path + end, stop - end);

		if (split)
			return split;
		end = stop;
	}
	return SPLIT_NONE;
}

unsigned split_by_own_name(const char *path)
{
	const char *name = file_name_of(path), *dot = strchr(name, '.');

	return split_of_folder(name, dot ? (size_t)(dot - name) : strlen(name));
}

/* ---- folders that were typed ------------------------------------------------------------------------------------ */

/* Numbers the folders; returns how many splits they are. at: the PATHs that are folders, n of them. */
static unsigned number_folders(struct splits *s, const char *const *paths, const size_t *at, size_t n)
{
	char *real[SPLITS_MAX];
	unsigned of[SPLITS_MAX], count = 0;

	for (size_t i = 0; i < n; i++) {
		real[i] = realpath(paths[at[i]], NULL);
		of[i] = ++count;
		for (size_t j = 0; j < i && real[i]; j++) {
			if (!real[j] || of[j] == of[i] ||
			    (!path_lies_in(real[i], real[j]) && !path_lies_in(real[j], real[i])))
				continue;
			/* one split: the higher number goes, and those above it move down */
			unsigned keep = MIN(of[i], of[j]), gone = MAX(of[i], of[j]);

			for (size_t k = 0; k <= i; k++)
				of[k] = of[k] == gone ? keep : of[k] > gone ? of[k] - 1 : of[k];
			count--;
		}
	}
	for (size_t i = 0; i < n; i++) {
		s->of_path[at[i]] = (uint8_t)of[i];
		if (!s->names[of[i]])
			s->names[of[i]] = paths[at[i]];
		free(real[i]);
	}
	return count;
}

void splits_init(struct splits *s, const struct find_options *find)
{
	const size_t count = find->paths_count;
	size_t at[SPLITS_MAX], folders = 0;

	memset(s, 0, sizeof(*s));
	s->of_path = xcalloc(count + 1, 1);
	for (size_t i = 0; i < count && folders < SPLITS_MAX; i++)
		if (path_is_folder(find, i))
			at[folders++] = i;
	s->typed = folders > 1 && folders < SPLITS_MAX && number_folders(s, find->paths, at, folders) > 1;
	if (s->typed)
		return;
	memset(s->of_path, 0, count);
	memset(s->names, 0, sizeof(s->names));
	s->names[SPLIT_TRAIN] = "train";
	s->names[SPLIT_VAL] = "val";
	s->names[SPLIT_TEST] = "test";
}

void splits_release(struct splits *s)
{
	free(s->of_path);
	memset(s, 0, sizeof(*s));
}
