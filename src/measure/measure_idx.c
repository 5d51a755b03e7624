/*
 * IDX files. Of those found in folders only labels are read: one axis. Files with more axes hold the pictures that the
 * labels belong to; one that the user names is taken for labels all the same. Where pictures lie beside labels in a
 * folder, there must be as many of them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/gzip.h"
#include "measure/array/measure_array.h"
#include "measure/formats.h"
#include "read/idx.h"
#include "read/peek.h"

/* How many pictures the IDX file of that path holds, by its header; false: there is none. */
static bool count_pictures(const char *path, uint64_t *count)
{
	uint8_t file[PEEK_BYTES], unpacked[8];
	const uint8_t *head = file;
	struct fault ignored;

	fault_clear(&ignored);
	int n = peek_file(AT_FDCWD, path, file, &ignored);

	if (n > 2 && file[0] == 0x1f && file[1] == 0x8b) {
		n = (int)gzip_head(file, (size_t)n, unpacked, sizeof(unpacked));
		head = unpacked;
	}
	if (n < 8 || head[0] || head[1] || head[3] < 2)
		return false;
	*count = be32(head + 4);
	return true;
}

/*
 * train-labels-idx1-ubyte has its pictures in train-images-idx3-ubyte, either of them perhaps packed, or unpacked with
 * a dot (.idx1-ubyte). Only beside files that were found: what the user did not name is not opened.
 */
static void compare_with_pictures(struct sample *sample)
{
	const char *name = strrchr(sample->path, '/');
	const char *labels = name ? strstr(name, "labels") : NULL, *idx1 = labels ? strstr(labels, "idx1-ubyte") : NULL;
	uint64_t count;

	if (sample->is_explicit || sample->member || !idx1)
		return;
	for (unsigned packed = 0; packed < 2; packed++) {
		char path[4096];
		int n = snprintf(path, sizeof(path), "%.*simages%.*sidx3-ubyte%s", (int)(labels - sample->path),
				 sample->path, (int)(idx1 - labels - 6), labels + 6, packed ? ".gz" : "");

		if (n < 0 || (size_t)n >= sizeof(path) || !count_pictures(path, &count))
			continue;
		if (count == sample->array.elements)
			return;
		fault_set(&sample->warning, FAULT_MALFORMED, FAULT_NO_OFFSET,
			  "%" PRIu64 " labels, but the file of the images beside it holds %" PRIu64,
			  sample->array.elements, count);
		if (!sample->warning.advice[0])
			snprintf(sample->warning.advice, sizeof(sample->warning.advice),
				 "fetch or make both again: from the first one that is missing, labels belong to other "
				 "images");
		return;
	}
}

void measure_idx(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!idx_read_header(&item->input, &sample->array, &sample->fault) ||
	    !array_measurer_measure(label_measurer_arrays(m), &m->ids, &item->input, &sample->array, &item->stats,
				    batch, &sample->warning, &sample->fault))
		sample->status = SAMPLE_FAILED;
	else
		compare_with_pictures(sample);
}
