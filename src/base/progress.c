#include "base/progress.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/write_all.h"

#define SECOND_NS ((uint64_t)1000000000)

/* Faster cannot be read; more lines would flood the log of a long audit. */
#define BAR_EVERY_NS   (SECOND_NS / 10)
#define LINES_EVERY_NS (60 * SECOND_NS)

/* The width of a terminal that does not report it; the width of the narrowest bar. */
enum { COLUMNS_DEFAULT = 80, BAR_MIN = 4 };

void progress_init(struct progress *p, bool bar, bool lines)
{
	memset(p, 0, sizeof(*p));
	p->bar = bar;
	p->lines = lines;
	p->start_ns = p->last_ns = clock_ns();
}

/* Appends 04:09 or 1:04:09. */
static void add_time(struct strbuf *out, uint64_t seconds)
{
	if (seconds >= 3600)
		strbuf_addf(out, "%" PRIu64 ":", seconds / 3600);
	strbuf_addf(out, "%02u:%02u", (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
}

/* Returns the files per ten seconds, for one decimal without floating point; 0 at the very start. */
static uint64_t files_per_10_seconds(uint64_t done, uint64_t elapsed_ns)
{
	uint64_t elapsed_us = elapsed_ns / 1000, scaled;

	if (!elapsed_us)
		return 0;
	/* done * 10^7 overflows past 10^12 files */
	return size_mul(done, 10000000, &scaled) ? scaled / elapsed_us : UINT64_MAX;
}

static void add_tail(struct strbuf *out, uint64_t done, uint64_t total, uint64_t flagged, uint64_t elapsed_ns)
{
	uint64_t rate = files_per_10_seconds(done, elapsed_ns);

	strbuf_addch(out, '[');
	add_time(out, elapsed_ns / SECOND_NS);
	if (total) {
		strbuf_addch(out, '<');
		if (done && elapsed_ns)
			add_time(out, (uint64_t)((double)elapsed_ns / (double)SECOND_NS * (double)(total - done) /
						 (double)done));
		else
			strbuf_adds(out, "?");
	}
	if (rate)
		strbuf_addf(out, ", %" PRIu64 ".%ufiles/s", rate / 10, (unsigned)(rate % 10));
	else
		strbuf_adds(out, ", ?files/s");
	if (flagged)
		strbuf_addf(out, ", %" PRIu64 " with findings", flagged);
	strbuf_addch(out, ']');
}

void progress_format(struct strbuf *out, uint64_t done, uint64_t total, uint64_t flagged, uint64_t elapsed_ns,
		     unsigned columns, bool without_bar)
{
	struct strbuf head = STRBUF_INIT, tail = STRBUF_INIT;
	size_t start = out->len;

	total = total && total < done ? done : total; /* the walk has found more */
	if (!total) {
		strbuf_addf(&head, "%" PRIu64 "files ", done);
	} else {
		/* rounded down: 100% means done, even if the double rounds up */
		unsigned percent = (unsigned)(100.0 * (double)done / (double)total);

		if (percent >= 100 && done < total)
			percent = 99;
		strbuf_addf(&head, "%3u%%", percent);
		strbuf_addf(&tail, "%" PRIu64 "/%" PRIu64 " ", done, total);
	}
	add_tail(&tail, done, total, flagged, elapsed_ns);
	strbuf_add(out, head.s, head.len);
	if (total) {
		size_t used = head.len + tail.len + 3; /* the two ends of the bar, and a blank */
		size_t width = columns > used ? columns - used : 0;

		if (without_bar || width < BAR_MIN) {
			strbuf_addch(out, ' ');
		} else {
			size_t full = (size_t)((double)width * (double)done / (double)total);

			strbuf_addch(out, '|');
			for (size_t i = 0; i < width; i++)
				strbuf_addch(out, i < full ? '#' : ' ');
			strbuf_adds(out, "| ");
		}
	}
	strbuf_add(out, tail.s, tail.len);
	if (out->len - start > columns) {
		out->len = start + columns;
		out->s[out->len] = '\0';
	}
	strbuf_release(&head);
	strbuf_release(&tail);
}

static unsigned terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
		return COLUMNS_DEFAULT - 1;
	return size.ws_col - 1U; /* a full line wraps on some terminals */
}

void progress_update(struct progress *p, uint64_t done, uint64_t total, uint64_t flagged)
{
	if (!p->bar && !p->lines)
		return;
	uint64_t now = clock_ns();
	struct strbuf text = STRBUF_INIT;

	if (now - p->last_ns < (p->bar ? BAR_EVERY_NS : LINES_EVERY_NS))
		return;
	p->last_ns = now;
	strbuf_adds(&text, p->bar ? "\r" : "");
	progress_format(&text, done, total, flagged, now - p->start_ns, p->bar ? terminal_columns() : UINT32_MAX,
			!p->bar);
	strbuf_adds(&text, p->bar ? "\033[K" : "\n"); /* erases the rest of the last text */
	(void)write_all(STDERR_FILENO, text.s, text.len);
	p->drawn = true;
	strbuf_release(&text);
}

void progress_finish(struct progress *p)
{
	static const char clear[] = "\r\033[K";

	if (p->bar && p->drawn)
		(void)write_all(STDERR_FILENO, clear, sizeof(clear) - 1);
	p->drawn = false;
}
