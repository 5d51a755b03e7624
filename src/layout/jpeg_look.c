/*
 * In a mask most blocks of 8 x 8 pixels lie within one area. They have a DC coefficient alone, and the same one as the
 * block before them, unless the border of two areas runs exactly between. In a photo most blocks have AC coefficients;
 * where it is smooth, in a sky or a wall, the DC changes from block to block.
 *
 * Source: ITU-T T.81, annexes B (markers), F.2 (sequential decoding with Huffman codes).
 */
#include "layout/jpeg_look.h"

#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"

enum {
	MARKER_SOF0 = 0xc0, /* baseline */
	MARKER_SOF1 = 0xc1, /* the same with more tables */
	MARKER_DHT = 0xc4,
	MARKER_RST0 = 0xd0,
	MARKER_EOI = 0xd9,
	MARKER_SOS = 0xda,
	MARKER_DRI = 0xdd,
	COMPONENTS_MAX = 4,
	TABLES_MAX = 4,
	CODE_BITS_MAX = 16,
	DC_BITS_MAX = 11,
	SAMPLING_MAX = 4,
	LEVELS = 4096, /* of a DC coefficient of 8 bits a sample, before and after quantisation */
};

/*
 * Measured on 300 JPEGs of public sets that are no masks: 12 are not baseline, and 4 are taken for masks, which are
 * flat drawings of a test set. 52 photos were encoded again at qualities 5 to 75, in colour and in grey, two thirds
 * with a round black or white frame: 4 of 520 are taken for masks, all at quality 20 or below. Photos with frames have
 * as many flat blocks as masks, but a new level in more than one of eight pairs beside the frame. 95 % of masks of 256
 * pixels and more are found at qualities 30 to 100, 77 % of those of 128. 33 of 1,500 masks of 64 to 512 pixels at
 * these qualities are as busy as photos, all of them of 64 pixels; 22 of 58 images of 128 pixels and more are, 27 of
 * which have frames.
 */
enum {
	BLOCKS_MIN = 64,  /* 64 x 64 pixels */
	FLAT_SHARE = 2,   /* at least half of the blocks are flat */
	BUSY_SHARE = 8,   /* at most an eighth: a photo */
	LARGE = 256,      /* blocks: one of eight masks of 64 x 64 pixels is busy, too */
	AREA_SHARE = 256, /* a level of at least that part of the blocks is an area: 16 x 16 pixels of 256 x 256 */
	AREAS_MIN = 2,
	/*
	 * Two neighbours that are both flat differ in at most one of that many pairs. Pairs of the most frequent level
	 * do not count: photos have frames.
	 */
	STEP_SHARE = 8,
};

struct huffman {
	int32_t first[CODE_BITS_MAX + 1];                        /* the smallest code of that many bits */
	uint8_t count[CODE_BITS_MAX + 1], at[CODE_BITS_MAX + 1]; /* and its index in symbols */
	uint8_t symbols[256];
	bool known;
};

struct component {
	uint8_t id, blocks; /* blocks in an MCU */
	const struct huffman *dc, *ac;
	int32_t level;
};

struct jpeg {
	const uint8_t *p, *end;
	struct huffman dc[TABLES_MAX], ac[TABLES_MAX];
	struct component components[COMPONENTS_MAX];
	size_t components_count;
	unsigned restart; /* MCUs between two restart markers; 0: none */
	uint64_t mcus;
	/* the bits of the scan */
	uint32_t bits;
	unsigned bits_count;
	bool ended;
	/* of the first component's blocks */
	uint64_t blocks, flat, steps;
	bool last_is_flat;
	int32_t last_level;
	uint32_t levels[LEVELS], pairs[LEVELS]; /* flat blocks; of them, those that follow an equal one */
};

/* ---- segments ---------------------------------------------------------------------------------------------------- */

static bool read_tables(struct jpeg *j, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 1 + CODE_BITS_MAX) {
		unsigned destination = p[0] & 15, total = 0;
		int32_t code = 0;

		if (destination >= TABLES_MAX)
			return false;
		struct huffman *h = p[0] >> 4 ? &j->ac[destination] : &j->dc[destination];

		for (unsigned bits = 1; bits <= CODE_BITS_MAX; bits++) {
			h->first[bits] = code;
			h->count[bits] = p[bits];
			h->at[bits] = (uint8_t)total;
			total += p[bits];
			code = (code + p[bits]) << 1;
		}
		p += 1 + CODE_BITS_MAX;
		if (total > sizeof(h->symbols) || (size_t)(end - p) < total)
			return false;
		memcpy(h->symbols, p, total);
		h->known = true;
		p += total;
	}
	return true;
}

static bool read_frame(struct jpeg *j, const uint8_t *p, const uint8_t *end)
{
	if (end - p < 6 || p[0] != 8 || !p[5] || p[5] > COMPONENTS_MAX || end - p < 6 + 3 * p[5])
		return false;
	unsigned height = be16(p + 1), width = be16(p + 3), across = 1, down = 1;

	j->components_count = p[5];
	for (size_t i = 0; i < j->components_count; i++) {
		const uint8_t *c = p + 6 + 3 * i;
		unsigned h = c[1] >> 4, v = c[1] & 15;

		if (!h || h > SAMPLING_MAX || !v || v > SAMPLING_MAX)
			return false;
		across = MAX(across, h);
		down = MAX(down, v);
		j->components[i] = (struct component){ .id = c[0], .blocks = (uint8_t)(h * v) };
	}
	/* a scan of one component has no MCUs of several blocks: T.81, A.2.2 */
	if (j->components_count == 1)
		across = down = j->components[0].blocks = 1;
	j->mcus = (uint64_t)((width + 8 * across - 1) / (8 * across)) * ((height + 8 * down - 1) / (8 * down));
	return true;
}

/* Reads the scan's header. Returns false unless it holds all components, in the order of the frame. */
static bool read_scan(struct jpeg *j, const uint8_t *p, const uint8_t *end)
{
	if (end - p < 1 || !j->components_count || p[0] != j->components_count || end - p < 1 + 2 * p[0])
		return false;
	for (size_t i = 0; i < j->components_count; i++) {
		unsigned dc = p[2 + 2 * i] >> 4, ac = p[2 + 2 * i] & 15;

		if (p[1 + 2 * i] != j->components[i].id || dc >= TABLES_MAX || ac >= TABLES_MAX ||
		    !GUARD(jpeg_unknown_table, j->dc[dc].known && j->ac[ac].known))
			return false;
		j->components[i].dc = &j->dc[dc];
		j->components[i].ac = &j->ac[ac];
	}
	return true;
}

/* Reads the segments before the first scan. Returns false unless it is a scan that can be decoded. */
static bool read_segments(struct jpeg *j)
{
	j->p += 2;
	while (j->end - j->p >= 4 && j->p[0] == 0xff) {
		unsigned marker = j->p[1], length = be16(j->p + 2);

		if (marker == 0xff) { /* fill */
			j->p++;
			continue;
		}
		const uint8_t *body = j->p + 4, *end = j->p + 2 + length;

		if (length < 2 || end > j->end)
			return false;
		j->p = end;
		if (marker == MARKER_SOS)
			return read_scan(j, body, end);
		if (marker == MARKER_DRI && length >= 4)
			j->restart = be16(body);
		if ((marker == MARKER_DHT && !read_tables(j, body, end)) ||
		    ((marker == MARKER_SOF0 || marker == MARKER_SOF1) && !read_frame(j, body, end)))
			return false;
	}
	return false;
}

/* ---- the scan ---------------------------------------------------------------------------------------------------- */

/* Returns n bits, at most 16; zeros after the end of the data. */
static uint32_t take_bits(struct jpeg *j, unsigned n)
{
	while (j->bits_count < n) {
		unsigned byte = 0;

		if (j->end - j->p < 2 || (j->p[0] == 0xff && j->p[1] != 0)) {
			j->ended = true; /* a marker, too */
		} else {
			byte = j->p[0];
			j->p += byte == 0xff ? 2 : 1;
		}
		j->bits = j->bits << 8 | byte;
		j->bits_count += 8;
	}
	j->bits_count -= n;
	return j->bits >> j->bits_count & ((UINT32_C(1) << n) - 1);
}

static unsigned take_symbol(struct jpeg *j, const struct huffman *h)
{
	int32_t code = 0;

	for (unsigned bits = 1; bits <= CODE_BITS_MAX; bits++) {
		code = code << 1 | (int32_t)take_bits(j, 1);
		if (code - h->first[bits] < h->count[bits] && code >= h->first[bits])
			return h->symbols[h->at[bits] + (code - h->first[bits])];
	}
	j->ended = true; /* no code of the table */
	return 0;
}

/* Decodes a block, whose DC coefficient becomes c->level. Returns whether it has no other one. */
static bool take_block(struct jpeg *j, struct component *c)
{
	unsigned n = take_symbol(j, c->dc), k = 1;
	bool flat = true;

	if (n > DC_BITS_MAX) {
		j->ended = true;
		return false;
	}
	int32_t v = n ? (int32_t)take_bits(j, n) : 0;

	c->level += n && v < 1 << (n - 1) ? v - (1 << n) + 1 : v; /* EXTEND: T.81, F.2.2.1 */
	while (k < 64 && !j->ended) {
		unsigned run_size = take_symbol(j, c->ac), size = run_size & 15;

		if (!size && run_size != 0xf0)
			break; /* end of block */
		k += (run_size >> 4) + 1;
		if (size)
			take_bits(j, size);
		flat &= !size;
	}
	return flat;
}

static void add_block(struct jpeg *j, bool flat, int32_t level)
{
	j->blocks++;
	j->flat += flat;
	if (flat) {
		int32_t at = MAX(MIN(level + LEVELS / 2, LEVELS - 1), 0);

		j->levels[at]++;
		j->pairs[at] += j->last_is_flat && level == j->last_level;
		j->steps += j->last_is_flat && level != j->last_level;
	}
	j->last_is_flat = flat;
	j->last_level = level;
}

/* Skips a restart marker, after which the levels begin anew. */
static void take_restart(struct jpeg *j)
{
	j->bits_count = 0;
	if (j->end - j->p < 2 || j->p[0] != 0xff || (j->p[1] & 0xf8) != MARKER_RST0) {
		j->ended = true;
		return;
	}
	j->p += 2;
	for (size_t i = 0; i < j->components_count; i++)
		j->components[i].level = 0;
}

static void read_blocks(struct jpeg *j)
{
	for (uint64_t mcu = 0; mcu < j->mcus && !j->ended; mcu++) {
		if (j->restart && mcu && mcu % j->restart == 0)
			take_restart(j);
		for (size_t i = 0; i < j->components_count; i++)
			for (unsigned k = 0; k < j->components[i].blocks && !j->ended; k++) {
				struct component *c = &j->components[i];
				bool flat = take_block(j, c);

				if (!i && !j->ended)
					add_block(j, flat, c->level);
			}
	}
}

/* Reads the blocks. Returns false if they are too few, or cannot be decoded. */
static bool read_jpeg(struct jpeg *j, const uint8_t *bytes, size_t n)
{
	j->p = bytes;
	j->end = bytes + n;
	if (n < 4 || bytes[0] != 0xff || bytes[1] != 0xd8 || !read_segments(j))
		return false;
	read_blocks(j);
	return j->blocks >= BLOCKS_MIN;
}

static bool is_busy(const uint8_t *bytes, size_t n, uint64_t least)
{
	struct jpeg j = { .p = NULL };

	return read_jpeg(&j, bytes, n) && j.blocks >= least && j.flat * BUSY_SHARE <= j.blocks;
}

bool jpeg_is_busy(const uint8_t *bytes, size_t n)
{
	return is_busy(bytes, n, BLOCKS_MIN);
}

bool jpeg_is_busy_and_large(const uint8_t *bytes, size_t n)
{
	return is_busy(bytes, n, LARGE);
}

bool jpeg_is_flat(const uint8_t *bytes, size_t n)
{
	struct jpeg j = { .p = NULL };
	uint64_t areas = 0, pairs = 0;
	size_t most = 0;

	if (!read_jpeg(&j, bytes, n))
		return false;
	for (size_t i = 0; i < LEVELS; i++) {
		areas += (uint64_t)j.levels[i] * AREA_SHARE >= MAX(j.blocks, UINT64_C(1));
		pairs += j.pairs[i];
		most = j.pairs[i] > j.pairs[most] ? i : most;
	}
	return j.flat * FLAT_SHARE >= j.blocks && areas >= AREAS_MIN &&
	       j.steps * STEP_SHARE <= pairs - j.pairs[most] + j.blocks / AREA_SHARE;
}
