/* The progress line: tqdm's look to the character, narrow terminals, and silence where it was asked for. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/progress.h"
#include "check_main.h"

#define SECONDS(n) ((uint64_t)((n)*1000) * 1000000)

static const char *format(uint64_t done, uint64_t total, uint64_t flagged, uint64_t ns, unsigned columns,
			  bool without_bar)
{
	static struct strbuf out = STRBUF_INIT;

	struct progress p;
	const struct progress_counts counts = { .done = done, .total = total, .flagged = flagged };

	strbuf_clear(&out);
	progress_init(&p, !without_bar, without_bar, false);
	progress_format(&p, &counts, ns, columns, &out);
	return out.s;
}

TEST(looks_like_tqdm)
{
	ck_assert_str_eq(format(1234, 2914, 0, SECONDS(4.238), 54, false),
			 " 42%|####      | 1234/2914 [00:04<00:05, 291.1files/s]");
}

TEST(draws_eighths)
{
	const struct progress_counts counts = { .done = 1234, .total = 2914 };
	struct strbuf out = STRBUF_INIT;
	struct progress p;

	progress_init(&p, true, false, true);
	progress_format(&p, &counts, SECONDS(4.238), 54, &out);
	ck_assert_str_eq(out.s, " 42%|\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8f     |"
				" 1234/2914 [00:04<00:05, 291.1files/s]");
	strbuf_release(&out);
}

/* Members of archives are not counted ahead: the bytes of the archives tell how far it is. */
TEST(share_of_work)
{
	struct progress_counts counts = { .done = 1234, .flagged = 3, .work = 420, .work_total = 1000 };
	struct strbuf out = STRBUF_INIT;
	struct progress p;

	progress_init(&p, false, true, false);
	progress_format(&p, &counts, SECONDS(4.2), 80, &out);
	ck_assert_str_eq(out.s, " 42% 1234files [00:04<00:05, 293.8files/s, 3 with findings]");
	counts.work = 1001; /* a file that grew */
	strbuf_clear(&out);
	progress_format(&p, &counts, SECONDS(4.2), 80, &out);
	ck_assert_str_eq(out.s, "100% 1234files [00:04<00:00, 293.8files/s, 3 with findings]");
	strbuf_release(&out);
}

TEST(total_unknown)
{
	ck_assert_str_eq(format(1234, 0, 0, SECONDS(4), 80, false), "1234files [00:04, 308.5files/s]");
	ck_assert_str_eq(format(0, 0, 0, 0, 80, false), "0files [00:00, ?files/s]");
	ck_assert_str_eq(format(5, 0, 2, SECONDS(3725), 80, false), "5files [1:02:05, ?files/s, 2 with findings]");
}

TEST(begins_and_ends)
{
	ck_assert_str_eq(format(0, 10, 0, SECONDS(1), 80, true), "  0% 0/10 [00:01<?, ?files/s]");
	ck_assert_str_eq(format(10, 10, 1, SECONDS(1), 80, true),
			 "100% 10/10 [00:01<00:00, 10.0files/s, 1 with findings]");
	/* 100 % means done */
	ck_assert_str_eq(format(UINT64_C(9999999), 10000000, 0, SECONDS(1), 80, true),
			 " 99% 9999999/10000000 [00:01<00:00, 9999999.0files/s]");
	const uint64_t huge = UINT64_C(1) << 60; /* as a double no different from one less */

	ck_assert_int_eq(strncmp(format(huge - 1, huge, 0, SECONDS(1), 200, true), " 99% ", 5), 0);
	/* the walk found more than it had said */
	ck_assert_str_eq(format(11, 10, 0, SECONDS(1), 80, true), "100% 11/11 [00:01<00:00, 11.0files/s]");
	ck_assert_str_eq(format(1, 7201, 0, SECONDS(1), 80, true), "  0% 1/7201 [00:01<2:00:00, 1.0files/s]");
}

TEST(fits_the_terminal)
{
	for (unsigned columns = 1; columns < 200; columns++) {
		size_t n = strlen(format(1234, 2914, 3, SECONDS(4), columns, false));

		if (n > columns || (columns > 70 && n != columns))
			ck_abort_msg("%zu columns of %u", n, columns);
	}
	ck_assert_str_eq(format(5, 10, 0, SECONDS(5), 30, false), " 50% 5/10 [00:05<00:05, 1.0fil");
}

enum { UPDATES = 125, APART_NS = 2000000 };

/* Returns the text on standard error while updates come, each as if 2 ms after the last one. */
static size_t capture(bool bar, bool lines, char *got, size_t room)
{
	struct progress p;
	int ends[2], saved = dup(STDERR_FILENO);

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	progress_init(&p, bar, lines, false);
	for (uint64_t i = 1; i <= UPDATES; i++) {
		progress_update(&p, &(struct progress_counts){ .done = i, .total = UPDATES });
		p.start_ns -= APART_NS;
		p.last_ns -= APART_NS;
	}
	progress_finish(&p);
	dup2(saved, STDERR_FILENO);
	ssize_t n = read(ends[0], got, room - 1);

	close(ends[0]);
	close(ends[1]);
	close(saved);
	n = n < 0 ? 0 : n;
	got[n] = '\0';
	return (size_t)n;
}

TEST(draws_seldom_and_clears)
{
	static const char clear[] = "\r\033[K";
	char got[16384];
	uint64_t begin = clock_ns();
	size_t n = capture(true, false, got, sizeof(got)), drawn = 0;

	ck_assert_uint_gt(n, sizeof(clear));
	ck_assert_str_eq(got + n - (sizeof(clear) - 1), clear);
	for (const char *p = got; (p = strchr(p, '|')); p++)
		drawn++;
	/* at most 10 times a second, and at once; two bars each */
	ck_assert_uint_ge(drawn, 2 * (UPDATES * APART_NS / 100000000));
	ck_assert_uint_le(drawn / 2, (UPDATES * APART_NS + clock_ns() - begin) / 100000000 + 1);
	ck_assert_ptr_null(strchr(got, '\n'));
}

TEST(silent)
{
	char got[16384];

	ck_assert_uint_eq(capture(false, false, got, sizeof(got)), 0);
	ck_assert_uint_eq(capture(false, true, got, sizeof(got)), 0); /* not ten seconds yet */
}

TEST(a_line_after_ten_seconds)
{
	struct progress p;
	int ends[2], saved = dup(STDERR_FILENO);
	char got[256];

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	progress_init(&p, false, true, false);
	p.start_ns -= SECONDS(11); /* as if it had begun so long ago */
	p.last_ns -= SECONDS(11);
	dup2(ends[1], STDERR_FILENO);
	progress_update(&p, &(struct progress_counts){ .done = 110, .total = 220 });
	progress_update(&p, &(struct progress_counts){ .done = 111, .total = 220 });
	p.last_ns -= SECONDS(59); /* from now on, one a minute */
	progress_update(&p, &(struct progress_counts){ .done = 112, .total = 220 });
	progress_finish(&p);
	dup2(saved, STDERR_FILENO);
	ssize_t n = read(ends[0], got, sizeof(got) - 1);

	ck_assert_int_gt(n, 0);
	got[n] = '\0';
	/* [00:11<00:11, unless the machine stopped for a second in between */
	ck_assert_int_eq(strncmp(got, "labelaudit:  50% 110/220 [00:1", 30), 0);
	ck_assert_ptr_eq(strchr(got, '\n'), got + n - 1);
}

/* An unknown number is counted up, silently if neither form was asked for. */
TEST(counted_as_they_come)
{
	struct progress p;

	progress_init(&p, false, false, false); /* silent, but it counts */
	progress_add(&p, 5);
	progress_add(&p, 0);
	progress_add(&p, 37);
	ck_assert_uint_eq(p.done, 42);
	ck_assert(!p.drawn);
}
