#include "base/cpu.h"

#include <errno.h>
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

/* Appends the text of a small file, if it is there, and a line feed. */
static void add_file(struct strbuf *out, const char *folder, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	char text[8192];

	strbuf_addf(&path, "%s/%s", folder, name);
	FILE *in = fopen(path.s, "re");

	if (in) {
		strbuf_add(out, text, fread(text, 1, sizeof(text), in));
		fclose(in);
	}
	strbuf_addch(out, '\n');
	strbuf_release(&path);
}

/* Rounds up: one core and a half allows two threads, because one would leave some of the quota unused. */
static unsigned quota_cores(uint64_t quota, uint64_t period)
{
	if (!quota || !period)
		return 0;
	uint64_t cores = quota / period + (quota % period != 0);

	return (unsigned)MIN(cores, (uint64_t)UINT32_MAX);
}

/* Returns the quota of one control group; 0: none. Version 2: cpu.max; version 1: cpu.cfs_quota_us and its period. */
static unsigned group_quota(const char *folder, bool version2)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t quota, period;
	unsigned cores = 0;

	add_file(&text, folder, version2 ? "cpu.max" : "cpu.cfs_quota_us");
	if (!version2)
		add_file(&text, folder, "cpu.cfs_period_us");
	const char *p = text.s;

	if (scan_uint64(&p, &quota)) {
		p += strspn(p, " \n");
		cores = scan_uint64(&p, &period) ? quota_cores(quota, period) : 0;
	}
	strbuf_release(&text);
	return cores;
}

static unsigned tighter(unsigned a, unsigned b)
{
	return !a || (b && b < a) ? b : a;
}

/*
 * Returns the tightest quota of the group and of those above it. Inside a container the group's path may be the host's:
 * then only the existing part of it counts, at least the mount point.
 */
static unsigned hierarchy_quota(const char *mount, const char *name, const char *group, bool version2)
{
	struct strbuf folder = STRBUF_INIT;
	unsigned cores = 0;

	strbuf_addf(&folder, "%s%s%s", mount, *name ? "/" : "", name);
	size_t root_len = folder.len;

	strbuf_adds(&folder, group);
	for (char *slash; (slash = strrchr(folder.s + root_len, '/')); *slash = '\0')
		cores = tighter(cores, group_quota(folder.s, version2));
	cores = tighter(cores, group_quota(folder.s, version2));
	strbuf_release(&folder);
	return cores;
}

/* Returns whether the comma-separated list has the word. */
static bool list_has(const char *list, const char *word)
{
	size_t n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == strlen(word) && !strncmp(list, word, n))
			return true;
	}
	return false;
}

/* Returns the quota of a line of /proc/self/cgroup: number:controllers:path. Version 2 has no controllers there. */
static unsigned line_quota(const char *controllers, const char *group, const char *mount)
{
	if (*controllers) {
		if (!list_has(controllers, "cpu"))
			return 0;
		/* The controllers share a mount under their common name, with a link under each single one. */
		unsigned cores = hierarchy_quota(mount, controllers, group, false);

		return cores ? cores : hierarchy_quota(mount, "cpu", group, false);
	}
	/* if both versions are in use, version 2 is mounted in the folder `unified` */
	return tighter(hierarchy_quota(mount, "", group, true), hierarchy_quota(mount, "unified", group, true));
}

unsigned cpu_quota_cores(const char *proc_cgroup, const char *mount)
{
	char *copy = xstrdup(proc_cgroup), *rest = copy, *line;
	unsigned cores = 0;

	while ((line = strsep(&rest, "\n"))) {
		strsep(&line, ":");
		const char *controllers = strsep(&line, ":"), *group = line;

		if (group)
			cores = tighter(cores, line_quota(controllers, strcmp(group, "/") ? group : "", mount));
	}
	free(copy);
	return cores;
}

unsigned cpu_usable_cores(void)
{
	struct strbuf groups = STRBUF_INIT;

	add_file(&groups, "/proc/self", "cgroup");
	unsigned cores = platform_processors(), quota = cpu_quota_cores(groups.s, "/sys/fs/cgroup");

	strbuf_release(&groups);
	cores = quota ? MIN(cores, quota) : cores;
	return MAX(cores, 1u);
}
