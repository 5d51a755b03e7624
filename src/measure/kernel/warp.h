/*
 * A warp of 32 lanes, in the common subset of C11 and CUDA C++: one text of a kernel, built three ways.
 *
 *   nvcc                  a lane is a thread of a GPU
 *   gcc                   a lane is a turn of a loop, in a chosen order (struct warp.order): for sanitizers and fuzzers
 *   gcc -DWARP_THREADS    a lane is a thread of the host: for ThreadSanitizer, which alone sees a missing warp_sync or
 *                         a plain update that should have been atomic
 *
 * How to write a kernel. Code outside a LANES loop is uniform: all lanes do the same, with the same values, and write
 * nothing but their own local variables. Code that differs from lane to lane stands in LANES(w, lane) { ... }. A
 * variable with a value for each lane is LANE_VAR(type, name), read and written as AT(name, lane). Values cross lanes
 * only in the functions warp_*. What one lane wrote to memory is seen by the others after warp_sync, and not before:
 * ballots, sums and the like order nothing. Memory that lanes change together without a sync between is changed with
 * cell_* only. No LANES inside LANES.
 */
#ifndef MEASURE_WARP_H
#define MEASURE_WARP_H

#include <stdint.h>

enum { WARP_LANES = 32 };

#if defined(__CUDACC__)

#define KERNEL_FN  static __device__ __forceinline__
#define LANE_SLOTS 1

struct warp {
	uint32_t lane;
};

#define LANES(w, name) for (uint32_t name = (w)->lane, name##_once = 1; name##_once; name##_once = 0)

KERNEL_FN void warp_sync(struct warp *w)
{
	(void)w;
	__syncwarp();
}

KERNEL_FN uint32_t warp_ballot(struct warp *w, const uint32_t *v)
{
	(void)w;
	return __ballot_sync(0xffffffffu, v[0] != 0);
}

KERNEL_FN uint32_t warp_broadcast(struct warp *w, const uint32_t *v, uint32_t from)
{
	(void)w;
	return __shfl_sync(0xffffffffu, v[0], (int)from);
}

KERNEL_FN uint32_t warp_sum(struct warp *w, const uint32_t *v)
{
	uint32_t sum = v[0];

	(void)w;
	for (int step = 16; step > 0; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	return sum;
}

KERNEL_FN uint64_t warp_sum_wide(struct warp *w, const uint64_t *v)
{
	uint64_t sum = v[0];

	(void)w;
	for (int step = 16; step > 0; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	return sum;
}

KERNEL_FN uint64_t warp_max(struct warp *w, const uint64_t *v)
{
	uint64_t max = v[0];

	(void)w;
	for (int step = 16; step > 0; step /= 2) {
		uint64_t other = __shfl_xor_sync(0xffffffffu, max, step);

		max = other > max ? other : max;
	}
	return max;
}

/* left[lane] = v[lane - 1]; lane 0 gets `first`. */
KERNEL_FN void warp_from_left(struct warp *w, uint32_t *left, const uint32_t *v, uint32_t first)
{
	uint32_t other = __shfl_up_sync(0xffffffffu, v[0], 1);

	left[0] = w->lane ? other : first;
}

/* before[lane] = the sum of v of all lanes below; returns that of all lanes. */
KERNEL_FN uint32_t warp_scan(struct warp *w, uint32_t *before, const uint32_t *v)
{
	uint32_t sum = v[0];

	for (uint32_t step = 1; step < WARP_LANES; step *= 2) {
		uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);

		sum += w->lane >= step ? other : 0;
	}
	before[0] = sum - v[0];
	return __shfl_sync(0xffffffffu, sum, WARP_LANES - 1);
}

KERNEL_FN uint32_t cell_add(uint32_t *cell, uint32_t v)
{
	return atomicAdd(cell, v);
}

KERNEL_FN void cell_or(uint32_t *cell, uint32_t v)
{
	atomicOr(cell, v);
}

KERNEL_FN void cell_min(uint32_t *cell, uint32_t v)
{
	atomicMin(cell, v);
}

KERNEL_FN void cell_max(uint32_t *cell, uint32_t v)
{
	atomicMax(cell, v);
}

/* The highest bit that is set; v != 0. */
KERNEL_FN uint32_t bit_last(uint32_t v)
{
	return 31u - (uint32_t)__clz((int)v);
}

/* The lowest; v != 0. */
KERNEL_FN uint32_t bit_first(uint32_t v)
{
	return (uint32_t)__ffs((int)v) - 1;
}

KERNEL_FN uint32_t bits_count(uint32_t v)
{
	return (uint32_t)__popc(v);
}

/* Bit 31 becomes bit 0. */
KERNEL_FN uint32_t bits_reversed(uint32_t v)
{
	return __brev(v);
}

/* The little-endian word at p, a multiple of 4. */
KERNEL_FN uint32_t load_word(const uint8_t *p)
{
	return *(const uint32_t *)p;
}

#else /* the host */

#define KERNEL_FN static inline

static inline uint32_t bit_last(uint32_t v)
{
	return 31u - (uint32_t)__builtin_clz(v);
}

static inline uint32_t bit_first(uint32_t v)
{
	return (uint32_t)__builtin_ctz(v);
}

static inline uint32_t bits_count(uint32_t v)
{
	return (uint32_t)__builtin_popcount(v);
}

static inline uint32_t bits_reversed(uint32_t v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	return __builtin_bswap32(v);
}

static inline uint32_t load_word(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

#if defined(WARP_THREADS)

#include <pthread.h>
#include <sched.h>

#define LANE_SLOTS 1

/* What the 32 threads of a warp share. Set it up with warp_shared_init. */
struct warp_shared {
	pthread_barrier_t sync[2];
	uint32_t arrived; /* at the exchanges, ever; wraps */
	uint64_t cells[2][WARP_LANES];
};

/* A thread's own. All threads of a warp start with turn and syncs 0. */
struct warp {
	uint32_t lane;
	uint32_t turn;  /* exchanges done */
	uint32_t syncs; /* done */
	struct warp_shared *shared;
};

#define LANES(w, name) for (uint32_t name = (w)->lane, name##_once = 1; name##_once; name##_once = 0)

static inline void warp_shared_init(struct warp_shared *s)
{
	for (int i = 0; i < 2; i++)
		pthread_barrier_init(&s->sync[i], NULL, WARP_LANES);
	s->arrived = 0;
}

/*
 * Two barriers in turn. A thread that leaves one takes over what others did before they came to it, as ThreadSanitizer
 * sees it: so also what those have done since that have already come to it again, if it is the same one. Then lanes
 * that happen to run one after the other would never race.
 */
static inline void warp_sync(struct warp *w)
{
	pthread_barrier_wait(&w->shared->sync[w->syncs++ % 2]);
}

/*
 * Every lane shows its value, and sees those of all. All atomic operations are relaxed, as a shuffle orders no memory
 * on the GPU: so that ThreadSanitizer finds the sync that is missing between two of them. The empty asm statements keep
 * the compiler from moving them, and x86's locked instructions the processor. Two sets of cells in turn: nobody can be
 * two exchanges ahead.
 */
static inline const uint64_t *warp_exchange(struct warp *w, uint64_t v)
{
	struct warp_shared *s = w->shared;
	uint64_t *cells = s->cells[w->turn % 2];
	uint32_t all = (w->turn + 1) * WARP_LANES;

	__atomic_store_n(&cells[w->lane], v, __ATOMIC_RELAXED);
	__asm__ volatile("" ::: "memory");
	__atomic_fetch_add(&s->arrived, 1, __ATOMIC_RELAXED);
	while ((int32_t)(__atomic_load_n(&s->arrived, __ATOMIC_RELAXED) - all) < 0)
		sched_yield();
	__asm__ volatile("" ::: "memory");
	w->turn++;
	return cells;
}

static inline uint64_t warp_shown(const uint64_t *cells, uint32_t lane)
{
	return __atomic_load_n(&cells[lane], __ATOMIC_RELAXED);
}

static inline uint32_t warp_ballot(struct warp *w, const uint32_t *v)
{
	const uint64_t *cells = warp_exchange(w, v[0] != 0);
	uint32_t bits = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		bits |= (uint32_t)warp_shown(cells, i) << i;
	return bits;
}

static inline uint32_t warp_broadcast(struct warp *w, const uint32_t *v, uint32_t from)
{
	return (uint32_t)warp_shown(warp_exchange(w, v[0]), from);
}

static inline uint32_t warp_sum(struct warp *w, const uint32_t *v)
{
	const uint64_t *cells = warp_exchange(w, v[0]);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		sum += (uint32_t)warp_shown(cells, i);
	return sum;
}

static inline uint64_t warp_sum_wide(struct warp *w, const uint64_t *v)
{
	const uint64_t *cells = warp_exchange(w, v[0]);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		sum += warp_shown(cells, i);
	return sum;
}

static inline uint64_t warp_max(struct warp *w, const uint64_t *v)
{
	const uint64_t *cells = warp_exchange(w, v[0]);
	uint64_t max = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		max = warp_shown(cells, i) > max ? warp_shown(cells, i) : max;
	return max;
}

static inline void warp_from_left(struct warp *w, uint32_t *left, const uint32_t *v, uint32_t first)
{
	const uint64_t *cells = warp_exchange(w, v[0]);

	left[0] = w->lane ? (uint32_t)warp_shown(cells, w->lane - 1) : first;
}

static inline uint32_t warp_scan(struct warp *w, uint32_t *before, const uint32_t *v)
{
	const uint64_t *cells = warp_exchange(w, v[0]);
	uint32_t sum = 0, below = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++) {
		below = i == w->lane ? sum : below;
		sum += (uint32_t)warp_shown(cells, i);
	}
	before[0] = below;
	return sum;
}

static inline void cell_or(uint32_t *cell, uint32_t v)
{
	__atomic_fetch_or(cell, v, __ATOMIC_RELAXED);
}

static inline uint32_t cell_add(uint32_t *cell, uint32_t v)
{
	return __atomic_fetch_add(cell, v, __ATOMIC_RELAXED);
}

static inline void cell_min(uint32_t *cell, uint32_t v)
{
	uint32_t old = __atomic_load_n(cell, __ATOMIC_RELAXED);

	while (v < old && !__atomic_compare_exchange_n(cell, &old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static inline void cell_max(uint32_t *cell, uint32_t v)
{
	uint32_t old = __atomic_load_n(cell, __ATOMIC_RELAXED);

	while (v > old && !__atomic_compare_exchange_n(cell, &old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

#else /* a loop over the lanes */

#define LANE_SLOTS WARP_LANES

enum lane_order {
	LANES_FORWARD,
	LANES_REVERSE,
	LANES_RANDOM, /* a new one for every LANES loop, from a fixed seed */
};

struct warp {
	enum lane_order order;
	uint32_t random; /* state of xorshift32, not 0 */
	uint8_t lanes[WARP_LANES];
};

/* The order of the next LANES loop, and 0 for its counter. */
static inline uint32_t warp_shuffle_lanes(struct warp *w)
{
	for (uint32_t i = 0; w->order == LANES_RANDOM && i < WARP_LANES; i++) {
		w->random ^= w->random << 13;
		w->random ^= w->random >> 17;
		w->random ^= w->random << 5;

		uint32_t j = w->random % (i + 1);
		uint8_t lane = w->lanes[i];

		w->lanes[i] = w->lanes[j];
		w->lanes[j] = lane;
	}
	return 0;
}

static inline void warp_init(struct warp *w, enum lane_order order)
{
	w->order = order;
	w->random = 2463534242u;
	for (uint8_t i = 0; i < WARP_LANES; i++)
		w->lanes[i] = order == LANES_REVERSE ? (uint8_t)(WARP_LANES - 1 - i) : i;
}

#define LANES(w, name)                                               \
	for (uint32_t name##_turn = warp_shuffle_lanes(w), name = 0; \
	     name##_turn < WARP_LANES && (name = (w)->lanes[name##_turn], 1); name##_turn++)

static inline void warp_sync(struct warp *w)
{
	(void)w;
}

static inline uint32_t warp_ballot(struct warp *w, const uint32_t *v)
{
	uint32_t bits = 0;

	(void)w;
	for (uint32_t i = 0; i < WARP_LANES; i++)
		bits |= (uint32_t)(v[i] != 0) << i;
	return bits;
}

static inline uint32_t warp_broadcast(struct warp *w, const uint32_t *v, uint32_t from)
{
	(void)w;
	return v[from];
}

static inline uint32_t warp_sum(struct warp *w, const uint32_t *v)
{
	uint32_t sum = 0;

	(void)w;
	for (uint32_t i = 0; i < WARP_LANES; i++)
		sum += v[i];
	return sum;
}

static inline uint64_t warp_sum_wide(struct warp *w, const uint64_t *v)
{
	uint64_t sum = 0;

	(void)w;
	for (uint32_t i = 0; i < WARP_LANES; i++)
		sum += v[i];
	return sum;
}

static inline uint64_t warp_max(struct warp *w, const uint64_t *v)
{
	uint64_t max = 0;

	(void)w;
	for (uint32_t i = 0; i < WARP_LANES; i++)
		max = v[i] > max ? v[i] : max;
	return max;
}

static inline void warp_from_left(struct warp *w, uint32_t *left, const uint32_t *v, uint32_t first)
{
	(void)w;
	for (uint32_t i = WARP_LANES - 1; i > 0; i--)
		left[i] = v[i - 1];
	left[0] = first;
}

static inline uint32_t warp_scan(struct warp *w, uint32_t *before, const uint32_t *v)
{
	uint32_t sum = 0;

	(void)w;
	for (uint32_t i = 0; i < WARP_LANES; i++) {
		uint32_t mine = v[i];

		before[i] = sum;
		sum += mine;
	}
	return sum;
}

static inline void cell_or(uint32_t *cell, uint32_t v)
{
	*cell |= v;
}

static inline uint32_t cell_add(uint32_t *cell, uint32_t v)
{
	uint32_t old = *cell;

	*cell = old + v;
	return old;
}

static inline void cell_min(uint32_t *cell, uint32_t v)
{
	*cell = v < *cell ? v : *cell;
}

static inline void cell_max(uint32_t *cell, uint32_t v)
{
	*cell = v > *cell ? v : *cell;
}

#endif
#endif

#define LANE_VAR(type, name) type name[LANE_SLOTS]
/* The index folds to 0 where a lane has its own copy, so that the GPU keeps it in a register. */
#define AT(name, lane) ((name)[LANE_SLOTS == 1 ? 0 : (lane)])

#endif
