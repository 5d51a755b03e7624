/* Cores that may be used, and CPU features that can be hidden. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpu.h"
#include "check_main.h"
#include "platform/platform.h"

/* A folder that stands for /sys/fs/cgroup. */
static char mount[] = "/tmp/labelaudit-cgroup-XXXXXX";

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(mount));
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", mount);
	ck_assert_int_eq(system(command), 0);
}

static void make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", mount, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void put(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", mount, name);
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

TEST(quotas)
{
	make_folder("a");
	make_folder("a/b");
	ck_assert_uint_eq(cpu_quota_cores("0::/a/b\n", mount), 0);
	put("a/b/cpu.max", "max 100000\n");
	ck_assert_uint_eq(cpu_quota_cores("0::/a/b\n", mount), 0);
	put("a/b/cpu.max", "200000 100000\n");
	ck_assert_uint_eq(cpu_quota_cores("0::/a/b\n", mount), 2);
	put("a/b/cpu.max", "150000 100000\n"); /* rounded up */
	ck_assert_uint_eq(cpu_quota_cores("0::/a/b\n", mount), 2);
	put("a/b/cpu.max", "1000 100000\n");
	ck_assert_uint_eq(cpu_quota_cores("0::/a/b\n", mount), 1);
	put("a/b/cpu.max", "800000 100000\n");
	put("a/cpu.max", "300000 100000\n"); /* the group above is tighter */
	ck_assert_uint_eq(cpu_quota_cores("0::/a/b\n", mount), 3);
	ck_assert_uint_eq(cpu_quota_cores("1:name=systemd:/x\n0::/a\n", mount), 3);
	make_folder("ab"); /* not below a */
	ck_assert_uint_eq(cpu_quota_cores("0::/ab\n", mount), 0);
	/* a path that is not visible in this container: the mount point itself */
	ck_assert_uint_eq(cpu_quota_cores("0::/elsewhere/x\n", mount), 0);
	put("cpu.max", "500000 100000\n");
	ck_assert_uint_eq(cpu_quota_cores("0::/elsewhere/x\n", mount), 5);
	ck_assert_uint_eq(cpu_quota_cores("0::/\n", mount), 5);
	put("cpu.max", "0 0\n");
	ck_assert_uint_eq(cpu_quota_cores("0::/\n", mount), 0);
	put("cpu.max", "99999999999999999999999 100000\n");
	ck_assert_uint_eq(cpu_quota_cores("0::/\n", mount), 0);
}

TEST(odd_texts)
{
	ck_assert_uint_eq(cpu_quota_cores("", mount), 0);
	ck_assert_uint_eq(cpu_quota_cores("\n\nx\n1:\n:\n::\n", mount), 0);
	ck_assert_uint_eq(cpu_quota_cores("0::", mount), 0);

	char endless[8000];

	memset(endless, 'x', sizeof(endless) - 1);
	memcpy(endless, "0::/", 4);
	endless[sizeof(endless) - 1] = '\0';
	ck_assert_uint_eq(cpu_quota_cores(endless, mount), 0);
}

TEST(affinity)
{
	cpu_set_t all, one;
	unsigned before = cpu_usable_cores();

	ck_assert_uint_ge(before, 1);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	ck_assert_uint_le(before, (unsigned)CPU_COUNT(&all));
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	if (!strcmp(platform_name, "linux")) /* POSIX knows no affinity */
		ck_assert_uint_eq(cpu_usable_cores(), 1);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(all), &all), 0);
	ck_assert_uint_eq(cpu_usable_cores(), before);
}

TEST(hide)
{
	const unsigned all = CPU_SSSE3 | CPU_SSE41 | CPU_AVX2 | CPU_BMI2 | CPU_AVX512 | CPU_AVX512VBMI2;
	struct error err = ERROR_INIT;
	unsigned f = all;

	ck_assert_int_eq(cpu_features_hide(&f, "", &err), STATUS_OK);
	ck_assert_uint_eq(f, all);
	ck_assert_int_eq(cpu_features_hide(&f, "avx512vbmi2", &err), STATUS_OK);
	ck_assert_uint_eq(f, all & ~(unsigned)CPU_AVX512VBMI2);
	f = all;
	ck_assert_int_eq(cpu_features_hide(&f, "avx512", &err), STATUS_OK);
	ck_assert_uint_eq(f, all & ~(unsigned)(CPU_AVX512 | CPU_AVX512VBMI2));
	f = all;
	ck_assert_int_eq(cpu_features_hide(&f, "avx2", &err), STATUS_OK); /* and what is built on it */
	ck_assert_uint_eq(f, CPU_SSSE3 | CPU_SSE41 | CPU_BMI2);
	f = all;
	ck_assert_int_eq(cpu_features_hide(&f, "bmi2,sse4.1", &err), STATUS_OK);
	ck_assert_uint_eq(f, CPU_SSSE3);

	static const char *const bad[] = {
		"avx", "avx51", "avx5122", "AVX2", "avx2,", ",avx2", "avx2, avx512", "none"
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(&err, 0, sizeof(err));
		f = all;
		ck_assert_msg(cpu_features_hide(&f, bad[i], &err) == STATUS_FAILED, "%s", bad[i]);
		ck_assert_ptr_nonnull(strstr(err.text, "LABELAUDIT_DISABLE_CPU_FEATURES"));
	}
}

TEST(environment)
{
	struct error err = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;

	unsetenv("LABELAUDIT_DISABLE_CPU_FEATURES");
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	unsigned machine = cpu_features();

#if defined(__x86_64__)
	/* the compiler's own look at the same machine */
	ck_assert_int_eq(!!(machine & CPU_SSSE3), !!__builtin_cpu_supports("ssse3"));
	ck_assert_int_eq(!!(machine & CPU_SSE41), !!__builtin_cpu_supports("sse4.1"));
	ck_assert_int_eq(!!(machine & CPU_AVX2), !!__builtin_cpu_supports("avx2"));
	ck_assert_int_eq(!!(machine & CPU_BMI2), !!__builtin_cpu_supports("bmi2"));
	ck_assert_int_eq(!!(machine & CPU_AVX512),
			 __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
				 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
	ck_assert_int_eq(!!(machine & CPU_AVX512VBMI2), !!__builtin_cpu_supports("avx512vbmi2"));
#else
	ck_assert_uint_eq(machine, 0);
#endif
	setenv("LABELAUDIT_DISABLE_CPU_FEATURES", "ssse3,bmi2", 1);
	ck_assert_int_eq(cpu_init(&err), STATUS_OK);
	ck_assert_uint_eq(cpu_features(), 0);
	cpu_features_format(cpu_features(), &text);
	ck_assert_str_eq(text.s, "none");
	strbuf_clear(&text);
	cpu_features_format(CPU_AVX2 | CPU_SSSE3, &text);
	ck_assert_str_eq(text.s, "ssse3 avx2");
	setenv("LABELAUDIT_DISABLE_CPU_FEATURES", "sse9", 1);
	ck_assert_int_eq(cpu_init(&err), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "'sse9'"));
	strbuf_release(&text);
}

FIXTURE(setup, teardown)
