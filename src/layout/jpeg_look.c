/*
 * In a mask most blocks of 8 x 8 pixels lie within one area. They have a DC coefficient alone, and the same one as the
 * block before them, unless the border of two areas runs exactly between. In a photo most blocks have AC coefficients;
 * where it is smooth, in a sky or a wall, the DC changes from block to block.
 *
 * A progressive JPEG has the same coefficients in several scans: the DCs of all components, then ACs of one component
 * each, all of them with some low bits missing, which later scans add. The DC scans and the first AC scans of luma are
 * decoded. An AC that the low bits alone hold is not seen: areas look flatter, their levels do not.
 *
 * Source: ITU-T T.81, annexes B (markers), F.2 (sequential decoding with Huffman codes), G (progressive).
 */
#include "layout/jpeg_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/mem.h"

enum {
	MARKER_SOF0 = 0xc0, /* baseline */
	MARKER_SOF1 = 0xc1, /* the same with more tables */
	MARKER_SOF2 = 0xc2, /* progressive */
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
	PROGRESSIVE_BLOCKS = 1 << 18, /* 4096 x 4096 pixels; three bytes each */
	LEVELS = 4096,                /* of a DC coefficient of 8 bits a sample, before and after quantisation */
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
	uint8_t id, blocks;   /* blocks in an MCU */
	uint8_t across, down; /* of these */
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
	unsigned width, height, mcus_across; /* in pixels; MCUs in a row of an interleaved scan */
	unsigned sampling_across, sampling_down;
	/* A progressive one has for each luma block its DC, and whether it has ACs. Owned. */
	bool progressive;
	int16_t *dcs;
	bool *acs;
	unsigned blocks_across, blocks_down; /* of luma; padded to whole MCUs: stride */
	unsigned stride;
	uint64_t reached; /* blocks that all scans so far have reached */
	unsigned scans_of_acs;
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
		j->components[i] = (struct component){
			.id = c[0], .blocks = (uint8_t)(h * v), .across = (uint8_t)h, .down = (uint8_t)v
		};
	}
	j->width = width;
	j->height = height;
	j->sampling_across = across;
	j->sampling_down = down;
	/* a scan of one component has no MCUs of several blocks: T.81, A.2.2 */
	if (j->components_count == 1)
		across = down = j->components[0].blocks = 1;
	j->mcus_across = (width + 8 * across - 1) / (8 * across);
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

/*
 * Reads the segments before the next scan, whose header becomes body[0..*body_n). Returns false if there is none.
 */
static bool read_segments(struct jpeg *j, const uint8_t **body, size_t *body_n)
{
	while (j->end - j->p >= 4 && j->p[0] == 0xff) {
		unsigned marker = j->p[1], length = be16(j->p + 2);

		if (marker == 0xff) { /* fill */
			j->p++;
			continue;
		}
		const uint8_t *at = j->p + 4, *end = j->p + 2 + length;
		const bool frame = marker == MARKER_SOF0 || marker == MARKER_SOF1 || marker == MARKER_SOF2;

		if (marker == MARKER_EOI || length < 2 || length + 2 > (size_t)(j->end - j->p))
			return false;
		j->p = end;
		if (marker == MARKER_SOS) {
			*body = at;
			*body_n = (size_t)(end - at);
			return j->components_count;
		}
		if (marker == MARKER_DRI && length >= 4)
			j->restart = be16(at);
		/* a second frame would be another image */
		if ((marker == MARKER_DHT && !read_tables(j, at, end)) ||
		    (frame && (j->components_count || !read_frame(j, at, end))))
			return false;
		j->progressive |= marker == MARKER_SOF2;
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

/* Reads by how much the DC of a block differs from the last one, and adds it to c->level. False: there is no code. */
static bool take_level(struct jpeg *j, struct component *c, const struct huffman *dc)
{
	const unsigned n = take_symbol(j, dc);

	if (n > DC_BITS_MAX) {
		j->ended = true;
		return false;
	}
	const int32_t v = n ? (int32_t)take_bits(j, n) : 0;

	c->level += n && v < 1 << (n - 1) ? v - (1 << n) + 1 : v; /* EXTEND: T.81, F.2.2.1 */
	return true;
}

/* Decodes a block, whose DC coefficient becomes c->level. Returns whether it has no other one. */
static bool take_block(struct jpeg *j, struct component *c)
{
	unsigned k = 1;
	bool flat = true;

	if (!take_level(j, c, c->dc))
		return false;
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

/* ---- progressive scans ------------------------------------------------------------------------------------------- */

/* The header of a progressive scan. */
struct scan {
	struct component *components[COMPONENTS_MAX];
	const struct huffman *dc[COMPONENTS_MAX], *ac;
	size_t count;
	unsigned first, last, high, low; /* of the coefficients; of the bits, T.81's Ah and Al */
};

static bool read_progressive_scan(struct jpeg *j, const uint8_t *p, size_t n, struct scan *out)
{
	if (n < 1 || !p[0] || p[0] > j->components_count || n < 4 + 2 * (size_t)p[0])
		return false;
	*out = (struct scan){ .count = p[0] };
	for (size_t i = 0; i < out->count; i++) {
		const unsigned dc = p[2 + 2 * i] >> 4, ac = p[2 + 2 * i] & 15;

		for (size_t k = 0; k < j->components_count; k++)
			if (j->components[k].id == p[1 + 2 * i])
				out->components[i] = &j->components[k];
		if (!out->components[i] || dc >= TABLES_MAX || ac >= TABLES_MAX)
			return false;
		out->dc[i] = &j->dc[dc];
		out->ac = &j->ac[ac];
	}
	p += 1 + 2 * out->count;
	out->first = p[0];
	out->last = p[1];
	out->high = p[2] >> 4;
	out->low = p[2] & 15;
	return out->first <= out->last && out->last < 64 && out->low < DC_BITS_MAX;
}

static void begin_scan(struct jpeg *j)
{
	j->bits_count = 0;
	j->ended = false;
	for (size_t i = 0; i < j->components_count; i++)
		j->components[i].level = 0;
}

/* Skips what is left of a scan: up to the next marker that does not belong to it. */
static void skip_scan(struct jpeg *j)
{
	while (j->end - j->p >= 2 && (j->p[0] != 0xff || !j->p[1] || (j->p[1] & 0xf8) == MARKER_RST0))
		j->p++;
}

/* Reads a DC, or the next bit of one. */
static void take_dc(struct jpeg *j, const struct scan *scan, size_t i, int16_t *dc)
{
	struct component *c = scan->components[i];

	if (scan->high) {
		if (take_bits(j, 1) && dc)
			*dc = (int16_t)(*dc | 1 << scan->low);
		return;
	}
	if (take_level(j, c, scan->dc[i]) && dc)
		*dc = (int16_t)MAX(MIN((int64_t)c->level * (1 << scan->low), INT16_MAX), INT16_MIN);
}

/* Reads the DCs of all components of a scan. Returns how many luma blocks it reached, in rows. */
static uint64_t read_dcs(struct jpeg *j, const struct scan *scan)
{
	const bool alone = scan->count == 1;
	const struct component *luma = &j->components[0];
	const unsigned across = alone ? j->blocks_across : j->mcus_across;
	const uint64_t mcus = alone ? (uint64_t)j->blocks_across * j->blocks_down : j->mcus;
	uint64_t mcu = 0;

	for (; mcu < mcus && !j->ended; mcu++) {
		if (j->restart && mcu && mcu % j->restart == 0)
			take_restart(j);
		for (size_t i = 0; i < scan->count && !j->ended; i++)
			for (unsigned k = 0; k < (alone ? 1u : scan->components[i]->blocks) && !j->ended; k++) {
				const unsigned width = alone ? 1 : luma->across, height = alone ? 1 : luma->down;
				const uint64_t x = mcu % across * width + k % width,
					       y = mcu / across * height + k / width;

				take_dc(j, scan, i, scan->components[i] == luma ? &j->dcs[y * j->stride + x] : NULL);
			}
	}
	/* whole rows of MCUs */
	return j->ended ? mcu / across * (alone ? 1 : luma->down) * j->blocks_across : UINT64_MAX;
}

/* Reads a scan of luma's ACs. Returns how many blocks it reached. */
static uint64_t read_acs(struct jpeg *j, const struct scan *scan)
{
	const uint64_t blocks = (uint64_t)j->blocks_across * j->blocks_down;
	uint32_t empty = 0; /* blocks that have no more: T.81, G.1.2.2 */
	uint64_t at = 0;

	for (; at < blocks && !j->ended; at++) {
		if (j->restart && at && at % j->restart == 0) {
			take_restart(j);
			empty = 0;
		}
		if (empty) { /* all of them at once: a few bytes make 2^15, and a file has many scans */
			const uint64_t left = MIN(blocks - at, j->restart ? j->restart - at % j->restart : UINT64_MAX);
			const uint64_t skipped = MIN(empty, left);

			empty -= (uint32_t)skipped;
			at += skipped - 1;
			continue;
		}
		for (unsigned k = scan->first; k <= scan->last && !j->ended; k++) {
			const unsigned run_size = take_symbol(j, scan->ac), run = run_size >> 4, size = run_size & 15;

			if (!size && run < 15) {
				empty = (UINT32_C(1) << run) - 1 + (run ? take_bits(j, run) : 0);
				break;
			}
			k += run;
			if (size)
				take_bits(j, size);
			j->acs[at / j->blocks_across * j->stride + at % j->blocks_across] |= size > 0;
		}
	}
	return j->ended ? at : UINT64_MAX;
}

/* Reads the scans that tell of luma. Returns false if there are none that do. */
static bool read_scans(struct jpeg *j, const uint8_t *body, size_t n)
{
	bool dcs = false;

	do {
		struct scan scan;

		if (!read_progressive_scan(j, body, n, &scan))
			break;
		bool luma = scan.components[0] == &j->components[0];
		uint64_t reached = UINT64_MAX;

		begin_scan(j);
		for (size_t i = 0; i < scan.count; i++)
			luma &= !(scan.first == 0 && !scan.high && !scan.dc[i]->known);
		if (luma && !scan.first && (!scan.high || dcs)) {
			reached = read_dcs(j, &scan);
			/* missing low bits cost no block */
			reached = scan.high ? UINT64_MAX : reached;
			dcs = true;
		} else if (luma && scan.first && !scan.high && scan.count == 1 && scan.ac->known) {
			reached = read_acs(j, &scan);
			j->scans_of_acs += reached > 0;
		}
		if (reached)
			j->reached = MIN(j->reached, reached);
		skip_scan(j);
	} while (read_segments(j, &body, &n));
	return dcs && j->scans_of_acs;
}

/* Reads a progressive JPEG. Returns false if it cannot be decoded, or is too large. */
static bool read_progressive(struct jpeg *j, const uint8_t *body, size_t n)
{
	const struct component *luma = &j->components[0];
	const bool alone = j->components_count == 1;
	const unsigned across = alone ? 1 : luma->across, down = alone ? 1 : luma->down;
	const uint64_t rows = j->mcus_across ? j->mcus / j->mcus_across * down : 0;

	/* luma is sampled at the full rate wherever photos and masks come from */
	if (!j->mcus || (!alone && (luma->across != j->sampling_across || luma->down != j->sampling_down)))
		return false;
	j->blocks_across = (j->width + 7) / 8;
	j->blocks_down = (j->height + 7) / 8;
	j->stride = j->mcus_across * across;
	j->reached = (uint64_t)j->blocks_across * j->blocks_down;
	if (rows * j->stride > PROGRESSIVE_BLOCKS)
		return false;
	j->dcs = xcalloc((size_t)(rows * j->stride), sizeof(*j->dcs));
	j->acs = xcalloc((size_t)(rows * j->stride), sizeof(*j->acs));
	const bool ok = read_scans(j, body, n);

	for (uint64_t i = 0; ok && i < j->reached; i++) {
		const uint64_t at = i / j->blocks_across * j->stride + i % j->blocks_across;

		add_block(j, !j->acs[at], j->dcs[at]);
	}
	free(j->dcs);
	free(j->acs);
	return ok;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Reads the blocks. Returns false if they are too few, or cannot be decoded. */
static bool read_jpeg(struct jpeg *j, const uint8_t *bytes, size_t n)
{
	const uint8_t *body;
	size_t body_n;

	j->p = bytes + 2;
	j->end = bytes + n;
	if (n < 4 || bytes[0] != 0xff || bytes[1] != 0xd8 || !read_segments(j, &body, &body_n))
		return false;
	if (j->progressive) {
		if (!read_progressive(j, body, body_n))
			return false;
	} else {
		if (!read_scan(j, body, body + body_n))
			return false;
		read_blocks(j);
	}
	return j->blocks >= BLOCKS_MIN;
}

/* Returns whether most blocks lie in a few areas of one level each. */
static bool has_areas(const struct jpeg *j)
{
	uint64_t areas = 0, pairs = 0;
	size_t most = 0;

	for (size_t i = 0; i < LEVELS; i++) {
		areas += (uint64_t)j->levels[i] * AREA_SHARE >= MAX(j->blocks, UINT64_C(1));
		pairs += j->pairs[i];
		most = j->pairs[i] > j->pairs[most] ? i : most;
	}
	return j->flat * FLAT_SHARE >= j->blocks && areas >= AREAS_MIN &&
	       j->steps * STEP_SHARE <= pairs - j->pairs[most] + j->blocks / AREA_SHARE;
}

bool jpeg_look(const uint8_t *bytes, size_t n, struct jpeg_sight *out)
{
	struct jpeg j = { .p = NULL };

	*out = (struct jpeg_sight){ .flat = false };
	if (!read_jpeg(&j, bytes, MIN(n, (size_t)JPEG_LOOK_BYTES)))
		return false;
	out->flat = has_areas(&j);
	out->busy = j.flat * BUSY_SHARE <= j.blocks;
	out->large = j.blocks >= LARGE;
	return true;
}
