/*
 * struct label_reader: a kind of label file: how it is recognised and how it is measured.
 *
 * Masks in PNG have one, too, so that all kinds are recognised in one place, but they are measured by a backend
 * (backend.h). All others are parsed by read/ and measured on the CPU, with the worker's struct label_meter.
 */
#ifndef MEASURE_LABEL_READER_H
#define MEASURE_LABEL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/id_counter.h"
#include "read/entry_table.h"
#include "read/identify.h"
#include "read/sample.h"

/* What is known of a file before it is read: its beginning, and where it lies. */
struct peeked {
	const char *path; /* as reported; of a member, the archive's */
	const char *name; /* last part of the path, or of the member's name */
	enum content content;
	const uint8_t *head; /* PEEK_BYTES, or the whole file if it is shorter */
	size_t n;
	bool named;        /* the user named it, and thereby says that it holds labels */
	bool told;         /* --kind says of what kind it is */
	bool picture_name; /* its extension is that of a picture */
};

/* What a worker needs for measuring; each has its own. */
struct label_meter {
	const struct settings *settings;
	struct id_counter ids;
	struct entry_table boxes;   /* of the file in hand */
	struct array_meter *arrays; /* NULL until an array comes; owned */
	struct coco_map *coco_maps; /* of the batch in hand; owned */
};

struct label_reader {
	const char *name; /* of the format, for messages: "an IDX array" */
	enum sample_format format;
	enum kind kind;
	bool (*claims)(const struct peeked *p);
	/*
	 * Reads item->input from its beginning to its end; fills sample, stats and the rows of batch, or sets
	 * sample->status to SAMPLE_FAILED and fills sample->fault; then nothing is in the batch. NULL: the backend's.
	 */
	void (*measure)(struct label_meter *m, struct batch_item *item, struct batch *batch);
};

/* Sets of kinds. */
#define KIND_BIT(kind) (1u << (kind))

/* The reader that claims a file, of one of `kinds` (a KIND_BIT each); NULL: none does. */
const struct label_reader *label_reader_for(const struct peeked *p, unsigned kinds);

void label_meter_init(struct label_meter *m, const struct settings *settings);
void label_meter_release(struct label_meter *m);
/* Measures every SAMPLE_READ item of the batch that is not for the backend. */
void label_meter_measure(struct label_meter *m, struct batch *batch);

/* The worker's array_meter; the first call makes it. */
struct array_meter *label_meter_arrays(struct label_meter *m);

extern const struct label_reader label_reader_idx;
extern const struct label_reader label_reader_yolo;
extern const struct label_reader label_reader_list;
extern const struct label_reader label_reader_npy;
extern const struct label_reader label_reader_coco;
extern const struct label_reader label_reader_folder;

#endif
