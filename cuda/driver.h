/*
 * The part of the CUDA driver API that we use, loaded at run time from libcuda.so.1, so that the same program runs with
 * and without a driver. No CUDA header or library is needed to build it.
 *
 * The API is a table of function pointers, which tests replace by a mock. Types are those of the driver API reference:
 * handles are pointers, a device is an int, device addresses have 64 bits; every function returns 0 or an error code.
 */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

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

struct cuda_driver {
	int (*init)(unsigned flags);
	int (*version)(int *version); /* the newest CUDA that it supports: 1000 * major + 10 * minor */
	int (*error_string)(int code, const char **text);
	int (*device_count)(int *count);
	int (*device_get)(int *device, int ordinal);
	int (*device_name)(char *name, int n, int device);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*context_retain)(void **context, int device);
	int (*context_release)(int device);
	int (*context_set)(void *context);
	int (*module_load)(void **module, const void *image);
	int (*module_unload)(void *module);
	int (*module_function)(void **function, void *module, const char *name);
	int (*stream_create)(void **stream, unsigned flags);
	int (*stream_wait)(void *stream);
	int (*stream_query)(void *stream); /* CUDA_NOT_READY: not done yet */
	int (*stream_destroy)(void *stream);
	int (*memory)(size_t *available, size_t *total);
	int (*alloc)(uint64_t *address, size_t n);
	int (*free)(uint64_t address);
	int (*pin)(void *host, size_t n, unsigned flags);
	int (*unpin)(void *host);
	int (*upload)(uint64_t to, const void *from, size_t n, void *stream);
	int (*download)(void *to, uint64_t from, size_t n, void *stream);
	int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		      unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
		      void **extra);
};

/* Returns the driver, or NULL if there is none; then err is set. It lives as long as the process. Any thread. */
const struct cuda_driver *cuda_driver_get(struct error *err);
/* For tests: makes cuda_driver_get return `driver`; NULL: the real one again. Not while a backend is open. */
void cuda_driver_replace(const struct cuda_driver *driver);

/* The compiled kernels (fatbin.S); size 0: built without them. targets: the architectures, in words. */
extern const unsigned char cuda_fatbin[];
extern const uint64_t cuda_fatbin_size;
extern const char cuda_fatbin_targets[];

#endif
