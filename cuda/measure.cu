// The kernel's entry on the GPU. All logic is in measure_kernel.h, which also runs on the host in tests.
#include "measure/kernel/measure_kernel.h"

static_assert(sizeof(struct kernel_job) == 32, "the host's layout");
static_assert(sizeof(struct kernel_batch) == 80, "the host's layout");
static_assert(sizeof(struct kernel_slot) == 112 + 11 * 1024, "the host's layout");

// As in backend_cuda.c. bench/gpu.sh tries other values.
#ifndef BLOCK_WARPS
#define BLOCK_WARPS 4
#endif
// A multiprocessor has 65,536 registers: 24 warps leave 80 per thread, 20 leave 96. With fewer, registers spill to memory
// that takes the first-level cache from the masks: on an H100, 32 warps with 64 registers measure large masks a fifth
// slower (src/measure/kernel/PERFORMANCE.md). Compilers for older GPUs need more of them.
#ifndef RESIDENT_WARPS
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define RESIDENT_WARPS 20
#else
#define RESIDENT_WARPS 24
#endif
#endif

// __grid_constant__: the batch is not copied to local memory.
extern "C" __global__ void __launch_bounds__(BLOCK_WARPS *WARP_LANES, RESIDENT_WARPS / BLOCK_WARPS)
	labelaudit_measure(const __grid_constant__ struct kernel_batch batch)
{
	__shared__ struct kernel_shared shared[BLOCK_WARPS];
	uint32_t in_block = threadIdx.x / WARP_LANES;
	struct warp w;

	w.lane = threadIdx.x % WARP_LANES;
#ifdef WARP_CLOCKS
	__shared__ unsigned long long spent[BLOCK_WARPS][WARP_PHASES];

	w.spent = spent[in_block];
	if (w.lane < WARP_PHASES)
		w.spent[w.lane] = 0;
	__syncwarp();
	w.since = clock64();
#endif
	kernel_run_warp(&w, &shared[in_block], &batch, blockIdx.x * BLOCK_WARPS + in_block);
#ifdef WARP_CLOCKS
	__syncwarp();
	if (w.lane < WARP_PHASES)
		atomicAdd(&warp_clocks[w.lane], w.spent[w.lane]);
#endif
}
