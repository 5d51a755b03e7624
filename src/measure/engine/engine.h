/*
 * struct engine: measures PNG files on the CPU with the inner loops of one instruction set, for the backend `cpu` and
 * the fallback of `cuda`. README.md explains it. One thread owns a struct engine.
 */
#pragma once

#include <stdbool.h>

#include "base/settings.h"
#include "measure/backend.h"
#include "measure/engine/isa.h"

struct engine;

/* isa NULL: the best. settings must outlive the engine. */
struct engine *engine_new(const struct settings *settings, const struct isa *isa);
void engine_free(struct engine *e);

/* Measures a file whichever way it needs: tries engine_measure_fast, then calls engine_measure_judged. */
void engine_measure(struct engine *e, struct batch_item *item, struct batch *batch);
/*
 * Fills item->sample.png and item->stats, and appends the id rows. Returns false if png_decoder must judge the file;
 * then nothing is appended.
 */
bool engine_measure_fast(struct engine *e, struct batch_item *item, struct batch *batch);
/*
 * Does the same for every file; the item tells all faults (reference.h). verdict_first: judges the file before it is
 * measured, since it is probably damaged.
 */
void engine_measure_judged(struct engine *e, struct batch_item *item, struct batch *batch, bool verdict_first);
