#include "read/gunzip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/guard.h"
#include "base/gzip.h"
#include "base/mem.h"
#include "read/identify.h"

enum { PACKED = 64 << 10 /* bytes read at once */ };

struct gunzip {
	struct input packed;
	z_stream z;
	bool ended;    /* nothing more comes */
	uint64_t left; /* bytes that may still be given; UINT64_MAX: no limit */
	uint64_t limit;
	const char *warning;
	uint64_t warning_at;
	uint8_t bytes[PACKED]; /* z.next_in points into it */
};

static void gunzip_close(void *self)
{
	struct gunzip *g = self;

	inflateEnd(&g->z);
	input_release(&g->packed);
	free(g);
}

/* Byte of the file that zlib reads next. */
static uint64_t packed_at(const struct gunzip *g)
{
	return g->packed.at - g->z.avail_in;
}

/* Makes sure that there are packed bytes, unless the file has ended. False: fault. */
static bool refill(struct gunzip *g, struct fault *fault)
{
	if (g->z.avail_in)
		return true;
	int64_t n = input_read(&g->packed, g->bytes, sizeof(g->bytes), fault);

	if (n < 0 || (n == 0 && !input_unchanged(&g->packed, fault)))
		return false;
	g->z.next_in = g->bytes;
	g->z.avail_in = (uInt)n;
	return true;
}

/* Two bytes in hand, unless the file ends before; for the magic that may lie across two reads. */
static bool refill_two(struct gunzip *g, struct fault *fault)
{
	if (g->z.avail_in != 1)
		return refill(g, fault);
	g->bytes[0] = *g->z.next_in;

	int64_t n = input_read(&g->packed, g->bytes + 1, sizeof(g->bytes) - 1, fault);

	if (n < 0)
		return false;
	g->z.next_in = g->bytes;
	g->z.avail_in = (uInt)n + 1;
	return true;
}

/* Behind a member: another one, or the end. Tapes pad with zeros. */
static bool next_member(struct gunzip *g, struct fault *fault)
{
	if (!refill_two(g, fault))
		return false;
	if (g->z.avail_in >= 2 && g->z.next_in[0] == 0x1f && g->z.next_in[1] == 0x8b)
		return inflateReset(&g->z) == Z_OK;
	g->ended = true;
	if (!g->z.avail_in)
		return true;
	g->warning_at = packed_at(g);
	g->warning = "zeros follow the gzip data";
	do {
		for (; g->z.avail_in; g->z.next_in++, g->z.avail_in--) {
			if (!*g->z.next_in)
				continue;
			g->warning = "bytes that are not gzip data follow the gzip data, and are ignored";
			return true;
		}
		if (!refill(g, fault))
			return false;
	} while (g->z.avail_in);
	return true;
}

static bool fail(const struct gunzip *g, int code, struct fault *fault)
{
	if (code == Z_MEM_ERROR)
		fault_no_memory(fault, FAULT_NO_OFFSET, "no memory to unpack gzip data");
	else if (code == Z_BUF_ERROR)
		fault_set(fault, FAULT_TRUNCATED, packed_at(g), "the gzip data end early, after %" PRIu64 " bytes",
			  packed_at(g));
	else
		fault_set(fault, FAULT_CORRUPT, packed_at(g), "the gzip data are damaged: %s",
			  g->z.msg ? g->z.msg : "an invalid stream");
	return false;
}

static int64_t gunzip_read(void *self, void *out, size_t n, struct fault *fault)
{
	struct gunzip *g = self;
	uint8_t *to = out;
	size_t got = 0;

	while (got < n && !g->ended) {
		if (!refill(g, fault))
			return -1;
		/* a byte more than the limit is asked for, to see whether there is one */
		size_t room = MIN(n - got, (size_t)1 << 30);

		if (room > g->left)
			room = (size_t)g->left + 1;
		g->z.next_out = to + got;
		g->z.avail_out = (uInt)room;

		int code = inflate(&g->z, Z_NO_FLUSH);
		size_t more = room - g->z.avail_out;

		got += more;
		if (g->left != UINT64_MAX) {
			if (GUARD(bomb_of_gzip, more > g->left)) {
				fault_set(fault, FAULT_LIMIT, FAULT_NO_OFFSET,
					  "the gzip data unpack to more than %" PRIu64
					  " bytes, the limit (--max-inflated)",
					  g->limit);
				return -1;
			}
			g->left -= more;
		}
		if (code == Z_STREAM_END) {
			if (!next_member(g, fault))
				return -1;
		} else if (code != Z_OK) {
			fail(g, code, fault);
			return -1;
		}
	}
	return (int64_t)got;
}

static const char *gunzip_remark(const void *self, uint64_t *at)
{
	const struct gunzip *g = self;

	*at = g->warning_at;
	return g->warning;
}

bool gunzip_input(struct input *in, const struct limits *limits, struct fault *fault)
{
	struct gunzip *g = xcalloc(1, sizeof(*g));
	struct input_stream stream = { g, gunzip_read, gunzip_close, gunzip_remark };

	g->limit = limits->max_inflated;
	g->left = g->limit ? g->limit : UINT64_MAX;
	/* the input goes below its own stream */
	g->packed = *in;
	input_init(in);
	if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK) {
		fail(g, Z_MEM_ERROR, fault);
		gunzip_close(g);
		return false;
	}
	return input_from_stream(in, &stream, fault);
}

static int64_t read_head(struct input *in, uint8_t room[PEEK_BYTES], const uint8_t **head, struct fault *fault)
{
	*head = room;
	if (in->bytes) {
		*head = in->bytes;
		return (int64_t)MIN(in->size, (uint64_t)PEEK_BYTES);
	}
	int64_t n = input_read(in, room, PEEK_BYTES, fault);

	return n < 0 || !input_rewind(in, fault) ? -1 : n;
}

int64_t gunzip_open(struct input *in, uint8_t room[PEEK_BYTES], const uint8_t **head, const struct limits *limits,
		    struct fault *fault)
{
	int64_t n = read_head(in, room, head, fault);

	if (n < 0 || identify(*head, (size_t)n) != CONTENT_GZIP)
		return n;
	return gunzip_input(in, limits, fault) ? read_head(in, room, head, fault) : -1;
}
