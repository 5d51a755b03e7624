#include "base/cpu.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/mem.h"
#include "base/scan_number.h"
#include "platform/platform.h"

#define DISABLE_VARIABLE "LABELAUDIT_DISABLE_CPU_FEATURES"

static unsigned found_features;

/* `also`: the features whose code requires this one; hiding it hides them. */
static const struct {
	const char *name;
	unsigned bit, also;
} features_table[] = {
	{ "ssse3", CPU_SSSE3, CPU_SSE41 | CPU_AVX2 | CPU_AVX512 | CPU_AVX512VBMI2 | CPU_SHA },
	{ "sse4.1", CPU_SSE41, CPU_AVX2 | CPU_AVX512 | CPU_AVX512VBMI2 | CPU_SHA },
	{ "avx2", CPU_AVX2, CPU_AVX512 | CPU_AVX512VBMI2 },
	{ "bmi2", CPU_BMI2, 0 },
	{ "avx512", CPU_AVX512, CPU_AVX512VBMI2 },
	{ "avx512vbmi2", CPU_AVX512VBMI2, 0 },
	{ "sha", CPU_SHA, 0 },
};

#if defined(__x86_64__) || defined(__i386__)

static bool has_lzcnt(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & 1u << 5; /* not all compilers know its name */
}

static bool has_sha(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & 1u << 29 && __builtin_cpu_supports("ssse3") &&
	       __builtin_cpu_supports("sse4.1");
}

/* The compiler's library also checks that the operating system saves the registers. */
static unsigned detect(void)
{
	bool bmi2 = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
		    __builtin_cpu_supports("popcnt") && has_lzcnt();
	bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	bool vbmi2 = avx512 && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
		     __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");

	return (__builtin_cpu_supports("ssse3") ? CPU_SSSE3 : 0) | (__builtin_cpu_supports("sse4.1") ? CPU_SSE41 : 0) |
	       (__builtin_cpu_supports("avx2") ? CPU_AVX2 : 0) | (bmi2 ? CPU_BMI2 : 0) | (avx512 ? CPU_AVX512 : 0) |
	       (vbmi2 ? CPU_AVX512VBMI2 : 0) | (has_sha() ? CPU_SHA : 0);
}

#else

static unsigned detect(void)
{
	return 0;
}

#endif

enum status cpu_features_hide(unsigned *features, const char *list, struct error *err)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ","), i = 0;

		while (i < ARRAY_SIZE(features_table) &&
		       (strlen(features_table[i].name) != n || strncmp(features_table[i].name, p, n) != 0))
			i++;
		if (i == ARRAY_SIZE(features_table))
			return error_set(err,
					 DISABLE_VARIABLE ": there is no CPU feature '%.*s'; expected some of "
							  "ssse3,sse4.1,avx2,bmi2,avx512,avx512vbmi2,sha",
					 (int)MIN(n, (size_t)64), p);
		*features &= ~(features_table[i].bit | features_table[i].also);
		p += n;
		if (*p == ',' && !*++p)
			return error_set(err, DISABLE_VARIABLE ": '%s' ends in a comma", list);
	}
	return STATUS_OK;
}

enum status cpu_init(struct error *err)
{
	const char *hidden = getenv(DISABLE_VARIABLE);

	found_features = detect();
	return hidden ? cpu_features_hide(&found_features, hidden, err) : STATUS_OK;
}

unsigned cpu_features(void)
{
	return found_features;
}

void cpu_features_format(unsigned features, struct strbuf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < ARRAY_SIZE(features_table); i++)
		if (features & features_table[i].bit)
			strbuf_addf(out, "%s%s", out->len > before ? " " : "", features_table[i].name);
	if (out->len == before)
		strbuf_adds(out, "none");
}

/* Reads the text of a small file; "" if it is not there. */
static void read_small(const char *path, char text[8192])
{
	FILE *in = fopen(path, "re");
	size_t n = in ? fread(text, 1, 8191, in) : 0;

	text[n] = '\0';
	if (in)
		fclose(in);
}

/* Returns the quota of one control group; 0: none. One core and a half allows two threads: one would waste a part. */
static unsigned group_quota(const char *folder)
{
	RELEASED struct strbuf path = STRBUF_INIT;
	uint64_t quota, period;
	char text[8192];
	const char *p = text;

	strbuf_addf(&path, "%s/cpu.max", folder);
	read_small(path.s, text);
	if (!scan_uint64(&p, &quota) || !quota)
		return 0;
	p += strspn(p, " ");
	if (!scan_uint64(&p, &period) || !period)
		return 0;
	return (unsigned)MIN(quota / period + (quota % period != 0), (uint64_t)UINT32_MAX);
}

/*
 * Returns the tightest quota of the group and of those above it. Inside a container the group's path may be the host's:
 * then only the existing part of it counts, at least the mount point.
 */
unsigned cpu_quota_cores(const char *proc_cgroup, const char *mount)
{
	const char *line = strncmp(proc_cgroup, "0::", 3) ? strstr(proc_cgroup, "\n0::") : proc_cgroup;
	RELEASED struct strbuf folder = STRBUF_INIT;
	unsigned cores = UINT_MAX;

	if (!line)
		return 0;
	line = strchr(line, ':') + 2;
	strbuf_addf(&folder, "%s%.*s", mount, (int)strcspn(line, "\n"), line);
	for (char *slash;; *slash = '\0') {
		const unsigned quota = group_quota(folder.s);

		cores = quota ? MIN(cores, quota) : cores;
		slash = strrchr(folder.s + strlen(mount), '/');
		if (!slash)
			break;
	}
	return cores == UINT_MAX ? 0 : cores;
}

unsigned cpu_usable_cores(void)
{
	char groups[8192];

	read_small("/proc/self/cgroup", groups);
	unsigned cores = platform_processors(), quota = cpu_quota_cores(groups, "/sys/fs/cgroup");

	cores = quota ? MIN(cores, quota) : cores;
	return MAX(cores, 1u);
}
