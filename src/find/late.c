#include "find/late.h"

#include <string.h>
#include <sys/resource.h>

enum {
	WATCHED = 8, /* calls after each late one: where folders are late, and files are not, most are not late */
	/*
	 * Kernels of sandboxes do not count waits for files outside of them (gVisor), nor preemptions. A call that
	 * takes longer than this, and was not preempted as far as the kernel knows, waited.
	 */
	SURELY_NS = 1000000,
};

void late_watch_init(struct late_watch *w)
{
	memset(w, 0, sizeof(*w));
	w->left = WATCHED;
}

void late_watch_begin(struct late_watch *w)
{
	struct rusage usage;

	w->watched = w->left && getrusage(RUSAGE_THREAD, &usage) == 0;
	if (!w->watched)
		return;
	w->left--;
	w->waits = usage.ru_nvcsw;
	w->preemptions = usage.ru_nivcsw;
}

bool late_watch_end(struct late_watch *w, uint64_t ns, uint64_t late_ns)
{
	struct rusage usage;

	if (ns <= late_ns)
		return false;
	w->left = WATCHED;
	if (!w->watched || getrusage(RUSAGE_THREAD, &usage) < 0)
		return false;
	return usage.ru_nvcsw != w->waits || (ns > SURELY_NS && usage.ru_nivcsw == w->preemptions);
}
