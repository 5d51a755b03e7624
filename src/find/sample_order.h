/*
 * struct sample_order: checks the samples of a WebDataset, a tar whose members 0001.jpg, 0001.cls ... are one sample.
 *
 * The key of a member is its path up to the first dot of its name. WebDataset makes one sample of neighbours with the
 * same key: members of a key that are apart become two samples, and parts that a sample lacks are missing in its batch.
 * A tar is taken for a WebDataset if most of its keys have several parts, side by side. A part that most samples have
 * is missing where a sample has another such part, in a folder that has whole samples: notes and plots are no samples.
 * One archive, one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/table.h"
#include "find/member.h"

enum {
	SAMPLE_PARTS_MAX = 64,    /* different extensions; more: nothing is checked */
	SAMPLE_PART_NAME = 32,    /* bytes of an extension, NUL included */
	SAMPLE_GROUPS_MAX = 1024, /* the same */
};

/* Samples with the same parts in the same folder. */
struct sample_group {
	uint64_t parts; /* it has part i if bit i is set */
	uint64_t folder, samples;
	size_t first; /* where the key of the first one begins in `firsts` */
};

struct sample_order {
	struct strbuf key;    /* of the current sample */
	uint64_t parts;       /* it has part i if bit i is set */
	struct hash_set keys; /* of all samples */
	uint64_t samples, several, scattered;
	struct strbuf first_scattered; /* escaped */
	char names[SAMPLE_PARTS_MAX][SAMPLE_PART_NAME];
	size_t names_count;
	struct sample_group *groups; /* owned */
	size_t groups_count;
	struct strbuf firsts; /* escaped, each with its NUL */
	bool gave_up;
};

void sample_order_init(struct sample_order *o);
void sample_order_release(struct sample_order *o);
/* Adds the next member that is a file. */
void sample_order_add(struct sample_order *o, const char *name, size_t len);
/* After the last member: sets the members of the facts that are about samples. */
void sample_order_finish(struct sample_order *o, struct archive_facts *facts);
