#include "base/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/mem.h"

static atomic_int first_signal;
static atomic_bool came;
static atomic_bool must_exit, gave_up;
static void (*last_act)(void);

static void on_signal(int number)
{
	int none = 0;

	if (atomic_compare_exchange_strong(&first_signal, &none, number)) {
		atomic_store_explicit(&came, true, memory_order_relaxed);
		return;
	}
	last_act();
	_exit(128 + number);
}

void stop_install(void (*on_exit)(void))
{
	struct sigaction action, before;

	last_act = on_exit;
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(PLANTED(signal_not_caught, SIGTERM, SIGINT), &action, NULL);
	if (!sigaction(SIGHUP, NULL, &before) && PLANTED(hangup_of_nohup_caught, before.sa_handler != SIG_IGN, true))
		sigaction(PLANTED(hangup_not_caught, SIGHUP, SIGINT), &action, NULL);
	mem_on_fatal(on_exit);
}

int stop_signal(void)
{
	return atomic_load_explicit(&first_signal, memory_order_relaxed);
}

const atomic_bool *stop_flag(void)
{
	return &came;
}

/* Waits until reading fd would not block: bytes, the end or an error. Returns false if *stop became true. */
static bool wait_readable(int fd, const atomic_bool *stop)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (!is_stopped(stop))
		if (poll(&p, 1, WAIT_MS) > 0)
			return true;
	return false;
}

ssize_t read_or_stop(int fd, void *out, size_t n, const atomic_bool *stop)
{
	while (wait_readable(fd, stop)) {
		ssize_t got = read(fd, out, n);

		/* another process may have made it non-blocking */
		if (got >= 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
			return got;
	}
	errno = ECANCELED;
	return -1;
}

bool last_wait_is_over(struct last_wait *w)
{
	if (!stop_signal())
		return false;
	if (!w->stopped_ns)
		w->stopped_ns = clock_ns();
	return clock_ns() - w->stopped_ns >= UINT64_C(1000000) * (atomic_load(&gave_up) ? LAST_WAIT_MS : STORAGE_MS);
}

void last_wait_give_up(void)
{
	atomic_store(&gave_up, true);
	exit_now_set();
}

bool last_wait_given_up(void)
{
	return atomic_load(&gave_up);
}

void exit_now_set(void)
{
	atomic_store(&must_exit, true);
}

bool exit_now(void)
{
	return atomic_load(&must_exit);
}
