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
	BLOCKS_HELPED = 4, /* that exist without a thread: fewer stay in the caches */
	READY_ENOUGH = 2,  /* for which nobody helps: more than one is drawn while the next one is filled */
};

struct blocks_ahead {
	struct block_reader *reader; /* of who fills */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, freed, left;
	atomic_bool quit; /* set under the lock */
	/* under the lock; blocks are numbered from 0 on, and block i is blocks[i % count] */
	unsigned count;
	bool threaded;     /* the thread fills, and nobody else */
	bool filling;      /* somebody does */
	unsigned helpers;  /* promised, or helping; and the thread */
	uint64_t made;     /* blocks that were filled */
	uint64_t taken;    /* of them; the last one is the taker's, the others are free */
	bool ended;        /* the last one that was filled is the last of all */
	bool full, hungry; /* the thread waits for a free block; the taker for a filled one */
	struct block blocks[BLOCKS_AHEAD];
	uint8_t window[BLOCK_READER_WINDOW]; /* of who fills */
	uint8_t memory[];
};

static uint64_t in_use(const struct blocks_ahead *a)
{
	return a->made - (a->taken ? a->taken - 1 : 0);
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

static void *ahead_main(void *arg);

/* Starts the thread. Under the lock, while nobody fills. Returns false if there is none. */
static bool start_thread(struct blocks_ahead *a)
{
	a->threaded = thread_start(&a->thread, ahead_main, a);
	a->helpers += a->threaded;
	return a->threaded;
}

/* Fills the next block, which is free. Under the lock, which it releases meanwhile; nobody else fills. */
static void fill_next(struct blocks_ahead *a)
{
	struct block *b = &a->blocks[a->made % a->count];

	a->filling = true;
	pthread_mutex_unlock(&a->lock);
	fill(a, b);
	pthread_mutex_lock(&a->lock);
	a->filling = false;
	a->ended = b->ended;
	a->made++;
	if (a->hungry)
		pthread_cond_signal(&a->filled);
	if (!a->threaded && !a->ended && block_reader_waits(a->reader))
		start_thread(a);
}

/* Under the lock. */
static void leave(struct blocks_ahead *a)
{
	if (!--a->helpers)
		pthread_cond_signal(&a->left);
}

/*
 * Waits for a free block. Once there was none, it waits until half of them are free: each wait costs two changes of
 * threads. Under the lock.
 */
static void wait_for_free(struct blocks_ahead *a)
{
	a->full = in_use(a) == a->count;
	while (a->full && !a->quit)
		pthread_cond_wait(&a->freed, &a->lock);
}

static void *ahead_main(void *arg)
{
	struct blocks_ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->ended && !a->quit) {
		wait_for_free(a);
		if (!a->quit)
			fill_next(a);
	}
	leave(a);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void release(struct blocks_ahead *a)
{
	pthread_cond_destroy(&a->left);
	pthread_cond_destroy(&a->freed);
	pthread_cond_destroy(&a->filled);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

struct blocks_ahead *blocks_ahead_start(struct block_reader *reader, const uint8_t window[BLOCK_READER_WINDOW])
{
	const atomic_bool *stop = reader->stop;
	const unsigned count = block_reader_waits(reader) ? BLOCKS_AHEAD : BLOCKS_HELPED;
	struct blocks_ahead *a = mem_try(1, sizeof(*a) + (size_t)count * BLOCK_ROOM);

	if (!a)
		return NULL;
	memset(a, 0, sizeof(*a));
	a->reader = reader;
	a->count = count;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->filled, NULL);
	pthread_cond_init(&a->freed, NULL);
	pthread_cond_init(&a->left, NULL);
	for (size_t i = 0; i < count; i++)
		a->blocks[i].bytes = a->memory + i * BLOCK_ROOM + BLOCK_READER_WINDOW;
	memcpy(a->window, window, BLOCK_READER_WINDOW);
	if (!block_reader_waits(reader))
		return a;
	reader->stop = &a->quit;
	pthread_mutex_lock(&a->lock);
	bool started = start_thread(a);

	pthread_mutex_unlock(&a->lock);
	if (started)
		return a;
	reader->stop = stop;
	release(a);
	return NULL;
}

void blocks_ahead_promise(struct blocks_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	a->helpers++;
	pthread_mutex_unlock(&a->lock);
}

void blocks_ahead_help(struct blocks_ahead *a)
{
	pthread_mutex_lock(&a->lock);
	while (!a->threaded && !a->filling && !a->ended && !a->quit && a->made - a->taken < READY_ENOUGH)
		fill_next(a);
	leave(a);
	pthread_mutex_unlock(&a->lock);
}

/* Gives the current block back, after the next one was taken. Under the lock. */
static void give_back(struct blocks_ahead *a)
{
	if (a->full && in_use(a) <= a->count / 2) {
		a->full = false;
		pthread_cond_signal(&a->freed);
	}
}

/* Waits until a block is there, or fills it if nobody else does. Returns false if *stop became true first. */
static bool wait_for_filled(struct blocks_ahead *a, const atomic_bool *stop)
{
	while (a->made == a->taken && !is_stopped(stop)) {
		if (!a->threaded && !a->filling) {
			fill_next(a);
			continue;
		}
		/* not woken by a signal: a thread that stops the source cannot take this lock */
		struct timespec until = clock_deadline(WAIT_MS);

		a->hungry = true;
		pthread_cond_timedwait(&a->filled, &a->lock, &until);
		a->hungry = false;
	}
	return a->made > a->taken;
}

const struct block *blocks_ahead_next(struct blocks_ahead *a, const uint8_t *rest, size_t n, const atomic_bool *stop)
{
	struct block *b = &a->blocks[a->taken % a->count];

	assert(n <= BLOCK_READER_WINDOW);
	pthread_mutex_lock(&a->lock);
	bool there = wait_for_filled(a, stop);

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
	struct last_wait wait = { 0 };

	if (!a)
		return true;
	pthread_mutex_lock(&a->lock);
	atomic_store(&a->quit, true);
	pthread_cond_signal(&a->freed);
	while (a->helpers && !last_wait_is_over(&wait)) {
		struct timespec until = clock_deadline(LAST_WAIT_MS);

		pthread_cond_timedwait(&a->left, &a->lock, &until);
	}
	bool ended = !a->helpers, threaded = a->threaded;

	pthread_mutex_unlock(&a->lock);
	if (!ended) {
		last_wait_give_up();
		return false;
	}
	if (threaded)
		pthread_join(a->thread, NULL);
	release(a);
	return true;
}
