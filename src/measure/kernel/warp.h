/*
 * A warp of 32 lanes, in the common subset of C11 and CUDA C++: one source of the kernel, built three ways.
 *
 *   built by             a lane is                        for
 *   nvcc                 a thread of a GPU                cuda/measure.cu
 *   gcc                  a turn of a loop, in the order   the backend sim, unit tests, fuzzers, sanitizers
 *                        of struct warp.order
 *   gcc -DWARP_THREADS   a thread of the host             tests/unit/kernel_threads.c under ThreadSanitizer, which
 * alone finds a missing warp_sync, or a plain update that should have been atomic
 *
 * Rules for a kernel function:
 *
 *   - It is a KERNEL_FN and uses what C11 and CUDA C++ have in common.
 *   - Code outside LANES is uniform: all lanes execute it with the same values, and it writes only its own local
 *     variables.
 *   - Code that differs from lane to lane is the body of LANES (w, lane) { ... }. No LANES inside LANES; no break,
 *     return or goto out of one.
 *   - A variable with one value per lane is LANE_VAR(type, name), read and written as AT(name, lane).
 *   - Values cross lanes only in the collectives warp_*, which are called outside LANES.
 *   - A lane sees what other lanes wrote to memory after warp_sync, and not before: the collectives order nothing.
 *   - Memory that several lanes change between two syncs is changed with cell_* only.
 */
#pragma once

#include <stdint.h>

enum { WARP_LANES = 32 };

#define LANE_VAR(type, name) type name[LANE_SLOTS]
/* The index is 0 where a lane has a copy of its own, so that the GPU keeps it in a register. */
#define AT(name, lane) ((name)[LANE_SLOTS == 1 ? 0 : (lane)])

/*
 * Each build defines:
 *
 *   LANES(w, name)             the loop over the lanes that this copy of the code runs
 *   warp_sync                  orders memory, as above
 *   warp_ballot                the lanes with v != 0: bit by lane
 *   warp_broadcast             v of the lane `from`
 *   warp_sum, warp_sum_wide    the sum of v
 *   warp_max                   the largest v
 *   warp_from                  out[lane] = v[from[lane]]
 *   warp_from_left             left[lane] = v[lane - 1]; lane 0 gets `first`
 *   warp_scan                  before[lane] = the sum of v of all lower lanes; returns the sum of v of all lanes
 *   cell_add, _or, _min, _max  atomic updates of a 32-bit counter; cell_add returns the old value
 *   bit_first, bit_last        the lowest and the highest set bit of v != 0
 *   bits_count, bits_reversed  the number of set bits; bit 31 becomes bit 0
 *   load_word, store_word      the little-endian word at p, a multiple of 4
 */

/*
 * The phases of a warp, in turn. warp_phase says that one has ended. Only a build for a GPU with -DWARP_CLOCKS takes
 * the time, for bench/gpu_kernel.c.
 */
enum warp_phase {
	PHASE_DRAW,     /* a job, and clearing its slot */
	PHASE_TABLES,   /* Huffman codes */
	PHASE_SYMBOLS,  /* reading them, and storing literals */
	PHASE_MATCHES,  /* copying them */
	PHASE_CHECKSUM, /* Adler-32 */
	PHASE_FILTERS,  /* and ids */
	PHASE_GATHER,   /* comparing rows; runs and columns that changed */
	PHASE_COUNT,    /* of runs of rows, and the end of columns */
	WARP_PHASES,
};

#if defined(__CUDACC__)

#define KERNEL_FN  static __device__ __forceinline__
#define LANE_SLOTS 1

#ifdef WARP_CLOCKS
struct warp {
	uint32_t lane;
	unsigned long long *spent; /* by phase; the first lane's to change */
	long long since;
};

__device__ unsigned long long warp_clocks[WARP_PHASES]; /* sums over all warps, in cycles */

KERNEL_FN void warp_phase(struct warp *w, enum warp_phase ended)
{
	if (w->lane == 0)
		w->spent[ended] += clock64() - w->since;
	w->since = clock64();
}
#else
struct warp {
	uint32_t lane;
};
#endif

#define LANES(w, name) for (uint32_t name = (w)->lane, name##_once = 1; name##_once; name##_once = 0)

KERNEL_FN void warp_sync(struct warp *)
{
	__syncwarp();
}

KERNEL_FN uint32_t warp_ballot(struct warp *, const uint32_t *v)
{
	return __ballot_sync(0xffffffffu, v[0] != 0);
}

KERNEL_FN uint32_t warp_broadcast(struct warp *, const uint32_t *v, uint32_t from)
{
	return __shfl_sync(0xffffffffu, v[0], (int)from);
}

KERNEL_FN uint32_t warp_sum(struct warp *, const uint32_t *v)
{
	uint32_t sum = v[0];

	for (int step = 16; step > 0; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	return sum;
}

KERNEL_FN uint64_t warp_sum_wide(struct warp *, const uint64_t *v)
{
	uint64_t sum = v[0];

	for (int step = 16; step > 0; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	return sum;
}

KERNEL_FN uint64_t warp_max(struct warp *, const uint64_t *v)
{
	uint64_t max = v[0];

	for (int step = 16; step > 0; step /= 2) {
		uint64_t other = __shfl_xor_sync(0xffffffffu, max, step);

		max = other > max ? other : max;
	}
	return max;
}

KERNEL_FN void warp_from(struct warp *, uint32_t *out, const uint32_t *v, const uint32_t *from)
{
	out[0] = __shfl_sync(0xffffffffu, v[0], (int)from[0]);
}

KERNEL_FN void warp_from_left(struct warp *w, uint32_t *left, const uint32_t *v, uint32_t first)
{
	uint32_t other = __shfl_up_sync(0xffffffffu, v[0], 1);

	left[0] = w->lane ? other : first;
}

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

KERNEL_FN uint32_t bit_last(uint32_t v)
{
	return 31u - (uint32_t)__clz((int)v);
}

KERNEL_FN uint32_t bit_first(uint32_t v)
{
	return (uint32_t)__ffs((int)v) - 1;
}

KERNEL_FN uint32_t bits_count(uint32_t v)
{
	return (uint32_t)__popc(v);
}

KERNEL_FN uint32_t bits_reversed(uint32_t v)
{
	return __brev(v);
}

KERNEL_FN uint32_t load_word(const uint8_t *p)
{
	return *(const uint32_t *)p;
}

KERNEL_FN void store_word(uint8_t *p, uint32_t v)
{
	*(uint32_t *)p = v;
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

static inline void store_word(uint8_t *p, uint32_t v)
{
	for (uint32_t i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

#if defined(WARP_THREADS)

#include <pthread.h>
#include <sched.h>

#define LANE_SLOTS 1

/* The state that the 32 threads of a warp share; initialised by warp_shared_init. */
struct warp_shared {
	pthread_barrier_t sync[2];
	uint32_t arrived; /* lanes that have written to an exchange, since the start; wraps */
	uint64_t cells[2][WARP_LANES];
};

/* One per thread; `exchanges` and `syncs` start at 0. */
struct warp {
	uint32_t lane;
	uint32_t exchanges, syncs; /* done so far */
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
 * Alternates between two barriers. ThreadSanitizer orders what a thread does after a barrier after all that others did
 * before they reached the same barrier. With a single one, that would include their next phase if they have reached it
 * again, and lanes that happen to run one after the other would never race.
 */
static inline void warp_sync(struct warp *w)
{
	pthread_barrier_wait(&w->shared->sync[w->syncs++ % 2]);
}

/*
 * Returns the values of all lanes. The atomic operations are relaxed, because a shuffle orders no memory on the GPU:
 * ThreadSanitizer then finds a missing sync between two of them. The empty asm statements keep the compiler from
 * reordering them, and x86's locked instructions the processor. Two sets of cells alternate: no lane can be two
 * exchanges ahead.
 */
static inline const uint64_t *warp_exchange_wide(struct warp *w, const uint64_t *v)
{
	struct warp_shared *s = w->shared;
	uint64_t *cells = s->cells[w->exchanges % 2];
	uint32_t all = (w->exchanges + 1) * WARP_LANES;

	__atomic_store_n(&cells[w->lane], v[0], __ATOMIC_RELAXED);
	__asm__ volatile("" ::: "memory");
	__atomic_fetch_add(&s->arrived, 1, __ATOMIC_RELAXED);
	while ((int32_t)(__atomic_load_n(&s->arrived, __ATOMIC_RELAXED) - all) < 0)
		sched_yield();
	__asm__ volatile("" ::: "memory");
	w->exchanges++;
	return cells;
}

static inline const uint64_t *warp_exchange(struct warp *w, const uint32_t *v)
{
	return warp_exchange_wide(w, &(uint64_t){ v[0] });
}

#else /* a loop over the lanes */

#define LANE_SLOTS WARP_LANES

enum lane_order {
	LANES_FORWARD,
	LANES_REVERSE,
	LANES_RANDOM, /* another one in every LANES loop, from a fixed seed */
};

struct warp {
	enum lane_order order;
	uint32_t random;             /* state of xorshift32, not 0 */
	uint8_t lanes[WARP_LANES];   /* the order of the current loop */
	uint64_t values[WARP_LANES]; /* of the last exchange */
};

/* Orders the lanes for the next LANES loop. Returns 0, where its counter starts. */
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

static inline const uint64_t *warp_exchange_wide(struct warp *w, const uint64_t *v)
{
	(void)w;
	return v;
}

static inline const uint64_t *warp_exchange(struct warp *w, const uint32_t *v)
{
	for (uint32_t i = 0; i < WARP_LANES; i++)
		w->values[i] = v[i];
	return w->values;
}

#endif

/* The collectives and updates of both builds for the host. */

static inline uint64_t warp_value(const uint64_t *values, uint32_t lane)
{
	return __atomic_load_n(&values[lane], __ATOMIC_RELAXED);
}

static inline uint32_t warp_ballot(struct warp *w, const uint32_t *v)
{
	const uint64_t *values = warp_exchange(w, v);
	uint32_t bits = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		bits |= (uint32_t)(warp_value(values, i) != 0) << i;
	return bits;
}

static inline uint32_t warp_broadcast(struct warp *w, const uint32_t *v, uint32_t from)
{
	return (uint32_t)warp_value(warp_exchange(w, v), from);
}

static inline uint64_t warp_sum_wide(struct warp *w, const uint64_t *v)
{
	const uint64_t *values = warp_exchange_wide(w, v);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		sum += warp_value(values, i);
	return sum;
}

static inline uint32_t warp_sum(struct warp *w, const uint32_t *v)
{
	const uint64_t *values = warp_exchange(w, v);
	uint32_t sum = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		sum += (uint32_t)warp_value(values, i);
	return sum;
}

static inline uint64_t warp_max(struct warp *w, const uint64_t *v)
{
	const uint64_t *values = warp_exchange_wide(w, v);
	uint64_t max = 0;

	for (uint32_t i = 0; i < WARP_LANES; i++)
		max = warp_value(values, i) > max ? warp_value(values, i) : max;
	return max;
}

static inline void warp_from(struct warp *w, uint32_t *out, const uint32_t *v, const uint32_t *from)
{
	const uint64_t *values = warp_exchange(w, v);

	LANES (w, lane)
		AT(out, lane) = (uint32_t)warp_value(values, AT(from, lane));
}

static inline void warp_from_left(struct warp *w, uint32_t *left, const uint32_t *v, uint32_t first)
{
	const uint64_t *values = warp_exchange(w, v);

	LANES (w, lane)
		AT(left, lane) = lane ? (uint32_t)warp_value(values, lane - 1) : first;
}

static inline uint32_t warp_scan(struct warp *w, uint32_t *before, const uint32_t *v)
{
	const uint64_t *values = warp_exchange(w, v);
	uint32_t sums[WARP_LANES + 1] = { 0 };

	for (uint32_t i = 0; i < WARP_LANES; i++)
		sums[i + 1] = sums[i] + (uint32_t)warp_value(values, i);
	LANES (w, lane)
		AT(before, lane) = sums[lane];
	return sums[WARP_LANES];
}

static inline uint32_t cell_add(uint32_t *cell, uint32_t v)
{
	return __atomic_fetch_add(cell, v, __ATOMIC_RELAXED);
}

static inline void cell_or(uint32_t *cell, uint32_t v)
{
	__atomic_fetch_or(cell, v, __ATOMIC_RELAXED);
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

#endif

#if !defined(__CUDACC__) || !defined(WARP_CLOCKS)
#define warp_phase(w, ended) ((void)(w))
#endif
