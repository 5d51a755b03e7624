/*
 * Features of the processor, and the number of cores that this process may use. Any thread, after cpu_init.
 *
 * The environment variable LABELAUDIT_DISABLE_CPU_FEATURES (avx512,avx2 ...) hides features, so that one machine can
 * test every variant of a fast path. An unknown name is an error, since such a test would prove nothing.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"

/* In order of age: hiding one hides those that are built on it as well. */
enum cpu_feature {
	CPU_SSSE3 = 1 << 0,
	CPU_SSE41 = 1 << 1,
	CPU_AVX2 = 1 << 2,
	CPU_BMI2 = 1 << 3,        /* and BMI1, LZCNT and POPCNT, as all processors with it have */
	CPU_AVX512 = 1 << 4,      /* F, BW, DQ and VL, and an operating system that saves the registers */
	CPU_AVX512VBMI2 = 1 << 5, /* and VBMI, CD and VPOPCNTDQ */
	CPU_SHA = 1 << 6,         /* and SSSE3 and SSE4.1 */
};

/* Fails if the environment variable holds an unknown name. Before threads are started. */
enum status cpu_init(struct error *err);
/* Returns a set of enum cpu_feature, without hidden ones. 0 before cpu_init, and on other processors. */
unsigned cpu_features(void);
/* Appends "ssse3 sse4.1 avx2", or "none". */
void cpu_features_format(unsigned features, struct strbuf *out);
/* Removes the features in list (as in the environment variable), and those that require them, from *features. */
enum status cpu_features_hide(unsigned *features, const char *list, struct error *err);

/* Returns the cores of its affinity, at most the CPU quota of its control groups and at least 1. */
unsigned cpu_usable_cores(void);
/*
 * Returns that quota, rounded up to whole cores; 0: none. proc_cgroup: the text of /proc/self/cgroup; mount: where
 * control groups are mounted, /sys/fs/cgroup. Handles version 1, version 2 and both at once.
 */
unsigned cpu_quota_cores(const char *proc_cgroup, const char *mount);
