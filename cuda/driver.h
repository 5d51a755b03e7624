/*
 * The part of the CUDA driver API that we use, loaded at run time from libcuda.so.1, so that the same program runs with
 * and without a driver. No CUDA header or library is needed to build it.
 *
 * The API is a table of function pointers, which tests replace by a mock. Types are those of the driver API reference:
 * handles are pointers, a device is an int, device addresses have 64 bits; every function returns 0 or an error code.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* CUresult values */
enum {
	CUDA_OK = 0,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NO_DEVICE = 100,
	CUDA_NOT_READY = 600,
};

/* CUdevice_attribute values */
enum {
	CUDA_MULTIPROCESSORS = 16,
	CUDA_CAPABILITY_MAJOR = 75,
	CUDA_CAPABILITY_MINOR = 76,
};

/*
 * Each function: its name in struct cuda_driver; its symbol, which is the newest version that all drivers since CUDA 11
 * have (cuda.h's macros stand for these); its parameters. The version is 1000 * major + 10 * minor of the newest CUDA
 * that the driver supports.
 */
/* clang-format off */
#define CUDA_FUNCTIONS(X) \
	X(init, cuInit, (unsigned flags)) \
	X(version, cuDriverGetVersion, (int *version)) \
	X(error_string, cuGetErrorString, (int code, const char **text)) \
	X(device_count, cuDeviceGetCount, (int *count)) \
	X(device_get, cuDeviceGet, (int *device, int ordinal)) \
	X(device_name, cuDeviceGetName, (char *name, int n, int device)) \
	X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, int device)) \
	X(context_retain, cuDevicePrimaryCtxRetain, (void **context, int device)) \
	X(context_release, cuDevicePrimaryCtxRelease_v2, (int device)) \
	X(context_set, cuCtxSetCurrent, (void *context)) \
	X(module_load, cuModuleLoadData, (void **module, const void *image)) \
	X(module_unload, cuModuleUnload, (void *module)) \
	X(module_function, cuModuleGetFunction, (void **function, void *module, const char *name)) \
	X(stream_create, cuStreamCreate, (void **stream, unsigned flags)) \
	X(stream_wait, cuStreamSynchronize, (void *stream)) \
	X(stream_query, cuStreamQuery, (void *stream)) \
	X(stream_destroy, cuStreamDestroy_v2, (void *stream)) \
	X(memory, cuMemGetInfo_v2, (size_t *available, size_t *total)) \
	X(alloc, cuMemAlloc_v2, (uint64_t *address, size_t n)) \
	X(free, cuMemFree_v2, (uint64_t address)) \
	X(pin, cuMemHostRegister_v2, (void *host, size_t n, unsigned flags)) \
	X(unpin, cuMemHostUnregister, (void *host)) \
	X(upload, cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t n, void *stream)) \
	X(download, cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t n, void *stream)) \
	X(launch, cuLaunchKernel, (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
	  unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments, void **extra))
/* clang-format on */

struct cuda_driver {
#define CUDA_POINTER(name, symbol, parameters) int(*name) parameters;
	CUDA_FUNCTIONS(CUDA_POINTER)
#undef CUDA_POINTER
};

/* Returns the driver, or NULL if there is none; then err is set. It lives as long as the process. Any thread. */
const struct cuda_driver *cuda_driver_get(struct error *err);
/* For tests: makes cuda_driver_get return `driver`; NULL: the real one again. Not while a backend is open. */
void cuda_driver_replace(const struct cuda_driver *driver);

/* The compiled kernels (fatbin.S); size 0: built without them. targets: the architectures, in words. */
extern const unsigned char cuda_fatbin[];
extern const uint64_t cuda_fatbin_size;
extern const char cuda_fatbin_targets[];
/* The kernels as PTX 7.0 text for sm_75, which ends with a NUL; size 0: none. */
extern const unsigned char cuda_ptx[];
extern const uint64_t cuda_ptx_size;
