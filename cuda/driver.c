#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define LIBRARY "libcuda.so.1"

static const struct cuda_driver *replacement;
static struct cuda_driver driver;
static char failure[256]; /* "" if the driver is there */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The symbols that cuda.h's macros stand for: the newest version of each function that all drivers since CUDA 11 have.
 */
static const struct {
	size_t at; /* offset of the pointer in struct cuda_driver */
	const char *name;
} symbols[] = {
	{ offsetof(struct cuda_driver, init), "cuInit" },
	{ offsetof(struct cuda_driver, version), "cuDriverGetVersion" },
	{ offsetof(struct cuda_driver, error_string), "cuGetErrorString" },
	{ offsetof(struct cuda_driver, device_count), "cuDeviceGetCount" },
	{ offsetof(struct cuda_driver, device_get), "cuDeviceGet" },
	{ offsetof(struct cuda_driver, device_name), "cuDeviceGetName" },
	{ offsetof(struct cuda_driver, device_attribute), "cuDeviceGetAttribute" },
	{ offsetof(struct cuda_driver, context_retain), "cuDevicePrimaryCtxRetain" },
	{ offsetof(struct cuda_driver, context_release), "cuDevicePrimaryCtxRelease_v2" },
	{ offsetof(struct cuda_driver, context_set), "cuCtxSetCurrent" },
	{ offsetof(struct cuda_driver, module_load), "cuModuleLoadData" },
	{ offsetof(struct cuda_driver, module_unload), "cuModuleUnload" },
	{ offsetof(struct cuda_driver, module_function), "cuModuleGetFunction" },
	{ offsetof(struct cuda_driver, stream_create), "cuStreamCreate" },
	{ offsetof(struct cuda_driver, stream_wait), "cuStreamSynchronize" },
	{ offsetof(struct cuda_driver, stream_query), "cuStreamQuery" },
	{ offsetof(struct cuda_driver, stream_destroy), "cuStreamDestroy_v2" },
	{ offsetof(struct cuda_driver, memory), "cuMemGetInfo_v2" },
	{ offsetof(struct cuda_driver, alloc), "cuMemAlloc_v2" },
	{ offsetof(struct cuda_driver, free), "cuMemFree_v2" },
	{ offsetof(struct cuda_driver, pin), "cuMemHostRegister_v2" },
	{ offsetof(struct cuda_driver, unpin), "cuMemHostUnregister" },
	{ offsetof(struct cuda_driver, upload), "cuMemcpyHtoDAsync_v2" },
	{ offsetof(struct cuda_driver, download), "cuMemcpyDtoHAsync_v2" },
	{ offsetof(struct cuda_driver, launch), "cuLaunchKernel" },
};
_Static_assert(ARRAY_SIZE(symbols) * sizeof(void *) == sizeof(struct cuda_driver), "every pointer has its symbol");

static void load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		/* dlopen's reason says nothing new if there is no such file */
		const char *why = dlerror();
		const char *rest = why && !strstr(why, "No such file") ? why : LIBRARY " not found";

		snprintf(failure, sizeof(failure), "no NVIDIA driver (%s)", rest);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol) {
			snprintf(failure, sizeof(failure), "the NVIDIA driver is too old: " LIBRARY " has no %s",
				 symbols[i].name);
			dlclose(library);
			return;
		}
		/* ISO C does not cast object pointers to function pointers; in POSIX they have the same bytes */
		memcpy((char *)&driver + symbols[i].at, &symbol, sizeof(symbol));
	}
}

const struct cuda_driver *cuda_driver_get(struct error *err)
{
	if (replacement)
		return replacement;
	pthread_once(&once, load);
	if (failure[0]) {
		error_set(err, "%s", failure);
		return NULL;
	}
	return &driver;
}

void cuda_driver_replace(const struct cuda_driver *d)
{
	replacement = d;
}
