#include "gpu_context.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

static const char kernel_name[] = "labelaudit_measure";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu_context *contexts; /* that have users; under the lock */

const char *gpu_error_text(const struct cuda_driver *cu, int code)
{
	const char *text = NULL;

	return cu->error_string(code, &text) == CUDA_OK && text ? text : "unknown error";
}

bool gpu_fails(const struct cuda_driver *cu, int ordinal, int code, const char *what, char *why, size_t n)
{
	if (code == CUDA_OK)
		return false;
	snprintf(why, n, "cuda:%d: %s: %s (%d)", ordinal, what, gpu_error_text(cu, code), code);
	return true;
}

/* Loads the compiled kernels, or else has the driver compile them. Returns the first error if it does neither. */
static int load_kernels(struct gpu_context *c)
{
	int code = c->cu->module_load(&c->module, cuda_fatbin);

	if (code == CUDA_OK || !cuda_ptx_size || c->cu->module_load(&c->module, cuda_ptx) != CUDA_OK)
		return code;
	c->from_ptx = true;
	return CUDA_OK;
}

static void close_context(struct gpu_context *c)
{
	if (c->module)
		c->cu->module_unload(c->module);
	if (c->context) {
		c->cu->context_set(NULL);
		c->cu->context_release(c->device);
	}
	free(c);
}

static struct gpu_context *open_context(const struct cuda_driver *cu, int ordinal, int device, char *why, size_t n)
{
	struct gpu_context *c = xcalloc(1, sizeof(*c));
	void *context = NULL;

	c->cu = cu;
	c->ordinal = ordinal;
	c->device = device;
	if (!gpu_fails(cu, ordinal, cu->context_retain(&context, device), "cannot create a context", why, n)) {
		c->context = context;
		if (!gpu_fails(cu, ordinal, cu->context_set(context), "cannot use the context", why, n) &&
		    !gpu_fails(cu, ordinal, load_kernels(c), "cannot load the kernels, which need CUDA 11.0", why, n) &&
		    !gpu_fails(cu, ordinal, cu->module_function(&c->function, c->module, kernel_name),
			       "cannot find the kernel", why, n))
			return c;
	}
	close_context(c);
	return NULL;
}

struct gpu_context *gpu_context_get(const struct cuda_driver *cu, int ordinal, int device, char *why, size_t n)
{
	struct gpu_context *c;

	pthread_mutex_lock(&lock);
	for (c = contexts; c && c->ordinal != ordinal; c = c->next)
		;
	if (!c) {
		c = open_context(cu, ordinal, device, why, n);
		if (c) {
			c->next = contexts;
			contexts = c;
		}
	} else if (gpu_fails(cu, ordinal, cu->context_set(c->context), "cannot use the context", why, n)) {
		c = NULL;
	}
	if (c)
		c->users++;
	pthread_mutex_unlock(&lock);
	return c;
}

void gpu_context_release(struct gpu_context *c)
{
	pthread_mutex_lock(&lock);
	if (--c->users == 0) {
		struct gpu_context **at = &contexts;

		while (*at != c)
			at = &(*at)->next;
		*at = c->next;
		close_context(c);
	}
	pthread_mutex_unlock(&lock);
}
