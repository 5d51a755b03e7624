/*
 * The context of a device and its kernels: one per process, shared by all workers, since both take a fifth of a second
 * to make. Each thread makes the context current before it uses the driver.
 *
 * The kernels are compiled for the GPUs that nvcc knows (cuda_fatbin). A driver that is older than nvcc refuses those;
 * it compiles the same kernels from PTX (cuda_ptx), which every driver since CUDA 11 understands.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "driver.h"

struct gpu_context {
	const struct cuda_driver *cu;
	int ordinal, device;
	bool from_ptx; /* the driver compiled the kernels */
	void *context, *module, *function;
	unsigned users;
	struct gpu_context *next; /* of another device */
};

/*
 * Returns the context of a device, current in this thread, or NULL: then why (n bytes) holds one line. Any thread.
 * Returned by gpu_context_release.
 */
struct gpu_context *gpu_context_get(const struct cuda_driver *cu, int ordinal, int device, char *why, size_t n);
/* The last user releases it, and makes no context current in this thread. Device memory is freed before. */
void gpu_context_release(struct gpu_context *c);
/* Returns the driver's words for an error. */
const char *gpu_error_text(const struct cuda_driver *cu, int code);
/* Writes what failed and the driver's words to why, and returns true, unless code is CUDA_OK. */
bool gpu_fails(const struct cuda_driver *cu, int ordinal, int code, const char *what, char *why, size_t n);
