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

static const struct {
	size_t at; /* offset of the pointer in struct cuda_driver */
	const char *name;
} symbols[] = {
#define CUDA_SYMBOL(name, symbol, parameters) { offsetof(struct cuda_driver, name), #symbol },
	CUDA_FUNCTIONS(CUDA_SYMBOL)
};

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
