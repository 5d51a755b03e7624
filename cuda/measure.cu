// The kernel on the GPU. All of its logic is in measure/kernel/measure_kernel.h, which also runs on the host in tests.
#include "measure/kernel/measure_kernel.h"

static_assert(sizeof(struct kernel_job) == 32, "the host's layout");
static_assert(sizeof(struct kernel_batch) == 80, "the host's layout");
static_assert(sizeof(struct kernel_slot) == 112 + 11 * 1024, "the host's layout");

// BLOCK_WARPS of backend_cuda.c. bench/gpu.sh tries others.
#ifndef BLOCK_WARPS
#define BLOCK_WARPS 4
#endif

// 32 warps a multiprocessor: 64 registers a thread. The batch is read where the launch put it.
extern "C" __global__ void __launch_bounds__(BLOCK_WARPS * WARP_LANES, 32 / BLOCK_WARPS)
	labelaudit_measure(const __grid_constant__ struct kernel_batch batch)
{
	__shared__ struct kernel_shared shared[BLOCK_WARPS];
	uint32_t in_block = threadIdx.x / WARP_LANES;
	struct warp w;

	w.lane = threadIdx.x % WARP_LANES;
	kernel_run_warp(&w, &shared[in_block], &batch, blockIdx.x * BLOCK_WARPS + in_block);
}
