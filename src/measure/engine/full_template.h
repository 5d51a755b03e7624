/*
 * The inner loops of the full engine (full.h), for one instruction set and one width of ids. An isa_*.c includes this
 * file twice, after its primitives: with PIXEL_BITS 8, then with PIXEL_BITS 16. It has no include guard.
 *
 * Primitives (simd_*.h):
 *
 *   TARGET_STATIC, TARGET_INLINE   as in delta_template.h
 *   reg_8, reg_16                  a register of ids with C's operators; lanes are compared to 0 or all ones
 *   subs(a, b)                     a - b, or 0 where that is less
 *   lane_bits(mask)                one bit a lane, lowest first, of lanes that are 0 or all ones
 *   store_keys(keys, ids, classes) class << PIXEL_BITS | id of each lane
 *   struct key_sums                sums of ids times the parts of their weights (struct column_weights)
 *   add_group(sums, p, weights)    adds the products of GROUP_COLUMNS ids; of 16-bit ids, those of their low bytes to
 *                                  sums[0] and those of their high bytes to sums[1]
 *   key_total(sums, k)             the sum over the columns, of products with part k
 *
 * A span is some pixels of a row, or some whole rows, one after the other. p points to its first pixel in the buffer of
 * all rows, so the pixel above is a row's width before it. To read it top down, begin with measure_span at its end.
 */

#if PIXEL_BITS == 8
#define PIXEL   uint8_t
#define KEY     uint16_t
#define NAME(x) x##_8
#else
#define PIXEL   uint16_t
#define KEY     uint32_t
#define NAME(x) x##_16
#endif
#define REG NAME(reg)

enum { NAME(LANES) = sizeof(REG) / sizeof(PIXEL) };
_Static_assert(FULL_SPAN % (int)NAME(LANES) == 0, "spans of a row but the last are whole vectors");
_Static_assert((int)NAME(LANES) <= (int)FULL_PAD, "after the last pixel of a span");

TARGET_INLINE REG NAME(reg_load)(const PIXEL *p)
{
	REG v;

	memcpy(&v, p, sizeof(v));
	return v;
}

TARGET_INLINE uint64_t NAME(lane_sum)(REG v)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < NAME(LANES); i++)
		sum += v[i];
	return sum;
}

/* a <= b */
TARGET_INLINE REG NAME(le)(REG a, REG b)
{
	return (REG)(NAME(subs)(a, b) == 0);
}

TARGET_INLINE REG NAME(abs_diff)(REG a, REG b)
{
	return NAME(subs)(a, b) | NAME(subs)(b, a);
}

/*
 * Returns the classes in one direction of pixels c, which have two neighbours before and two after them. The masks e...
 * tell which of these five equal the one before: the second, the pixel, the one after it, and the last one. inner: has
 * neighbours on both sides. Raises *gap to the largest difference of the neighbours of a between pixel.
 */
TARGET_INLINE REG NAME(classes_of)(REG before, REG c, REG after, REG e_before, REG e, REG e_after, REG e_last,
				   REG inner, REG *gap)
{
	REG one = ~(e | e_after);
	REG two = (e & ~e_before & ~e_after) | (~e & e_after & ~e_last);
	REG apart = NAME(abs_diff)(before, after);
	REG lone = one & inner & (REG)(apart != 0);
	REG between = lone & ~(NAME(le)(c, before) ^ NAME(le)(after, c));

	/* the larger of the two */
	*gap += NAME(subs)(apart & between, *gap);
	/* masks are -1: CLASS_SHORT, CLASS_LONE or CLASS_BETWEEN, as they add up */
	return -((one | two) + lone + between);
}

/* Fills f->keys and counts edges. Returns the largest gap. */
TARGET_STATIC PIXEL NAME(classify)(struct full *f, const PIXEL *p, size_t n, const struct full_span *span)
{
	const PIXEL *in_row = (const PIXEL *)f->masks.in_row + FULL_PAD,
		    *inner = (const PIXEL *)f->masks.inner + FULL_PAD, *live = (const PIXEL *)f->masks.live + FULL_PAD;
	KEY *keys = f->keys;
	size_t stride = f->width;
	REG zero = { 0 }, edges[2] = { zero, zero }, wide[2] = { zero, zero }, gap = zero;
	REG inside = span->inner ? ~zero : zero;
	PIXEL most = 0;

	for (size_t i = 0; i < n; i += NAME(LANES)) {
		const PIXEL *at = p + i;
		REG c = NAME(reg_load)(at), left = NAME(reg_load)(at - 1), right = NAME(reg_load)(at + 1);
		REG left2 = NAME(reg_load)(at - 2), right2 = NAME(reg_load)(at + 2), mask = NAME(reg_load)(in_row + i);
		REG e = (REG)(c == left) & mask, on = NAME(reg_load)(live + i);
		REG row = NAME(classes_of)(left, c, right, (REG)(left == left2) & NAME(reg_load)(in_row + i - 1), e,
					   (REG)(c == right) & NAME(reg_load)(in_row + i + 1),
					   (REG)(right == right2) & NAME(reg_load)(in_row + i + 2),
					   NAME(reg_load)(inner + i), &gap);
		REG up = NAME(reg_load)(at - stride), down = NAME(reg_load)(at + stride);
		REG v = (REG)(c == up);
		REG column =
			NAME(classes_of)(up, c, down, (REG)(up == NAME(reg_load)(at - 2 * stride)), v, (REG)(c == down),
					 (REG)(down == NAME(reg_load)(at + 2 * stride)), inside & on, &gap);

		NAME(store_keys)(keys + i, c, row | column << CLASS_BITS);
		/* masks are -1 */
		edges[LINE_ROW] -= ~e & mask & on;
		wide[LINE_ROW] -= (REG)(NAME(abs_diff)(c, left) > 1) & mask & on;
		edges[LINE_COLUMN] -= ~v & on;
		wide[LINE_COLUMN] -= (REG)(NAME(abs_diff)(c, up) > 1) & on;
	}
	f->sums.edges[LINE_ROW] += NAME(lane_sum)(edges[LINE_ROW]);
	f->sums.wide_edges[LINE_ROW] += NAME(lane_sum)(wide[LINE_ROW]);
	if (!span->first) {
		f->sums.edges[LINE_COLUMN] += NAME(lane_sum)(edges[LINE_COLUMN]);
		f->sums.wide_edges[LINE_COLUMN] += NAME(lane_sum)(wide[LINE_COLUMN]);
	}
	for (unsigned i = 0; i < NAME(LANES); i++)
		most = MAX(most, gap[i]);
	return most;
}

/*
 * Counts between runs of 2 or more pixels in rows. Each pixel is a bit. After a transition upwards the bits of its run
 * are ones; adding a one to the first of them carries to the bit after the run, which is zero.
 */
TARGET_STATIC void NAME(count_long_runs)(struct full *f, const PIXEL *p, size_t n)
{
	const PIXEL *in_row = (const PIXEL *)f->masks.in_row + FULL_PAD;
	uint64_t count = 0;

	for (size_t i = 0; i < n; i += 64) {
		uint64_t stays = 0, falls = 0, inside = 0;

		for (unsigned part = 0; part < 64; part += NAME(LANES)) {
			REG c = NAME(reg_load)(p + i + part), left = NAME(reg_load)(p + i + part - 1);

			stays |= NAME(lane_bits)((REG)(c == left)) << part;
			falls |= NAME(lane_bits)(NAME(le)(c, left)) << part; /* or stays */
			inside |= NAME(lane_bits)(NAME(reg_load)(in_row + i + part)) << part;
		}
		uint64_t live = n - i >= 64 ? UINT64_MAX : (UINT64_C(1) << (n - i)) - 1;
		uint64_t ends = ~stays & inside;

		stays &= inside;
		for (unsigned up = 0; up < 2; up++) {
			uint64_t same = up ? ends & ~falls : ends & falls;
			uint64_t starts = (same << 1 | f->carry[up].start) & stays, sum;
			bool over = __builtin_add_overflow(stays, starts, &sum);

			over |= __builtin_add_overflow(sum, (uint64_t)f->carry[up].run, &sum);
			count += (uint64_t)__builtin_popcountll(sum & same & live);
			f->carry[up].start = same >> 63;
			f->carry[up].run = over;
		}
	}
	f->sums.long_between[LINE_ROW] += count;
}

/* Counts between runs of 2 or more pixels that a row ends in its columns from x on. Not for the first row. */
TARGET_STATIC void NAME(count_long_columns)(struct full *f, const PIXEL *p, size_t n, uint32_t x)
{
	PIXEL *directions = (PIXEL *)f->columns.directions + x;
	REG zero = { 0 }, count = zero;
	size_t stride = f->width;

	/* 2: upwards, 1: downwards; 0: the column's first run */
	for (size_t i = 0; i < n; i += NAME(LANES)) {
		REG c = NAME(reg_load)(p + i), up = NAME(reg_load)(p + i - stride),
		    above = NAME(reg_load)(p + i - 2 * stride);
		REG before = NAME(reg_load)(directions + i), stays = (REG)(c == up), now = 2 + NAME(le)(c, up);
		REG found = ~stays & (REG)(up == above) & (REG)(before == now);

		count -= found &
			 NAME(reg_load)((const PIXEL *)(f->masks.ones + FULL_PAD) - MIN(n - i, (size_t)NAME(LANES)));
		now = (before & stays) | (now & ~stays);
		memcpy(directions + i, &now, sizeof(now));
	}
	f->sums.long_between[LINE_COLUMN] += NAME(lane_sum)(count);
}

/* Adds the span's keys to the tables. */
TARGET_STATIC void NAME(count_keys)(struct full *f, size_t n)
{
	const KEY *keys = f->keys;
	size_t i = 0;

#if PIXEL_BITS == 8
	const size_t keys_end = (size_t)CLASSES << PIXEL_BITS;
	uint16_t *counts = f->ids.tables;

	for (; i + 4 <= n; i += 4) {
		uint64_t four;

		memcpy(&four, keys + i, sizeof(four));
		counts[four & 0xffff]++;
		counts[keys_end + (four >> 16 & 0xffff)]++;
		counts[2 * keys_end + (four >> 32 & 0xffff)]++;
		counts[3 * keys_end + (four >> 48)]++;
	}
	_Static_assert(FULL_TABLES == 4, "above");
#else
	uint32_t *counts = f->ids.counts;
#endif
	for (; i < n; i++)
		counts[keys[i]]++;
}

/* Updates the box of a pixel's id and returns it. */
TARGET_INLINE struct full_bbox *NAME(update_bbox)(struct full *f, PIXEL id, uint32_t x, uint32_t y)
{
	struct full_bbox *bbox = &f->ids.bboxes[id];

	bbox->y1 = y;
	if (__builtin_expect(x - bbox->x0 > bbox->more, 0))
		full_grow_bbox(f, id, x, (uint64_t)y * f->width + x);
	return bbox;
}

TARGET_INLINE bool NAME(covers)(const struct full_bbox *bbox, uint32_t x, uint32_t end)
{
	return x - bbox->x0 <= bbox->more && end - 1 - bbox->x0 <= bbox->more;
}

/* Updates the boxes of ids that are neither a class nor ignored, for n pixels of row y from x on. */
TARGET_STATIC void NAME(update_bboxes)(struct full *f, const PIXEL *p, uint32_t n, uint32_t x, uint32_t y)
{
	uint32_t i = 0;

#if PIXEL_BITS == 8
	/* those ids until they are seen and their box covers all n columns, or the current BBOX_COLUMNS */
	uint8_t wanted[1 << PIXEL_BITS], wanted_here[1 << PIXEL_BITS];

	memcpy(wanted, f->ids.offenders, sizeof(wanted));
	for (uint32_t end = 0; i + 8 <= n; i += 8) {
		if (i >= end) {
			memcpy(wanted_here, wanted, sizeof(wanted));
			end = MIN(n, i + BBOX_COLUMNS);
		}
		if (!(wanted_here[p[i]] | wanted_here[p[i + 1]] | wanted_here[p[i + 2]] | wanted_here[p[i + 3]] |
		      wanted_here[p[i + 4]] | wanted_here[p[i + 5]] | wanted_here[p[i + 6]] | wanted_here[p[i + 7]]))
			continue;
		for (uint32_t k = i; k < i + 8; k++) {
			if (!wanted_here[p[k]])
				continue;
			const struct full_bbox *bbox = NAME(update_bbox)(f, p[k], x + k, y);

			wanted[p[k]] = !NAME(covers)(bbox, x, x + n);
			wanted_here[p[k]] = !NAME(covers)(bbox, x + k, x + end);
		}
	}
#endif
	for (; i < n; i++)
		NAME(update_bbox)(f, p[i], x + i, y);
}

/* Finds the first pixel with this gap between its neighbours; its row comes before its column. */
TARGET_STATIC void NAME(find_worst)(struct full *f, const PIXEL *p, size_t n, const struct full_span *span, PIXEL gap)
{
	const KEY *keys = f->keys;
	size_t stride = f->width;

	for (size_t i = 0; i < n; i++) {
		uint64_t index = (uint64_t)span->y * f->width + span->x + i;
		unsigned class = keys[i] >> PIXEL_BITS;

		if ((class & CLASS_BETWEEN) == CLASS_BETWEEN)
			full_update_worst(f, LINE_ROW, p[i - 1], p[i], p[i + 1], index);
		if (class >> CLASS_BITS == CLASS_BETWEEN)
			full_update_worst(f, LINE_COLUMN, *(p + i - stride), p[i], p[i + stride], index);
		if (f->sums.worst.key >> 48 == gap)
			return;
	}
}

TARGET_STATIC void NAME(measure_span)(struct full *f, const void *pixels, size_t n, const struct full_span *span)
{
	const PIXEL *p = pixels;
	size_t row = n / span->rows;
	PIXEL gap = NAME(classify)(f, p, n, span);

	NAME(count_long_runs)(f, p, n);
	NAME(count_keys)(f, n);
	if (gap > f->sums.worst.key >> 48)
		NAME(find_worst)(f, p, n, span, gap);
	for (uint32_t i = 0; i < span->rows; i++, p += row) {
		if (!span->first)
			NAME(count_long_columns)(f, p, row, span->x);
		if (f->ids.has_offenders)
			NAME(update_bboxes)(f, p, (uint32_t)row, span->x, span->y + i);
	}
}

TARGET_STATIC void NAME(sum_columns)(const void *ids, size_t n, const struct column_weights *weights, uint64_t sum[2])
{
	const PIXEL *p = ids;
	PIXEL rest[GROUP_COLUMNS] = { 0 };
	struct key_sums sums[PIXEL_BITS / 8] = { 0 };

	for (; n >= GROUP_COLUMNS; n -= GROUP_COLUMNS, p += GROUP_COLUMNS)
		NAME(add_group)(sums, p, weights++);
	if (n) {
		memcpy(rest, p, n * sizeof(*p));
		NAME(add_group)(sums, rest, weights);
	}
	for (unsigned byte = 0; byte < PIXEL_BITS / 8; byte++)
		for (unsigned k = 0; k < 8; k++)
			sum[k / 4] += (uint64_t)key_total(&sums[byte], k) << (16 * (k % 4) + 8 * byte);
}

#undef PIXEL
#undef KEY
#undef NAME
#undef REG

#if PIXEL_BITS == 8 /* once: weights do not depend on the width of ids */

/*
 * The weights of columns in the content key (content_key.h). Rows of more columns than have their weights kept compute
 * them again and again, so this is done in lanes: four groups of four columns, with every fourth column in a vector.
 * Then their parts are sorted within lanes.
 */
typedef uint64_t columns_4 __attribute__((vector_size(32)));

/* Computes content_mix of the columns. */
TARGET_INLINE void mix_columns(const columns_4 *columns, columns_4 v[2])
{
	columns_4 n = *columns + CONTENT_KEY_COLUMNS;

	n *= CONTENT_KEY_MULTIPLY_1;
	n ^= n >> CONTENT_KEY_FOLD_1;
	n *= CONTENT_KEY_MULTIPLY_2;
	n ^= n >> CONTENT_KEY_FOLD_2;
	v[0] = n;
	n *= CONTENT_KEY_MULTIPLY_3;
	n ^= n >> CONTENT_KEY_FOLD_3;
	v[1] = n;
}

/* Transposes within each lane: part k of w[j] becomes part j of w[k]. */
TARGET_INLINE void transpose_parts(columns_4 w[4])
{
	const columns_4 even = (columns_4){ 0 } + UINT64_C(0x0000ffff0000ffff);
	const columns_4 low = (columns_4){ 0 } + UINT64_C(0xffffffff);
	columns_4 t[4];

	for (unsigned j = 0; j < 4; j += 2) {
		t[j] = (w[j] & even) | (w[j + 1] & even) << 16;
		t[j + 1] = (w[j] >> 16 & even) | (w[j + 1] & ~even);
	}
	for (unsigned k = 0; k < 2; k++) {
		w[k] = (t[k] & low) | t[k + 2] << 32;
		w[k + 2] = t[k] >> 32 | (t[k + 2] & ~low);
	}
}

TARGET_STATIC void make_weights(struct column_weights *weights, uint32_t x, size_t groups)
{
	/* 2^15 in each part: adding it compensates negative parts in the next ones; then it is taken from each */
	const columns_4 bias = (columns_4){ 0 } + UINT64_C(0x8000800080008000);
	/* the first of four columns has the lowest address */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	const unsigned turn = 3;
#else
	const unsigned turn = 0;
#endif
	columns_4 column = { x, x + UINT64_C(4), x + UINT64_C(8), x + UINT64_C(12) };

	_Static_assert(GROUP_COLUMNS == 16, "four of four");
	for (; groups; groups--, weights++, column += GROUP_COLUMNS) {
		columns_4 now[2], next[2], w[2][4];

		mix_columns(&column, now);
		for (unsigned j = 0; j < 4; j++) {
			columns_4 after = column + (j + 1);

			mix_columns(&after, next);
			for (unsigned i = 0; i < 2; i++) {
				w[i][j ^ turn] = ((now[i] - next[i]) + bias) ^ bias;
				now[i] = next[i];
			}
		}
		for (unsigned i = 0; i < 2; i++) {
			transpose_parts(w[i]);
			for (unsigned k = 0; k < 4; k++)
				memcpy(weights->part[4 * i + k], &w[i][k], sizeof(w[i][k]));
		}
	}
}
#endif
