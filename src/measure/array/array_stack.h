/*
 * struct array_stack: an array with three axes or more, such as [N, H, W], measured as a stack of masks, or a volume.
 *
 * Each plane goes through the delta engine (delta.h), and the neighbourhood counters of all planes are added up. Axes
 * of length 1 are ignored. Ids must be in 0..255; noise is only counted, as in array_mask.h.
 *
 * The planes are guessed from the order in memory and the shape. Mostly they are spanned by the two fastest axes, as
 * np.stack and readers of volumes leave them. With three axes they are spanned by the two slowest ones if these are
 * equally long and the fastest is not ([240, 240, 155]), or if the fastest is too short for a mask. Such planes are
 * gathered first, in a buffer of at most STACK_GATHERED_MAX ids; larger arrays are not measured as stacks. If ids
 * change much more often along one axis of the planes than along the other, the guess was wrong, and there are no
 * counters.
 */
#ifndef MEASURE_ARRAY_STACK_H
#define MEASURE_ARRAY_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/array/array_rows.h"
#include "measure/backend.h"
#include "measure/engine/delta.h"
#include "measure/id_counter.h"
#include "measure/image_sums.h"

enum { STACK_GATHERED_MAX = 1 << 24 };

/* The neighbourhood counters of one id, as in struct id_stats. */
struct stack_id {
	uint64_t thin, lone[2], between[2];
};

struct array_stack {
	const struct class_set *classes;
	const struct array_header *array;
	struct delta *delta;    /* NULL before the first stack; owned */
	struct batch plane;     /* the id rows of one plane */
	struct stack_id *ids;   /* 256; NULL if delta is; owned */
	struct array_rows rows; /* y: of the current plane */
	uint8_t *gathered;      /* plane after plane; owned */
	size_t gathered_cap;
	bool alive;             /* it may still be a stack */
	bool no_memory;         /* alive is false because memory ran out: the array fails */
	bool is_strided;        /* planes must be gathered */
	uint32_t width, height; /* of a plane */
	size_t index;           /* is_strided: of the next element in its plane */
	uint64_t planes, at;    /* their number, and the current one */
	uint64_t used;          /* planes with two ids or more */
	struct image_sums sum;
};

void array_stack_init(struct array_stack *s, const struct class_set *classes);
void array_stack_release(struct array_stack *s);

/* Begins with an array, which must outlive the measurement. */
void array_stack_begin(struct array_stack *s, const struct array_header *array);
/* Like array_mask_add. */
void array_stack_add(struct array_stack *s, const struct id_counter *ids, struct array_elements next);
/* After id_counter_end, which filled stats and rows: adds the neighbourhood counters to both if it is a stack. */
void array_stack_end(struct array_stack *s, struct label_stats *stats, struct id_stats *rows);

#endif
