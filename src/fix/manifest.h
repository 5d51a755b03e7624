/*
 * struct manifest: what became of each file of a result. Many threads may add to it; the rest is one's. Owner: the
 * command.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "fix/file_digest.h"

enum record_state { RECORD_COPIED, RECORD_CHANGED, RECORD_LINK };

struct record {
	char *place; /* below the result; owned */
	enum record_state state;
	uint64_t labels; /* that got another id */
	struct digest input, output;
};

struct manifest {
	pthread_mutex_t lock;
	struct record *v; /* owned */
	size_t count, cap;
};

void manifest_init(struct manifest *m);
void manifest_release(struct manifest *m);
/* Copies the place. */
void manifest_add(struct manifest *m, const char *place, const struct record *record);
/* Sorts the records by place, so that they do not depend on the threads. */
void manifest_sort(struct manifest *m);
