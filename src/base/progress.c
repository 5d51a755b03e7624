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

/* Faster cannot be read; more lines would flood the log of a long audit. The first line tells whether to wait. */
#define BAR_EVERY_NS   (SECOND_NS / 10)
#define FIRST_LINE_NS  (10 * SECOND_NS)
#define LINES_EVERY_NS (60 * SECOND_NS)

enum {
	COLUMNS_DEFAULT = 80, /* of a terminal that does not report its width */
	COLUMNS_FREE = 3,     /* after the bar, for the ^C that a terminal echoes, and a full line wraps on some */
	BAR_MIN = 4,          /* columns of the narrowest bar */
	BAR_PARTS = 8,        /* of a column, with the block elements of Unicode */
};

void progress_init(struct progress *p, bool bar, bool lines, bool unicode)
{
	memset(p, 0, sizeof(*p));
	p->bar = bar;
	p->lines = lines;
	p->unicode = unicode;
	p->unit = "files";
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

/* Returns the share of the work that is done, 0 to 1, or a negative number if it is unknown. */
static double share_done(const struct progress_counts *c)
{
	if (c->work_total)
		return MIN((double)c->work / (double)c->work_total, 1.0);
	return c->total ? (double)c->done / (double)c->total : -1.0;
}

/* Appends "[00:04<00:05, 291.2files/s, 3 with findings]". */
static void add_tail(struct strbuf *out, const struct progress *p, const struct progress_counts *c, double share,
		     uint64_t elapsed_ns)
{
	uint64_t rate = files_per_10_seconds(c->done, elapsed_ns);

	strbuf_addch(out, '[');
	add_time(out, elapsed_ns / SECOND_NS);
	if (share >= 0) {
		strbuf_addch(out, '<');
		if (share > 0 && elapsed_ns)
			add_time(out, (uint64_t)((double)elapsed_ns / (double)SECOND_NS * (1.0 - share) / share));
		else
			strbuf_adds(out, "?");
	}
	if (rate)
		strbuf_addf(out, ", %" PRIu64 ".%u%s/s", rate / 10, (unsigned)(rate % 10), p->unit);
	else
		strbuf_addf(out, ", ?%s/s", p->unit);
	if (c->flagged)
		strbuf_addf(out, ", %" PRIu64 " with findings", c->flagged);
	strbuf_addch(out, ']');
}

/* Appends a bar of `width` columns between its ends. */
static void add_bar(struct strbuf *out, double share, size_t width, bool unicode)
{
	/* U+2588 full block, and U+258F to U+2589 for one to seven eighths */
	static const char blocks[BAR_PARTS][4] = { "\xe2\x96\x88", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d",
						   "\xe2\x96\x8c", "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89" };
	size_t parts = (size_t)((double)(width * BAR_PARTS) * share), used = parts / BAR_PARTS;

	strbuf_addch(out, '|');
	for (size_t i = 0; i < used; i++)
		strbuf_adds(out, unicode ? blocks[0] : "#");
	if (unicode && parts % BAR_PARTS) {
		strbuf_adds(out, blocks[parts % BAR_PARTS]);
		used++;
	}
	strbuf_addf(out, "%*s| ", (int)(width - used), "");
}

void progress_format(const struct progress *p, const struct progress_counts *counts, uint64_t elapsed_ns,
		     unsigned columns, struct strbuf *out)
{
	RELEASED struct strbuf head = STRBUF_INIT, tail = STRBUF_INIT;
	struct progress_counts c = *counts;
	size_t start = out->len;

	c.total = c.total && c.total < c.done ? c.done : c.total; /* the walk has found more */
	double share = share_done(&c);

	if (share >= 0) {
		/* rounded down: 100% means done, even if the double rounds up */
		unsigned percent = (unsigned)(100.0 * share);

		if (percent >= 100 && (c.total ? c.done < c.total : c.work < c.work_total))
			percent = 99;
		strbuf_addf(&head, "%3u%%", percent);
	}
	if (c.total && !c.work_total)
		strbuf_addf(&tail, "%" PRIu64 "/%" PRIu64 " ", c.done, c.total);
	else
		strbuf_addf(&tail, "%" PRIu64 "%s ", c.done, p->unit);
	add_tail(&tail, p, &c, share, elapsed_ns);
	strbuf_add(out, head.s, head.len);
	if (share >= 0) {
		size_t used = head.len + tail.len + 3; /* the two ends of the bar, and a blank */
		size_t width = columns > used ? columns - used : 0;

		if (p->lines || width < BAR_MIN)
			strbuf_addch(out, ' ');
		else
			add_bar(out, share, width, p->unicode);
	}
	bool cut = head.len + tail.len + 1 > columns;

	strbuf_add(out, tail.s, tail.len);
	if (cut) /* all of it is ASCII, since there was no space for a bar */
		strbuf_cut(out, start + columns);
}

static unsigned terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col <= COLUMNS_FREE)
		return COLUMNS_DEFAULT - COLUMNS_FREE;
	return (unsigned)(size.ws_col - COLUMNS_FREE);
}

void progress_update(struct progress *p, const struct progress_counts *counts)
{
	uint64_t now = clock_ns();
	RELEASED struct strbuf text = STRBUF_INIT;

	if (!p->bar && !p->lines)
		return;
	if (now - p->last_ns < (p->bar ? BAR_EVERY_NS : p->drawn ? LINES_EVERY_NS : FIRST_LINE_NS))
		return;
	p->last_ns = now;
	strbuf_adds(&text, p->bar ? "\r" : "labelaudit: ");
	progress_format(p, counts, now - p->start_ns, p->bar ? terminal_columns() : UINT32_MAX, &text);
	strbuf_adds(&text, p->bar ? "\033[K" : "\n"); /* erases the rest of the last text */
	(void)write_all(STDERR_FILENO, text.s, text.len);
	p->drawn = true;
}

void progress_add(struct progress *p, uint64_t n)
{
	p->done += n;
	progress_update(p, &(struct progress_counts){ .done = p->done });
}

void progress_finish(struct progress *p)
{
	static const char clear[] = "\r\033[K";

	if (p->bar && p->drawn)
		(void)write_all(STDERR_FILENO, clear, sizeof(clear) - 1);
	p->drawn = false;
}
