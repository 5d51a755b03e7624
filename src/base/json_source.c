/*
 * Where the bytes of the pull tokenizer come from: opening, refilling the buffer, and the lines and columns of what is
 * in it or was.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_pull_parts.h"
#include "base/mem.h"

static void init(struct json_pull *p, unsigned options)
{
	memset(p, 0, sizeof(*p));
	fault_clear(&p->fault);
	p->options = options;
	p->text = "";
	p->text_max = JSON_TEXT_MAX;
	p->want = WANT_VALUE;
}

void json_open_memory(struct json_pull *p, const void *bytes, size_t n, unsigned options)
{
	init(p, options);
	p->start = p->at = p->counted = bytes;
	p->end = p->start + n;
}

void json_open_stream(struct json_pull *p, json_read_function *read, void *context, size_t buffer_size,
		      unsigned options)
{
	init(p, options);
	p->read = read;
	p->context = context;
	p->buffer_size = buffer_size ? buffer_size : JSON_BUFFER;
	p->buffer = xmalloc(p->buffer_size);
	p->start = p->at = p->end = p->counted = p->buffer;
}

/* A json_read_function; the context is the descriptor itself. */
static int64_t read_fd(void *context, void *out, size_t n, struct fault *fault)
{
	ssize_t got;

	do
		got = read((int)(intptr_t)context, out, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "%s", strerror(errno));
	return got;
}

void json_open_fd(struct json_pull *p, int fd, unsigned options)
{
	json_open_stream(p, read_fd, (void *)(intptr_t)fd, 0, options);
}

void json_close(struct json_pull *p)
{
	free(p->buffer);
	free(p->decoded);
	p->buffer = NULL;
	p->decoded = NULL;
	p->start = p->at = p->end = NULL;
}

void json_set_text_max(struct json_pull *p, size_t max)
{
	assert(!p->decoded && max >= 4);
	p->text_max = max;
}

/* Counts the line feeds from where it ended the last time up to `to`. */
static void count_lines(struct json_pull *p, const uint8_t *to)
{
	const uint8_t *s = p->counted, *feed;

	while (s < to && (feed = memchr(s, '\n', (size_t)(to - s)))) {
		p->lines++;
		s = feed + 1;
		p->line_start = json_offset(p, s);
	}
	p->counted = MAX(p->counted, to);
}

void json_place_of(struct json_pull *p, const uint8_t *at, uint64_t *line, uint64_t *column)
{
	count_lines(p, at);
	*line = p->lines + 1;
	*column = json_offset(p, at) - p->line_start + 1;
}

void json_place(struct json_pull *p, uint64_t *line, uint64_t *column)
{
	if (p->token_offset >= p->base) {
		json_place_of(p, p->start + (p->token_offset - p->base), line, column);
		return;
	}
	*line = p->token_line;
	*column = p->token_column;
}

bool json_fill(struct json_pull *p)
{
	assert(p->at == p->end);
	if (!p->read)
		return false;
	/* where the token began that is being read, before its bytes are gone */
	if (p->token_offset >= p->base)
		json_place(p, &p->token_line, &p->token_column);
	count_lines(p, p->end);
	p->base += (uint64_t)(p->end - p->start);
	p->start = p->at = p->end = p->counted = p->buffer;

	int64_t got = p->read(p->context, p->buffer, p->buffer_size, &p->fault);

	if (got <= 0) {
		p->read = NULL;
		return false;
	}
	assert((uint64_t)got <= p->buffer_size);
	p->end = p->buffer + got;
	return true;
}
