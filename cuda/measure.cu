// The kernel's entry on the GPU. All logic is in measure_kernel.h, which also runs on the host in tests.
#include "measure/kernel/measure_kernel.h"

static_assert(sizeof(struct kernel_job) == 32, "the host's layout");
static_assert(sizeof(struct kernel_batch) == 80, "the host's layout");
static_assert(sizeof(struct kernel_slot) == 112 + 11 * 1024, "the host's layout");

// As in backend_cuda.c. bench/gpu.sh tries other values.
#ifndef BLOCK_WARPS
#define BLOCK_WARPS 4
#endif

// 32 warps per multiprocessor leave 64 registers per thread. __grid_constant__: the batch is not copied to local
// memory.
extern "C" __global__ void __launch_bounds__(BLOCK_WARPS *WARP_LANES, 32 / BLOCK_WARPS)
	labelaudit_measure(const __grid_constant__ struct kernel_batch batch)
{
	__shared__ struct kernel_shared shared[BLOCK_WARPS];
	uint32_t in_block = threadIdx.x / WARP_LANES;
	struct warp w;

	w.lane = threadIdx.x % WARP_LANES;
	kernel_run_warp(&w, &shared[in_block], &batch, blockIdx.x * BLOCK_WARPS + in_block);
}
