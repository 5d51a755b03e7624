/* Calls that most systems have, and whose headers say so. */
#include "platform/platform.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>

/* In steps: Linux reads ahead no more than this by one call, on most storage. macOS has F_RDADVISE in its place. */
void platform_will_read(int fd, uint64_t at, uint64_t n)
{
	enum { STEP = 128 << 10 };

	for (uint64_t end = at + n; at < end; at += STEP) {
#ifdef POSIX_FADV_WILLNEED
		posix_fadvise(fd, (off_t)at, STEP, POSIX_FADV_WILLNEED);
#else
		fcntl(fd, F_RDADVISE, &(struct radvisory){ (off_t)at, STEP });
#endif
	}
}

void platform_will_read_through(int fd)
{
#ifdef POSIX_FADV_SEQUENTIAL
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#else
	fcntl(fd, F_RDAHEAD, 1);
#endif
}

/* POSIX counts a process alone, of which threads make nothing; most systems have it, not macOS. */
bool platform_switches(long *waits, long *preemptions)
{
#ifdef RUSAGE_THREAD
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage) == 0) {
		*waits = usage.ru_nvcsw;
		*preemptions = usage.ru_nivcsw;
		return true;
	}
#endif
	(void)waits;
	(void)preemptions;
	return false;
}

#ifdef __APPLE__
void *memrchr(const void *s, int c, size_t n)
{
	const char *p = s;

	while (n--)
		if (p[n] == (char)c)
			return (void *)(uintptr_t)(p + n);
	return NULL;
}

/* Its qsort_r is older than the one of POSIX, and has its arguments in another order. */
struct sort_order {
	int (*compare)(const void *, const void *, void *);
	void *context;
};

static int compare_with(void *order, const void *a, const void *b)
{
	const struct sort_order *o = order;

	return o->compare(a, b, o->context);
}
#endif

void platform_sort(void *v, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
		   void *context)
{
#ifdef __APPLE__
	struct sort_order order = { compare, context };

	qsort_r(v, count, size, &order, compare_with);
#else
	qsort_r(v, count, size, compare, context);
#endif
}
