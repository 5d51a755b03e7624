/*
 * struct label_measurer: what a worker needs to measure the label files that are no PNG: tables that are reused from
 * file to file. PNG masks are measured by a backend (backend.h); all other formats (read/format.h) are parsed by read/
 * and measured on the CPU, each by a function of formats.h. One per worker; one thread.
 */
#ifndef MEASURE_LABEL_MEASURER_H
#define MEASURE_LABEL_MEASURER_H

#include "base/settings.h"
#include "measure/id_counter.h"
#include "read/entry_table.h"

struct label_measurer {
	const struct settings *settings;
	struct id_counter ids;
	struct entry_table boxes;      /* of the current file */
	struct array_measurer *arrays; /* NULL until an array comes; owned */
	struct coco_map *coco_maps;    /* of the current batch; owned */
};

void label_measurer_init(struct label_measurer *m, const struct settings *settings);
void label_measurer_release(struct label_measurer *m);
/* Frees what was kept for the batch before, which has been judged. */
void label_measurer_begin_batch(struct label_measurer *m);
/* Returns the worker's array_measurer; the first call makes it. */
struct array_measurer *label_measurer_arrays(struct label_measurer *m);

#endif
