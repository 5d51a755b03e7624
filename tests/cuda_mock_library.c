/*
 * libcuda.so.1 for tests: the mock of unit/cuda_mock.c under the names that the program looks up, for a whole run of
 * the program (tests/property/device_auto.sh).
 *
 *   CUDA_MOCK_DEVICES   how many GPUs there are (1)
 *   CUDA_MOCK_LOG       a file to which the name of each call is appended
 *   CUDA_MOCK_FAIL_AT   the number of the call that fails, from 1
 *   CUDA_MOCK_LOST      if set, all after it fail, too
 *   CUDA_MOCK_FAIL      a call that always fails, by its name
 *   CUDA_MOCK_CORRUPT   if set, launches give wrong counts
 *   CUDA_MOCK_KIB       the memory of the device (262144)
 *   CUDA_MOCK_HANG      a call that never returns, by its name
 *   CUDA_MOCK_SLEEP_MS  how long each launch takes besides
 *   CUDA_MOCK_STUCK_AT  the number of the launch from which on no stream is ever through, from 1
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unit/cuda_mock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;

static unsigned number(const char *name)
{
	const char *text = getenv(name);

	return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("CUDA_MOCK_LOG");

	cuda_mock_reset(number("CUDA_MOCK_FAIL_AT"), MOCK_ILLEGAL_ADDRESS, getenv("CUDA_MOCK_LOST") != NULL);
	cuda_mock.several = true;
	if (number("CUDA_MOCK_DEVICES"))
		cuda_mock.devices = (int)number("CUDA_MOCK_DEVICES");
	cuda_mock.corrupt = getenv("CUDA_MOCK_CORRUPT") != NULL;
	cuda_mock.memory = (size_t)(number("CUDA_MOCK_KIB") ? number("CUDA_MOCK_KIB") : 256 << 10) << 10;
	cuda_mock.stuck_at = number("CUDA_MOCK_STUCK_AT");
	if (path)
		log_fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

static void enter(const char *name)
{
	const char *hangs = getenv("CUDA_MOCK_HANG");
	char line[64];
	int n = snprintf(line, sizeof(line), "%s\n", name);

	if (log_fd >= 0 && write(log_fd, line, (size_t)n) != n)
		abort();
	while (hangs && !strcmp(hangs, name))
		pause();
	pthread_mutex_lock(&lock);
}

/* Returns whether the call fails whatever is asked of it. */
static bool is_refused(const char *name)
{
	const char *refused = getenv("CUDA_MOCK_FAIL");

	return refused && !strcmp(refused, name);
}

static int leave(int code)
{
	pthread_mutex_unlock(&lock);
	return code;
}

#define CALL(name, field, parameters, arguments)                    \
	__attribute__((visibility("default"))) int name parameters; \
	int name parameters                                         \
	{                                                           \
		enter(#name);                                       \
		if (is_refused(#name))                              \
			return leave(MOCK_OUT_OF_MEMORY);           \
		return leave(cuda_mock_driver.field arguments);     \
	}

CALL(cuInit, init, (unsigned flags), (flags))
CALL(cuDriverGetVersion, version, (int *version), (version))
CALL(cuGetErrorString, error_string, (int code, const char **text), (code, text))
CALL(cuDeviceGetCount, device_count, (int *count), (count))
CALL(cuDeviceGet, device_get, (int *device, int ordinal), (device, ordinal))
CALL(cuDeviceGetName, device_name, (char *text, int n, int device), (text, n, device))
CALL(cuDeviceGetAttribute, device_attribute, (int *value, int attribute, int device), (value, attribute, device))
CALL(cuDevicePrimaryCtxRetain, context_retain, (void **context, int device), (context, device))
CALL(cuDevicePrimaryCtxRelease_v2, context_release, (int device), (device))
CALL(cuCtxSetCurrent, context_set, (void *context), (context))
CALL(cuModuleLoadData, module_load, (void **module, const void *image), (module, image))
CALL(cuModuleUnload, module_unload, (void *module), (module))
CALL(cuModuleGetFunction, module_function, (void **function, void *module, const char *text), (function, module, text))
CALL(cuStreamCreate, stream_create, (void **stream, unsigned flags), (stream, flags))
CALL(cuStreamSynchronize, stream_wait, (void *stream), (stream))
CALL(cuStreamQuery, stream_query, (void *stream), (stream))
CALL(cuStreamDestroy_v2, stream_destroy, (void *stream), (stream))
CALL(cuMemGetInfo_v2, memory, (size_t * available, size_t *total), (available, total))
CALL(cuMemAlloc_v2, alloc, (uint64_t * address, size_t n), (address, n))
CALL(cuMemFree_v2, free, (uint64_t address), (address))
CALL(cuMemHostRegister_v2, pin, (void *host, size_t n, unsigned flags), (host, n, flags))
CALL(cuMemHostUnregister, unpin, (void *host), (host))
CALL(cuMemcpyHtoDAsync_v2, upload, (uint64_t to, const void *from, size_t n, void *stream), (to, from, n, stream))
CALL(cuMemcpyDtoHAsync_v2, download, (void *to, uint64_t from, size_t n, void *stream), (to, from, n, stream))

__attribute__((visibility("default"))) int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
							  unsigned grid_z, unsigned block_x, unsigned block_y,
							  unsigned block_z, unsigned shared_bytes, void *stream,
							  void **arguments, void **extra);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		   unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
		   void **extra)
{
	unsigned ms = number("CUDA_MOCK_SLEEP_MS");
	const struct timespec wait = { ms / 1000, ms % 1000 * 1000000L };

	enter("cuLaunchKernel");
	nanosleep(&wait, NULL);
	if (is_refused("cuLaunchKernel"))
		return leave(MOCK_OUT_OF_MEMORY);
	return leave(cuda_mock_driver.launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
					     stream, arguments, extra));
}
