/*
 * Measures the files of arrays. IDX files found in folders are read as labels only if they have one axis; files with
 * more axes hold the images. A file that the user names is read as labels whatever its shape. The images that lie
 * beside labels are counted: there must be one for each label.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "measure/array/array_elements.h"
#include "measure/array/measure_array.h"
#include "measure/label_measurer.h"
#include "read/npy.h"
#include "read/tokens.h"
#include "read/volume.h"

/* Reads from the header of the IDX file at `path` how many images it holds. Returns false if there is no such file. */
static bool count_images(const char *path, uint64_t *count)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored = FAULT_INIT;

	if (input_read_head(AT_FDCWD, path, head, &ignored) < 8 || head[0] || head[1] || head[3] < 2)
		return false;
	*count = be32(head + 4);
	return true;
}

/*
 * Warns if there are more or fewer images than labels. The images of train-labels-idx1-ubyte are in
 * train-images-idx3-ubyte; either may be packed (.gz) or written with a dot (.idx1-ubyte). If the user named the labels
 * as a path, the images were not named and are not opened.
 */
static void compare_with_images(struct sample *sample)
{
	static const char *const packed[] = { "", ".gz", ".bz2", ".xz", ".zst" };
	const char *name = strrchr(sample->path, '/');
	const char *labels = name ? strstr(name, "labels") : NULL, *idx1 = labels ? strstr(labels, "idx1-ubyte") : NULL;
	uint64_t count;

	if (sample->is_explicit || sample->member || !idx1)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++) {
		char path[4096];
		int n = snprintf(path, sizeof(path), "%.*simages%.*sidx3-ubyte%s", (int)(labels - sample->path),
				 sample->path, (int)(idx1 - labels - 6), labels + 6, packed[i]);

		if (n < 0 || (size_t)n >= sizeof(path) || !count_images(path, &count))
			continue;
		if (count == sample->array.elements)
			return;
		fault_set(&sample->warning, FAULT_MALFORMED, FAULT_NO_OFFSET,
			  "%" PRIu64 " labels, but the file of the images beside it has %" PRIu64,
			  sample->array.elements, count);
		if (!sample->warning.advice[0])
			snprintf(sample->warning.advice, sizeof(sample->warning.advice),
				 "fetch or make both again: from the first one that is missing, labels belong to other "
				 "images");
		return;
	}
}

static bool measure_elements(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!m->arrays)
		m->arrays = array_measurer_new(m->settings, m->spare);
	return array_measurer_measure(m->arrays, &m->ids, &item->input, &sample->array, &item->stats, batch,
				      &sample->warning, &sample->fault);
}

bool measure_npy(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	return npy_read_header(&item->input, &item->sample.array, &item->sample.fault) &&
	       measure_elements(m, item, batch);
}

bool measure_volume(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!volume_read_header(&item->input, &m->settings->limits, &sample->array, &sample->warning, &sample->fault))
		return false;
	sample->container = sample->array.volume.container;
	return measure_elements(m, item, batch);
}

bool measure_idx(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	if (!idx_read_header(&item->input, &item->sample.array, &item->sample.fault) ||
	    !measure_elements(m, item, batch))
		return false;
	compare_with_images(&item->sample);
	return true;
}

/* Says what the ids would be in each type, since the file does not. The input is at its beginning. */
static bool ask_for_type(struct input *in, struct fault *fault)
{
	uint32_t chunk[1 << 14];
	uint64_t all = 0, most[2] = { 0 }; /* of 16 bits, of 32 bits */
	int64_t n;

	while ((n = input_read(in, chunk, sizeof(chunk), fault)) > 0) {
		for (unsigned i = 0; i < 2; i++)
			most[i] = MAX(most[i], elements_max(chunk, 2u << i, (size_t)n / (2u << i)));
		all += (uint64_t)n;
	}
	if (n < 0)
		return false;
	fault_set(fault, FAULT_AMBIGUOUS, FAULT_NO_OFFSET,
		  "a stream of ids whose type nothing says: as uint16 it has %" PRIu64 " ids up to %" PRIu64
		  ", as uint32 %" PRIu64 " up to %" PRIu64 "%s",
		  all / 2, most[0], all / 4, most[1],
		  all % 4 == 0   ? ""
		  : all % 2 == 0 ? " (and 2 bytes more)"
				 : " (and some bytes more)");
	return fault_advise(fault, "say in which type it was written: --dtype uint16 (nanoGPT), uint32, int32, int64");
}

bool measure_tokens(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!tokens_read_header(&item->input, sample->member ? NULL : sample->path, m->settings->list.dtype,
				&sample->array, &sample->fault))
		return false;
	if (sample->array.dtype == DTYPE_NONE)
		return ask_for_type(&item->input, &sample->fault);
	if (!sample->array.elements)
		return fault_set(&sample->fault, FAULT_EMPTY, FAULT_NO_OFFSET, "a stream without ids");
	return measure_elements(m, item, batch);
}
