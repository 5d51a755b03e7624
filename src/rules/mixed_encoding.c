/*
 * What it finds
 *   Datasets whose files are of several PNG encodings: colour type and bit depth. Palettes of 1, 2, 4 and 8 bits count
 *   as one, since every loader reads them alike.
 *
 * Why it matters
 *   One line of code reads all files, and what is right for one encoding is wrong for the next: an index here, a colour
 *   there. The minority mostly comes from another tool, another annotator or a viewer that saved it again.
 *
 * Example
 *   (dataset): warning mixed-encoding: 374 files in 2 encodings: 275 png rgba 8, 99 png palette (first masks/0007.png)
 *
 * What to do
 *   Look at the files that are named, and write all as 8-bit grey or all with one palette.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "judge/check.h"

/* PNG has 15 pairs of colour type and depth; other formats will bring theirs. */
enum { ENCODINGS_MAX = 32, SAID_MAX = 6 };

struct encoding {
	char name[64];
	uint64_t files;
	const char *example;
};

static void name_encoding(const struct format_total *from, char *out, size_t n)
{
	struct sample sample = { .format = (enum sample_format)from->format };

	if (from->format == FORMAT_PNG && from->colour_type == PNG_PALETTE) {
		snprintf(out, n, "png palette");
		return;
	}
	sample.png.colour_type = from->colour_type;
	sample.png.bit_depth = from->bit_depth;
	sample_format_name(&sample, out, n);
}

/* Adds up what differs in interlacing (or in the depth of the palette) only. */
static size_t collect(const struct dataset_stats *d, struct encoding *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->formats_count; i++) {
		const struct format_total *from = &d->formats[i];
		char name[64];
		size_t at = 0;

		if (from->format != FORMAT_PNG)
			continue;
		name_encoding(from, name, sizeof(name));
		while (at < n && strcmp(out[at].name, name) != 0)
			at++;
		assert(at < ENCODINGS_MAX);
		if (at == n) {
			memcpy(out[n].name, name, sizeof(name));
			out[n].files = 0;
			out[n].example = NULL;
			n++;
		}
		out[at].files += from->tally.files;
		if (!out[at].example || strcmp(from->tally.example, out[at].example) < 0)
			out[at].example = from->tally.example;
	}
	return n;
}

/* Most files first; among equals by name. The table is tiny. */
static void sort(struct encoding *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		for (size_t j = i; j > 0; j--) {
			struct encoding swap = v[j];

			if (v[j].files < v[j - 1].files ||
			    (v[j].files == v[j - 1].files && strcmp(v[j].name, v[j - 1].name) >= 0))
				break;
			v[j] = v[j - 1];
			v[j - 1] = swap;
		}
	}
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	struct encoding v[ENCODINGS_MAX];
	uint64_t files = 0;
	size_t n;

	(void)settings;
	if (d->formats_count < 2)
		return false;
	n = collect(d, v);
	if (n < 2)
		return false;
	sort(v, n);
	for (size_t i = 0; i < n; i++)
		files += v[i].files;
	text_addf(&f->message, "%" PRIu64 " files in %zu encodings: ", files, n);
	for (size_t i = 0; i < n && i < SAID_MAX; i++) {
		text_addf(&f->message, "%s%" PRIu64 " %s", i ? ", " : "", v[i].files, v[i].name);
		if (i)
			text_addf(&f->message, " (first %s)", v[i].example);
	}
	if (n > SAID_MAX)
		text_addf(&f->message, " and %zu more", n - SAID_MAX);
	text_addf(&f->advice,
		  "find out where the fewer files come from, and write all masks in one encoding, best as 8-bit "
		  "grey: Image.fromarray(ids.astype(np.uint8)).save(f)");
	return true;
}

const struct rule rule_mixed_encoding = {
	.name = "mixed-encoding",
	.category = "encoding",
	.level = LEVEL_WARNING,
	.summary = "files of several colour types or bit depths in one set",
	.check_dataset = check_dataset,
};
