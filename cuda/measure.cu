// The measuring kernel on the GPU. All of its logic is in measure/measure_kernel.h, which also runs on the host in tests.
#include "measure/measure_kernel.h"

static_assert(sizeof(struct kernel_job) == 24, "the host's layout");
static_assert(sizeof(struct kernel_batch) == 72, "the host's layout");
static_assert(sizeof(struct kernel_slot) == 56 + 11 * 1024, "the host's layout");

// 128: BLOCK_THREADS of backend_cuda.c. The batch is read where the launch put it, not copied to each thread's stack.
extern "C" __global__ void __launch_bounds__(128, 4) labelaudit_measure(const __grid_constant__ struct kernel_batch batch)
{
	struct warp w;

	w.lane = threadIdx.x % WARP_LANES;
	kernel_run_warp(&w, &batch);
}
