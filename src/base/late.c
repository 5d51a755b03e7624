#include "base/late.h"

#include <sys/resource.h>

#include "base/clock.h"

enum {
	WATCHED = 8, /* after each late one: where folders are late, and files are not, most are not late */
	PAGE = 4096,
	CALL_NS = 20000, /* what waits for less is a lock of the kernel */
	/*
	 * Kernels of sandboxes do not count waits for files outside of them, nor preemptions. A call that takes longer
	 * than this, and was not preempted as far as the kernel knows, waited.
	 */
	SURELY_NS = 1000000,
};

static _Thread_local struct {
	unsigned since_late; /* files, up to WATCHED */
	bool watched;        /* the calls of this one are */
	bool waited;         /* one of them did */
	/* before the call */
	long waits, preemptions; /* of the thread */
	uint64_t ns;
} state;

void late_begin(void)
{
	state.watched = state.since_late < WATCHED;
	state.since_late += state.watched;
	state.waited = false;
}

void late_call_begin(void)
{
	struct rusage usage;

	if (!state.watched || getrusage(RUSAGE_THREAD, &usage) < 0)
		return;
	state.waits = usage.ru_nvcsw;
	state.preemptions = usage.ru_nivcsw;
	state.ns = clock_ns();
}

void late_read_begin(void *out, size_t n)
{
	volatile uint8_t *bytes = out;

	if (!state.watched)
		return;
	for (size_t at = 0; at < n; at += PAGE)
		bytes[at] = 0;
	if (n)
		bytes[n - 1] = 0;
	late_call_begin();
}

void late_call_end(void)
{
	struct rusage usage;

	if (!state.watched)
		return;
	uint64_t ns = clock_ns() - state.ns;

	if (ns > CALL_NS && getrusage(RUSAGE_THREAD, &usage) == 0)
		state.waited |=
			usage.ru_nvcsw != state.waits || (ns > SURELY_NS && usage.ru_nivcsw == state.preemptions);
}

int late_fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	late_call_begin();
	int rc = fstatat(dirfd, path, st, flags);

	late_call_end();
	return rc;
}

bool late_so_far(void)
{
	return state.watched && state.waited;
}

bool late_end(uint64_t ns, uint64_t usual_ns)
{
	state.watched = false;
	if (ns > usual_ns)
		state.since_late = 0;
	return ns > usual_ns && state.waited;
}
