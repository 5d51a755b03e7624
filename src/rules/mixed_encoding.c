/*
 * What it finds
 *   Datasets whose files are of several PNG encodings: colour type and bit depth. Palettes of 1, 2, 4 and 8 bits count
 *   as one, since every loader reads them the same way.
 *
 *
 *   With a table of colours (--colors, a class file or a preset that has them) it is an error if some masks are read by
 *   their colours and some by their ids: no loader does both.
 *
 * Why it matters
 *   One line of code reads all files, and what is right for one encoding is wrong for the next: an index here, a colour
 *   there. The minority usually comes from another tool, another annotator, or a viewer that saved it again.
 *
 * Example
 *   (dataset): warning mixed-encoding: 374 files in 2 encodings: 275 png rgba 8, 99 png palette (first masks/0007.png)
 *
 * What to do
 *   Check the files named in the finding, and write all as 8-bit grey or all with one palette.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/check.h"

/* PNG has 15 pairs of colour type and depth. */
enum { ENCODINGS_MAX = 32, SAID_MAX = 6 };

struct encoding {
	char name[64];
	uint64_t files;
	const char *example;
};

static void name_encoding(const struct format_total *from, char *out, size_t n)
{
	struct sample sample = { .format = FORMAT_PNG };

	sample.container = from->container;
	sample.png.colour_type = from->colour_type;
	sample.png.bit_depth = from->bit_depth;
	sample_format_name(&sample, out, n);
	if (from->colour_type == PNG_PALETTE)
		snprintf(out, n, "png palette");
}

/*
 * Collects the encodings. Formats that differ only in interlacing, or in a palette's depth, are one; they are
 * neighbours in the sorted table.
 */
static size_t collect(const struct dataset_stats *d, struct encoding *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->formats.count; i++) {
		const struct format_total *from = &d->formats.v[i];
		struct encoding next = { .files = from->seen.files, .example = from->seen.example };

		if (from->format != FORMAT_PNG)
			continue;
		name_encoding(from, next.name, sizeof(next.name));
		if (n && !strcmp(out[n - 1].name, next.name)) {
			next.files += out[--n].files;
			if (strcmp(out[n].example, next.example) < 0)
				next.example = out[n].example;
		}
		assert(n < ENCODINGS_MAX);
		out[n++] = next;
	}
	return n;
}

/* Compares by number of files, most first, then by name. */
static int compare(const void *pa, const void *pb)
{
	const struct encoding *a = pa, *b = pb;

	return a->files != b->files ? (a->files < b->files) - (a->files > b->files) : strcmp(a->name, b->name);
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	struct encoding v[ENCODINGS_MAX];
	const struct file_count *colours = &d->counted[COUNTED_READ_BY_COLOURS],
				*ids = &d->counted[COUNTED_READ_BY_IDS];
	uint64_t files = 0;
	size_t n = collect(d, v);

	(void)settings;
	if (n < 2)
		return false;
	qsort(v, n, sizeof(*v), compare);
	for (size_t i = 0; i < n; i++)
		files += v[i].files;
	f->details.count = files - v[0].files; /* the most frequent one comes first */
	f->example = v[n > 1].example;
	say(f, "%" PRIu64 " files in %zu encodings: ", files, n);
	for (size_t i = 0; i < n && i < SAID_MAX; i++) {
		say(f, "%s%" PRIu64 " %s", i ? ", " : "", v[i].files, v[i].name);
		if (i)
			say(f, " (first %s)", v[i].example);
	}
	if (n > SAID_MAX)
		say(f, " and %zu more", n - SAID_MAX);
	if (colours->files && ids->files) {
		f->level = LEVEL_ERROR;
		say(f,
		    "; %" PRIu64 " %s read by the table of colours (first %s), %" PRIu64
		    " by %s ids (first %s): no loader does both",
		    colours->files, plural(colours->files, "is", "are"), colours->example, ids->files,
		    plural(ids->files, "its", "their"), ids->example);
	}
	return true;
}

const struct rule rule_mixed_encoding = {
	RULE("mixed-encoding", "encoding", LEVEL_WARNING, "files of several colour types or bit depths in one set"),
	.check_dataset = check_dataset,
	.advice = "find out where the minority comes from, and write all masks in one encoding, preferably as 8-bit "
		  "grey: "
		  "Image.fromarray(ids.astype(np.uint8)).save(f)",
};
