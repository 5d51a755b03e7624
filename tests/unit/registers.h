/* Tests that run twice: with the wide registers of the processor, and with those hidden. */
#pragma once

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cpu.h"

/* narrow: registers of 32 bytes are hidden from what asks cpu_features from here on. */
static inline void choose_registers(bool narrow)
{
	struct error err = ERROR_INIT;

	if (narrow)
		setenv("LABELAUDIT_DISABLE_CPU_FEATURES", "avx2", 1);
	else
		unsetenv("LABELAUDIT_DISABLE_CPU_FEATURES");
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
}
