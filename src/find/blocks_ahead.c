#include "find/blocks_ahead.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"

enum {
	BLOCK_ROOM = BLOCK_READER_WINDOW + BLOCK_BYTES + BLOCK_READER_WRITE_AHEAD,
	LAST_WAITS = 2, /* of WAIT_MS, for storage to answer after an interruption */
};

struct blocks_ahead {
	struct block_reader *reader; /* the thread's, until it ends */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	atomic_bool quit; /* set under the lock */
	/* under the lock; blocks are numbered from 0 on, and block i is blocks[i % BLOCKS_AHEAD] */
	uint64_t made;     /* blocks that were filled */
	uint64_t taken;    /* of them; the last one is the taker's, the others are free */
	bool full, hungry; /* the thread waits for a free block; the taker for a filled one */
	struct block blocks[BLOCKS_AHEAD];
	uint8_t window[BLOCK_READER_WINDOW]; /* the thread's */
	uint8_t memory[];
};

static uint64_t in_use(const struct blocks_ahead *a)
{
	return a->made - (a->taken ? a->taken - 1 : 0);
}

/*
 * Waits for a free block. Once there was none, it waits until half of them are free: each wait costs two changes of
 * threads. Returns NULL if the thread is to end.
 */
static struct block *wait_for_free(struct blocks_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->full = in_use(a) == BLOCKS_AHEAD;
	while (a->full && !a->quit)
		pthread_cond_wait(&a->freed, &a->lock);
	struct block *b = a->quit ? NULL : &a->blocks[a->made % BLOCKS_AHEAD];

	pthread_mutex_unlock(&a->lock);
	return b;
}

static void fill(struct blocks_ahead *a, struct block *b)
{
	struct block_reader *r = a->reader;

	if (r->gunzip)
		memcpy(b->bytes - BLOCK_READER_WINDOW, a->window, BLOCK_READER_WINDOW);
	b->len = block_reader_read(r, b->bytes, BLOCK_BYTES);
	b->file_bytes = r->file_bytes;
	b->ended = r->ended;
	b->fault = r->fault;
	if (r->gunzip) /* before the taker writes there */
		memcpy(a->window, b->bytes + b->len - BLOCK_READER_WINDOW, BLOCK_READER_WINDOW);
}

static void *ahead_main(void *arg)
{
	struct blocks_ahead *a = arg;
	bool more = true;

	while (more) {
		struct block *b = wait_for_free(a);

		if (!b)
			break;
		fill(a, b);
		more = !b->ended;
		pthread_mutex_lock(&a->lock);
		a->made++;
		if (a->hungry)
			pthread_cond_signal(&a->filled);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

static void release(struct blocks_ahead *a)
{
	pthread_cond_destroy(&a->freed);
	pthread_cond_destroy(&a->filled);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

struct blocks_ahead *blocks_ahead_start(struct block_reader *reader, const uint8_t window[BLOCK_READER_WINDOW])
{
	const atomic_bool *stop = reader->stop;
	struct blocks_ahead *a = mem_try(1, sizeof(*a) + (size_t)BLOCKS_AHEAD * BLOCK_ROOM);

	if (!a)
		return NULL;
	memset(a, 0, sizeof(*a));
	a->reader = reader;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->filled, NULL);
	pthread_cond_init(&a->freed, NULL);
	for (size_t i = 0; i < BLOCKS_AHEAD; i++)
		a->blocks[i].bytes = a->memory + i * BLOCK_ROOM + BLOCK_READER_WINDOW;
	memcpy(a->window, window, BLOCK_READER_WINDOW);
	reader->stop = &a->quit;
	if (thread_start(&a->thread, ahead_main, a))
		return a;
	reader->stop = stop;
	release(a);
	return NULL;
}

/* Gives the current block back, after the next one was taken. Under the lock. */
static void give_back(struct blocks_ahead *a)
{
	if (a->full && in_use(a) <= BLOCKS_AHEAD / 2) {
		a->full = false;
		pthread_cond_signal(&a->freed);
	}
}

const struct block *blocks_ahead_next(struct blocks_ahead *a, const uint8_t *rest, size_t n, const atomic_bool *stop)
{
	struct block *b = &a->blocks[a->taken % BLOCKS_AHEAD];

	assert(n <= BLOCK_READER_WINDOW);
	pthread_mutex_lock(&a->lock);
	a->hungry = true;
	while (a->made == a->taken && !is_stopped(stop)) {
		/* not woken by a signal: a thread that stops the source cannot take this lock */
		struct timespec until = clock_deadline(WAIT_MS);

		pthread_cond_timedwait(&a->filled, &a->lock, &until);
	}
	a->hungry = false;
	bool there = a->made > a->taken;

	pthread_mutex_unlock(&a->lock);
	if (!there)
		return NULL;
	memcpy(b->bytes - n, rest, n);
	pthread_mutex_lock(&a->lock);
	a->taken++;
	give_back(a);
	pthread_mutex_unlock(&a->lock);
	return b;
}

bool blocks_ahead_end(struct blocks_ahead *a)
{
	unsigned waits = 0;
	int rc;

	if (!a)
		return true;
	pthread_mutex_lock(&a->lock);
	atomic_store(&a->quit, true);
	pthread_cond_signal(&a->freed);
	pthread_mutex_unlock(&a->lock);
	do {
		struct timespec until = clock_deadline(WAIT_MS);

		rc = pthread_timedjoin_np(a->thread, NULL, &until);
		waits += rc != 0 && stop_signal();
	} while (rc != 0 && waits < LAST_WAITS);
	if (rc != 0) {
		exit_now_set();
		return false;
	}
	release(a);
	return true;
}
