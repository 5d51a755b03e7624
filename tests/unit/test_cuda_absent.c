/*
 * The backend cuda where it cannot run: no kernels in the program, or no driver. It must report that without a crash
 * and leave nothing open. Where there is a driver, bench/gpu.sh is the test.
 */
#include "check_main.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "../../cuda/driver.h"
#include "measure/backend.h"

TEST(says_why_not)
{
	static struct settings settings;
	struct error err = ERROR_INIT, open_err = ERROR_INIT;
	char text[128];
	void *self, *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (library && cuda_fatbin_size > 0) {
		dlclose(library);
		printf("skipped: there is an NVIDIA driver\n");
		return;
	}
	class_set_finish(&settings.classes);
	ck_assert_int_eq(backend_cuda.probe(0, text, sizeof(text), &err), STATUS_FAILED);
	ck_assert_int_eq(backend_cuda.open(&self, &settings, 0, &open_err), STATUS_FAILED);
	ck_assert_str_eq(err.text, cuda_fatbin_size > 0 ? "no NVIDIA driver (libcuda.so.1 not found)"
							: "built without CUDA kernels");
	ck_assert_str_eq(open_err.text, err.text);
}
