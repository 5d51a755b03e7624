#include "output/outputs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/write_all.h"
#include "output/step_summary.h"
#include "report/output_file.h"
#include "report/summary.h"

/*
 * Units whose text may wait for an older one. 128 units of 16 files of 1 KB of jsonl: 2 MB; and a worker that decodes
 * one huge file does not stall the others until they are 2048 files ahead.
 */
enum { WINDOW = 128 };

struct sink {
	const struct reporter *reporter;
	size_t stream; /* index of the reporter among the streams, if it streams */
	bool standard_output;
	struct output_file file; /* unless standard_output */
	const char *path;
	bool failed; /* nothing more is written to it */
};

/* The text of one unit that is finished and waits for its turn. */
struct waiting {
	bool done;
	struct strbuf *texts; /* one a stream */
};

struct sinks {
	struct sink *sinks;
	size_t count;
	const struct reporter **streams;
	size_t streams_count;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct waiting window[WINDOW]; /* unit n at n % WINDOW */
	uint64_t next;                 /* the oldest unit that is not written */
	bool stopped;
	bool pipe_closed;   /* the reader of standard output went away: not an error worth a word */
	size_t failed;      /* sinks that failed */
	struct error error; /* what the first of them said */
};

static enum status write_standard_output(struct sinks *s, const struct strbuf *text, struct error *err)
{
	if (write_all(STDOUT_FILENO, text->s, text->len))
		return STATUS_OK;
	s->pipe_closed = errno == EPIPE;
	return error_set_errno(err, errno, "cannot write the report to standard output");
}

/* Keeps what the first failure said; the other outputs go on. */
static void fail_sink(struct sinks *s, struct sink *sink, const struct error *err)
{
	sink->failed = true;
	s->failed++;
	if (!s->error.text[0])
		s->error = *err;
}

static void sink_write(struct sinks *s, struct sink *sink, const struct strbuf *text)
{
	struct error err = ERROR_INIT;
	enum status status;

	if (sink->failed || !text->len)
		return;
	if (sink->standard_output)
		status = write_standard_output(s, text, &err);
	else
		status = output_file_write(&sink->file, text->s, text->len, &err);
	if (status != STATUS_OK)
		fail_sink(s, sink, &err);
}

static size_t add_stream(struct sinks *s, const struct reporter *reporter)
{
	for (size_t i = 0; i < s->streams_count; i++)
		if (s->streams[i] == reporter)
			return i;
	s->streams[s->streams_count] = reporter;
	return s->streams_count++;
}

static void add_sink(struct sinks *s, const char *format, const char *path)
{
	struct sink *sink = &s->sinks[s->count++];

	sink->reporter = reporter_by_name(format);
	sink->path = path;
	sink->standard_output = !path;
	output_file_init(&sink->file);
	if (sink->reporter->file)
		sink->stream = add_stream(s, sink->reporter);
}

static void write_begin(struct sinks *s, const struct options *options, const char *started)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < s->count; i++) {
		if (!s->sinks[i].reporter->begin)
			continue;
		strbuf_clear(&text);
		s->sinks[i].reporter->begin(&options->settings, started, &text);
		sink_write(s, &s->sinks[i], &text);
	}
	strbuf_release(&text);
}

enum status sinks_open(struct sinks **out, const struct options *options, const char *started, struct error *err)
{
	struct sinks *s = xcalloc(1, sizeof(*s));

	s->sinks = xcalloc(options->outputs_count + 1, sizeof(*s->sinks));
	s->streams = xcalloc(options->outputs_count + 1, sizeof(*s->streams));
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->moved, NULL);
	add_sink(s, options->format, NULL);
	for (size_t i = 0; i < options->outputs_count; i++)
		add_sink(s, options->outputs[i].format, options->outputs[i].path);
	for (size_t i = 0; i < WINDOW; i++) {
		s->window[i].texts = xcalloc(s->streams_count + 1, sizeof(struct strbuf));
		for (size_t j = 0; j < s->streams_count; j++)
			strbuf_init(&s->window[i].texts[j]);
	}
	for (size_t i = 1; i < s->count; i++) {
		if (output_file_open(&s->sinks[i].file, s->sinks[i].path, err) != STATUS_OK) {
			sinks_close(s);
			return STATUS_FAILED;
		}
	}
	write_begin(s, options, started);
	*out = s;
	return STATUS_OK;
}

size_t sinks_streams(const struct sinks *s)
{
	return s->streams_count;
}

const struct reporter *sinks_stream(const struct sinks *s, size_t i)
{
	return s->streams[i];
}

bool sinks_wait_for_turn(struct sinks *s, uint64_t number)
{
	bool go_on;

	pthread_mutex_lock(&s->lock);
	while (s->streams_count && !s->stopped && s->failed < s->count && number >= s->next + WINDOW)
		pthread_cond_wait(&s->moved, &s->lock);
	go_on = !s->stopped && s->failed < s->count;
	pthread_mutex_unlock(&s->lock);
	return go_on;
}

static void write_unit(struct sinks *s, struct waiting *unit)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->sinks[i].reporter->file)
			sink_write(s, &s->sinks[i], &unit->texts[s->sinks[i].stream]);
}

void sinks_put(struct sinks *s, uint64_t number, struct strbuf *texts)
{
	if (!s->streams_count)
		return;
	pthread_mutex_lock(&s->lock);
	struct waiting *mine = &s->window[number % WINDOW];

	for (size_t i = 0; i < s->streams_count; i++) {
		struct strbuf empty = mine->texts[i];

		mine->texts[i] = texts[i];
		texts[i] = empty;
	}
	mine->done = true;
	for (struct waiting *due = &s->window[s->next % WINDOW]; due->done; due = &s->window[s->next % WINDOW]) {
		write_unit(s, due);
		for (size_t i = 0; i < s->streams_count; i++)
			strbuf_clear(&due->texts[i]);
		due->done = false;
		s->next++;
	}
	pthread_cond_broadcast(&s->moved);
	pthread_mutex_unlock(&s->lock);
}

void sinks_stop(struct sinks *s)
{
	pthread_mutex_lock(&s->lock);
	s->stopped = true;
	pthread_cond_broadcast(&s->moved);
	pthread_mutex_unlock(&s->lock);
}

/* Ends every output: its text, and the rename of its temporary. Fails with the first failure of any of them. */
static enum status finish(struct sinks *s, const struct report *report, struct error *err)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < s->count; i++) {
		struct sink *sink = &s->sinks[i];
		struct report mine = *report;
		struct error failure = ERROR_INIT;

		strbuf_clear(&text);
		mine.colour = report->colour && sink->standard_output;
		mine.unicode = report->unicode && mine.colour; /* a file may be read with another locale */
		if (sink->reporter->end)
			sink->reporter->end(&mine, &text);
		sink_write(s, sink, &text);
		if (!sink->failed && !sink->standard_output && output_file_commit(&sink->file, &failure) != STATUS_OK)
			fail_sink(s, sink, &failure);
	}
	strbuf_release(&text);
	if (!s->failed)
		return STATUS_OK;
	*err = s->error;
	return STATUS_FAILED;
}

enum status sinks_report(struct sinks *s, const struct options *options, const struct report *report, struct error *err)
{
	enum status status = finish(s, report, err);

	if (status == STATUS_OK)
		status = step_summary_append(options, report, err);
	/* A text report on a terminal ends with the same words, and in the log of a CI service so does the other. */
	bool said = options->verbosity < 1 &&
		    ((!strcmp(options->format, "text") && isatty(STDOUT_FILENO)) || !strcmp(options->format, "github"));

	if (options->verbosity >= 0 && !said) {
		struct strbuf text = STRBUF_INIT;

		report_summary(report, &text);
		log_text(text.s);
		strbuf_release(&text);
	}
	return status == STATUS_OK ? report_status(report) : status;
}

static enum status check_forms(const struct options *options, struct error *err)
{
	for (size_t i = 0; i <= options->outputs_count; i++) {
		const char *format = i ? options->outputs[i - 1].format : options->format;

		if (reporter_by_name(format)->file)
			return error_set(err, "--%s %s: it has a line for each file, so only an audit can write it",
					 i ? "output" : "format", i ? options->outputs[i - 1].path : format);
	}
	return STATUS_OK;
}

enum status sinks_write(const struct options *options, const struct report *report, int *signal_number,
			struct error *err)
{
	struct sinks *s;
	enum status status = check_forms(options, err);

	*signal_number = 0;
	if (status == STATUS_OK) {
		stop_install(output_file_remove_temporary); /* from here on a temporary file may be left behind */
		status = sinks_open(&s, options, report->run.started, err);
	}
	if (status != STATUS_OK)
		return status;
	status = sinks_report(s, options, report, err);
	if (s->pipe_closed) {
		*signal_number = SIGPIPE;
		err->text[0] = '\0';
	}
	sinks_close(s);
	return status;
}

bool sinks_failed(const struct sinks *s)
{
	return s->failed > 0;
}

bool sinks_pipe_closed(const struct sinks *s)
{
	return s->pipe_closed;
}

void sinks_close(struct sinks *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->sinks[i].standard_output)
			output_file_abort(&s->sinks[i].file);
	for (size_t i = 0; i < WINDOW; i++) {
		for (size_t j = 0; j < s->streams_count; j++)
			strbuf_release(&s->window[i].texts[j]);
		free(s->window[i].texts);
	}
	pthread_cond_destroy(&s->moved);
	pthread_mutex_destroy(&s->lock);
	free(s->streams);
	free(s->sinks);
	free(s);
}
