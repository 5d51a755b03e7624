/*
 * Measures the mask in a PNG whose channels are all equal: after a backend has found them so, the neighbourhood
 * counters of one channel are measured and kept in the file's stats, which then have `neighbours` set,
 * and in its rows of grey colours. One such file is decoded twice: it has an error in any case.
 */
#pragma once

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/engine/delta.h"
#include "png/sample_rows.h"

/* One per worker; all zero before the first file. */
struct grey_plane {
	struct sample_rows rows;
	struct delta *delta; /* owned */
	void *row;           /* owned: two rows of ids */
	size_t row_cap;
	struct batch ids; /* of one file */
};

void grey_plane_release(struct grey_plane *g);
/* Measures the channel of one item of a batch that a backend has measured, if it has one. */
void grey_plane_measure(struct grey_plane *g, const struct settings *settings, struct batch_item *item,
			struct batch *batch);
