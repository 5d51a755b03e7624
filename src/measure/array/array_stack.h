/*
 * struct array_stack: an array of three axes or more, [N, H, W] and the like, measured as the stack of masks, or the
 * volume, that it may be. Each plane goes through the fast strip (delta.h), and the neighbourhood counters of all
 * planes are added up. Axes of length 1 do not count.
 *
 * Which two axes make the planes is told by the order in memory and by the shape. Mostly they are the two fastest ones,
 * as np.stack and readers of volumes leave them. Of three axes they are the two slowest ones if those are equally long
 * and the fastest is not ([240, 240, 155]), or if the fastest is too short to be the side of a mask. In that case the
 * planes are first put together in a buffer of at most STACK_TURNED_MAX ids; larger arrays are not measured as stacks.
 * If ids change much more often along one side of the planes than along the other, the guess was wrong, and there are
 * no counters.
 *
 * As in array_mask.h, noise is only counted; and ids must be in 0..255.
 */
#ifndef MEASURE_ARRAY_STACK_H
#define MEASURE_ARRAY_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/array/array_kernels.h"
#include "measure/backend.h"
#include "measure/engine/delta.h"
#include "measure/id_counter.h"

enum { STACK_TURNED_MAX = 1 << 24 };

/* The counters of struct id_stats of one id. */
struct stack_id {
	uint64_t thin, lone[2], between[2];
};

struct array_stack {
	const struct class_set *classes;
	const struct array_header *array;
	struct delta *delta;  /* NULL until the first stack comes; owned */
	struct batch plane;   /* what the strip gives of one plane */
	struct stack_id *ids; /* 256; with strip; owned */
	uint8_t *rows;        /* two rows of ids, each with DELTA_SLACK behind it; owned */
	uint8_t *turned;      /* plane after plane; NULL: planes come as they are read; owned */
	size_t rows_cap, turned_cap;
	bool alive;     /* it may be a stack, by what was seen so far */
	bool no_memory; /* alive is false because there was none: the array is not measured then */
	bool is_turned;
	uint32_t width, height, y; /* of a plane; y: complete rows of the plane in hand */
	size_t filled;             /* elements of the row in hand */
	uint64_t planes, at;       /* how many planes there are, and which one is in hand */
	uint64_t used;             /* planes that hold two ids or more */
	struct label_stats sum;
};

void array_stack_init(struct array_stack *s, const struct class_set *classes);
void array_stack_release(struct array_stack *s);

/* Begins with an array, which outlives the measurement. */
void array_stack_begin(struct array_stack *s, const struct array_header *array);
/* As array_mask_add. */
void array_stack_add(struct array_stack *s, const struct id_counter *ids, struct array_elements next);
/* After id_counter_end, which filled stats and the rows: adds the neighbourhood counters to both, if there are any. */
void array_stack_end(struct array_stack *s, struct label_stats *stats, struct id_stats *rows);

#endif
